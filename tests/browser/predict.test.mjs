// Questions before a run: what may be said, and what the run answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { lessons, phone, useBrowser, visiting } from "./harness.mjs";
import { Cell, drawWith, Finger, hardToTap } from "./parts.mjs";

useBrowser();

const lesson = lessons().find(({ slug }) => slug === "buffer");
const of = (kind) => lesson.blocks.find(({ type, answer }) => type === "predict" && answer.kind === kind);
const above = (page, id, blocks = lesson.blocks) => {
  const cells = blocks.filter(({ type }) => type === "cell").map((cell) => cell.id);
  return cells.slice(0, cells.indexOf(id) + 1).map((name) => new Cell(page, name));
};

test("a shape is said, changed, and answered by its cell; it is there after a reload", async () => {
  const { id, cell } = of("shape");
  await visiting("#/lesson/buffer", {}, async (page) => {
    const block = page.locator(`[id="${id}"]`);
    const field = block.getByRole("textbox");
    await field.fill("three by four");
    await field.press("Enter");
    await block.getByText("Sizes with commas between them, such as 3, 4.").waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");

    await field.fill("4, 3");
    await block.getByRole("button", { name: "Commit" }).click();
    await block.getByText(`You say (4, 3). Run ${cell} to see.`).waitFor();
    await field.fill("3x16");
    await block.getByRole("button", { name: "Change" }).click();
    await block.getByText("You say (3, 16).").waitFor();

    const cells = above(page, cell);
    for (const each of cells) assert.equal(await each.run(), "ok", await each.output());
    await block.getByText("You said (3, 16). It is (3, 16).").waitFor();
    assert.equal(await field.isDisabled(), true, "what was said may still be changed");
    assert.equal(await block.getByRole("button").count(), 0);

    await page.reload();
    await block.getByText("You say (3, 16).").waitFor();
    assert.equal(await field.inputValue(), "3x16");
  });
});

test("the value is that right after the cell, also where the next one runs at once", async () => {
  const { id, cell } = of("shape");
  await visiting("#/lesson/buffer", {}, async (page) => {
    const block = page.locator(`[id="${id}"]`);
    await block.getByRole("textbox").fill("3, 16");
    await block.getByRole("textbox").press("Enter");
    const cells = above(page, cell);
    for (const each of cells) assert.equal(await each.run(), "ok", await each.output());

    const ids = lesson.blocks.filter(({ type }) => type === "cell").map((each) => each.id);
    const next = new Cell(page, ids[ids.indexOf(cell) + 1]);
    await next.write("x = torch.zeros(5, 5)");
    await block.getByText("It is (3, 16).").waitFor();
    await page.evaluate(
      (names) => {
        for (const name of names) document.querySelector(`[data-cell="${name}"] button.primary`).click();
      },
      [cell, ids[ids.indexOf(cell) + 1]],
    );
    assert.equal(await next.result(), "ok", await next.output());
    await block.getByText("It is (3, 16).").waitFor();

    // A run of the cell alone finds another tensor.
    assert.equal(await cells.at(-1).run(), "ok", await cells.at(-1).output());
    await block.getByText("You said (3, 16). It is (5, 20).").waitFor();
  });
});

/** The lesson with both an edge and a drawing. */
const pictures = lessons().find(({ slug }) => slug === "a-neuron-lights-up");
const pictured = (kind) =>
  pictures.blocks.find(({ type, answer }) => type === "predict" && answer.kind === kind);
const nodeOf = (block, name) => block.getByTestId("edge-picture").getByRole("button", { name, exact: true });

async function runAll(page, id) {
  for (const each of above(page, id, pictures.blocks))
    assert.equal(await each.run(), "ok", await each.output());
}

test("an edge is drawn by two presses, changed by keys, and answered beside it", async () => {
  const { id, cell } = pictured("edge");
  await visiting("#/lesson/a-neuron-lights-up", {}, async (page) => {
    const block = page.locator(`[id="${id}"]`);
    const arrows = block.locator("svg line[marker-end]");
    await nodeOf(block, "s").click();
    await block.getByText("From s: tap the node where the arrow ends.").waitFor();
    assert.equal(await nodeOf(block, "s").getAttribute("aria-pressed"), "true");
    await nodeOf(block, "s").click();
    await block.getByText("Tap the node where the arrow begins").waitFor();
    await nodeOf(block, "s").click();
    await nodeOf(block, "w").click();
    await block.getByText("You say s → w.").waitFor();
    assert.equal(await arrows.count(), 1);

    await nodeOf(block, "s").press("Enter");
    await page.keyboard.press("Escape");
    await block.getByText("Tap two nodes for another arrow.").waitFor();
    await nodeOf(block, "s").press("Enter");
    await nodeOf(block, "y").press("Space");
    await block.getByText(`You say s → y. Run ${cell} to see.`).waitFor();

    await runAll(page, cell);
    await block.getByText("You said s → y. It is y → s.").waitFor();
    assert.equal(await arrows.count(), 2, "the learner's arrow and the run's");
    const [mine, its] = await arrows.evaluateAll((lines) =>
      lines.map((line) => ["x1", "y1", "x2", "y2"].map((name) => Number(line.getAttribute(name)))),
    );
    const from = (at) => at.slice(0, 2);
    assert.ok(Math.hypot(...from(mine).map((value, axis) => value - its[axis + 2])) > 5, "they lie apart");
    assert.equal(await block.locator(".verdict.right").count(), 0);
    assert.equal(await block.locator("button:enabled").count(), 0, "what was drawn may still be changed");
    assert.deepEqual(await violations(page), []);

    await page.reload();
    await block.getByText("You say s → y.").waitFor();
    // Not before the size of the nodes is known.
    await arrows.first().waitFor({ state: "attached" });
    assert.equal(await arrows.count(), 1);
    await nodeOf(block, "y").click();
    await nodeOf(block, "s").click();
    await runAll(page, cell);
    await block.getByText("You said y → s. It is y → s.").waitFor();
    assert.equal(await block.locator(".verdict.right").count(), 1);
  });
});

test("a curve is drawn by mouse, kept, and compared with the run's", async () => {
  const { id, cell } = pictured("drawing");
  await visiting("#/lesson/a-neuron-lights-up", {}, async (page) => {
    const block = page.locator(`[id="${id}"]`);
    const field = block.getByTestId("drawing-field");
    const commit = block.getByRole("button", { name: "Commit" });
    await field.scrollIntoViewIfNeeded();
    assert.equal(await commit.isDisabled(), true);
    await drawWith(page.mouse, field, [
      [0.3, 0.2],
      [0.7, 0.2],
    ]);
    await block.getByText("Go on to both ends of the axis.").waitFor();
    assert.equal(await commit.isDisabled(), true, "half a curve is no answer");
    await block.getByRole("button", { name: "Clear" }).click();

    // A flat line is far from the slope of tanh.
    await drawWith(page.mouse, field, [
      [0, 0.9],
      [1, 0.9],
    ]);
    await commit.click();
    await block.getByText(`Your curve is kept. Run ${cell} to see`).waitFor();
    await runAll(page, cell);
    await block.getByText(/^Your curve is \d\d % of the height away/).waitFor();
    assert.equal(await block.locator(".verdict.right").count(), 0);
    assert.equal(await block.locator("polyline.runs").count(), 1, "the run's curve");
    assert.equal(await block.getByRole("button").count(), 0);
    assert.deepEqual(await violations(page), []);

    // After a reload the drawing is there, and may be changed until the run answers again.
    await page.reload();
    await block.getByText("Your curve is kept.").waitFor();
    assert.equal((await block.locator("polyline.yours").getAttribute("points")).split(" ").length, 25);
    // The page keeps the place it was left at while it settles, until the reader does something.
    await page.keyboard.press("Shift");
    const low = 0.16;
    await drawWith(page.mouse, field, [
      [0, low],
      [0.3, low],
      [0.5, 0.85],
      [0.7, low],
      [1, low],
    ]);
    await block.getByRole("button", { name: "Change" }).click();
    await runAll(page, cell);
    await block.getByText(/^Your curve is \d % of the height away/).waitFor();
    assert.equal(await block.locator(".verdict.right").count(), 1);
  });
});

test("a curve is drawn by keys: the arrows choose a point and move it", async () => {
  const { id } = pictured("drawing");
  await visiting("#/lesson/a-neuron-lights-up", {}, async (page) => {
    const block = page.locator(`[id="${id}"]`);
    const field = block.getByRole("slider");
    await field.focus();
    assert.equal(await field.getAttribute("aria-valuetext"), "Point 1 of 25, at −4: not drawn yet");
    await field.press("ArrowUp");
    assert.equal(await field.getAttribute("aria-valuetext"), "Point 1 of 25, at −4: 0.57");
    await field.press("End");
    await field.press("PageDown");
    assert.equal(await field.getAttribute("aria-valuetext"), "Point 25 of 25, at 4: 0.22");
    await field.press("ArrowLeft");
    assert.equal(await field.getAttribute("aria-valuetext"), "Point 24 of 25, at 3.67: 0.5");
    await block.getByRole("button", { name: "Commit" }).press("Enter");
    await block.getByText("Your curve is kept.").waitFor();
    assert.deepEqual(await violations(page), []);
  });
});

test("a finger draws and the page stays where it is; nodes and buttons are large enough to tap", async () => {
  const [edge, drawing] = [pictured("edge"), pictured("drawing")];
  await visiting("#/lesson/a-neuron-lights-up", { size: phone, touch: true }, async (page) => {
    const block = page.locator(`[id="${drawing.id}"]`);
    const field = block.getByTestId("drawing-field");
    await field.waitFor();
    await field.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    const before = await page.evaluate(() => scrollY);
    await drawWith(new Finger(page), field, [
      [0, 0.1],
      [1, 0.9],
    ]);
    assert.equal(await page.evaluate(() => scrollY), before, "the page has scrolled under the finger");
    await block.getByRole("button", { name: "Commit" }).tap();
    await block.getByText("Your curve is kept.").waitFor();
    assert.deepEqual(await hardToTap(page, `[id="${drawing.id}"]`), []);

    const other = page.locator(`[id="${edge.id}"]`);
    await nodeOf(other, "y").tap();
    await nodeOf(other, "w").tap();
    await other.getByText("You say y → w.").waitFor();
    assert.deepEqual(await hardToTap(page, `[id="${edge.id}"]`), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false, "the page scrolls sideways");
  });
});

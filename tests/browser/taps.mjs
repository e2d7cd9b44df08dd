// A lesson on a telephone, done by taps alone: its cells, its stage, its exercises, its questions.

import assert from "node:assert/strict";
import { eventually, phone } from "./harness.mjs";
import {
  Cell,
  drawWith,
  Exercise,
  Finger,
  hardToTap,
  Pad,
  restingBox,
  Sheet,
  Stage,
  StageTools,
} from "./parts.mjs";

/** Runs every cell, works the stage, and answers all that is asked. `index` picks the way a card is closed. */
export async function takeByTaps(page, { slug, blocks }, index) {
  const sheet = new Sheet(page);
  const cells = blocks.filter(({ type }) => type === "cell").map(({ id }) => new Cell(page, id));
  await cells[0].root.waitFor();
  await sheet.rests("strip");
  assert.equal(Math.round(await sheet.seen()), 40, "the strip of an empty stage");
  assert.deepEqual(await hardToTap(page), [], `${slug}, before anything ran`);
  const predictions = blocks.filter(({ type }) => type === "predict");
  for (const block of predictions) await predict(page, block);
  for (const cell of cells) {
    await cell.tap();
    assert.equal(await cell.result(), "ok", `${cell.name}: ${await cell.output()}`);
  }
  for (const block of predictions) await answered(page, block);
  await operate(page, sheet, index);
  const pad = new Pad(page);
  if ((await pad.root.count()) > 0) {
    const [field, clear] = [await restingBox(pad.field), await restingBox(pad.clear)];
    assert.ok(
      clear.x > field.x + field.width && clear.y < field.y + field.height,
      "Clear is beside the field",
    );
  }
  for (const block of blocks) {
    if (block.type === "exercise") await exercise(page, block);
    else if (block.type === "quiz") await question(page, block);
  }
  assert.deepEqual(await hardToTap(page), [], `${slug}, after all ran`);
}

/** Opens and closes the sheet; plays, steps, and opens a card where there is a graph. */
async function operate(page, sheet, index) {
  const stage = new Stage(page, sheet.root);
  const tools = new StageTools(page);
  await sheet.go("half");
  await page.getByRole("tab", { name: "Graph" }).tap();
  if ((await stage.slider.count()) > 0) {
    await stage.ready();
    await sheet.go("full");
    await stage.transport.getByRole("button", { name: "To the start" }).tap();
    await stage.rest(0);
    await sheet.go("half");
    await stage.transport.getByRole("button", { name: "Step", exact: true }).tap();
    await eventually(async () => assert.ok((await stage.position()) > 0));
    const stepped = await stage.position();
    await stage.transport.getByRole("button", { name: "Play" }).tap();
    await eventually(async () => assert.ok((await stage.position()) > stepped));
    await stage.press("To the end");
    await stage.rest(await stage.count());
    const node = await restingBox(await onScreen(stage));
    await page.touchscreen.tap(node.x + node.width / 2, node.y + node.height / 2);
    await tools.card.waitFor();
    const card = await restingBox(tools.card);
    assert.equal(Math.round(card.y + card.height), phone.height, "the card stands on the screen's edge");
    await closings[index % closings.length](page, tools, card);
    await tools.card.waitFor({ state: "detached" });
  }
  await sheet.go("strip");
}

/** The first node that is on the screen: a graph that is larger than the stage is shown in part. */
async function onScreen({ graph }) {
  const nodes = graph.locator("[data-node]");
  const at = await graph.evaluate((root) => {
    const stage = root.getBoundingClientRect();
    return [...root.querySelectorAll("[data-node]")].findIndex((node) => {
      const { top, bottom, left, right } = node.getBoundingClientRect();
      return top > stage.top && bottom < stage.bottom && left > stage.left && right < stage.right;
    });
  });
  assert.ok(at >= 0, "no node is on the screen");
  return nodes.nth(at);
}

/** The ways that a card is closed. */
const closings = [
  (page, _tools, { x, y, width }) => new Finger(page).drag([x + width / 2, y + 14], [x + width / 2, y + 200]),
  async (_page, tools, { y }) => {
    await tools.card.evaluate((card) => card.scrollTo(0, card.scrollHeight));
    const close = tools.card.getByRole("button", { name: /^Close/ });
    assert.ok((await restingBox(close)).y - y < 30, "the button scrolls away");
    await close.tap();
  },
  // Beside it, and beside what the stage is worked with.
  (page, _tools) => new Stage(page, new Sheet(page).root).caption.tap(),
  (page) => page.keyboard.press("Escape"),
];

/** Says what a cell will give: the first that can be said. */
async function predict(page, { id, answer }) {
  const block = page.locator(`[id="${id}"]`);
  if (answer.kind === "choice") await block.getByRole("radio").first().tap();
  else if (answer.kind === "edge") {
    const nodes = block.getByTestId("edge-picture").getByRole("button");
    await nodes.first().tap();
    await nodes.last().tap();
  } else if (answer.kind === "drawing") {
    await drawWith(new Finger(page), block.getByTestId("drawing-field"), [
      [0, 0.2],
      [1, 0.8],
    ]);
    await block.getByRole("button", { name: "Commit" }).tap();
    await block.getByText(/^Your curve is kept/).waitFor();
    return;
  } else {
    await block.getByRole("textbox").fill("1");
    await block.getByRole("button", { name: "Commit" }).tap();
  }
  await block.getByText(/^You say /).waitFor();
}

/** The cell has run: its value stands beside what was said, which may not be changed any more. */
async function answered(page, { id, answer }) {
  const block = page.locator(`[id="${id}"]`);
  const told =
    answer.kind === "drawing" ? /^Your curve is \d+ % of the height away/ : /^You said .+\. It is .+\.$/;
  await block.getByText(told).waitFor();
  assert.equal(await block.locator("input:enabled, button:enabled").count(), 0, `${id} may still be changed`);
}

/** Answers a question rightly. */
async function question(page, { id, options }) {
  const right = page.locator(`[id="${id}"] .option`).nth(options.findIndex(({ correct }) => correct));
  await right.locator("label").tap();
  await right.getByText("Right.", { exact: true }).waitFor();
}

/** Asks for the solution of an exercise, puts it in, and checks it. */
async function exercise(page, { id }) {
  const one = new Exercise(page, id);
  const press = (name) => one.root.getByRole("button", { name }).first().tap();
  await press("Show me");
  await press("Show it");
  await press("Put the solution in the editor");
  await one.tap();
  await one.ended();
  await eventually(async () => assert.ok(await one.passed(), await one.output()));
}

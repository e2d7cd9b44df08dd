// Questions before a run: what may be said, and what the run answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lessons, useBrowser, visiting } from "./harness.mjs";
import { Cell } from "./parts.mjs";

useBrowser();

const lesson = lessons().find(({ slug }) => slug === "buffer");
const of = (kind) => lesson.blocks.find(({ type, answer }) => type === "predict" && answer.kind === kind);
const above = (page, id) => {
  const cells = lesson.blocks.filter(({ type }) => type === "cell").map((cell) => cell.id);
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

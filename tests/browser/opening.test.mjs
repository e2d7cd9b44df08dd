// What a lesson opens with: its own instrument, with something in it, before anything has run; marked as the
// author's, and the learner's after one press.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, lessons, phone, useBrowser, visiting } from "./harness.mjs";
import { Cell, Memory, restingBox, Sheet, Stage } from "./parts.mjs";

useBrowser();

/** What each instrument draws where it has something to show. */
const shown = {
  graph: "#panel-graph [data-node]",
  memory: "#panel-memory select option",
  kernels: '#panel-kernels [data-testid="kernel-list"] > li',
};

const chosen = (page) => page.getAttribute('[role="tab"][aria-selected="true"]', "data-instrument");

for (const { slug, opening } of lessons()) {
  test(`${slug} opens with ${opening.instrument}`, async () => {
    await visiting(`#/lesson/${slug}`, {}, async (page) => {
      await page.locator(shown[opening.instrument]).first().waitFor({ state: "attached" });
      assert.equal(await chosen(page), opening.instrument);
      const note = page.locator(`#panel-${opening.instrument} [data-testid="author"]`);
      assert.match(await note.innerText(), /author/);
      assert.match(await page.locator('[data-testid="tally"]').innerText(), /^0 of /);
      if (opening.instrument !== "graph") return;
      const stage = new Stage(page);
      await stage.ready();
      await stage.rest(await stage.count());
    });
  });
}

test("a run makes the bytes the learner's, and the author's go", async () => {
  await visiting("#/lesson/buffer", {}, async (page) => {
    const note = page.locator('#panel-memory [data-testid="author"]');
    await note.getByRole("button", { name: "Run cell-1" }).click();
    await note.waitFor({ state: "detached" });
    assert.equal(await chosen(page), "memory");
    assert.match(await page.locator("#panel-memory").innerText(), /made at cell-1, line 3/);
  });
});

test("a telephone's strip says whose run it holds, and numbers stand first in half a sheet", async () => {
  await visiting("#/lesson/broadcasting", { size: phone, touch: true }, async (page) => {
    const sheet = new Sheet(page);
    await eventually(async () => assert.match(await sheet.toggle.innerText(), /the author's run of cell-2/));
    assert.equal(await page.locator(".cm-line.lit").count(), 0, "a line is lit before anything ran");
    // A run that fails leaves its message in sight, and brings up nothing that was there before.
    assert.equal(await new Cell(page, "cell-2").run(), "error");
    await sheet.rests("strip");
    for (const id of ["cell-1", "cell-2"]) assert.equal(await new Cell(page, id).run(), "ok");
    const memory = new Memory(page);
    await sheet.rests("half");
    await memory.tensor.selectOption("x");
    await eventually(async () => {
      const [last, panel] = [await restingBox(memory.element(11)), await restingBox(memory.root)];
      assert.ok(last.y + last.height <= panel.y + panel.height, "a number is cut off");
    });
    // The text before it speaks of the stamp.
    const widget = new Memory(page, page.locator("[data-widget=memory]").first());
    await widget.shows([10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40]);
  });
});

test("the cells down to the graph's run in order, and their graph plays", async () => {
  await visiting("#/lesson/graph-in-your-head", {}, async (page) => {
    const note = page.locator('#panel-graph [data-testid="author"]');
    await note.getByRole("button", { name: "Run cell-1 to cell-4" }).click();
    await eventually(async () => assert.equal(await new Cell(page, "cell-4").result(), "ok"));
    await note.waitFor({ state: "detached" });
  });
});

test("a lesson that was left with another instrument opens with that", async () => {
  await visiting("#/lesson/strides", {}, async (page) => {
    await page.locator(shown.memory).first().waitFor({ state: "attached" });
    await page.click('[data-instrument="graph"]');
    await page.reload();
    await page.locator(shown.graph).first().waitFor({ state: "attached" });
    assert.equal(await chosen(page), "graph");
  });
});

// A line that fails in an op: the stage shows the call with the shapes that came and the module's name, the outline
// says why, and the next run takes it away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, useBrowser, visiting } from "./harness.mjs";
import { freeCell, Stage } from "./parts.mjs";

useBrowser();

const program = `import glowgrad as torch
import glowgrad.nn as nn

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(9, 2))
y = model(torch.ones(5, 4))`;

test("a layer of another size is red, with both shapes and its name, until the next run", async () => {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    const stage = new Stage(page);
    await cell.write(program);
    assert.equal(await cell.run(), "error");
    await stage.ready();
    await stage.press("To the end");

    const failed = stage.graph.locator(".node.failed");
    await failed.waitFor();
    const text = await failed.textContent();
    assert.match(text, /linear\(\[5, 8\], \[2, 9\]/);
    assert.match(text, /2/);
    const [stroke, error] = await failed.locator(".body").evaluate((body) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = "var(--error)";
      const wanted = getComputedStyle(probe).color;
      probe.remove();
      return [getComputedStyle(body).stroke, wanted];
    });
    assert.equal(stroke, error);

    const outline = page.getByRole("region", { name: "Outline of the step" });
    await eventually(async () =>
      assert.match(await outline.textContent(), /Line 5: linear fails in the module .*2: /),
    );

    await cell.write(program.replace("9, 2", "8, 2"));
    assert.equal(await cell.run(), "ok");
    await failed.waitFor({ state: "detached" });
  });
});

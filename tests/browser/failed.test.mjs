// A line that fails in an op: the stage shows the call with the shapes that came and the module's name, the outline
// says why, and the next run takes it away, and with it the note that it is of an earlier session.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, phone, useBrowser, visiting, wide } from "./harness.mjs";
import { freeCell, Session, Stage, saved } from "./parts.mjs";

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

    // All of it is said, wherever it is read; on a telephone on its side after a tap.
    const { caption } = stage;
    const isWhole = () => caption.evaluate((line) => line.scrollHeight <= line.clientHeight + 1);
    for (const size of [phone, wide, { width: phone.height, height: phone.width }]) {
      await page.setViewportSize(size);
      if (size.height === phone.width) {
        await eventually(async () => assert.ok((await caption.evaluate((line) => line.clientHeight)) < 30));
        await caption.click();
      }
      await eventually(async () => assert.ok(await isWhole(), `cut at ${size.width} × ${size.height}`));
    }
    await page.setViewportSize(wide);

    await saved(page);
    await page.reload();
    const { earlier, earlierPicture } = new Session(page);
    await earlier.waitFor();
    await cell.write("print(1)");
    assert.equal(await cell.run(), "ok");
    await failed.waitFor({ state: "detached" });
    assert.equal(await earlierPicture.count(), 0, "an empty stage is drawn by nothing");

    await cell.write(program.replace("9, 2", "8, 2"));
    assert.equal(await cell.run(), "ok");
    await stage.ready();
    assert.equal(await failed.count(), 0);
  });
});

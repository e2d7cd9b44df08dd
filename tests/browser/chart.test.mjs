// What Matplotlib's names draw stands under its cell: it fits the screen, follows the theme, and is told in words.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, narrow, useBrowser, visiting, wide } from "./harness.mjs";
import { freeCell } from "./parts.mjs";

useBrowser();

const program = `import numpy as np
import matplotlib.pyplot as plt
x = np.linspace(0, 6.28, 100)
fig, axes = plt.subplots(2, 2, figsize=(8, 6))
axes[0, 0].plot(x, np.sin(x), label="sin")
axes[0, 0].plot(x, np.cos(x), "--", label="cos")
axes[0, 0].legend()
axes[0, 1].scatter(x, x ** 2, c=x)
axes[1, 0].hist(np.random.default_rng(0).normal(size=500), bins=20)
axes[1, 1].imshow(np.outer(np.sin(x), np.cos(x)))
fig.suptitle("Four axes")
plt.tight_layout()
plt.show()`;

/** Runs the texts in the free cell, one after another, and hands over the last one's charts. */
async function charting(texts, options, body) {
  await visiting("#/play", options, async (page) => {
    const cell = freeCell(page);
    for (const text of texts) {
      await cell.write(text);
      assert.equal(await cell.run(), "ok", await cell.output());
    }
    await body(page.getByTestId("chart"), page);
  });
}

for (const [name, options] of Object.entries({
  "wide, dark": { size: wide, theme: "dark" },
  "narrow, light": { size: narrow, theme: "light" },
})) {
  test(`four axes fit the screen and are told in words: ${name}`, async () => {
    await charting([program], options, async (charts, page) => {
      const picture = charts.getByRole("img");
      await picture.waitFor();
      assert.match(await picture.getAttribute("aria-label"), /Four axes/);
      const { x, width } = await picture.boundingBox();
      assert.ok(x >= 0 && x + width <= options.size.width, `${x} + ${width} of ${options.size.width}`);
      const texts = await picture.locator("text").allTextContents();
      for (const text of ["Four axes", "sin", "cos"]) assert.ok(texts.includes(text), `${text} in ${texts}`);
      const sizes = await picture
        .locator("text")
        .evaluateAll((all) => all.map((each) => Number.parseFloat(getComputedStyle(each).fontSize)));
      assert.ok(Math.min(...sizes) >= 11, `the smallest text has ${Math.min(...sizes)} px`);
      assert.deepEqual(await violations(page), []);
    });
  });
}

test("a figure that was not shown is shown at the cell's end, and each run has its own", async () => {
  const drawn = (title) => `import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.title("${title}")`;
  await charting([drawn("first"), drawn("second")], {}, async (charts) => {
    await eventually(async () => {
      assert.equal(await charts.count(), 1);
      assert.match(await charts.getByRole("img").getAttribute("aria-label"), /second/);
    });
  });
});

test("a chart is saved as a picture, and is there after a reload", async () => {
  await charting([program], { size: wide }, async (charts, page) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      charts.getByRole("button", { name: /svg/i }).click(),
    ]);
    assert.match(readFileSync(await file.path(), "utf8"), /^<svg.*Four axes.*<\/svg>\s*$/s);
    await page.reload();
    await charts.getByRole("img").waitFor();
  });
});

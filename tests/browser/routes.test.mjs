// Every route opens without a complaint, in both themes, wide and narrow, and axe finds nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { lessons, narrow, useBrowser, visiting, wide } from "./harness.mjs";
import { Cell, OpReference } from "./parts.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const routes = [
  "#/",
  "#/course",
  "#/play",
  "#/reference",
  "#/reference/softmax",
  "#/reference/no-such-op",
  "#/no-such-page",
  ...lessons().map(({ slug }) => `#/lesson/${slug}`),
];

useBrowser();

for (const route of routes) {
  describe(`route ${route}`, () => {
    for (const theme of ["dark", "light"]) {
      for (const size of [wide, narrow]) {
        test(`${theme}, ${size.width} wide: quiet and accessible`, async () => {
          await visiting(route, { theme, size }, async (page) => {
            await page.getByRole("heading", { level: 1 }).waitFor();
            if (route === "#/") await page.locator("[data-node]").first().waitFor();
            if (route.startsWith("#/reference")) await new OpReference(page).ready();
            if (route === "#/reference/softmax") await new OpReference(page).opened("softmax").waitFor();
            assert.deepEqual(await violations(page), []);
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);
          });
        });
      }
    }
  });
}

test("an unknown lesson says so and leads back to the course", async () => {
  await visiting("#/lesson/no-such-lesson", {}, async (page) => {
    await page.getByRole("main").getByRole("link", { name: "All lessons" }).click();
    await page.getByRole("main").getByRole("link").first().waitFor();
    assert.ok(page.url().endsWith("#/course"));
  });
});

test("the reference is searched by keyboard, and what opens can be handed on", async () => {
  await visiting("#/reference", {}, async (page) => {
    const reference = new OpReference(page);
    await reference.ready();
    const all = await reference.ops.count();
    await page.keyboard.press("/");
    await page.keyboard.type("tanh");
    await reference.count.getByText(`of ${all} ops`).waitFor();
    assert.ok((await reference.ops.count()) < all);
    await page.keyboard.press("Enter");
    await reference.opened("tanh").waitFor();
    assert.ok(page.url().endsWith("#/reference/tanh"));
    // The address alone brings the same op, open and in view.
    await page.reload();
    await reference.focused("tanh");
    const { y } = await reference.opened("tanh").boundingBox();
    assert.ok(y >= 0 && y < 400, `the op stands ${y} px from the top`);
  });
});

test("an unknown op offers the nearest, which opens", async () => {
  await visiting("#/reference/sofmax", {}, async (page) => {
    const reference = new OpReference(page);
    await reference.unknown.getByRole("link", { name: "softmax", exact: true }).click();
    await reference.opened("softmax").waitFor();
    assert.equal(await reference.unknown.count(), 0);
  });
});

test("the example of an op is tried in a cell of its own", async () => {
  await visiting("#/reference/tanh", {}, async (page) => {
    await new OpReference(page).opened("tanh").getByRole("link", { name: "Try it" }).click();
    assert.equal(await new Cell(page, "tanh").run(), "ok");
    await page.getByRole("main").getByRole("link", { name: "your own cell" }).click();
    await new Cell(page, "cell-1").root.waitFor();
  });
});

test("a theme is chosen once and kept", async () => {
  await visiting("#/", { theme: "dark" }, async (page) => {
    await page.getByRole("button", { name: "Switch to the light theme" }).click();
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.reload();
    await page.getByRole("button", { name: "Switch to the dark theme" }).waitFor();
    assert.equal(await ground(), light);
  });
});

/** What axe finds, short enough to act on. */
async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map(({ id, nodes }) => ({
    id,
    where: nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary?.split("\n")[1]?.trim()}`),
  }));
}

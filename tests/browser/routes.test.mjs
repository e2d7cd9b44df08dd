// Every route opens without a complaint, in both themes, wide and narrow, and axe finds nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { lessons, narrow, useBrowser, visiting, wide } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const routes = [
  "#/",
  "#/course",
  "#/play",
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

// What a visit costs: bytes over the wire are held to their budgets, times are only told.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { lessons, measured, useBrowser, visiting } from "./harness.mjs";
import { Cell, pythonReady } from "./parts.mjs";

useBrowser();

const root = new URL("../../", import.meta.url);
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

/** The name that the bundler gave to the module with Python. */
function pythonModule() {
  const wanted = readFileSync(new URL("www/src/wasm/python/glowgrad_web_bg.wasm", root));
  const folder = new URL("dist/assets/", root);
  const names = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
  const name = names.find((candidate) => readFileSync(new URL(candidate, folder)).equals(wanted));
  assert.ok(name, "the site does not hold the Python module");
  return name;
}

test("the first glow needs no Python and keeps the small budget", async () => {
  const budget = Number(process.env.GLOW_LAB_FIRST_LOAD);
  const python = pythonModule();
  await visiting("#/", { motion: "no-preference", watchGlow: true, offline: true }, async (page, visit) => {
    await page.waitForFunction(() => window.glowNotes.registered !== null);
    const notes = await page.evaluate(() => window.glowNotes);
    // What is kept for offline comes later, and past this count: the page must be at rest first.
    assert.equal(notes.registered, 0, "the site is being kept for offline before the first glow");
    const first = visit.received.filter(({ url }) => !url.includes(python));
    const bytes = first.reduce((sum, response) => sum + response.bytes, 0);
    measured(
      `graph drawn ${notes.drawn.toFixed(0)} ms, first glow ${notes.glowed.toFixed(0)} ms after navigation`,
    );
    measured(`first load ${kilobytes(bytes)} of ${kilobytes(budget)} in ${first.length} responses`);
    assert.ok(bytes > 0, "the server tells no lengths");
    assert.ok(bytes <= budget, first.map(({ url, bytes: size }) => `${kilobytes(size)} ${url}`).join("\n"));
  });
});

test("a lesson with Python keeps the large budget, and a second visit fetches no module", async () => {
  const budget = Number(process.env.GLOW_LAB_FIRST_CELL);
  const [lesson] = lessons();
  const block = lesson.blocks.find(({ type }) => type === "cell");
  await visiting(`#/lesson/${lesson.slug}`, { offline: true }, async (page, visit) => {
    assert.equal(await new Cell(page, block.id).run(), "ok");
    measured(`first cell of a lesson: ${kilobytes(visit.bytes)} of ${kilobytes(budget)}`);
    assert.ok(visit.bytes <= budget, kilobytes(visit.bytes));

    await page.reload();
    assert.equal(await new Cell(page, block.id).run(), "ok");
    await pythonReady(page);
    const fetched = [];
    for (const worker of page.workers()) {
      fetched.push(
        ...(await worker.evaluate(() =>
          performance.getEntriesByType("resource").map(({ name, transferSize }) => [name, transferSize]),
        )),
      );
    }
    const modules = fetched.filter(([name]) => name.endsWith(".wasm"));
    assert.ok(modules.length > 0, "no module was asked for");
    for (const [name, transferred] of modules)
      assert.equal(transferred, 0, `${name} came over the wire again`);
  });
});

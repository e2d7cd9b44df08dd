// The digits lesson: it trains in the page, and then reads digits drawn by hand.
//
// The drawings (tests/drawings) are pointer positions, stroke by stroke, and not of the data set; they
// are replayed with the mouse on the pad.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { lessons, measured, useBrowser, visiting } from "./harness.mjs";
import { Cell, Pad } from "./parts.mjs";

const folder = new URL("../drawings/", import.meta.url);
const drawings = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => {
    const { digit, width, height, strokes } = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    return {
      digit,
      strokes: strokes.map((stroke) => stroke.map(([x, y]) => [x / width, y / height])),
    };
  });
const lesson = lessons().find(({ slug }) => slug === "read-a-digit");

useBrowser();

test("the drawings are two of each digit", () => {
  const counts = new Array(10).fill(0);
  for (const { digit } of drawings) counts[digit] += 1;
  assert.deepEqual(counts, new Array(10).fill(2));
});

test("the network learns to 95 % and reads at least 18 of 20 drawn digits", async () => {
  assert.ok(lesson, "Read a digit is gone");
  await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
    let printed = "";
    const began = performance.now();
    for (const block of lesson.blocks.filter(({ type }) => type === "cell")) {
      const cell = new Cell(page, block.id);
      assert.equal(await cell.run(), "ok", `${block.id}: ${await cell.output()}`);
      printed += `${await cell.output()}\n`;
    }
    measured(`all cells of ${lesson.slug}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const accuracy = testAccuracy(printed);
    measured(`test accuracy in Chromium: ${accuracy} %`);
    assert.ok(accuracy >= 95, printed);

    const pad = new Pad(page);
    const wrong = [];
    for (const { digit, strokes } of drawings) {
      const read = await pad.read(strokes);
      if (read !== digit) wrong.push(`${digit} read as ${read}`);
    }
    measured(`drawn digits read: ${drawings.length - wrong.length} of ${drawings.length}`);
    assert.ok(wrong.length <= drawings.length / 10, wrong.join(", "));
  });
});

/** What the lesson says of the digits that were kept back. */
function testAccuracy(printed) {
  const match = /([\d.]+)% of the digits it has never seen/.exec(printed);
  assert.ok(match, `no test accuracy was printed:\n${printed}`);
  return Number(match[1]);
}

// Stop, and what a lost worker costs: variables, never text or progress.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually, killWorkers, lessons, measured, useBrowser, visiting } from "./harness.mjs";
import { Cell, Exercise, freeCell, pythonReady, saved, suspensionNote } from "./parts.mjs";

useBrowser();

/** Starts an endless loop in the free cell after a variable was set. */
async function loopForever(page, loop) {
  const cell = freeCell(page);
  await cell.write("kept = 41\nprint('set')");
  assert.equal(await cell.run(), "ok", await cell.output());
  await cell.write(loop);
  await cell.start();
  await cell.running();
  await page.waitForTimeout(200);
  return cell;
}

const loops = {
  "while True: pass": "while True: pass",
  "a loop that prints": "n = 0\nwhile True:\n    n += 1\n    print(n)",
  "a loop in a function called in a loop":
    "def spin():\n    while True:\n        len([1, 2])\nfor _ in range(3):\n    spin()",
  "endless recursion in small pieces":
    "def down(n):\n    return n if n == 0 else down(n - 1)\nwhile True:\n    down(20)",
  "a loop that catches everything it can":
    "while True:\n    try:\n        pass\n    except Exception:\n        pass",
};

describe("Stop with JSPI", () => {
  for (const [name, loop] of Object.entries(loops)) {
    test(`${name}: KeyboardInterrupt, and the variables are kept`, async () => {
      await visiting("#/play", {}, async (page) => {
        const cell = await loopForever(page, loop);
        assert.equal(await suspensionNote(page), "");
        const began = performance.now();
        await cell.stop();
        assert.equal(await cell.result(), "error");
        measured(`Stop on ${name}: ${(performance.now() - began).toFixed(0)} ms`);
        // What the page says of a KeyboardInterrupt, and of nothing else.
        assert.match(await cell.output(), /Stopped\. Your variables are kept\./);
        await cell.write("print(kept + 1)");
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.equal((await cell.output()).trim(), "42");
      });
    });
  }
});

describe("Stop without JSPI", () => {
  test("the worker is replaced, and the page says so and what to run again", async () => {
    await visiting("#/play", { withoutJspi: true }, async (page) => {
      const cell = await loopForever(page, "while True: pass");
      await eventually(async () => assert.match(await suspensionNote(page), /variables are gone then/));
      const began = performance.now();
      await cell.stop();
      await cell.ended();
      measured(`Stop without JSPI: ${(performance.now() - began).toFixed(0)} ms`);
      assert.match(await cell.output(), /variables are gone\. Run these again: cell-1\./);
      await cell.holds("while True: pass");
      await cell.write("print(kept)");
      assert.equal(await cell.run(), "error");
      assert.match(await cell.fault(), /NameError/);
    });
  });
});

test("a killed worker is replaced; text and progress are there, also after a reload", async () => {
  const lesson = lessons().find(({ slug }) => slug === "buffer");
  const [cellBlock] = lesson.blocks.filter(({ type }) => type === "cell");
  const exercise = lesson.blocks.find(({ type }) => type === "exercise");
  await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
    const cell = new Cell(page, cellBlock.id);
    for (const block of lesson.blocks.filter(({ type }) => type === "cell")) {
      assert.equal(await new Cell(page, block.id).run(), "ok");
    }
    const answer = new Exercise(page, exercise.id);
    await answer.write(exercise.solution);
    assert.ok(await answer.check(), await answer.output());
    const mine = `${cellBlock.source.trimEnd()}\nprint("mine")\nwhile True: pass`;
    await cell.write(mine);
    await cell.start();
    await cell.running();

    assert.equal(await killWorkers(page, "python"), 1);
    await cell.ended();
    assert.match(await cell.output(), /variables are gone|ended unexpectedly/i);
    await pythonReady(page);
    await cell.holds(mine);

    await saved(page);
    await page.reload();
    await cell.holds(mine);
    await eventually(async () => assert.ok(await answer.passed()));
    await cell.write(cellBlock.source);
    assert.equal(await cell.run(), "ok");
  });
});

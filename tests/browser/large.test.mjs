// Graphs of two thousand and of ten thousand nodes: what opening, unfolding and moving them takes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { resnets } from "./graphs.mjs";
import { eventually, measured, useBrowser, visiting } from "./harness.mjs";
import { program } from "./networks.mjs";
import { freeCell, Graph, Stage } from "./parts.mjs";

useBrowser();

const motion = "no-preference";

/** Runs a step of so many ResNet-18s, and measures how long the page itself is busy until it is drawn. */
async function onResnets(count, body) {
  await visiting("#/play", { motion }, async (page) => {
    const cell = freeCell(page);
    await cell.write(resnets(count));
    await page.evaluate(() => {
      window.tasks = [];
      new PerformanceObserver((list) => {
        window.tasks.push(...list.getEntries().map((entry) => entry.duration));
      }).observe({ type: "longtask" });
    });
    assert.equal(await cell.run(), "ok");
    const graph = new Graph(page);
    await graph.ready();
    await page.waitForTimeout(500);
    const tasks = await page.evaluate(() => window.tasks);
    const sum = tasks.reduce((total, millis) => total + millis, 0);
    measured(`opening a step of ${count} ResNet-18s: ${sum.toFixed(0)} ms of long tasks on the page`);
    await body(graph, page, new Stage(page));
  });
}

function inWords(millis) {
  const sorted = [...millis].sort((a, b) => a - b);
  return `${sorted[sorted.length >> 1].toFixed(0)} ms (median of ${sorted.length}; ${sorted.at(-1).toFixed(0)} at most)`;
}

/** Unfolds modules one by one with the keyboard, until so many nodes are drawn that they are painted, or repeats are left. */
async function unfoldUntilPainted(graph, page) {
  const times = [];
  while ((await graph.canvas.count()) === 0) {
    // What is left are repeats: they open turn by turn, or with all the rest.
    if ((await graph.module.count()) === 0) break;
    const before = await graph.count();
    await graph.module.focus();
    // The nodes that the focus lights have come to rest, as for a learner that looks before opening.
    await page.waitForTimeout(250);
    times.push(await graph.redrawn(() => page.keyboard.press("Enter")));
    await eventually(async () => assert.ok((await graph.count()) > before));
    await graph.focused();
  }
  return times;
}

/** Goes into a module far from the beginning, and folds and unfolds it there. */
async function inTheMiddle(graph, page) {
  await graph.root.locator("[data-node]").focus();
  for (let step = 0; step < 60; step++) await page.keyboard.press("Shift+ArrowRight");
  const whole = await graph.count();
  const times = [];
  for (let turn = 0; turn < 6; turn++) {
    times.push(await graph.redrawn(() => page.keyboard.press("f")));
    await graph.focused();
    // A module is opened from where its folding left the keyboard.
    await eventually(async () => assert.equal((await graph.count()) < whole, turn % 2 === 0));
  }
  return times;
}

async function moved(graph, what) {
  for (const how of ["pan", "zoom"]) {
    const { rate, longest } = await graph.moving(how);
    measured(`${how} over ${what}: ${rate.toFixed(0)} frames a second, longest ${longest.toFixed(0)} ms`);
  }
}

test("the wave over a GPT of 4 blocks, folded, with blocks open, and open to the last node", async () => {
  await visiting("#/play", { motion }, async (page) => {
    const cell = freeCell(page);
    await cell.write(program("a GPT of 4 blocks"));
    assert.equal(await cell.run(), "ok");
    const [graph, stage] = [new Graph(page), new Stage(page)];
    await graph.ready();
    await stage.press("To the end");
    const playing = async () => {
      const { rate, longest } = await graph.framesDuring(async () => {
        await stage.press("Play");
        await page.waitForTimeout(4000);
      });
      const drawn = await graph.count();
      measured(
        `the wave over ${drawn} nodes of a GPT: ${rate.toFixed(0)} frames a second, longest ${longest.toFixed(0)} ms`,
      );
      await stage.press("To the end");
      return drawn;
    };
    const folded = await playing();
    await graph.module.focus();
    await page.keyboard.press("Enter");
    await eventually(async () => assert.ok((await graph.count()) > folded));
    const blocks = await playing();
    await graph.press("Unfold all");
    await eventually(async () => assert.ok((await graph.count()) > blocks));
    await playing();
  });
});

test("two thousand nodes: unfolding, laying out, moving", async () => {
  await onResnets(4, async (graph, page, stage) => {
    const first = await graph.count();
    assert.ok(first < 20, `${first} nodes of a large graph are drawn at first`);
    await stage.press("To the end");
    const opening = await unfoldUntilPainted(graph, page);
    const drawn = `${first} to ${await graph.count()} drawn`;
    measured(`unfolding one module of 1,807 nodes, ${drawn}: ${inWords(opening)}`);
    const all = await graph.redrawn(() => graph.press("Unfold all"));
    const whole = await graph.count();
    assert.ok(whole > 1700);
    measured(`unfolding all ${whole} nodes: ${all.toFixed(0)} ms`);
    await moved(graph, `${whole} painted nodes`);
    measured(
      `folding or unfolding one module among ${whole} painted nodes: ${inWords(await inTheMiddle(graph, page))}`,
    );
    await graph.redrawn(() => page.keyboard.press("f"));
    const { name, millis } = await graph.layoutMillis();
    measured(`${name}, in wasm in its worker: ${millis.toFixed(0)} ms`);
  });
});

test("ten thousand nodes stay usable folded", async () => {
  await onResnets(23, async (graph, page, stage) => {
    const first = await graph.count();
    assert.ok(first < 20);
    await stage.press("To the end");
    const opening = await unfoldUntilPainted(graph, page);
    const drawn = `${first} to ${await graph.count()} drawn`;
    measured(`unfolding one module of 10,376 nodes, ${drawn}: ${inWords(opening)}`);
    if ((await graph.canvas.count()) > 0) await moved(graph, `${await graph.count()} of 10,376 nodes`);
    const all = await graph.redrawn(() => graph.press("Unfold all"));
    const whole = await graph.count();
    assert.ok(whole > 10_000);
    const { name, millis } = await graph.layoutMillis();
    measured(
      `unfolding all ${whole} nodes: ${all.toFixed(0)} ms; ${name}, in wasm in its worker: ${millis.toFixed(0)} ms`,
    );
    await moved(graph, `${whole} painted nodes`);
    measured(
      `folding or unfolding one module among ${whole} painted nodes: ${inWords(await inTheMiddle(graph, page))}`,
    );
    assert.ok((await graph.redrawn(() => graph.press("Fold all"))) > 0);
    await graph.until(first);
  });
});

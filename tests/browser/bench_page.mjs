// The benchmark `page` in Chromium: bench/page.py in the free cell and, where GLOW_PEERS_URL says that other frameworks
// are served, the same rows in them, each in a page of its own, by turns. To standard output goes JSON.
//
// Invariant: the first turns computed the same values everywhere, but for rounding; one of them that differs ends the
// benchmark. Leaves medians and the table to `cargo lab bench`, which runs this file.

import { readFileSync } from "node:fs";
import { launch, open, quit } from "./harness.mjs";
import { freeCell } from "./parts.mjs";

/** Turns that are measured, after those in which the browser compiles the wasm again, for speed: V8 takes five or six. */
const [WARM, TURNS] = [6, 12];
/** By how much two frameworks may differ in what a row computes, relative to its size. */
const CLOSE = 1e-3;

/** How many times faster than the best other framework each row is to be. */
const TARGETS = {
  "product of 64²": 1.25,
  "product of 128²": 1.25,
  "product of 256²": 1.25,
  "product of 512²": 1.25,
  "product of 1024²": 1.25,
  "product of 1000 x 784 x 256": 1.25,
  "8 ops with tanh and sigmoid, 1 M": 3,
  "softmax, 1000 x 1000": 3,
  "layer norm, 1000 x 1000": 3,
  "Adam, 1 M": 3,
  "200 ops on 8 elements": 10,
  "step of an MLP, batch 1000": 1.4,
  "step of an MLP, batch 128": 1.6,
  "step of a CNN, batch 250": 50,
};

const peers = [
  { name: "TensorFlow.js", file: "tfjs_page.js" },
  { name: "jax-js", file: "jax_page.js" },
];

async function ours() {
  const { page } = await open("#/play");
  const cell = freeCell(page);
  const run = async (source) => {
    await cell.write(source);
    if ((await cell.run()) !== "ok") throw new Error(`${await cell.fault()}\n${await cell.output()}`);
    return await cell.output();
  };
  await run(readFileSync(new URL("../../bench/page.py", import.meta.url), "utf8"));
  return { name: "glowgrad", turn: async () => JSON.parse(await run("turn()")) };
}

async function theirs({ name, file }) {
  const { page } = await open("index.html", { site: process.env.GLOW_PEERS_URL });
  await page.evaluate(async (file) => {
    window.turn = await (await import(file)).start();
  }, `./${file}`);
  return { name, turn: () => page.evaluate(() => window.turn()) };
}

function compare(row, [own, other], [value, expected]) {
  if (Math.abs(value - expected) > CLOSE * Math.max(1, Math.abs(expected)))
    throw new Error(`${row}: ${value} by ${own} and ${expected} by ${other}`);
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.floor(half - 0.5)] + sorted[Math.floor(half)]) / 2;
}

const short = (millis) => `${Number(millis.toPrecision(3))}`;

await launch();
try {
  const all = [await ours()];
  for (const peer of process.env.GLOW_PEERS_URL ? peers : []) all.push(await theirs(peer));
  const millis = all.map(() => Object.fromEntries(Object.keys(TARGETS).map((row) => [row, []])));
  const began = performance.now();
  for (let turn = 0; turn < WARM + TURNS; turn++) {
    const told = [];
    // What runs second finds another machine: they take turns.
    for (let i = 0; i < all.length; i++) {
      const at = (turn + i) % all.length;
      told[at] = await all[at].turn();
    }
    for (const row of Object.keys(TARGETS)) {
      all.forEach(({ name }, at) => {
        const measured = told[at][row];
        if (!measured) return;
        if (turn < 2) compare(row, [all[0].name, name], [told[0][row][1], measured[1]]);
        if (turn >= WARM) millis[at][row].push(measured[0]);
      });
    }
  }
  if (all.length === 1) {
    console.log(JSON.stringify({ unit: "ms", series: millis[0] }));
  } else {
    const seconds = (performance.now() - began) / 1000 / Object.keys(TARGETS).length;
    const figures = Object.entries(TARGETS).map(([row, target]) => {
      const own = millis[0][row];
      const others = all.slice(1).flatMap(({ name }, i) => {
        const times = millis[i + 1][row];
        return times.length > 0
          ? [
              {
                said: `${name} ${short(median(times))}`,
                ratio: median(times.map((time, turn) => time / own[turn])),
              },
            ]
          : [];
      });
      const said = `${row}: ${short(median(own))} ms, ${others.map(({ said }) => said).join(", ")}`;
      const value = Math.min(...others.map(({ ratio }) => ratio));
      return { name: said, value, unit: "×", seconds, at_least: target };
    });
    console.log(JSON.stringify({ figures, skipped: [] }));
  }
} finally {
  await quit();
}

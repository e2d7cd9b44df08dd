// The benchmark `dispatches` in Chromium: what one training step asks of the GPU. bench/dispatches.py
// runs in the free cell, one step a run; its peers, where GLOW_PEERS_URL says that they are served, in a
// page of their own. The counts go to standard output as JSON.
//
// Invariant: a step that is counted is one of a network that learns, reads its loss, and asks for the
// same as the steps after it. Leaves the table to `cargo lab bench`, which runs this file.

import { readFileSync } from "node:fs";
import { launch, quit, visiting } from "./harness.mjs";
import { freeCell } from "./parts.mjs";

const read = (name) => readFileSync(new URL(`../../bench/${name}`, import.meta.url), "utf8");

const networks = { mlp: "MLP 784-256-128-10, 128 images", cnn: "CNN of two convolutions, 32 images" };

const peers = [
  { name: "TensorFlow.js", file: "tfjs.js" },
  { name: "jax-js, jit", file: "jax.js", compiled: true },
  { name: "jax-js, no jit", file: "jax.js", compiled: false },
];

const kinds = ["submits", "dispatches", "reads"];

/** Steps in all, and how many of them only warm up. */
const STEPS = 8;
const WARM = 4;

/** The row of the table: `step` gives its loss, `counts` what was asked for so far. */
async function row(name, step, counts) {
  const [losses, asked] = [[], []];
  for (let before = await counts(); losses.length < STEPS; ) {
    losses.push(await step());
    const now = await counts();
    asked.push(kinds.map((kind) => now[kind] - before[kind]));
    before = now;
  }
  const told = `${name}: losses ${losses.join(", ")}; asked for ${JSON.stringify(asked)}`;
  const learns = losses.every(Number.isFinite) && losses.at(-1) < losses[0];
  if (!learns) throw new Error(`it does not learn: ${told}`);
  const last = asked.at(-1);
  if (asked.slice(WARM).some((step) => `${step}` !== `${last}`)) throw new Error(`its steps differ: ${told}`);
  return [name, last];
}

function sum(all) {
  return all.reduce((a, b) => Object.fromEntries(kinds.map((kind) => [kind, a[kind] + b[kind]])));
}

/** Our rows, fused and not. */
async function ours(network) {
  const rows = [];
  await visiting("#/play", { inWorkers: read("peers/counts.js") }, async (page) => {
    const cell = freeCell(page);
    const run = async (source) => {
      await cell.write(source);
      if ((await cell.run()) !== "ok") throw new Error(`${await cell.fault()}\n${await cell.output()}`);
      return await cell.output();
    };
    const ofWorker = (worker) => worker.evaluate(() => self.gpuCounts);
    // Workers that never open the device count nothing.
    const counts = async () => sum((await Promise.all(page.workers().map(ofWorker))).filter(Boolean));
    const step = async () => Number((await run("step()")).match(/^loss (.*)$/m)?.[1]);
    await run(read("dispatches.py"));
    for (const [name, eager] of [
      ["glowgrad", "False"],
      ["glowgrad, one kernel an op", "True"],
    ]) {
      await run(`start("${network}", ${eager})`);
      rows.push(await row(name, step, counts));
    }
  });
  return rows;
}

/** The row of another framework. */
async function theirs(network, { name, file, compiled }) {
  let found;
  await visiting("index.html", { site: process.env.GLOW_PEERS_URL }, async (page) => {
    const start = async ([file, ...how]) => {
      window.step = await (await import(file)).start(...how);
    };
    await page.evaluate(start, [`./${file}`, network, compiled]);
    const step = () => page.evaluate(() => window.step());
    found = await row(name, step, () => page.evaluate(() => ({ ...gpuCounts })));
  });
  return found;
}

await launch();
try {
  const tables = [];
  for (const [network, of] of Object.entries(networks)) {
    const rows = await ours(network);
    for (const peer of process.env.GLOW_PEERS_URL ? peers : []) rows.push(await theirs(network, peer));
    tables.push([of, rows]);
  }
  console.log(JSON.stringify({ counts: kinds, tables }));
} finally {
  await quit();
}

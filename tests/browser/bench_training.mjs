// The benchmark `training` in Chromium: each row of bench/training.py in a page of its own, and the figures of all as one JSON
// object on standard output. `node bench_training.mjs cache mlp` measures the named rows alone.
//
// The page is given the data sets as files, as a learner adds them, in the folders in which the program looks for them.
// Without GLOW_DATA the rows that need one say that they are skipped. What a figure means is left to the program, and
// how it is told to `cargo lab bench`, which runs this file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually, launch, quit, visiting } from "./harness.mjs";
import { freeCell, Shelf } from "./parts.mjs";

/** Where the page has the data sets. */
const data = "data";
/** PyTorch's losses. */
const golden = "tests/golden/training.json";
const digits = ["train", "t10k"].flatMap((part) => [
  `mnist/${part}-images-idx3-ubyte.gz`,
  `mnist/${part}-labels-idx1-ubyte.gz`,
]);
/** What is measured, with the files of GLOW_DATA that it reads. 2,000 steps of the GPT are too long for a page. */
const rows = {
  cache: [],
  mlp: digits,
  cnn: digits,
  resnet18: ["cifar10/data_batch_1.bin.gz"],
  mobilenet_v2: ["cifar10/data_batch_1.bin.gz"],
  gpt_curve: ["shakespeare/input.txt"],
};
/** How long one row may take, in milliseconds. */
const longest = 2 * 60 * 60 * 1000;

const folder = process.env.GLOW_DATA;
const root = new URL("../../", import.meta.url);
const program = readFileSync(new URL("bench/training.py", root), "utf8");

/** The program as a cell that measures one row, after the files that came have moved to their folders. */
function cellOf(row, paths) {
  return `import os, sys
sys.argv = ["training.py", "${row}"]
for path in ${JSON.stringify(paths)}:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.replace(os.path.basename(path), path)
${paths.length > 0 ? `os.environ["GLOW_DATA"] = "${data}"\n` : ""}${program}`;
}

/** The JSON object that the program prints for a row. */
async function measured(row) {
  const needed = folder ? rows[row] : [];
  const files = needed.map((path) => `${folder}/${path}`);
  const paths = needed.map((path) => `${data}/${path}`);
  if (needed.length > 0) {
    files.push(fileURLToPath(new URL(golden, root)));
    paths.push(golden);
  }
  let line;
  await visiting("#/play", {}, async (page) => {
    const shelf = new Shelf(page);
    const cell = freeCell(page);
    await cell.write(cellOf(row, paths));
    if (files.length > 0) {
      await shelf.open();
      await shelf.add(files);
      const names = files.map((path) => basename(path)).sort();
      await eventually(async () => assert.deepEqual((await shelf.paths()).sort(), names));
    }
    if ((await cell.run(longest)) !== "ok") throw new Error(`${row}: ${await cell.traceback()}`);
    const text = await cell.output();
    line = text.split("\n").find((each) => each.startsWith("{"));
    if (!line) throw new Error(`${row}: no JSON was printed:\n${text}`);
  });
  return JSON.parse(line);
}

const named = process.argv.slice(2);
const unknown = named.find((row) => !(row in rows));
if (unknown) throw new Error(`no row ${unknown}: there is ${Object.keys(rows).join(", ")}`);
const all = { figures: [], skipped: [] };
await launch();
try {
  for (const row of named.length > 0 ? named : Object.keys(rows)) {
    const { figures, skipped } = await measured(row);
    for (const { name, value, unit, seconds } of figures) {
      console.log(`${name}: ${value.toPrecision(6)} ${unit}, ${seconds.toFixed(0)} s`);
    }
    all.figures.push(...figures);
    all.skipped.push(...skipped);
  }
} finally {
  await quit();
}
console.log(JSON.stringify(all));

// A benchmark in Chromium: the file of bench/ that is named, in the free cell, its JSON on standard output.
//
// Leaves medians and spread to `cargo lab bench`, which runs this file.

import { readFileSync } from "node:fs";
import { launch, quit, visiting } from "./harness.mjs";
import { freeCell } from "./parts.mjs";

const source = readFileSync(new URL(`../../bench/${process.argv[2]}`, import.meta.url), "utf8");

await launch();
try {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(source);
    if ((await cell.run()) !== "ok") throw new Error(await cell.output());
    const line = (await cell.output()).split("\n").find((text) => text.startsWith("{"));
    if (!line) throw new Error(`no JSON was printed:\n${await cell.output()}`);
    console.log(line);
  });
} finally {
  await quit();
}

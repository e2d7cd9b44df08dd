// Whole programs print in the page what real PyTorch, NumPy and CPython printed for them (tests/*_programs).
//
// The programs of a folder's part share a page, and each has a session of its own.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { useBrowser, visiting } from "./harness.mjs";
import { freeCell, freshSession } from "./parts.mjs";

useBrowser();

/** Programs that cannot agree in a page, and why; each is printed. */
const LEFT_OUT = {
  einsum_attention: "differs natively too, see crates/python/tests/it/programs.rs",
};
/**
 * Programs with a number that lies between two printed ones: products are summed without fused multiply-add in a page,
 * so its last printed digit may be the next one.
 */
const LAST_DIGIT = ["recurrent_calls", "transformer_layers"];
/** Of the tutorials and networks, and of the other programs, every so-manyth runs in the page: all of them run natively. */
const EVERY_TUTORIAL = 6;
const EVERY = 16;
/** How many programs one visit runs: the last of many would start in a page that is full. */
const AT_ONCE = 30;

const folder = (name) => new URL(`../${name}/`, import.meta.url);

function programs(name) {
  const files = readdirSync(folder(name)).filter((file) => file.endsWith(".py"));
  const names = files.map((file) => file.slice(0, -3)).filter((program) => !(program in LEFT_OUT));
  const isTutorial = (program) => /^(tutorial|curve|zoo)_/.test(program);
  const sample = (programs, every) => programs.filter((_, i) => i % every === 0);
  const chosen = [
    ...sample(names.filter(isTutorial), EVERY_TUTORIAL),
    ...sample(
      names.filter((program) => !isTutorial(program)),
      EVERY,
    ),
  ];
  console.log(`${name}: ${chosen.length} of ${names.length} in the page`);
  return chosen;
}

/** The program as a cell, which shows what it prints alone: `sys.stderr` would stand beside that. */
function asCell(source) {
  const text = JSON.stringify(source).replace(/\u2028|\u2029/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  return `import sys, io
sys.stderr = io.StringIO()
del sys, io
exec(${text})`;
}

for (const [program, why] of Object.entries(LEFT_OUT)) console.log(`skipped: ${program}: ${why}`);

for (const name of ["python_programs", "numpy_programs", "torch_programs", "zoo_programs"]) {
  const all = programs(name);
  describe(name, () => {
    for (let first = 0; first < all.length; first += AT_ONCE) {
      const part = all.slice(first, first + AT_ONCE);
      test(`${part[0]} to ${part.at(-1)} print what they printed there`, async () => {
        await visiting("#/play", {}, async (page) => {
          const cell = freeCell(page);
          const wrong = [];
          for (const program of part) {
            const read = (extension) =>
              readFileSync(new URL(`${program}.${extension}`, folder(name)), "utf8");
            await freshSession(page);
            await cell.write(asCell(read("py")));
            const result = await cell.run();
            const printed = result === "ok" ? await cell.printedText() : await cell.fault();
            const expected = read("out");
            if (!agree(program, printed.trimEnd(), expected.trimEnd()))
              wrong.push(difference(program, printed, expected));
          }
          assert.equal(wrong.length, 0, wrong.join("\n"));
        });
      });
    }
  });
}

/** Whether they are the same, but for the last digit of numbers where that is allowed. */
function agree(program, ours, theirs) {
  if (!LAST_DIGIT.includes(program)) return ours === theirs;
  const number = /-?\d+\.\d+/g;
  if (ours.replace(number, "#") !== theirs.replace(number, "#")) return false;
  const [a, b] = [ours.match(number), theirs.match(number)];
  return a.every((text, i) => {
    const digits = Math.min(...[text, b[i]].map((each) => each.split(".")[1].length));
    return Math.abs(text - b[i]) < 1.5 * 10 ** -digits;
  });
}

function difference(program, ours, theirs) {
  const [a, b] = [ours.trimEnd().split("\n"), theirs.trimEnd().split("\n")];
  const at = a.findIndex((line, i) => line !== b[i]);
  const line = at < 0 ? a.length : at;
  return `${program}, line ${line + 1}\n  ours   ${a[line]}\n  theirs ${b[line]}`;
}

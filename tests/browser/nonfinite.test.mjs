// Where numbers first went wrong: the stories of tests/nonfinite/stories.json, which the engine's test tells too. The page
// names the culprit below the graph, marks its line, and has no uncaught error; a mask is no fault.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { eventually, useBrowser, visiting } from "./harness.mjs";
import { freeCell, Stage, StageTools } from "./parts.mjs";

useBrowser();

const stories = JSON.parse(readFileSync(new URL("../nonfinite/stories.json", import.meta.url), "utf8"));

describe("NaN and infinities", () => {
  for (const { name, source, findings } of stories) {
    test(name, async () => {
      await visiting("#/play", {}, async (page) => {
        const cell = freeCell(page);
        await cell.write(source.join("\n"));
        assert.equal(await cell.run(), "ok", await cell.output());
        const stage = new Stage(page);
        await stage.ready();
        await stage.press("To the end");
        await stage.rest(await stage.count());
        const tools = new StageTools(page);
        await eventually(async () => {
          const rows = await tools.brokenRows();
          assert.equal(rows.length, findings.length, rows.join("\n"));
          for (const [at, { label, pass, text, line }] of findings.entries()) {
            for (const words of [`First ${label}, ${pass}`, text, `line ${line}`]) {
              assert.ok(rows[at].includes(words), `${words} in ${rows[at]}`);
            }
          }
        });
        const first = findings[0];
        if (first) {
          await eventually(async () =>
            assert.ok((await cell.fault()).includes(first.text), await cell.fault()),
          );
          const nodes = new Set(findings.map(({ line }) => line));
          await eventually(async () => assert.equal(await tools.marks("broken").count(), nodes.size));
        } else {
          assert.equal(await cell.root.locator(".line-error").count(), 0);
          assert.equal(await tools.marks("broken").count(), 0);
        }
      });
    });
  }
});

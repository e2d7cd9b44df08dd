// Where numbers first went wrong: the stories of tests/nonfinite/stories.json, which the engine's test tells too. The page
// names the culprit below the graph, marks its line, and has no uncaught error; a mask is no fault.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { eventually, sharing, useBrowser, visiting } from "./harness.mjs";
import { freeCell, freshSession, Stage, StageTools } from "./parts.mjs";

useBrowser();

const stories = JSON.parse(readFileSync(new URL("../nonfinite/stories.json", import.meta.url), "utf8"));

/** The texts and shapes of nodes that a plate beside a node covers, by more than a pixel. */
async function coveredByPlates(page) {
  return await page.locator(".stage .table").evaluate((table) => {
    const plates = [...table.querySelectorAll(".marks .broken .plate")].map((each) =>
      each.getBoundingClientRect(),
    );
    const parts = [...table.querySelectorAll("[data-node] .body, [data-node] text")];
    return parts.flatMap((part) => {
      const room = part.getBoundingClientRect();
      const isCovered = plates.some((plate) => {
        const across = Math.min(room.right, plate.right) - Math.max(room.left, plate.left);
        const down = Math.min(room.bottom, plate.bottom) - Math.max(room.top, plate.top);
        return across > 1 && down > 1;
      });
      return isCovered ? [part.textContent || part.closest("[data-node]").getAttribute("aria-label")] : [];
    });
  });
}

describe("NaN and infinities", () => {
  const page = sharing("#/play");
  for (const { name, source, findings } of stories) {
    test(name, async () => {
      await freshSession(page());
      const cell = freeCell(page());
      await cell.write(source.join("\n"));
      assert.equal(await cell.run(), "ok", await cell.output());
      const stage = new Stage(page());
      await stage.ready();
      await stage.press("To the end");
      await stage.rest(await stage.count());
      const tools = new StageTools(page());
      await eventually(async () => {
        const rows = await tools.brokenRows();
        assert.equal(rows.length, findings.length, rows.join("\n"));
        for (const [at, { label, pass, text, line }] of findings.entries()) {
          const way = pass === "forward" ? "forward" : "back";
          for (const words of [`First ${label}, on the way ${way}`, text, `line ${line}`]) {
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
        await eventually(async () => assert.deepEqual(await coveredByPlates(page()), []));
      } else {
        assert.equal(await cell.root.locator(".line-error").count(), 0);
        assert.equal(await tools.marks("broken").count(), 0);
      }
    });
  }
});

test("the step of a run that made a parameter NaN is named", async () => {
  const source = `import glowgrad as torch
torch.manual_seed(0)
x = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, 0.5], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(1, 21):
    optimizer.zero_grad()
    loss = ((w * x) ** 2).sum()
    if step == 12:
        loss = loss + (torch.sqrt(w * 0)).sum()
    loss.backward()
    optimizer.step()
`;
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(source);
    assert.equal(await cell.run(), "ok", await cell.output());
    const tools = new StageTools(page);
    await eventually(async () => {
      const [row] = await tools.brokenRows();
      assert.match(row, /First NaN, on the way forward\s+w: .*Step 12 made w NaN: its gradient was NaN\./s);
    });
  });
});

test("a node's card lies whole on the stage, wherever its node is", async () => {
  const source = `import glowgrad as torch

x = torch.tensor([[0.1, -0.4, 0.3], [0.5, 0.2, -0.6]], requires_grad=True)
y = x
for _ in range(9):
    y = torch.tanh(y * 1.5 + x)
y.sum().backward()
`;
  for (const size of [
    { width: 1440, height: 900 },
    { width: 1280, height: 620 },
  ]) {
    await visiting("#/play", { size }, async (page) => {
      const cell = freeCell(page);
      await cell.write(source);
      assert.equal(await cell.run(), "ok", await cell.output());
      const stage = new Stage(page);
      await stage.ready();
      // All nodes on the stage; and the view at rest, and the tools there, with which cards come.
      const fit = page.getByRole("button", { name: "Fit the graph" });
      if (await fit.isEnabled()) await fit.click();
      await stage.press("To the end");
      await stage.rest(await stage.count());
      const table = await page.locator(".stage .table").boundingBox();
      await page.mouse.move(table.x + 9, table.y + 9);
      await page.getByRole("button", { name: "More tools" }).waitFor();
      const nodes = await stage.graph.locator("[data-node]").all();
      let seen = 0;
      for (const node of nodes) {
        const box = await node.boundingBox();
        const middle = box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        const inside = middle && middle.x > table.x && middle.x < table.x + table.width;
        if (!inside || middle.y < table.y || middle.y > table.y + table.height) continue;
        await page.mouse.move(middle.x, middle.y);
        const tip = page.locator(".stage .tip");
        if ((await tip.count()) === 0) continue;
        const card = await tip.boundingBox();
        if (!card || card.height > table.height) continue;
        seen += 1;
        assert.ok(card.y >= table.y - 1, `a card begins at ${card.y}, over the table at ${table.y}`);
        assert.ok(
          card.y + card.height <= table.y + table.height + 1,
          `a card ends at ${card.y + card.height}, below the table`,
        );
      }
      assert.ok(seen > 5, `${seen} cards were seen`);
    });
  }
});

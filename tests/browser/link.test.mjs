// A cell as a link: opened in a fresh page it runs nothing, and run it prints the same.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { lessons, narrow, open, useBrowser, visiting, wide } from "./harness.mjs";
import { Cell, freeCell, pythonReady, SharedCell, Stage, saved } from "./parts.mjs";

useBrowser();

const code = `import glowgrad as torch
x = torch.rand(3, requires_grad=True)
loss = (x * x).sum()
loss.backward()
print(x.tolist(), "näh 🦀")`;

/** The link to a cell, and what the cell printed. */
async function share(route, find, body) {
  let found;
  await visiting(route, {}, async (page, visit) => {
    await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const cell = find(page);
    await body?.(cell, page);
    const link = await cell.copyLink();
    const ran = await cell.printed.isVisible();
    found = { hash: new URL(link).hash, printed: ran ? await cell.printedText() : null };
  });
  return found;
}

test("a free cell goes through a link: nothing runs by itself, and Run prints the same", async () => {
  const shared = await share("#/play", freeCell, async (cell, page) => {
    await cell.write(code);
    assert.equal(await cell.run(), "ok");
    const stage = new Stage(page);
    await stage.ready();
    await stage.press("To the start");
    await stage.press("Step");
    await stage.rest(1);
  });
  await visiting(shared.hash, {}, async (page) => {
    const cell = new SharedCell(page);
    assert.match(await cell.words(), /5 lines, from a free cell\. Nothing has run yet/);
    await cell.holds(code);
    await pythonReady(page);
    // What would run by itself has had its time.
    await page.waitForTimeout(300);
    assert.equal(await cell.printed.isVisible(), false);
    assert.equal(await page.locator("[data-node]").count(), 0);
    assert.equal(await cell.run(), "ok");
    assert.equal(await cell.printedText(), shared.printed);
    const stage = new Stage(page);
    await stage.ready();
    await stage.rest(1);
  });
});

test("modules that were folded are folded where the link is opened", async () => {
  const model = `import glowgrad as torch
import glowgrad.nn as nn
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
model(torch.ones(2, 3)).sum().backward()`;
  let folded;
  const shared = await share("#/play", freeCell, async (cell, page) => {
    await cell.write(model);
    assert.equal(await cell.run(), "ok");
    await new Stage(page).ready();
    const whole = await page.locator("[data-node]").count();
    await page.getByRole("button", { name: "Fold all", exact: true }).click();
    await page.waitForFunction((n) => document.querySelectorAll("[data-node]").length < n, whole);
    folded = await page.locator("[data-node]").count();
  });
  await visiting(shared.hash, {}, async (page) => {
    const cell = new SharedCell(page);
    assert.equal(await cell.run(), "ok");
    await new Stage(page).ready();
    await page.waitForFunction((n) => document.querySelectorAll("[data-node]").length === n, folded);
  });
});

test("the learner's own free cell is not written over", async () => {
  const { hash } = await share("#/play", freeCell, (cell) => cell.write("print('theirs')"));
  await visiting("#/play", {}, async (page) => {
    await freeCell(page).write("print('mine')");
    await saved(page);
    await page.evaluate((to) => {
      location.hash = to;
    }, hash);
    const cell = new SharedCell(page);
    await cell.holds("print('theirs')");
    await cell.write("print('changed')");
    await saved(page);
    await page.goto(page.url().replace(/#.*/, "#/play"));
    await page.reload();
    await freeCell(page).holds("print('mine')");
  });
});

test("a lesson's cell brings what stands before it", async () => {
  const lesson = lessons()[0];
  const cells = lesson.blocks.filter(({ type }) => type === "cell");
  const last = cells.findLast(({ source }) => source.includes("print"));
  const shared = await share(
    `#/lesson/${lesson.slug}`,
    (page) => new Cell(page, last.id),
    async (_, page) => {
      for (const { id } of cells) {
        assert.equal(await new Cell(page, id).run(), "ok");
        if (id === last.id) break;
      }
    },
  );
  await visiting(shared.hash, {}, async (page) => {
    const cell = new SharedCell(page);
    assert.ok((await cell.words()).includes(lesson.title));
    assert.equal(await cell.run(), "ok");
    assert.equal(await cell.printedText(), shared.printed);
  });
});

test("a link that is damaged, too new or foreign says so", async () => {
  const { hash } = await share("#/play", freeCell);
  const [, , version, text] = hash.split("/");
  const cases = [
    [`#/shared/${version}/${text.slice(0, -9)}`, /damaged/],
    [`#/shared/${version}/${text.slice(0, 20)}A${text.slice(20)}`, /damaged/],
    [`#/shared/999/${text}`, /version 999, and this page reads version/],
    [`#/shared/${version}/%00%E0%A4%A`, /damaged/],
    [`#/shared/${version}/${"A".repeat(30_000)}`, /too long/],
  ];
  const visit = await open("#/", {});
  for (const [to, expected] of cases) {
    await visit.page.evaluate((next) => {
      location.hash = next;
    }, to);
    await visit.page.getByText(expected).waitFor();
    await visit.page.getByRole("heading", { name: "This link cannot be opened" }).waitFor();
  }
  await visit.finish();
});

describe("a shared cell is quiet and accessible", () => {
  for (const theme of ["dark", "light"]) {
    for (const size of [wide, { ...narrow, width: 375 }]) {
      test(`${theme}, ${size.width} wide`, async () => {
        const { hash } = await share("#/play", freeCell);
        await visiting(hash, { theme, size }, async (page) => {
          await new SharedCell(page).text();
          assert.deepEqual(await violations(page), []);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${over} px too wide`);
        });
      });
    }
  }
});

// The memory instrument on real tensors: what it says of shapes, strides and bytes is what the engine
// says, pointing leads from an element to its cell and back, and editing moves nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { eventually, useBrowser, visiting, wide } from "./harness.mjs";
import { freeCell, Memory } from "./parts.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

useBrowser();

const FOUR_VIEWS = `import glowgrad as torch
x = torch.arange(12.).reshape(3, 4)
t = x.t()
row = x[1]
wide = x[:, :1].expand(3, 5)
w = torch.ones(4, 2, requires_grad=True)
(x @ w).sum().backward()`;

/** Runs a cell and opens the instrument. */
async function after(source, options, body) {
  await visiting("#/play", options, async (page, visit) => {
    const cell = freeCell(page);
    await cell.write(source);
    assert.equal(await cell.run(), "ok", await cell.output());
    const memory = new Memory(page);
    await memory.open();
    await body(memory, page, cell, visit);
  });
}

async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(" "))]);
}

test("an element, its cell and the views that read it point at each other", async () => {
  await after(FOUR_VIEWS, {}, async (memory, page) => {
    await memory.element(6).hover();
    await memory.lights(memory.cells, [6]);
    const said = await memory.address.innerText();
    assert.match(said.replace(/\s+/g, " "), /x\[1, 2\] → 0 ?\+ ?1 × 4 ?\+ ?2 × 1 = cell 6 → bytes 24 to 27/);
    assert.match(said, /t\[2, 1\], row\[2\]/);
    // The line that made it is lit in the code.
    await page.locator(".cm-line.lit, .cm-line[class*=lit]").first().waitFor();

    await memory.view(/^wide/);
    await memory.cells.nth(4).hover();
    await memory.lights(memory.elements, [5, 6, 7, 8, 9]);
    await memory.says(memory.address, /read by 5 elements of wide/);
    await memory.cells.nth(5).hover();
    await memory.says(memory.address, /wide does not read it/);
  });
});

test("keys walk elements and cells", async () => {
  await after(FOUR_VIEWS, {}, async (memory, page) => {
    await memory.element(0).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await memory.lights(memory.cells, [5]);
    await page.keyboard.press("Enter");
    await memory.number("x[1, 1]", "5.0");
    await memory.cells.nth(5).focus();
    await page.keyboard.press("End");
    await memory.lights(memory.elements, [11]);
    await memory.usage.focus();
    await page.keyboard.press("Home");
    await eventually(async () => assert.equal(await memory.usage.getAttribute("aria-valuenow"), "0"));
    assert.match(
      await memory.usage.getAttribute("aria-valuetext"),
      /^48 B live.*; just allocated: 48 B for x$/,
    );
  });
});

test("a layout written by hand reads the same bytes, and an impossible one is refused", async () => {
  await after(FOUR_VIEWS, {}, async (memory) => {
    const bytes = await memory.cells.allTextContents();
    await memory.field("shape").fill("4, 3");
    await memory.says(
      memory.problem.first(),
      /^Out of range: the last element, \[3, 2\], would be in cell 0 \+ 3 × 4 \+ 2 × 1 = 14\. The storage has 12 cells/,
    );
    assert.equal((await memory.positions()).length, 12, "the last layout stays");
    await memory.field("stride").fill("1, 4");
    await eventually(async () => assert.equal(await memory.problem.count(), 0));
    await memory.shows([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert.deepEqual(await memory.positions(), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    await memory.says(memory.answer, /0 bytes moved\. x\.as_strided\(\(4, 3\), \(1, 4\), 0\)/);
    assert.deepEqual(await memory.cells.allTextContents(), bytes);

    await memory.reshape("-1");
    await memory.says(
      memory.answer,
      /It needs a copy\. .* a stride of 12 in dimension 0; it is 1\. .*copies 48 bytes/,
    );
    assert.deepEqual(
      (await memory.copy.locator(".value").allTextContents()).map(Number),
      await memory.values(),
    );
    await memory.root.getByRole("button", { name: "Transpose" }).click();
    await memory.reshape("2, -1");
    await memory.says(memory.answer, /No copy\. The same cells, read with strides \(6, 1\)/);
    await eventually(async () => assert.equal(await memory.copy.count(), 0));

    for (const wrong of ["4, x", "-1", "1.5"]) {
      await memory.field("shape").fill(wrong);
      await eventually(async () => assert.equal(await memory.problem.count(), 1, wrong));
    }
  });
});

test("a bit that is switched changes the number that is shown, and not the tensor", async () => {
  await after(FOUR_VIEWS, {}, async (memory) => {
    await memory.element(1).click();
    await memory.number("x[0, 1]", "1.0");
    await memory.root.getByRole("button", { name: "bit 31, sign" }).click();
    await memory.number("x[0, 1]", "-1.0");
    await memory.field("x[0, 1]").fill("0.1");
    await memory.says(memory.root.getByTestId("exact"), /^0\.100000001490116119384765625$/);
    assert.equal((await memory.values())[1], 1);
  });
});

test("a write in the next cell is seen through the view that was picked", async () => {
  await after(FOUR_VIEWS, {}, async (memory, _page, cell) => {
    await memory.view(/^t /);
    await eventually(async () => assert.deepEqual((await memory.values()).slice(0, 3), [0, 4, 8]));
    await cell.write("x[1, 0] = 99");
    assert.equal(await cell.run(), "ok");
    await memory.element(1).getByText("99.").waitFor();
    await eventually(async () => assert.deepEqual((await memory.values()).slice(0, 3), [0, 99, 8]));
  });
});

test("random views lie where the engine says, element for element", async () => {
  // The chains are drawn in lab Python; what each element holds is its own cell.
  const source = `import random
import glowgrad as torch
random.seed(5)
base = torch.arange(120)
views = []
while len(views) < 24:
    x = base.view(random.choice([(2, 3, 4, 5), (10, 12), (120,), (6, 20), (4, 5, 6)]))
    for _ in range(random.randint(1, 4)):
        kind, d = random.randint(0, 3), random.randrange(x.dim())
        if kind == 0:
            x = x.transpose(d, random.randrange(x.dim()))
        elif kind == 1:
            x = x.narrow(d, random.randrange(x.shape[d]), 1) if x.shape[d] > 2 else x.unsqueeze(d)
        elif kind == 2:
            x = x[tuple(slice(random.randrange(2), None, random.randint(1, 2)) if i == d else slice(None) for i in range(x.dim()))]
        elif x.shape[d] == 1:
            x = x.expand([3 if i == d else n for i, n in enumerate(x.shape)])
    if 0 < x.numel() <= 60 and x.shape[-1] <= 16 and (x.dim() < 2 or x.shape[-2] <= 12) and (x.dim() < 3 or x.shape[:-2].numel() <= 6):
        views.append(x)
for x in views:
    print(x.flatten().tolist())`;
  await after(source, {}, async (memory, _page, cell) => {
    const printed = (await cell.output()).split("\n").filter((line) => line.startsWith("["));
    assert.equal(printed.length, 24);
    let strided = 0;
    for (const [at, line] of printed.entries()) {
      await memory.view(new RegExp(`^views\\[${at}\\]`));
      const expected = JSON.parse(line);
      await memory.shows(expected, `views[${at}]`);
      assert.deepEqual(await memory.positions(), expected, `views[${at}]`);
      strided += expected.some((cell, i) => cell !== expected[0] + i) ? 1 : 0;
    }
    assert.ok(strided > 8, `${strided} views that skip or turn`);
  });
});

test("a tensor without elements, a single number and a huge one are shown", async () => {
  const source =
    "import glowgrad as torch\nnone = torch.zeros(0, 3)\none = torch.tensor(2.5)\nbig = torch.arange(1_000_000)";
  await after(source, {}, async (memory) => {
    const pick = async (name) => {
      await memory.tensor.selectOption(name);
    };
    await pick("none");
    await memory.root.getByText("No elements: a size of the shape is 0.").waitFor();
    await pick("one");
    await memory.shows([2.5]);
    await pick("big");
    await memory.root.getByText("999,984 more not drawn").waitFor();
    await memory.root.getByText("128 of 1,000,000 cells, 7.6 MiB in all.").waitFor();
    await memory.root.getByRole("button", { name: "Show more" }).click();
    await eventually(async () => assert.equal(await memory.cells.count(), 256));
  });
});

describe("accessible", () => {
  for (const theme of ["dark", "light"]) {
    for (const size of [wide, { width: 375, height: 812 }]) {
      test(`${theme}, ${size.width} wide`, async () => {
        await after(FOUR_VIEWS, { theme, size }, async (memory, page) => {
          assert.deepEqual(await violations(page), []);
          await memory.element(6).click();
          await memory.field("shape").fill("99");
          await memory.reshape("5, 5");
          assert.deepEqual(await violations(page), []);
          const overflow = await memory.root.evaluate((panel) => panel.scrollWidth - panel.clientWidth);
          assert.ok(overflow <= 0, `the instrument scrolls sideways by ${overflow} px`);
        });
      });
    }
  }
});

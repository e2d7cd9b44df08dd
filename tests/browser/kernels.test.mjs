// The kernel instrument: its list is the session's, the switch costs what it says, lines and nodes point
// at each other, by keyboard too, and axe finds nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { eventually, useBrowser, visiting, wide } from "./harness.mjs";
import { freeCell, KernelInstrument } from "./parts.mjs";

useBrowser();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const step = `import glowgrad as torch
torch.manual_seed(0)
x = torch.randn(64, 32)
w = torch.randn(32, 16, requires_grad=True)
b = torch.randn(16, requires_grad=True)
h = torch.tanh(x @ w + b)
loss = (h * h).mean()
loss.backward()`;

async function onKernels(options, body) {
  await visiting("#/play", options, async (page) => {
    const cell = freeCell(page);
    await cell.write(step);
    assert.equal(await cell.run(), "ok");
    const kernels = new KernelInstrument(page);
    await kernels.show();
    await body(kernels, page, cell);
  });
}

test("the totals are the sums of the list, and the switch shows what fusion saves", async () => {
  await onKernels({}, async (kernels) => {
    const fused = await kernels.list();
    assert.ok(fused.length > 3, `${fused.length} kernels`);
    const sum = (list) => list.reduce((bytes, kernel) => bytes + kernel.bytes, 0);
    assert.deepEqual(await kernels.totals(), { kernels: fused.length, bytes: sum(fused) });
    // x @ w: both operands are read and the product written, whatever else there is.
    const product = fused.find((kernel) => kernel.name === "matmul");
    assert.equal(product.bytes, 4 * (64 * 32 + 32 * 16 + 64 * 16));

    await kernels.fuse(false);
    const apart = await eventually(async () => {
      const list = await kernels.list();
      assert.ok(list.length > fused.length, `${list.length} unfused, ${fused.length} fused`);
      return list;
    });
    assert.ok(sum(apart) > sum(fused));
    await eventually(async () => assert.deepEqual(await kernels.comparison(), [fused.length, apart.length]));

    await kernels.fuse(true);
    await eventually(async () => assert.deepEqual(await kernels.list(), fused));
  });
});

test("a kernel opens to its source, and lines point at nodes", async () => {
  await onKernels({}, async (kernels, page) => {
    const source = await kernels.open(/tanh/);
    await source.holds(/h = tanh\(add\)/);
    await source.holds(/b = b\.data\[j\]/);
    await source.point(/= tanh\(/);
    await eventually(async () => assert.match(await kernels.near(), /tanh/));
    await source.language("WGSL");
    await source.holds(/@compute @workgroup_size\(64\)/);
    await source.language("CUDA C");
    await source.holds(/extern "C" __global__ void compute/);
    await source.language("WGSL");
    // By keyboard: from the code's first line to the next, also when lines scroll under a resting pointer.
    await source.point(/@compute/);
    await source.code.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await eventually(async () => assert.equal(await source.current(), 1));
  });
});

test("what copies or fills stands folded after what computes, and short kernels have times", async () => {
  await onKernels({}, async (kernels) => {
    const moves = kernels.root.getByTestId("kernel-moves");
    await eventually(async () => {
      const times = await kernels.rows.locator(".time").allTextContents();
      for (const time of times) assert.match(time, /^(≈ [\d.]+ (ns|µs|ms)|[\d.]+ (ms|s))$/);
    });
    const names = (await kernels.list()).map(({ nodes }) => nodes.join(" "));
    assert.doesNotMatch(names[0], /^clone$/);
    if ((await moves.count()) > 0) {
      assert.equal(await moves.evaluate((each) => each.open), false);
      await moves.locator("summary").click();
      await moves.locator("[data-kernel]").first().waitFor();
    }
    // The mean is said with the number of runs where there is room.
    await kernels.open(/tanh/);
    await kernels.root
      .getByText(/\(mean of [\d,]+ runs\)/)
      .first()
      .waitFor();
  });
});

test("a graph that is too large for the map keeps its labels legible, and moves to the kernel of the list", async () => {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(`import glowgrad as torch
x = torch.randn(4, 8)
for i in range(24):
    w = torch.randn(8, 8, requires_grad=True)
    x = torch.tanh(x @ w)
x.sum().backward()`);
    assert.equal(await cell.run(), "ok");
    const kernels = new KernelInstrument(page);
    await kernels.show();
    const map = kernels.root.locator(".map");
    const sizes = await map
      .locator("text")
      .evaluateAll((texts) =>
        texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a),
      );
    assert.ok(sizes.length > 48, `${sizes.length} labels`);
    assert.ok(Math.min(...sizes) > 10.9, `a label of ${Math.min(...sizes)} px`);
    const products = kernels.rows.filter({ has: page.locator(".name", { hasText: "matmul" }) });
    for (const row of [products.first(), products.nth(23)]) {
      await eventually(async () => {
        // A list that comes with times forgets what was pointed at.
        await page.mouse.move(0, 0);
        await row.locator(".opener").hover();
        assert.equal(await map.locator(".group.on .fill").count(), 1);
        const [outer, inner] = await map.evaluate((each) =>
          [each, each.querySelector(".group.on .fill")].map((part) => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            return { left, right, x: (left + right) / 2, y: (top + bottom) / 2, top, bottom };
          }),
        );
        assert.ok(inner.x > outer.left && inner.x < outer.right, "beside the map");
        assert.ok(inner.y > outer.top && inner.y < outer.bottom, "above or below the map");
      });
    }
  });
});

test("before anything ran it says when kernels come to be", async () => {
  await visiting("#/play", {}, async (page) => {
    const kernels = new KernelInstrument(page);
    await kernels.select();
    await kernels.root.getByText("Nothing has been computed yet").waitFor();
  });
});

test("axe finds nothing, dark and light, wide and narrow", async () => {
  for (const theme of ["dark", "light"]) {
    for (const size of [wide, { width: 375, height: 812 }]) {
      await onKernels({ theme, size }, async (kernels, page) => {
        await kernels.fuse(false);
        await kernels.fuse(true);
        await kernels.open(/tanh/);
        await page.evaluate(axe);
        const found = await page.evaluate(() =>
          globalThis.axe.run(document, { resultTypes: ["violations"] }),
        );
        const told = found.violations.map(
          (each) =>
            `${each.id}: ${each.nodes
              .map((n) => n.html)
              .join(" | ")
              .slice(0, 400)}`,
        );
        assert.deepEqual(told, [], `${theme}, ${size.width}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${overflow} px wider than the window`);
      });
    }
  }
});

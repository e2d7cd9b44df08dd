// Modules fold and unfold, by keyboard and pointer; a large graph is painted and stays within reach.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { eventually, measured, narrow, patience, useBrowser, visiting } from "./harness.mjs";
import { program } from "./networks.mjs";
import { freeCell, Graph, restingBox, Sheet, Stage } from "./parts.mjs";

useBrowser();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const MODEL = `import glowgrad as torch
import glowgrad.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Sequential(nn.Linear(8, 8), nn.ReLU()), nn.Linear(8, 1))
loss = (model(torch.randn(6, 4)) ** 2).mean()
loss.backward()`;

const LOOP = `import glowgrad as torch
h = x = torch.ones(4)
w = torch.ones(4, requires_grad=True)
for i in range(120):
    h = torch.tanh(h * w + x)
h.sum().backward()`;

async function onGraph(code, options, body) {
  await visiting("#/play", options, async (page) => {
    const cell = freeCell(page);
    await cell.write(code);
    assert.equal(await cell.run(), "ok");
    const graph = new Graph(page);
    await graph.ready();
    await body(graph, page, new Stage(page));
  });
}

async function clean(page, theme) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(".stage", { resultTypes: ["violations"] }),
  );
  const found = violations.map(({ id, nodes }) => `${theme}: ${id}: ${nodes[0]?.html}`);
  assert.deepEqual(found, []);
}

test("modules fold to one node and open again, by buttons, keys and double click", async () => {
  await onGraph(MODEL, {}, async (graph, page, stage) => {
    const whole = await graph.count();
    await stage.press("To the end");
    await stage.rest(await stage.count());
    const end = await stage.picture();
    await graph.press("Fold all");
    await graph.until(4);
    assert.match(await graph.node(/^model /).getAttribute("aria-label"), /module of 11 nodes/);
    // The position is kept: the end stays the end.
    await eventually(async () => assert.equal(await stage.position(), await stage.count()));

    // Enter opens it by one level, and the keyboard goes on from there.
    await graph.node(/^model /).focus();
    await page.keyboard.press("Enter");
    await graph.until(7);
    await graph.doublePress(graph.node(/^model\.2 /));
    await graph.until(8);
    await graph.focused();

    // f folds what is around a node, Shift with f what is around its module.
    await graph.node(/^relu /).focus();
    await page.keyboard.press("f");
    await graph.until(7);
    await graph.node(/^model\.2 /).focus();
    await page.keyboard.press("Shift+F");
    await graph.until(4);

    await graph.press("Unfold all");
    await graph.until(whole);
    await stage.press("To the start");
    await stage.press("To the end");
    await stage.rest(await stage.count());
    await eventually(async () =>
      assert.equal(await stage.picture(), end, "folding and opening changed the picture"),
    );
  });
});

test("a folded graph steps on and back to the same pictures, module by module", async () => {
  await onGraph(MODEL, {}, async (graph, _page, stage) => {
    await graph.press("Fold all");
    await graph.until(4);
    await stage.press("To the start");
    await stage.rest(0);
    const count = await stage.count();
    assert.ok(count < 12, `${count} events for four nodes`);
    const forward = [];
    for (let at = 1; at <= count; at++) {
      await stage.press("Step");
      await stage.rest(at);
      forward.push(await stage.picture());
    }
    assert.ok(new Set(forward).size > 4);
    for (let at = count - 1; at >= 1; at--) {
      await stage.press("Step back");
      await stage.rest(at);
      assert.equal(await stage.picture(), forward[at - 1], `the picture at ${at} depends on the way there`);
    }
  });
});

test("a large graph is painted, and its nodes are reached by pointer and keyboard", async () => {
  await onGraph(LOOP, {}, async (graph, page, stage) => {
    assert.equal(await graph.opened(), true, "a loop is not folded");
    await stage.press("To the end");
    await stage.rest(await stage.count());
    await eventually(async () => assert.ok((await graph.count()) > 300));
    await graph.canvas.waitFor();
    await eventually(async () => assert.ok((await graph.colours()) > 8, "the canvas is blank"));

    const node = graph.root.locator("[data-node]");
    await node.focus();
    await graph.walk("Shift+ArrowRight");
    assert.match(await node.getAttribute("aria-label"), /mul|add|tanh|leaf|×|\+/);
    await page.keyboard.press("Enter");
    await graph.pressed(node, true);
    await page.keyboard.press("Escape");
    await graph.pressed(node, false);

    // What the pointer is over is found though nothing there is an element.
    const closer = page.getByRole("button", { name: "Zoom in" });
    for (let times = 0; times < 9; times++) await closer.click();
    await node.focus();
    await graph.walk("Shift+ArrowRight");
    await graph.walk("Shift+ArrowRight");
    const box = await restingBox(node);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await graph.selected.waitFor();
    assert.equal(await graph.selected.count(), 1);
  });
});

test("the wheel zooms and says so once; the whole and the direction are a press away", async () => {
  await onGraph(LOOP.replace("120", "30"), {}, async (graph, page, stage) => {
    const hint = page.getByText("The wheel zooms, with Shift it moves the graph.");
    const button = (name) => page.getByRole("button", { name, exact: true });
    const view = () =>
      graph.root.evaluate((root) => {
        const { a, e, f } = root.querySelector(":scope > g").transform.baseVal.consolidate().matrix;
        return { scale: a, x: e, y: f };
      });
    const { x, y, width, height } = await restingBox(graph.root);
    const turnWheel = async (by) => {
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.wheel(0, by);
    };
    await graph.opened();
    assert.equal((await view()).scale, 1, "reading size");
    assert.equal(await hint.count(), 0);
    await turnWheel(-300);
    await eventually(async () => assert.ok((await view()).scale > 1.3));
    await hint.waitFor();
    const zoomed = await view();
    await page.keyboard.down("Shift");
    await turnWheel(40);
    await page.keyboard.up("Shift");
    await eventually(async () => assert.equal(Math.round((await view()).x), Math.round(zoomed.x - 40)));
    assert.deepEqual({ ...(await view()), x: 0 }, { ...zoomed, x: 0 });

    await button("Fit the graph").click();
    await eventually(async () => assert.ok((await view()).scale < 1));
    await button("Reading size").click();
    await eventually(async () => assert.equal((await view()).scale, 1));

    await button("Run down").click();
    await button("Run across").waitFor();
    await page.reload();
    const cell = freeCell(page);
    assert.equal(await cell.run(), "ok");
    await graph.ready();
    await button("Run across").waitFor();
    await turnWheel(-300);
    await stage.rest(await stage.count());
    assert.equal(await hint.count(), 0, "it is said once");
    await button("Run across").click();
    await button("Run down").waitFor();
  });
});

test("panning a large graph", async () => {
  await onGraph(LOOP, { motion: "no-preference" }, async (graph, page, stage) => {
    await graph.opened();
    await stage.press("To the end");
    for (let times = 0; times < 6; times++) await page.getByRole("button", { name: "Zoom in" }).click();
    const area = await restingBox(graph.canvas);
    await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
    const frames = page.evaluate(
      () =>
        new Promise((resolve) => {
          let count = 0;
          const start = performance.now();
          const tick = () => {
            count += 1;
            const spent = performance.now() - start;
            if (spent < 1500) requestAnimationFrame(tick);
            else resolve((count / spent) * 1000);
          };
          requestAnimationFrame(tick);
        }),
    );
    await page.mouse.down();
    for (let step = 0; step < 60; step++) {
      await page.mouse.move(area.x + area.width / 2 - step * 4, area.y + area.height / 2, { steps: 1 });
    }
    await page.mouse.up();
    measured(`panning ${await graph.count()} painted nodes: ${(await frames).toFixed(0)} frames a second`);
    const fit = page.getByRole("button", { name: "Fit the graph" });
    await eventually(async () => assert.equal(await fit.isEnabled(), true));
  });
});

test("nothing to complain about for axe, folded, open and painted", async () => {
  for (const theme of ["dark", "light"]) {
    for (const size of [undefined, narrow]) {
      await onGraph(MODEL, { theme, ...(size ? { size } : {}) }, async (graph, page, stage) => {
        if (size) await new Sheet(page).go("full");
        await stage.press("To the end");
        await clean(page, theme);
        await graph.press("Fold all");
        await graph.until(4);
        await clean(page, theme);
      });
    }
    await onGraph(LOOP, { theme }, async (graph, page, stage) => {
      await clean(page, theme);
      await graph.opened();
      await stage.press("To the end");
      await graph.canvas.waitFor({ timeout: patience });
      await clean(page, theme);
    });
  }
});

test("no node of a graph that is fitted lies under the buttons, those of folds included", async () => {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(program("fifty gears"));
    assert.equal(await cell.run(), "ok", await cell.output());
    const graph = new Graph(page);
    await graph.ready();
    assert.equal(await graph.opened(), true);
    await page.getByRole("button", { name: "Fit the graph" }).click();
    await eventually(async () => {
      const covered = await page.locator(".stage .table").evaluate((table) => {
        const rooms = (selector) =>
          [...table.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
        const buttons = rooms("button");
        const nodes = rooms("[data-node] .body");
        const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return {
          nodes: nodes.length,
          covered: nodes.filter((node) => buttons.some((button) => meets(node, button))).length,
        };
      });
      assert.deepEqual(covered, { nodes: 51, covered: 0 });
    });
  });
});

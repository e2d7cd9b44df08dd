// The tools of the stage: search, walk, zoom, pins, comparison, what broke first, pictures as files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { graphs, resnets } from "./graphs.mjs";
import { eventually, narrow, useBrowser, visiting } from "./harness.mjs";
import { freeCell, Graph, restingBox, Sheet, Stage, StageTools } from "./parts.mjs";

useBrowser();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function onStage(source, options, body) {
  await visiting("#/play", options, async (page) => {
    const cell = freeCell(page);
    await cell.write(source);
    assert.equal(await cell.run(), "ok");
    const [stage, tools] = [new Stage(page), new StageTools(page)];
    await stage.ready();
    await tools.ready();
    await body({ page, cell, stage, tools });
  });
}

async function focusedNode(page) {
  return await page.evaluate(() => document.activeElement?.getAttribute("data-node"));
}

/** Waits until there are so many, and no other number, of what is found. */
async function counts(found, count, message) {
  await eventually(async () => assert.equal(await found.count(), count, message));
}

/** Waits until an attribute of what is found is this. */
async function has(found, name, pattern) {
  await eventually(async () => assert.match((await found.getAttribute(name)) ?? "", pattern));
}

test("/ finds nodes, the arrows walk the matches, Enter opens one", async () => {
  await onStage(graphs["a network"], {}, async ({ page, tools }) => {
    await tools.search("linear");
    await counts(tools.options, 2);
    await counts(tools.marks("match"), 1);
    await counts(tools.marks("current"), 1);
    await page.keyboard.press("ArrowDown");
    await has(tools.options.nth(1), "aria-selected", /true/);
    await page.keyboard.press("ArrowDown");
    await has(tools.options.nth(0), "aria-selected", /true/);
    await page.keyboard.press("Enter");
    await tools.card.waitFor();
    await has(tools.card, "aria-label", /linear/);
    const first = await eventually(async () => {
      const node = await focusedNode(page);
      assert.ok(node, "the focus is not on the node");
      return node;
    });
    // From node to node along the edges.
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Shift+ArrowDown");
    await eventually(async () => assert.notEqual(await focusedNode(page), first));
    await page.keyboard.press("Escape");
    await tools.card.waitFor({ state: "detached" });
  });
});

test("/ finds what a folded module hides, and choosing it unfolds, selects and centres it", async () => {
  await onStage(resnets(1), {}, async ({ page, stage, tools }) => {
    const graph = new Graph(page);
    const first = await graph.count();
    await stage.press("To the end");
    await stage.rest(await stage.count());
    await tools.search("rsqrt");
    await counts(tools.options, 20);
    const option = tools.options.nth(5);
    assert.match(await option.innerText(), /in model\.members\.0\.layer2\.0\.bn1/);
    // Until it is chosen, the modules that hide the matches are marked for them.
    await counts(tools.marks("current"), 1);
    await eventually(async () => {
      const folded = await tools.marks("match").count();
      assert.ok(folded > 3 && folded < first, `${folded} marks on ${first} nodes`);
    });
    for (let turn = 0; turn < 5; turn++) await page.keyboard.press("ArrowDown");
    await has(option, "aria-selected", /true/);
    await page.keyboard.press("Enter");

    await tools.card.waitFor();
    await has(tools.card, "aria-label", /^Node rsqrt/);
    await graph.focused();
    const reached = page.locator("[data-node]:focus");
    await has(reached, "aria-label", /rsqrt, op/);
    await has(reached, "aria-pressed", /true/);
    await page.getByText("model.members.0.layer2 is unfolded to show it.").waitFor();
    await eventually(async () => assert.ok((await graph.count()) > first));
    // Other modules stay folded.
    await counts(graph.node(/^layer3/), 1);
    // In the middle of the table, also after the card has taken its room.
    await page.waitForFunction(
      (table) => {
        const ring = document.activeElement.querySelector(".ring") ?? document.activeElement;
        const [node, area] = [ring.getBoundingClientRect(), table.getBoundingClientRect()];
        const apart = (start, size) => Math.abs(node[start] + node[size] / 2 - area[start] - area[size] / 2);
        return apart("left", "width") < 3 && apart("top", "height") < 3;
      },
      await graph.root.elementHandle(),
    );
    // The position was kept.
    await eventually(async () => assert.equal(await stage.position(), await stage.count()));
  });
});

test("z zooms to the selection, an overview appears and moves the view, 0 fits", async () => {
  await onStage(graphs["a network"], {}, async ({ page, stage, tools }) => {
    const transform = () => stage.graph.locator("> g").first().getAttribute("transform");
    const other = (than) =>
      eventually(async () => {
        const now = await transform();
        assert.notEqual(now, than);
        return now;
      });
    const whole = await transform();
    assert.equal(await tools.overview.count(), 0);
    await stage.graph.locator("[data-node].parameter").first().click();
    await page.keyboard.press("z");
    for (let turn = 0; turn < 6; turn++) await page.getByRole("button", { name: "Zoom in" }).click();
    await tools.overview.waitFor();
    const zoomed = await other(whole);
    await tools.overview.click({ position: { x: 12, y: 12 } });
    const moved = await other(zoomed);
    await tools.overview.focus();
    await page.keyboard.press("ArrowRight");
    await other(moved);
    await page.keyboard.press("Escape");
    await tools.press("0");
    await tools.overview.waitFor({ state: "detached" });
  });
});

test("each stop of the wave has its numbers, and a sum its three", async () => {
  await onStage(graphs["a value used three times"], {}, async ({ stage, tools }) => {
    await stage.press("To the start");
    await stage.rest(0);
    const seen = [];
    for (let at = 0; at < (await stage.count()); at++) {
      await stage.press("Step");
      await stage.rest(at + 1);
      seen.push(await tools.stop.innerText());
    }
    const all = seen.join("\n");
    assert.match(all, /made\s+y = a · b/);
    assert.match(all, /gy = 1/);
    const sum = seen.find((text) => text.includes("before + added"));
    const [before, added, total] = sum
      .match(/(−?[\d.]+) \+ (−?[\d.]+) = (−?[\d.]+)/)
      .slice(1)
      .map((text) => Number(text.replace("−", "-")));
    assert.ok(Math.abs(before + added - total) < 2e-4, sum);
  });
});

test("on a phone the numbers of a stop are a press away, and a card leaves the graph in sight", async () => {
  await onStage(graphs["a network"], { size: narrow }, async ({ page, stage, tools }) => {
    const sheet = new Sheet(page);
    await sheet.go("full");
    await stage.press("To the end");
    await sheet.go("half");
    await stage.press("Step back");
    await tools.stop.waitFor({ state: "hidden" });
    await tools.numbers.click();
    await eventually(async () => assert.match(await tools.stop.innerText(), /\.grad/));
    const caption = await restingBox(tools.stop);
    const slider = await restingBox(stage.slider);
    assert.ok(caption.y + caption.height <= slider.y, "the numbers lie over the scrubber");
    assert.deepEqual(await violations(page), []);
    await tools.numbers.click();
    await tools.stop.waitFor({ state: "hidden" });
    await stage.graph.locator("[data-node].parameter").first().click();
    await tools.card.waitFor();
    const [card, table] = [await restingBox(tools.card), await restingBox(tools.stage)];
    assert.ok(card.y >= table.y + table.height - 1, "the card lies over the stage");
    assert.ok(card.height > 200, `the card is ${card.height} px high`);
    assert.deepEqual(await violations(page), []);
    await stage.press("Step back");
    await page.keyboard.press("Escape");
    await tools.card.waitFor({ state: "detached" });
  });
});

test("the card shows how the numbers of a large tensor are spread", async () => {
  const large = `import glowgrad as torch
torch.manual_seed(0)
w = torch.randn(40, 30, requires_grad=True)
(w * w).sum().backward()`;
  await onStage(large, {}, async ({ stage, tools }) => {
    await stage.press("To the start");
    await stage.graph.locator("[data-node].parameter").first().click();
    const bars = tools.card.getByRole("img", { name: /^Histogram of/ });
    await bars.first().waitFor();
    assert.match(await bars.first().getAttribute("aria-label"), /the value of w: from −3\.\d+ to 4\.\d+/);
    await counts(bars, 1, "the gradient is shown before it is there");
    await stage.press("To the end");
    await tools.card.getByRole("img", { name: /^Histogram of the gradient of w/ }).waitFor();
    await tools.card.getByText("the first 64").first().waitFor({ state: "detached" });
  });
});

test("a pinned node is followed from run to run, and the page says what is kept", async () => {
  await onStage(graphs["a network"], {}, async ({ cell, stage, tools, page }) => {
    await stage.graph.locator("[data-node].parameter").first().click();
    await page.keyboard.press("p");
    await tools.pins.waitFor();
    await tools.pins.getByText("1 step, 1 graph kept").waitFor();
    await counts(tools.marks("pinned"), 1);
    assert.equal(await cell.run(), "ok");
    await tools.pins.getByText("2 graphs kept").waitFor();
    await has(tools.pins.getByRole("img").first(), "aria-label", /over 2 steps/);
    await tools.pins.getByRole("button", { name: /^Unpin/ }).click();
    await tools.pins.waitFor({ state: "detached" });
  });
});

test("a loop of many steps in one cell keeps every step of what is pinned", async () => {
  const loop = `import glowgrad as torch
w = torch.tensor([4.0], requires_grad=True)
for step in range(100):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
    w.grad = None`;
  await onStage(loop, {}, async ({ cell, page, stage, tools }) => {
    await stage.graph.locator("[data-node].parameter").first().click();
    await page.keyboard.press("p");
    await tools.pins.waitFor();
    assert.equal(await cell.run(), "ok");
    const line = tools.pins.getByRole("img", { name: /^Norm of w over 10\d steps/ });
    await line.waitFor();
    await eventually(async () =>
      assert.match(await tools.pins.innerText(), /steps, 2 graphs kept \(at most 64 graphs/),
    );
  });
});

test("a kept run is compared with the next: marks, a list, both numbers in the card", async () => {
  await onStage(graphs["a sum"], {}, async ({ cell, page, stage, tools }) => {
    await tools.press("c");
    await page.getByText("This run is kept.").first().waitFor();
    await cell.write(graphs["a sum"].replace("(x * y)", "(x * y).relu()").replace("3.0]", "4.0]"));
    assert.equal(await cell.run(), "ok");
    await page.getByText(/Compared with step \d+: 1 new, 0 gone/).waitFor();
    await stage.press("To the end");
    await counts(tools.marks("new"), 1);
    await eventually(async () => assert.ok((await tools.marks("changed").count()) >= 2));
    await stage.rest(await stage.count());
    await eventually(async () => assert.deepEqual(await tools.signsOnTexts(), []));
    await page.getByRole("button", { name: "List", exact: true }).click();
    const line = tools.differences.getByRole("button", { name: /^≠\s*loss|loss/ });
    await line.first().waitFor();
    assert.match(await line.first().innerText(), /value\s+7\.5\s+→\s+9\.5/);
    await line.first().click();
    await eventually(async () =>
      assert.match(await tools.card.innerText(), /Compared with step[\s\S]*7\.5\s+→\s+9\.5/),
    );
    await page.keyboard.press("c");
    await counts(tools.marks("changed"), 0);
  });
});

test("the first infinity is marked on its node and its line, with the values that made it", async () => {
  await onStage(graphs["a logarithm of zero"], {}, async ({ cell, page, stage, tools }) => {
    const row = page.getByText(/log: element \[0\] is −inf: log\(0\)/).last();
    await row.waitFor();
    await eventually(async () =>
      assert.match(await cell.fault(), /First −inf in log: element \[0\] is −inf: log\(0\)/),
    );
    await stage.press("To the start");
    await stage.rest(0);
    await counts(tools.marks("broken"), 0, "it is marked before it happened");
    await tools.press("n");
    await tools.card.waitFor();
    await has(tools.card, "aria-label", /log/);
    await counts(tools.marks("broken"), 1);
    await eventually(async () =>
      assert.match(await page.locator(".strip").innerText(), /x \(z\) = 0 at \[0\]/),
    );
    for (const turn of [null, "Run down", "Run across"]) {
      if (turn) await page.getByRole("button", { name: turn, exact: true }).click();
      await counts(tools.marks("broken"), 1);
      await eventually(async () => assert.deepEqual(await tools.signsOnTexts(), [], turn ?? "as it was"));
    }
  });
});

test("one divided by zero breaks value and gradient of one node, which has one mark", async () => {
  const source = `import glowgrad as torch

x = torch.tensor([0.0, 2.0], requires_grad=True)
(1 / x).sum().backward()
`;
  await onStage(source, {}, async ({ stage, tools }) => {
    await stage.press("To the end");
    await stage.rest(await stage.count());
    await counts(tools.marks("broken"), 1);
    await stage.press("To the start");
    await stage.rest(0);
    await counts(tools.marks("broken"), 0);
  });
});

test("the graph is saved as a file that needs nothing else", async () => {
  await onStage(graphs["a network"], {}, async ({ page, stage, tools }) => {
    await stage.press("To the end");
    await stage.rest(await stage.count());
    const saved = async (item) => {
      const [download] = await Promise.all([page.waitForEvent("download"), tools.choose(item)]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const svg = await saved("Save as SVG");
    assert.match(svg.name, /^glowgrad-step-\d+-event-\d+\.svg$/);
    const text = svg.bytes.toString();
    assert.match(text, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    for (const word of ["var(", "color-mix(", "light-dark(", "oklab(", "class=", "<!--", "NaN", "href"]) {
      assert.ok(
        !text.includes(word),
        `${word} in ${text.slice(text.indexOf(word) - 80, text.indexOf(word) + 80)}`,
      );
    }
    assert.match(text, /#ffb52e/);
    assert.match(text, /font-family="[^"]*monospace/);
    const problem = await page.evaluate(
      (source) =>
        new DOMParser().parseFromString(source, "image/svg+xml").querySelector("parsererror")?.textContent,
      text,
    );
    assert.equal(problem, undefined);

    const png = await saved("Save as PNG");
    assert.deepEqual([...png.bytes.subarray(1, 4)], [...Buffer.from("PNG")]);
    const width = Number(text.match(/width="(\d+)"/)[1]);
    assert.equal(png.bytes.readUInt32BE(16), 2 * width);
    assert.ok(png.bytes.length > 5000, "the picture is empty");
  });
});

for (const theme of ["dark", "light"]) {
  for (const size of [
    { width: 1280, height: 800 },
    { width: 375, height: 812 },
  ]) {
    test(`axe finds nothing in any tool: ${theme}, ${size.width} wide`, async () => {
      await onStage(graphs["a logarithm of zero"], { theme, size }, async ({ page, cell, stage, tools }) => {
        const check = async (what) => {
          await page.evaluate(axe);
          const found = await page.evaluate(() =>
            globalThis.axe.run(document, { resultTypes: ["violations"] }),
          );
          const said = found.violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(" ")}`,
          );
          assert.deepEqual(said, [], what);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `${what}: ${overflow} px too wide`);
        };
        await stage.press("To the end");
        await tools.search("x");
        await check("search");
        await page.keyboard.press("Enter");
        await tools.card.waitFor();
        await page.keyboard.press("p");
        await tools.pins.waitFor();
        await check("card and pin");
        await page.keyboard.press("Escape");
        await tools.press("c");
        await page.getByText("This run is kept.").first().waitFor();
        await cell.write(graphs["a logarithm of zero"].replace("1.0", "1.5"));
        assert.equal(await cell.run(), "ok");
        await page.getByRole("button", { name: "List", exact: true }).click();
        await tools.differences.waitFor();
        await check("differences");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "More tools" }).click();
        await tools.menu.waitFor();
        await check("menu");
        await page.keyboard.press("Escape");
        await tools.press("?");
        await tools.keys.waitFor();
        await check("keys");
        await page.keyboard.press("Escape");
        await tools.keys.waitFor({ state: "detached" });
      });
    });
  }
}

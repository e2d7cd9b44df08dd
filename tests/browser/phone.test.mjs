// A telephone: the stage is a sheet, two fingers zoom the graph; and a page shown at 200 % loses nothing. Every lesson is
// done by taps in lessons.test.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { graphs } from "./graphs.mjs";
import { eventually, lessons, phone, useBrowser, visiting } from "./harness.mjs";
import {
  Exercise,
  Finger,
  freeCell,
  hardToTap,
  OpReference,
  restingBox,
  Session,
  Sheet,
  Stage,
  StageTools,
  saved,
  sideways,
} from "./parts.mjs";
import { RunSteps } from "./run_steps.mjs";

useBrowser();

const touch = { size: phone, touch: true };

/** Which node is nearest to a point of the screen. */
async function nearest({ graph }, x, y) {
  const far = await graph.locator("[data-node]").evaluateAll(
    (nodes, [atX, atY]) =>
      nodes.map((node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect();
        return Math.hypot((left + right) / 2 - atX, (top + bottom) / 2 - atY);
      }),
    [x, y],
  );
  return far.indexOf(Math.min(...far));
}

/** A notebook with a network on its stage. */
async function onStage(body) {
  await visiting("#/play", touch, async (page) => {
    const cell = freeCell(page);
    // Lines enough for a page that scrolls.
    await cell.write(`# ${"\n# ".repeat(4)}\n${graphs["a network"]}`);
    const sheet = new Sheet(page);
    await sheet.rests("strip");
    await cell.tap();
    assert.equal(await cell.result(), "ok");
    await sheet.rests("half");
    const stage = new Stage(page, sheet.root);
    await stage.ready();
    await body({ page, cell, sheet, stage, tools: new StageTools(page) });
  });
}

/** The bar's two rows, in pixels. */
const header = 89;

test("the sheet is pulled, tapped, and out of the way of writing", async () => {
  await onStage(async ({ page, cell, sheet }) => {
    const links = page.getByRole("navigation", { name: "Pages" });
    assert.ok(await links.evaluate((row) => row.scrollWidth <= row.clientWidth), "a link is cut");
    const { y } = await restingBox(cell.runButton);
    assert.equal(Math.round(await sheet.seen()), Math.round(phone.height * 0.45));
    await sheet.pull(320);
    await sheet.rests("full");
    assert.equal(Math.round(await sheet.seen()), phone.height - header);
    assert.deepEqual(await violations(page), [], "all of the screen");
    assert.deepEqual(await hardToTap(page), [], "all of the screen");
    // The outline comes from below, and the graph stays in sight.
    const outline = page.getByRole("region", { name: "Outline of the step" });
    await sheet.root.getByRole("button", { name: "Outline", exact: true }).tap();
    await eventually(async () => {
      const box = await restingBox(outline);
      assert.equal(Math.round(box.y + box.height), phone.height);
      assert.ok(box.y > phone.height / 2, `the outline begins at ${box.y}`);
    });
    assert.deepEqual(await violations(page), [], "with the outline");
    await outline.getByRole("button", { name: "Close the outline" }).tap();
    await eventually(async () => assert.ok((await restingBox(outline)).width < 2));
    await sheet.pull(-380);
    await sheet.rests("half");
    assert.deepEqual(await hardToTap(page), [], "half of it");
    await page.locator("h1").evaluate((title) => title.scrollIntoView());
    await eventually(async () => {
      const { y: top } = await restingBox(page.locator("h1"));
      assert.ok(top >= header + phone.height * 0.45, `the title stands at ${top}, under the sheet`);
    });
    await cell.root.locator(".cm-content").tap();
    await sheet.rests("strip");
    assert.equal(Math.round(await sheet.seen()), 40);
    await cell.root.locator(".cm-content").evaluate((editor) => editor.blur());
    await sheet.rests("half");

    assert.equal(await sheet.toggle.getAttribute("aria-expanded"), "true");
    // Opening and closing moves no text.
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    const place = async () => (await restingBox(cell.runButton)).y;
    const standing = await place();
    for (const height of ["strip", "half", "strip"]) {
      const button = await restingBox(sheet.toggle);
      await page.touchscreen.tap(button.x + button.width / 2, button.y + button.height / 2);
      await sheet.rests(height);
      // A page scrolls by whole pixels.
      await eventually(async () => assert.ok(Math.abs((await place()) - standing) <= 1, height));
    }
    assert.equal(await sheet.toggle.getAttribute("aria-expanded"), "false");
    assert.equal(await sheet.news.count(), 0);
    await cell.tap();
    assert.equal(await cell.result(), "ok");
    await sheet.news.waitFor();
    await sheet.rests("strip");
    await sheet.pull(300);
    await sheet.rests("half");
    assert.equal(await sheet.news.count(), 0);
    assert.ok(y > 0);
    // Of the visit, also over a reload.
    await saved(page);
    await page.reload({ waitUntil: "load" });
    await sheet.rests("half");
  });
});

test("a check leaves the sheet a strip, whose graph is said to be the check's, and a report ages with its code", async () => {
  const lesson = lessons().find(({ slug }) => slug === "gradients-that-broadcast");
  await visiting(`#/lesson/${lesson.slug}`, touch, async (page) => {
    const one = new Exercise(page, lesson.blocks.find(({ type }) => type === "exercise").id);
    const sheet = new Sheet(page);
    await sheet.go("half");
    await one.root.locator(".cm-content").tap();
    await sheet.rests("strip");
    await one.write(`${await one.text()}\n# mine`);
    // Its button is at the foot of the screen: what the check says comes onto it.
    await one.runButton.evaluate((button) => button.scrollIntoView({ block: "end" }));
    await one.tap();
    await one.ended();
    await eventually(async () => {
      const { y } = await restingBox(one.printed);
      assert.ok(y < phone.height - 60, `the report begins at ${y}`);
    });
    await sheet.news.waitFor();
    await sheet.rests("strip");
    assert.match(await one.output(), /checks hold/);
    assert.equal(await one.note(), "Not yet");
    await sheet.go("half");
    await new Session(page).checks.waitFor();
    await one.root.locator(".cm-content").tap();
    await page.keyboard.insertText("s");
    await eventually(async () => assert.equal(await one.note(), "Changed since the check"));
    assert.deepEqual(await violations(page), []);
  });
});

test("two fingers zoom the graph and one moves it, the page stays; a tap beside a node means it", async () => {
  await onStage(async ({ page, sheet, stage, tools }) => {
    // Light is a part of a node's box.
    await stage.rest(await stage.count());
    const box = await restingBox(stage.graph);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // What leaves the stage has no labels there: one in the middle stays.
    const node = stage.graph.locator("[data-node]").nth(await nearest(stage, x, y));
    const before = await restingBox(node);
    const scroll = () => page.evaluate(() => scrollY);
    const scrolled = await scroll();
    const finger = new Finger(page);
    await finger.pinch(
      [
        [x - 30, y],
        [x - 90, y],
      ],
      [
        [x + 30, y],
        [x + 90, y],
      ],
    );
    await eventually(async () => {
      const { width } = await restingBox(node);
      assert.ok(width > before.width * 2, `${width} from ${before.width}`);
    });
    assert.equal((await sideways(page)).zoom, 1);
    assert.equal(await tools.card.count(), 0, "a pinch is no tap");
    const zoomed = await restingBox(node);
    // After a fling Chromium takes the next tap for the end of it.
    await finger.drag([x, y], [x + 40, y + 30], { rest: true });
    await eventually(async () => {
      const moved = await restingBox(node);
      assert.ok(Math.abs(moved.x - zoomed.x - 40) < 8 && Math.abs(moved.y - zoomed.y - 30) < 8);
    });
    assert.equal(await scroll(), scrolled);
    await page.getByRole("button", { name: /^(Fit the graph|Reading size)$/ }).tap();
    await eventually(async () => {
      const fitted = await restingBox(node);
      assert.ok(Math.abs(fitted.width - before.width) < 1);
    });
    const fitted = await restingBox(node);
    await page.touchscreen.tap(fitted.x - 8, fitted.y + fitted.height / 2);
    await tools.card.waitFor();
    await page.keyboard.press("Escape");
    await tools.card.waitFor({ state: "detached" });
    // What stands over the graph on a wide stage is in the menu.
    await page.getByRole("button", { name: "More tools" }).tap();
    await tools.menu.getByRole("menuitem", { name: "Zoom in" }).tap();
    await eventually(async () => assert.ok((await restingBox(node)).width > fitted.width * 1.3));
    await page.getByRole("button", { name: "More tools" }).tap();
    assert.deepEqual(await hardToTap(page, "[role=menu]"), [], "with the menu open");
    assert.deepEqual(await violations(page), [], "with the menu open");
    await tools.menu.getByRole("menuitem", { name: "Search the graph" }).tap();
    await tools.field.fill("tanh");
    await tools.options.first().tap();
    await tools.card.waitFor();
    await sheet.rests("half");
  });
});

for (const route of ["#/", "#/course", "#/play", "#/reference", "#/bench", "#/studio"]) {
  test(`every target of ${route} takes a fingertip`, async () => {
    await visiting(route, touch, async (page) => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      if (route === "#/") await new Stage(page).ready();
      if (route === "#/reference") await new OpReference(page).ready();
      assert.deepEqual(await hardToTap(page), []);
      assert.ok((await sideways(page)).beyond <= 0, "the page scrolls sideways");
    });
  });
}

test("on its side a telephone has a graph above one row of playback and one of the run's steps", async () => {
  const size = { width: phone.height, height: phone.width };
  await visiting("#/play", { ...touch, size }, async (page) => {
    const cell = freeCell(page);
    const turn =
      "    loss = (w * w).sum()\n    loss.backward()\n    with torch.no_grad():\n        w -= 0.05 * w.grad\n";
    await cell.write(
      `import glowgrad as torch\nw = torch.ones(2, requires_grad=True)\nfor i in range(20):\n${turn}`,
    );
    assert.equal(await cell.run(), "ok");
    const [stage, steps] = [new Stage(page), new RunSteps(page)];
    await stage.ready();
    await steps.ended(20);
    const graph = await restingBox(stage.graph);
    assert.ok(graph.height >= 140, `the graph has ${graph.height} px`);
    const rows = await Promise.all([stage.caption, stage.transport, steps.root].map(restingBox));
    for (const { y, height } of rows) assert.ok(y + height <= size.height, "a row is below the screen");
    assert.deepEqual(await hardToTap(page, "[data-testid=stage]"), []);
    assert.deepEqual(await violations(page), []);
  });
});

for (const size of [
  { width: 640, height: 400 },
  { width: 720, height: 450 },
]) {
  test(`shown at 200 %, ${size.width} × ${size.height}: nothing is cut off or covered`, async () => {
    await visiting("#/", { size, zoom: 2 }, async (page) => {
      const lesson = `#/lesson/${lessons()[2].slug}`;
      for (const route of ["#/", "#/course", "#/reference", "#/bench", "#/studio", lesson, "#/play"]) {
        await page.evaluate((hash) => location.assign(hash), route);
        const title = page.getByRole("heading", { level: 1 });
        await title.waitFor();
        assert.doesNotMatch(await title.innerText(), /no such page/);
        assert.ok((await sideways(page)).beyond <= 0, `${route} scrolls sideways`);
        const covered = (await hardToTap(page)).filter((each) => each.startsWith("covered"));
        assert.deepEqual(covered, [], route);
      }
      const cell = freeCell(page);
      await cell.write(graphs["a network"]);
      assert.equal(await cell.run(), "ok");
      const sheet = new Sheet(page);
      await sheet.rests("half");
      const stage = new Stage(page, sheet.root);
      await stage.ready();
      for (const height of ["half", "full"]) {
        if (height === "full") await sheet.whole.click();
        await sheet.rests(height);
        const graph = await restingBox(stage.graph);
        assert.ok(graph.height >= 120, `${height}: the graph has ${graph.height} px`);
        assert.deepEqual(await hardToTap(page), [], height);
        assert.ok((await sideways(page)).beyond <= 0, `${height} scrolls sideways`);
        assert.deepEqual(await violations(page), [], height);
      }
    });
  });
}

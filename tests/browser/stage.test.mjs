// The graph lights up, and its picture depends on the position alone, however it was reached.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, lessons, useBrowser, visiting } from "./harness.mjs";
import { Cell, Stage } from "./parts.mjs";
import { same, walk } from "./pictures.mjs";

useBrowser();

/** The lesson that shows what a stage is: small graphs, and parameters in the first of them. */
const first = lessons().find(({ slug }) => slug === "graph-in-your-head");
const backward = first?.blocks.find((block) => block.type === "cell" && block.source.includes(".backward()"));

/** Runs that lesson up to its first `backward()`, and hands over the stage. */
async function onStage(options, body) {
  await visiting(`#/lesson/${first.slug}`, options, async (page) => {
    for (const block of first.blocks.filter(({ type }) => type === "cell")) {
      assert.equal(await new Cell(page, block.id).run(), "ok");
      if (block === backward) break;
    }
    const stage = new Stage(page);
    await stage.ready();
    await body(stage, page);
  });
}

test("stepping back shows every picture again, to the last attribute", async () => {
  await onStage({}, async (stage) => {
    await stage.press("To the start");
    await stage.rest(0);
    const count = await stage.count();
    assert.ok(count > 4, `${count} events`);
    const forward = await walk(stage, "Step", count);
    const back = await walk(stage, "Step back", 0);
    assert.ok(forward.size > 4, `${forward.size} places of rest`);
    assert.ok(new Set(forward.values()).size > 4, "the pictures do not differ");
    for (const [position, picture] of back) {
      assert.ok(forward.has(position), `stepping back rests at ${position}, stepping on does not`);
      same(picture, forward.get(position), `the picture at ${position} depends on the way there`);
    }
  });
});

test("a gradient glows only after backward() has reached it", async () => {
  await onStage({}, async (stage) => {
    const lit = () => stage.graph.locator(".lit, .hot, .bloom, .gauge").count();
    await stage.press("To the start");
    await stage.rest(0);
    await eventually(async () => assert.equal(await lit(), 0));
    await stage.press("To the end");
    await stage.rest(await stage.count());
    await eventually(async () => assert.ok((await lit()) > 0));
  });
});

test("play moves, pause holds, and the end is the end that stepping reaches", async () => {
  await onStage({ motion: "no-preference" }, async (stage, page) => {
    const count = await stage.count();
    await stage.press("To the end");
    await stage.rest(count);
    const end = await stage.picture();
    await stage.press("To the start");
    await stage.rest(0);
    const start = await stage.picture();
    assert.ok(start !== end, "the start looks like the end");

    await stage.press("Play");
    await page.waitForFunction(
      (slider) => Number(slider.getAttribute("aria-valuenow")) > 0.2,
      await stage.slider.elementHandle(),
    );
    await stage.press("Pause");
    const held = await stage.position();
    const picture = await stage.picture();
    await page.waitForTimeout(150);
    assert.equal(await stage.position(), held);
    same(await stage.picture(), picture, "a paused picture moves");

    await stage.press("Play");
    await stage.rest(count);
    same(await stage.picture(), end, "playing ends elsewhere than going to the end");
    await stage.press("To the start");
    await stage.rest(0);
    same(await stage.picture(), start, "the start is not what it was");
  });
});

test("keys play and step, and the scrubber is a slider", async () => {
  await onStage({}, async (stage, page) => {
    await stage.press("To the start");
    await stage.rest(0);
    await stage.slider.focus();
    await page.keyboard.press("ArrowRight");
    await eventually(async () => assert.ok((await stage.position()) > 0));
    await page.keyboard.press("ArrowLeft");
    await stage.rest(0);
    await page.keyboard.press("End");
    await stage.rest(await stage.count());
    await page.keyboard.press("Home");
    await stage.rest(0);
  });
});

test("a click opens a node with its value, its gradient and its line", async () => {
  await onStage({}, async (stage, page) => {
    await stage.press("To the end");
    await stage.rest(await stage.count());
    const node = stage.graph.locator("[data-node].parameter").first();
    await node.click();
    await eventually(async () => assert.equal(await node.getAttribute("aria-pressed"), "true"));
    await page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await node.getAttribute("aria-pressed"), "false"));
  });
});

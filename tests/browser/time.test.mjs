// Time travel: whatever the way there, a position of the trace has one picture.

import assert from "node:assert/strict";
import { test } from "node:test";
import { graphs } from "./graphs.mjs";
import { measured, useBrowser, visiting } from "./harness.mjs";
import { freeCell, restingBox, Stage } from "./parts.mjs";
import { same, walk } from "./pictures.mjs";

useBrowser();

/** Numbers from 0 up to 1, the same for the same seed. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Runs a program on the free page and hands over its stage. */
async function onStage(source, body) {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(source);
    assert.equal(await cell.run(), "ok");
    const stage = new Stage(page);
    await stage.ready();
    await body(stage, cell, page);
  });
}

/** Presses the pointer on the scrubber where a position is. */
async function scrub(stage, position, count) {
  const area = await restingBox(stage.slider);
  await stage.page.mouse.click(area.x + (area.width * position) / count, area.y + area.height / 2);
  await stage.rest(position);
}

/** Walks over the whole graph and back, and on again: each event shows the same picture. */
async function walkBothWays(stage) {
  await stage.press("To the start");
  await stage.rest(0);
  const count = await stage.count();
  const forward = await walk(stage, "Step", count);
  assert.equal(forward.size, count + 1, "stepping rests at every event");
  assert.ok(new Set(forward.values()).size > count / 2, "the pictures do not differ");
  const back = await walk(stage, "Step back", 0);
  const again = await walk(stage, "Step", count);
  for (const [position, picture] of forward) {
    same(back.get(position), picture, `going back, the picture at ${position}`);
    same(again.get(position), picture, `going on again, the picture at ${position}`);
  }
}

/** How many places the scrubber is sent to, and how many of them are drawn anew, which takes a run each. */
const PLACES = 40;
const DRAWN_ANEW = 5;

/** Scrubs to random places: each looks as before, and as in a graph that was never shown before. */
async function scrubAbout(name, stage, cell, random) {
  await stage.press("To the end");
  await stage.rest(await stage.count());
  const count = await stage.count();
  const scrubbed = new Map();
  for (let turn = 0; turn < PLACES; turn++) {
    const position = Math.round(random() * count);
    await scrub(stage, position, count);
    const picture = await stage.picture();
    if (scrubbed.has(position)) same(picture, scrubbed.get(position), `returning to ${position}`);
    scrubbed.set(position, picture);
  }
  for (const [position, picture] of [...scrubbed].slice(0, DRAWN_ANEW)) {
    // A run draws a new graph: nothing that was shown before is left of it.
    assert.equal(await cell.run(), "ok");
    await scrub(stage, position, count);
    same(picture, await stage.picture(), `scrubbing to ${position} is not as drawn anew`);
  }
  measured(`${name}: ${count} events, ${scrubbed.size} of them at random, ${DRAWN_ANEW} drawn anew`);
}

let seed = 1;
for (const [name, source] of Object.entries(graphs)) {
  test(`${name}: a position has one picture, whatever the way there`, async () => {
    const random = randomNumbers(seed++);
    await onStage(source, async (stage, cell) => {
      await walkBothWays(stage);
      await scrubAbout(name, stage, cell, random);
    });
  });
}

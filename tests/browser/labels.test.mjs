// No label on the stage is drawn smaller than can be read, whatever the network and the screen, folded and opened;
// and what is written does not lie on what else is written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { measured, useBrowser, visiting } from "./harness.mjs";
import { networks, program } from "./networks.mjs";
import { freeCell, Graph, Sheet } from "./parts.mjs";

useBrowser();

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
/** In CSS pixels. */
const SMALLEST = 11;

/** From here on, what a canvas writes is kept with its size on the screen: since it was cleared last. */
function keepPaintedTexts() {
  const { prototype } = CanvasRenderingContext2D;
  const { clearRect, fillText } = prototype;
  prototype.clearRect = function (...area) {
    this.canvas.texts = [];
    clearRect.apply(this, area);
  };
  prototype.fillText = function (text, ...place) {
    const { a } = this.getTransform();
    const shown = this.canvas.getBoundingClientRect().width / this.canvas.width;
    this.canvas.texts?.push({ text, size: Number.parseFloat(/([\d.]+)px/.exec(this.font)?.[1]) * a * shown });
    fillText.call(this, text, ...place);
  };
}

/** The texts of the graph that are on the stage, each with its size; and which of them lie on another. */
async function texts(graph) {
  return await graph.root.evaluate((root) => {
    const stage = root.getBoundingClientRect();
    const canvas = root.querySelector("canvas");
    if (canvas) return { written: canvas.texts ?? [], covered: [] };
    const seen = [...root.querySelectorAll("text")].flatMap((text) => {
      const room = text.getBoundingClientRect();
      const style = getComputedStyle(text);
      const isShown = text.checkVisibility({ opacityProperty: true }) && room.width > 0;
      const isInside =
        room.right > stage.left &&
        room.left < stage.right &&
        room.bottom > stage.top &&
        room.top < stage.bottom;
      if (!isShown || !isInside) return [];
      const size = Number.parseFloat(style.fontSize) * text.getScreenCTM().a;
      return [{ text: text.textContent, size, room, isBadge: text.closest(".badge") !== null }];
    });
    const covered = seen.flatMap((badge) =>
      badge.isBadge
        ? seen
            .filter(({ isBadge, room }) => {
              const across = Math.min(room.right, badge.room.right) - Math.max(room.left, badge.room.left);
              const down = Math.min(room.bottom, badge.room.bottom) - Math.max(room.top, badge.room.top);
              return !isBadge && across > 1 && down > 1;
            })
            .map(({ text }) => `${badge.text} on ${text}`)
        : [],
    );
    return { written: seen.map(({ text, size }) => ({ text, size })), covered };
  });
}

/** Waits until the graph has stopped moving. */
async function rest(page, graph) {
  let before = "";
  for (let still = 0; still < 3; ) {
    await page.waitForTimeout(60);
    const now = await graph.root.evaluate((root) => {
      const moved = root.querySelector(":scope > g, canvas");
      return `${root.getAttribute("aria-label")} ${moved?.getAttribute("transform")} ${moved?.getAttribute("style")}`;
    });
    still = now === before ? still + 1 : 0;
    before = now;
  }
}

test(`no label is smaller than ${SMALLEST} px: twelve networks, three screens, folded and opened`, async () => {
  await visiting("#/play", { size: SIZES[0] }, async (page) => {
    await page.evaluate(keepPaintedTexts);
    const cell = freeCell(page);
    const graph = new Graph(page);
    const faults = [];
    for (const name of Object.keys(networks)) {
      await page.setViewportSize(SIZES[0]);
      await cell.write(program(name));
      assert.equal(await cell.run(), "ok", name);
      await graph.ready();
      let smallest = Infinity;
      for (const how of ["folded", "opened"]) {
        if (how === "opened") {
          await page.setViewportSize(SIZES[0]);
          await rest(page, graph);
          if (!(await graph.opened())) continue;
        }
        for (const size of SIZES) {
          await page.setViewportSize(size);
          if (size.width < 800) await new Sheet(page).opened();
          await rest(page, graph);
          const { written, covered } = await texts(graph);
          const at = `${name}, ${how}, ${size.width} × ${size.height}`;
          if (written.length === 0) faults.push(`${at}: nothing is written`);
          for (const text of covered) faults.push(`${at}: ${text}`);
          for (const { text, size } of written) {
            smallest = Math.min(smallest, size);
            if (size < SMALLEST - 0.01) faults.push(`${at}: “${text}” is ${size.toFixed(1)} px`);
          }
        }
      }
      measured(`${name}: the smallest label is ${smallest.toFixed(1)} px`);
    }
    assert.deepEqual(faults, []);
  });
});

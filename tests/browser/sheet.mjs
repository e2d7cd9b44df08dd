// The stage as a sheet, and fingers; the rest of the page's parts is in parts.mjs, which gives these out too.
//
// Invariant: as in parts.mjs: a part that is renamed is renamed here. A finger is sent as the browser's own touch
// events, so that what is tested is what a telephone does.

import assert from "node:assert/strict";
import { eventually } from "./harness.mjs";

/** The sheet that the stage is on a narrow screen. */
export class Sheet {
  constructor(page) {
    this.page = page;
    this.root = page.locator(".drawer");
    this.toggle = page.getByTestId("sheet-toggle");
    this.whole = page.getByRole("button", { name: /^(Full screen|Half the screen)$/ });
    /** Something came while it was closed. */
    this.news = page.getByTestId("sheet-news");
  }

  /** Waits until it rests at this height. */
  async rests(height) {
    await eventually(async () => assert.equal(await this.root.getAttribute("data-height"), height));
    await this.root.evaluate((drawer) => Promise.all(drawer.getAnimations().map((each) => each.finished)));
  }

  /** How much of it is on the screen below the header, in pixels. */
  async seen() {
    return await this.root.evaluate((drawer) => {
      const header = document.querySelector("header").getBoundingClientRect().bottom;
      return drawer.getBoundingClientRect().bottom - header;
    });
  }

  /** Goes to a height by its buttons: by taps, where the screen is for fingers. */
  async go(height) {
    const now = await this.root.getAttribute("data-height");
    if (now === height) return;
    const fingers = await this.page.evaluate(() => navigator.maxTouchPoints > 0);
    const press = (button) => (fingers ? button.tap() : button.click());
    if (now === "strip" || height === "strip") await press(this.toggle);
    if (height === "full" || (now === "full" && height === "half")) await press(this.whole);
    await this.rests(height);
  }

  /** Opens it where it is closed; on a wide page there is none. */
  async opened() {
    await this.root.waitFor({ state: "attached" });
    if ((await this.root.getAttribute("data-height")) === "strip") await this.go("half");
  }

  /** Pulls it by its row, so many pixels down; a slow pull rests before it lets go. */
  async pull(by) {
    const { bottom, width } = await this.root.evaluate((drawer) => {
      const box = drawer.querySelector(".grip").getBoundingClientRect();
      return { bottom: box.bottom, width: box.width };
    });
    const finger = new Finger(this.page);
    const [x, y] = [width / 2, bottom - 18];
    await finger.drag([x, y], [x, y + by], { rest: true });
  }
}

/** One finger, or two, on the screen. */
export class Finger {
  #session = null;

  constructor(page) {
    this.page = page;
  }

  async #send(type, points) {
    this.#session ??= await this.page.context().newCDPSession(this.page);
    const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
    await this.#session.send("Input.dispatchTouchEvent", { type, touchPoints });
  }

  /** From one point to another; with `rest` it stays there before it is lifted. */
  async drag(from, to, { rest = false, steps = 6 } = {}) {
    await this.#paths([[from, to]], steps, rest);
  }

  /** Two fingers, each from a point to another. */
  async pinch(first, second, steps = 6) {
    await this.#paths([first, second], steps, false);
  }

  async #paths(paths, steps, rest) {
    await this.#send(
      "touchStart",
      paths.map(([from]) => from),
    );
    for (let step = 1; step <= steps; step += 1) {
      const at = ([from, to]) => from.map((start, axis) => start + ((to[axis] - start) * step) / steps);
      await this.#send("touchMove", paths.map(at));
    }
    if (rest) await this.page.waitForTimeout(130);
    await this.#send("touchEnd", []);
  }
}

/** Which targets a fingertip of 44 px does not meet, or something else lies over; by their names. */
export async function hardToTap(page, part = "body") {
  return await page.evaluate((selector) => {
    const REACH = 22;
    const targets = "a[href], button, input, select, summary, [role=tab], [role=slider], [role=radio]";
    // Links within a sentence, and the cells of a drawn tensor, are as large as what they stand in.
    const within = ".prose a, p a, [data-flat], [data-bit], [data-cell]:not(section), .skip, .cm-editor *";
    const found = [];
    const hits = (target, x, y) => {
      const met = document.elementFromPoint(x, y);
      const label = target.closest("label") ?? target.labels?.[0];
      return met !== null && (target.contains(met) || (label?.contains(met) ?? false));
    };
    for (const target of document.querySelector(selector).querySelectorAll(targets)) {
      if (target.matches(within) || target.disabled || target.closest("[inert]")) continue;
      if (!target.checkVisibility({ visibilityProperty: true })) continue;
      target.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      const shown = (target.closest("label") ?? target).getBoundingClientRect();
      if (shown.width < 2 || shown.height < 2) continue;
      const [x, y] = [shown.x + shown.width / 2, shown.y + shown.height / 2];
      const name = `${target.getAttribute("aria-label") ?? target.textContent.trim()} (${Math.round(shown.width)} × ${Math.round(shown.height)})`;
      if (!hits(target, x, y)) found.push(`covered: ${name}`);
      else if (shown.width < 2 * REACH && !(hits(target, x - REACH, y) && hits(target, x + REACH, y)))
        found.push(`too narrow: ${name}`);
      else if (shown.height < 2 * REACH && !(hits(target, x, y - REACH) && hits(target, x, y + REACH)))
        found.push(`too low: ${name}`);
    }
    return found;
  }, part);
}

/** By how many pixels the page is wider than the screen, and how far a gesture has zoomed it. */
export async function sideways(page) {
  return await page.evaluate(() => ({
    beyond: document.documentElement.scrollWidth - innerWidth,
    zoom: visualViewport.scale,
  }));
}

// A press that meets its button: one that stands still, and of which it is known what came.

import assert from "node:assert/strict";
import { measured, patience } from "./harness.mjs";

/** Waits until the page has its faces, and the element stays where it is: for a press that meets it. */
export async function settled(target) {
  const page = target.page();
  // The faces that first paint does without come last.
  await page.waitForFunction(() => [...document.fonts].some(({ family }) => family.includes("Inter")));
  await target.waitFor();
  await target.evaluate(async (element) => {
    const frame = () => new Promise(requestAnimationFrame);
    const place = () => {
      const { x, y } = element.getBoundingClientRect();
      return `${document.fonts.status} ${x} ${y}`;
    };
    for (let same = 0, last = ""; same < 4; await frame()) {
      const now = place();
      same = now === last && now.startsWith("loaded") ? same + 1 : 0;
      last = now;
    }
  });
}

/** Presses, and returns when the page shows that a run has begun in the element. */
export async function untilBegun(root, press) {
  const seen = await root.evaluateHandle(watchStart);
  await press();
  // A browser may take a tap on a busy page for a long press or a scroll, or gives its click to what the page has scrolled
  // under the finger meanwhile.
  const wait = (noted, timeout) => root.page().waitForFunction(noted, seen, { timeout });
  const isHeard = await wait(({ begun, clicked }) => begun || clicked, 5_000).catch(() => false);
  const met = async () => (await seen.jsonValue()).met.join(", ");
  if (!isHeard) {
    measured(`a press that met ${await met()}: once more`);
    await press();
  }
  await wait(({ begun }) => begun, patience).catch(async () => assert.fail(`no run by ${await met()}`));
}

/** Runs in the page: notes when a run begins in the element, whether a button in it heard a click, and what the pointer met. */
function watchStart(root) {
  const noted = { begun: false, clicked: false, met: [] };
  new MutationObserver(() => {
    noted.begun ||= root.querySelector('button[aria-label^="Stop "]') !== null;
  }).observe(root, { subtree: true, childList: true });
  for (const type of ["pointerdown", "pointerup", "pointercancel", "contextmenu", "click"]) {
    const note = ({ target, clientX, clientY }) => {
      const button = target.closest?.("button");
      noted.clicked ||= type === "click" && button?.matches(".primary") === true && root.contains(button);
      const name = button?.ariaLabel ?? target.nodeName;
      noted.met.push(`${type} on ${name} at ${Math.round(clientX)}, ${Math.round(clientY)}`);
    };
    addEventListener(type, note, { capture: true });
  }
  return noted;
}

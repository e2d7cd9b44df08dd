// Pictures of the stage: compared, and noted on a walk.

import assert from "node:assert/strict";

/** Compares pictures, and shows of two long texts only where they part. */
export function same(picture, expected, message) {
  if (picture === expected) return;
  let at = 0;
  while (picture[at] === expected[at]) at += 1;
  const excerpt = (text) => text.slice(Math.max(0, at - 200), at + 100);
  assert.fail(`${message}:\n  ${excerpt(picture)}\nbut expected\n  ${excerpt(expected)}`);
}

/** Presses a button until the end, and notes the picture at every place of rest. */
export async function walk(stage, button, end) {
  const pictures = new Map([[await stage.position(), await stage.picture()]]);
  for (let at = await stage.position(); at !== end; at = await stage.position()) {
    await stage.press(button);
    await stage.page.waitForFunction(
      ([slider, old]) => Number(slider.getAttribute("aria-valuenow")) !== old,
      [await stage.slider.elementHandle(), at],
    );
    pictures.set(await stage.position(), await stage.picture());
  }
  return pictures;
}

// Curves that are drawn over the axes of a prediction.

import { restingBox } from "./instruments.mjs";

/** Pixels around the field, as www/src/course/axes.ts has them. */
const MARGIN = { left: 44, right: 14, top: 8, bottom: 26 };

/** Draws a curve with a mouse or a finger: places as shares of the width and, from below, of the height. */
export async function drawWith(pen, field, places) {
  await field.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const box = await restingBox(field);
  const points = places.map(([x, y]) => [
    box.x + MARGIN.left + x * (box.width - MARGIN.left - MARGIN.right),
    box.y + MARGIN.top + (1 - y) * (box.height - MARGIN.top - MARGIN.bottom),
  ]);
  if (pen.drag) {
    // A finger that leaves in full motion makes Chromium drop the next tap.
    await pen.drag(points[0], points.at(-1), { steps: 12, rest: true });
    return;
  }
  await pen.move(...points[0]);
  await pen.down();
  for (const point of points.slice(1)) await pen.move(...point, { steps: 8 });
  await pen.up();
}

// Which node of a painted graph lies at a point.
//
// Invariant: pure; looks at the few nodes around the point. One near enough counts as under it.
import type { LargeLayout } from "./large";

/** The node at a point of the layout, or the nearest within `slack` of it. */
export function nodeAt({ rooms }: LargeLayout, x: number, y: number, slack = 0): number | null {
  let best: number | null = null;
  let least = slack;
  const around = { left: x - slack, right: x + slack, top: y - slack, bottom: y + slack };
  rooms.near(around, ({ id, left, right, top, bottom }) => {
    const beyond = Math.max(left - x, x - right, top - y, y - bottom, 0);
    if (beyond > least || (best !== null && beyond === least)) return;
    [best, least] = [id, beyond];
  });
  return best;
}

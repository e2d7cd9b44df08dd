// Which node of a painted graph lies at a point.
//
// Invariant: pure; looks at the few nodes of one square of the grid, and at those around it when a
// point near a node counts as on it.
import { type LargeLayout, SQUARE } from "./large";

/** The node at a point of the layout, or the nearest within `slack` of it. */
export function nodeAt({ layout, squares }: LargeLayout, x: number, y: number, slack = 0): number | null {
  let best: number | null = null;
  let least = slack;
  const from = (place: number) => Math.floor((place - slack) / SQUARE);
  const to = (place: number) => Math.floor((place + slack) / SQUARE);
  for (let column = from(x); column <= to(x); column++) {
    for (let row = from(y); row <= to(y); row++) {
      for (const id of squares.get(`${column} ${row}`) ?? []) {
        const box = layout.boxes.get(id);
        if (!box) continue;
        const beyond = Math.max(Math.abs(x - box.x) - box.halfWidth, Math.abs(y - box.y) - box.halfHeight, 0);
        if (beyond > least || (best !== null && beyond === least)) continue;
        [best, least] = [id, beyond];
      }
    }
  }
  return best;
}

// What a finger means on the graph: a fingertip is larger than a node of a graph that was fitted to a phone.
//
// Invariant: pure. A tap on a node is that node's; beside all of them it is the nearest one's, within reach.
import type { Box, View } from "./geometry";

/** A target of 44 px, from its middle. */
const REACH = 22;

/** The node whose room lies nearest to a point of the stage, within a fingertip. */
export function nearest(
  boxes: ReadonlyMap<number, Box>,
  { x: left, y: top, scale }: View,
  x: number,
  y: number,
): number | null {
  let best: number | null = null;
  let least = REACH;
  for (const [id, box] of boxes) {
    const across = Math.max(0, Math.abs(box.x * scale + left - x) - box.halfWidth * scale);
    const down = Math.max(0, Math.abs(box.y * scale + top - y) - box.halfHeight * scale);
    const far = Math.hypot(across, down);
    if (far < least) [best, least] = [id, far];
  }
  return best;
}

/** Whether a click came from a finger; browsers before 2024 do not say. */
export function byTouch(event: MouseEvent): boolean {
  return "pointerType" in event && event.pointerType === "touch";
}

// Where a node's tip stands: the whole of it on the table, which clips what reaches over its edges.
//
// Invariant: pure. A tip that is taller than the table keeps its top, where title and rule are.
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { Layout, View } from "./geometry";
import { labelRects } from "./labels";

export type TipSide = "under" | "over" | "right" | "left";

/** Over or under: on the side that was preferred, unless the tip has room on the other alone. */
export function tipSide(preferred: "under" | "over", y: number, reach: number, tip: number, table: number) {
  const roomUnder = y + reach + tip <= table;
  const roomOver = y - reach - tip >= 0;
  if (preferred === "over") return roomOver || !roomUnder ? "over" : "under";
  return roomUnder || !roomOver ? "under" : "over";
}

/** The place that a tip of this height is moved from (its top, bottom or middle, by its side), within the table. */
export function tipTop(side: TipSide, top: number, tip: number, table: number, margin: number): number {
  const above = side === "under" ? 0 : side === "over" ? tip : tip / 2;
  return Math.max(margin + above, Math.min(top, table - margin - (tip - above)));
}

/** The widest a tip gets, and the room it keeps to the edges. */
const TIP_WIDTH = 300;
const TIP_MARGIN = 10;
/** Narrower than this a tip does not stand beside its node. */
const TIP_LEAST = 230;

/** Where a node's tip goes on a stage: under or over it; beside it where the graph runs downwards. */
export function tipSpot(
  node: GraphNode,
  layout: Layout | null,
  view: View,
  { width, height }: { width: number; height: number },
  tipHeight: number,
): { left: number; top: number; widest: number; side: TipSide } {
  const box = layout?.boxes.get(node.id);
  if (!box || !layout) return { left: 0, top: 0, widest: TIP_WIDTH, side: "under" };
  const x = box.x * view.scale + view.x;
  const y = box.y * view.scale + view.y;
  if (layout.direction === "down") {
    const top = tipTop("right", y, tipHeight, height, TIP_MARGIN);
    const labels = labelRects(node, box, layout.direction).map((room) => room.right);
    const right = Math.max(...labels, box.x + box.halfWidth) * view.scale + view.x + TIP_MARGIN;
    const left = x - (box.halfWidth + 12) * view.scale;
    const [roomRight, roomLeft] = [width - right - TIP_MARGIN, left - TIP_MARGIN];
    if (roomRight >= TIP_LEAST) {
      return { left: right, top, widest: Math.min(TIP_WIDTH, roomRight), side: "right" };
    }
    if (roomLeft >= TIP_LEAST) return { left, top, widest: Math.min(TIP_WIDTH, roomLeft), side: "left" };
  }
  const reach = (box.halfHeight + 28) * view.scale;
  const side = tipSide(y > height * 0.55 ? "over" : "under", y, reach, tipHeight, height);
  const half = TIP_WIDTH / 2 + TIP_MARGIN;
  return {
    left: Math.min(Math.max(x, half), Math.max(half, width - half)),
    top: tipTop(side, side === "over" ? y - reach : y + reach, tipHeight, height, TIP_MARGIN),
    widest: TIP_WIDTH,
    side,
  };
}

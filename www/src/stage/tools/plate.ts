// Where the plate of a finding stands beside its node: where it covers least of nodes, names, shapes, badges and edges.
//
// Invariant: pure. `taken` is in the graph's own measure, the answer in pixels from the node's centre. Nothing is covered
// where there is room for the plate over, under or beside the node.
import type { Box, View } from "../geometry";
import { BUTTONS } from "../geometry";
import { overlap, type Rect } from "../labels";

export const PLATE_HEIGHT = 17;
/** Between the plate and what it keeps off. */
const GAP = 3;
/** How far over and under a node a name or a shape may reach, in the graph's own measure. */
const LABEL = 24;
/** Each further place costs a little, so that the first one wins where several are free. */
const RANK_COST = 0.5;

export function platePlace(
  plateWidth: number,
  ring: number,
  box: Box,
  taken: readonly Rect[],
  { scale, x, y }: View,
  width: number,
  height: number,
): { x: number; y: number } {
  const [centreX, centreY] = [box.x * scale + x, box.y * scale + y];
  const [half, tall] = [plateWidth / 2, PLATE_HEIGHT / 2];
  const [aside, over] = [box.halfWidth * scale + ring, box.halfHeight * scale + ring];
  const reach = { x: aside + plateWidth + 2 * GAP, y: over + LABEL * scale + 2 * PLATE_HEIGHT };
  const near = taken
    .map(({ left, top, right, bottom }) => ({
      left: left * scale + x - centreX,
      right: right * scale + x - centreX,
      top: top * scale + y - centreY,
      bottom: bottom * scale + y - centreY,
    }))
    .filter(
      (room) => room.right > -reach.x && room.left < reach.x && room.bottom > -reach.y && room.top < reach.y,
    );
  // The buttons lie over the upper corners.
  const buttons = [
    { left: -centreX, right: BUTTONS.left - centreX },
    { left: width - BUTTONS.right - centreX, right: width - centreX },
  ].map((side) => ({ ...side, top: -centreY, bottom: BUTTONS.height - centreY }));
  const stage = { left: -centreX, top: -centreY, right: width - centreX, bottom: height - centreY };
  const up = over + GAP + tall;
  const beyond = up + LABEL * scale - ring;
  const shift = half + GAP;
  const off = tall + GAP;
  const spots = [
    [0, -up],
    [0, -beyond],
    [shift, -up],
    [-shift, -up],
    [0, up],
    [0, beyond],
    [shift, up],
    [-shift, up],
    [aside + GAP + half, 0],
    [-aside - GAP - half, 0],
    // Beside the node, over or under the edge that meets it there.
    [aside + GAP + half, -off],
    [aside + GAP + half, off],
    [-aside - GAP - half, -off],
    [-aside - GAP - half, off],
    [shift, -beyond],
    [-shift, -beyond],
    [shift, beyond],
    [-shift, beyond],
  ] as const;
  let best = { x: 0, y: -up, cost: Infinity };
  for (const [rank, [dx, dy]] of spots.entries()) {
    const room = { left: dx - half - 1, right: dx + half + 1, top: dy - tall - 1, bottom: dy + tall + 1 };
    const whole = (room.right - room.left) * (room.bottom - room.top);
    let cost = rank * RANK_COST + whole - overlap(room, stage);
    for (const other of [...near, ...buttons]) cost += overlap(room, other);
    if (cost < best.cost) best = { x: dx, y: dy, cost };
  }
  return { x: best.x, y: best.y };
}

// The labels around nodes and beside edges, and their places, so that no text lies on another.
//
// Invariant: pure; widths come from the fixed advance of the mono face. Names and shapes have room by
// the layout; norms look for free room along their edge. Leaves drawing to NodeShape and EdgeShape.
import { ADVANCE, LABEL_SIZE } from "../protocol/generated/drawing";
import type { GraphNode } from "../protocol/generated/GraphNode";
import { beside, type Curve, type Direction, type Spot } from "./curve";
import type { Box, Layout, View } from "./geometry";
import { sizeText } from "./numbers";
import { Squares } from "./squares";

/** Of a longer name the end is written, which tells a path's parts apart. */
const LONGEST_NAME = 24;

/** How far a text of the mono face reaches. */
export function textWidth(text: string, size: number): number {
  return [...text].length * size * ADVANCE;
}

export interface Label {
  kind: "name" | "shape";
  text: string;
  /** Of the baseline, from the node's centre. */
  x: number;
  y: number;
  anchor: Spot["anchor"];
}

export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The name and shape of a node: above and below it, or beside it where the graph runs downwards. */
export function labelsOf(node: GraphNode, box: Box, direction: Direction): Label[] {
  const letters = [...box.name];
  const name = letters.length > LONGEST_NAME ? `…${letters.slice(1 - LONGEST_NAME).join("")}` : box.name;
  const shape = sizeText(node);
  const place = (kind: Label["kind"], text: string, y: number): Label =>
    direction === "down"
      ? { kind, text, x: box.halfWidth + 9, y, anchor: "start" }
      : { kind, text, x: 0, y, anchor: "middle" };
  const down = direction === "down";
  return [
    ...(name ? [place("name", name, down ? -3 : -box.halfHeight - 9)] : []),
    place("shape", shape, down ? (name ? 11 : 4) : box.halfHeight + 16),
  ];
}

/** The room of a text whose baseline is at `x`, `y`. */
export function textRect(text: string, { x, y, anchor }: Spot, size = LABEL_SIZE): Rect {
  const width = textWidth(text, size);
  const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
  return { left, top: y - size * 0.82, right: left + width, bottom: y + size * 0.25 };
}

/** The room of a node's labels. */
export function labelRects(node: GraphNode, box: Box, direction: Direction): Rect[] {
  return labelsOf(node, box, direction).map((label) =>
    textRect(label.text, { ...label, x: box.x + label.x, y: box.y + label.y }),
  );
}

export function boxRect(box: Box): Rect {
  return {
    left: box.x - box.halfWidth,
    top: box.y - box.halfHeight,
    right: box.x + box.halfWidth,
    bottom: box.y + box.halfHeight,
  };
}

/** How much two rooms share. */
export function overlap(a: Rect, b: Rect): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/** How far from its edge a norm stands, the nearest first. */
const DISTANCES = [12, 22, 38];
/** Places along an edge, the middle first. */
const PLACES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
/** A text over an edge can be read; over another text it cannot. */
const LINE_COST = 0.6;
const TEXT_COST = 10;
const CROWDED = 12;

/** The side of a square in which norms look for other texts. */
const SQUARE = 48;

/**
 * Where the norm of each edge's gradient is written: `texts` are the longest that may stand there,
 * empty for an edge that carries none; `taken` is the room of nodes and labels.
 */
export function placeNorms(
  curves: readonly Curve[],
  texts: readonly string[],
  taken: readonly Rect[],
): Spot[] {
  const placed = new Squares(SQUARE, taken);
  const lines = new Squares<Rect>(SQUARE);
  if (texts.some(Boolean)) {
    for (const { samples } of curves)
      for (const [x, y] of samples) lines.add({ left: x, right: x, top: y, bottom: y });
  }
  return curves.map((curve, index) => {
    const text = texts[index] ?? "";
    const middle = beside(curve, 0.5);
    if (!text) return middle;
    let best = { spot: middle, rect: normRect(text, middle), cost: Infinity };
    for (const [far, distance] of DISTANCES.entries()) {
      // Where there is free room near the edge, none is looked for further out.
      if (best.cost < CROWDED) break;
      for (const [rank, at] of PLACES.entries()) {
        for (const below of [false, true]) {
          let cost = far * 6 + rank * 0.5 + (below ? 0.3 : 0);
          if (cost >= best.cost) continue;
          const spot = beside(curve, at, distance, below);
          const rect = normRect(text, spot);
          placed.near(rect, (other) => {
            cost += TEXT_COST * overlap(rect, other);
          });
          if (cost >= best.cost) continue;
          lines.near(rect, ({ left, top }) => {
            if (inside([left, top], rect)) cost += LINE_COST;
          });
          if (cost < best.cost) best = { spot, rect, cost };
        }
      }
    }
    placed.add(best.rect);
    return best.spot;
  });
}

/** The room of a norm, whose text is centred on its spot, with a little air around it. */
export function normRect(text: string, spot: Spot): Rect {
  const { left, right } = textRect(text, spot);
  return { left: left - 4, top: spot.y - 7, right: right + 4, bottom: spot.y + 7 };
}

function inside([x, y]: readonly [number, number], { left, top, right, bottom }: Rect): boolean {
  return x > left && x < right && y > top && y < bottom;
}

const CALLOUT_HALF_HEIGHT = 9;
const CALLOUT_DISTANCE = 5;

/**
 * Where the label of one node stands on the stage, at a size that can be read, when the graph is too
 * small for labels: over, under or beside it, where it covers least of the other nodes. `x`, `y` are
 * its centre, in pixels of the stage.
 */
export function placeCallout(
  text: string,
  box: Box,
  { boxes }: Layout,
  { scale, x, y }: View,
  width: number,
  height: number,
): { x: number; y: number; half: number } {
  const half = textWidth(text, LABEL_SIZE) / 2 + 7;
  const onStage = (each: Box): Box => ({
    ...each,
    x: each.x * scale + x,
    y: each.y * scale + y,
    halfWidth: each.halfWidth * scale,
    halfHeight: each.halfHeight * scale,
  });
  const at = onStage(box);
  const reach = 2 * half + 100;
  const others = [...boxes.values()]
    .filter((each) => Math.abs(each.x - box.x) * scale < reach + each.halfWidth * scale)
    .map((each) => boxRect(onStage(each)));
  const up = at.halfHeight + CALLOUT_HALF_HEIGHT + CALLOUT_DISTANCE;
  const aside = at.halfWidth + half + CALLOUT_DISTANCE;
  const clamp = (value: number, room: number, size: number) =>
    Math.min(Math.max(value, room + 3), Math.max(room + 3, size - room - 3));
  let best = { x: at.x, y: at.y, half, cost: Infinity };
  const corner = 0.8 * half;
  const offsets = [
    ...[0, corner, -corner].flatMap((dx) => [
      [dx, -up],
      [dx, up],
    ]),
    [aside, 0],
    [-aside, 0],
    [0, -1.8 * up],
    [0, 1.8 * up],
  ] as [number, number][];
  for (const [dx, dy] of offsets) {
    const [centreX, centreY] = [clamp(at.x + dx, half, width), clamp(at.y + dy, CALLOUT_HALF_HEIGHT, height)];
    const room = {
      left: centreX - half,
      right: centreX + half,
      top: centreY - CALLOUT_HALF_HEIGHT,
      bottom: centreY + CALLOUT_HALF_HEIGHT,
    };
    const cost = others.reduce((sum, other) => sum + overlap(room, other), 0);
    if (cost < best.cost) best = { x: centreX, y: centreY, half, cost };
  }
  return best;
}

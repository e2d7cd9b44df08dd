// Where things are: the size of each node, the curve of each edge, the box around it all.
//
// Invariant: a pure function of the graph and the direction; no DOM is measured, so text widths come
// from the fixed advance of the mono face. Node centres and way points come laid out from the engine,
// left to right; "down" is that layout on its side, spaced anew by downward.ts.
import {
  EMPHASIS,
  LEAF_RADIUS,
  LONGEST_INSIDE,
  PILL_HALF_HEIGHT,
  PILL_PADDING,
  PORT_GAP,
  PORT_MARGIN,
  SYMBOL_SIZE,
} from "../protocol/generated/drawing";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type Curve, curveThrough, type Direction, type Point, type Spot } from "./curve";
import { downward } from "./downward";
import { eventIndex } from "./eventIndex";
import type { DrawnNode } from "./fold";
import { boxRect, labelRects, labelsOf, placeNorms, type Rect, textRect, textWidth } from "./labels";

export type { Curve, Direction };

export interface Box {
  x: number;
  y: number;
  halfWidth: number;
  halfHeight: number;
  /** The text inside; empty where the name does not fit. */
  symbol: string;
  symbolSize: number;
  /** The text outside, above it (across) or beside it (down). */
  name: string;
}

export interface Layout {
  direction: Direction;
  boxes: Map<number, Box>;
  curves: Curve[];
  /** Where the norm of each edge's gradient is written. */
  norms: Spot[];
  bounds: { x: number; y: number; width: number; height: number };
}

/** A lone sign such as `+` or `×` is written larger than a word. */
function symbolSize(symbol: string): number {
  return [...symbol].length === 1 && !/\w/.test(symbol) ? 17 : SYMBOL_SIZE;
}

/** The layout of a graph in a direction; on a small stage its nodes are drawn larger. */
export function layOut(graph: StageGraph, direction: Direction, magnify = 1): Layout {
  const nodeById = new Map(graph.nodes.map((node) => [node.id, node]));
  const { boxes, points } = magnify === 1 ? plain(graph, direction) : place(graph, direction, magnify);
  const curves = graph.edges.map((edge, index) => {
    const from = boxes.get(edge.from);
    const to = boxes.get(edge.to);
    const consumer = nodeById.get(edge.to);
    if (!from || !to || !consumer) return curveThrough([0, 0], [], direction);
    const end = entering(to, consumer, edge.operand, direction);
    return curveThrough(leaving(from, direction), [...(points[index] ?? []), end], direction);
  });
  const norms = placeNorms(curves, normTexts(graph), roomTaken(graph, boxes, direction));
  return { direction, boxes, curves, norms, bounds: boundsOf(graph, boxes, points, direction) };
}

/** The longest norm that each edge will show. */
export function normTexts(graph: StageGraph): string[] {
  return eventIndex(graph).edges.map(({ passes }) =>
    passes.reduce((longest, { label }) => (label.length > longest.length ? label : longest), ""),
  );
}

function roomTaken(graph: StageGraph, boxes: Map<number, Box>, direction: Direction): Rect[] {
  return eventIndex(graph).nodes.flatMap(({ node, accumulations }) => {
    const at = boxes.get(node.id);
    if (!at) return [];
    const room = [boxRect(at), ...labelRects(node, at, direction)];
    if (accumulations.length > 0) {
      const [x, y] = badgeSpot(at, direction);
      room.push(textRect("+==", { x: at.x + x, y: at.y + y + 4, anchor: "middle" }));
    }
    return room;
  });
}

/** Where `+=` stands, from the node's centre: gradients meet where its edges leave it. */
export function badgeSpot(box: Box, direction: Direction): Point {
  return direction === "across" ? [box.halfWidth + 17, 0] : [0, box.halfHeight + 13];
}

/** The direction in which the graph is larger on a stage of this size. */
export function betterDirection(graph: StageGraph, width: number, height: number): Direction {
  if (width >= 800 || graph.nodes.length === 0) return "across";
  const scale = (direction: Direction) => fitView(plain(graph, direction).bounds, width, height).scale;
  return scale("down") > scale("across") * 1.15 ? "down" : "across";
}

/** Below this scale labels cannot be read and are left out, and nodes take their room. */
export const LEGIBLE_SCALE = 0.5;
const LARGEST_MAGNIFICATION = 1.6;

/** How much larger than usual nodes are drawn where the whole graph would be too small to read. */
export function magnification(
  graph: StageGraph,
  direction: Direction,
  width: number,
  height: number,
): number {
  const { scale } = fitView(plain(graph, direction).bounds, width, height);
  return scale < LEGIBLE_SCALE ? Math.min(LARGEST_MAGNIFICATION, LEGIBLE_SCALE / scale) : 1;
}

export interface View {
  x: number;
  y: number;
  scale: number;
}

/** No graph is blown up beyond this. */
const LARGEST_FIT = 1.35;

/** The view that shows all of `bounds`, centred on a stage of this size. */
export function fitView(bounds: Layout["bounds"], width: number, height: number): View {
  const scale = Math.min(LARGEST_FIT, width / bounds.width, height / bounds.height);
  const safe = Number.isFinite(scale) && scale > 0 ? scale : 1;
  return {
    scale: safe,
    x: (width - bounds.width * safe) / 2 - bounds.x * safe,
    y: (height - bounds.height * safe) / 2 - bounds.y * safe,
  };
}

/** Room at the top of the stage that its buttons take: how high, and how far from either side. */
const BUTTONS = { height: 44, left: 116, right: 184 };
/** A name over a node. */
const NAME_HEIGHT = 20;

/** The whole of a layout, below the buttons where a node would lie under one. */
export function fitBelowButtons({ bounds, boxes }: Layout, width: number, height: number): View {
  const view = fitView(bounds, width, height);
  const hidden = [...boxes.values()].some((box) => {
    const left = (box.x - box.halfWidth) * view.scale + view.x;
    const right = (box.x + box.halfWidth) * view.scale + view.x;
    const top = (box.y - box.halfHeight - NAME_HEIGHT) * view.scale + view.y;
    return top < BUTTONS.height && (left < BUTTONS.left || right > width - BUTTONS.right);
  });
  // The bounds have air of their own, so the two may overlap a little.
  const taken = hidden ? Math.min(BUTTONS.height - 10, height / 3) : 0;
  const below = fitView(bounds, width, height - taken);
  return { ...below, y: below.y + taken };
}

/** A flat-topped hexagon around the origin, as SVG points. */
export function hexagon(radius: number): string {
  const half = radius / 2;
  const side = (radius * Math.sqrt(3)) / 2;
  return `${-radius},0 ${-half},${-side} ${half},${-side} ${radius},0 ${half},${side} ${-half},${side}`;
}

/** The part of that hexagon which is full up to `fraction` of its height, as SVG points. */
export function hexagonFilled(radius: number, fraction: number): string {
  const side = (radius * Math.sqrt(3)) / 2;
  const top = side - 2 * side * Math.min(1, Math.max(0, fraction));
  const reach = (y: number) => radius - (Math.abs(y) / side) * (radius / 2);
  const rim = [side, ...(top < 0 ? [0] : []), top];
  const right = rim.map((y) => `${reach(y)},${y}`);
  const left = rim.map((y) => `${-reach(y)},${y}`).reverse();
  return [...right, ...left].join(" ");
}

/** Half the width that the columns of a layout leave to one node. */
const MOST_HALF_WIDTH = 54;

/** Parts the label under a node from the one over the next, more than the engine's layout does. */
export const LABEL_STRETCH = 1.1;

interface Placed {
  boxes: Map<number, Box>;
  /** Way points of each edge. */
  points: Point[][];
}

function place(graph: StageGraph, direction: Direction, magnify: number): Placed {
  const sized = graph.nodes.map((node) => ({ node, size: magnified(box(node), magnify) }));
  if (direction === "across") {
    // Larger nodes stand further apart, so that their labels keep their room.
    const apart = ([x, y]: Point): Point => [x, y * LABEL_STRETCH * magnify];
    return {
      boxes: new Map(sized.map(({ node, size }) => [node.id, at(size, apart([node.x, node.y]))])),
      points: graph.edges.map((edge) => edge.points.map(apart)),
    };
  }
  const extents = new Map(
    sized.map(({ node, size }) => {
      const rooms = labelsOf(node, size, direction).map((label) => textRect(label.text, label));
      const right = Math.max(size.halfWidth, ...rooms.map((room) => room.right));
      return [node.id, { left: size.halfWidth, right }];
    }),
  );
  const { centres, points } = downward(graph, extents);
  const boxes = new Map(sized.map(({ node, size }) => [node.id, at(size, centres.get(node.id) ?? [0, 0])]));
  return { boxes, points };
}

function at(box: Box, [x, y]: Point): Box {
  return { ...box, x, y };
}

function magnified(box: Box, wanted: number): Box {
  const factor = Math.max(1, Math.min(wanted, MOST_HALF_WIDTH / box.halfWidth));
  return {
    ...box,
    halfWidth: box.halfWidth * factor,
    halfHeight: box.halfHeight * factor,
    symbolSize: box.symbolSize * factor,
  };
}

/** The size of a node around the origin. */
export function box(node: DrawnNode): Box {
  if (node.kind === "input" || node.kind === "parameter") {
    const name = node.name ?? "";
    const inside = name.length <= LONGEST_INSIDE;
    return {
      x: 0,
      y: 0,
      halfWidth: node.kind === "parameter" ? LEAF_RADIUS + EMPHASIS : LEAF_RADIUS,
      halfHeight: LEAF_RADIUS,
      symbol: inside ? name : "",
      symbolSize: SYMBOL_SIZE,
      name: inside ? "" : name,
    };
  }
  const size = symbolSize(node.symbol);
  const halfHeight = node.kind === "loss" ? PILL_HALF_HEIGHT + EMPHASIS : PILL_HALF_HEIGHT;
  const name = node.module ? `${node.module.members.length} nodes` : (node.name ?? "");
  const halfWidth = Math.max(halfHeight, textWidth(node.symbol, size) / 2 + PILL_PADDING);
  return { x: 0, y: 0, halfWidth, halfHeight, symbol: node.symbol, symbolSize: size, name };
}

export function leaving(box: Box, direction: Direction): Point {
  return direction === "across" ? [box.x + box.halfWidth, box.y] : [box.x, box.y + box.halfHeight];
}

/** Ports stand in the order of the operands, on the rounded end of the pill. */
export function entering(box: Box, consumer: GraphNode, operand: number, direction: Direction): Point {
  const count = consumer.src.length;
  const rank = operand - (count - 1) / 2;
  if (direction === "across") {
    const gap = Math.min(PORT_GAP, (2 * box.halfHeight - PORT_MARGIN) / Math.max(1, count - 1));
    const offset = rank * gap;
    const radius = box.halfHeight;
    const inset = radius - Math.sqrt(radius * radius - offset * offset);
    return [box.x - box.halfWidth + inset, box.y + offset];
  }
  const gap = Math.min(16, (2 * box.halfWidth - 16) / Math.max(1, count - 1));
  const offset = rank * gap;
  const radius = box.halfHeight;
  const beyond = Math.max(0, Math.abs(offset) - (box.halfWidth - radius));
  return [box.x + offset, box.y - Math.sqrt(radius * radius - beyond * beyond)];
}

interface Plain extends Placed {
  bounds: Layout["bounds"];
}

const plains = new WeakMap<StageGraph, Partial<Record<Direction, Plain>>>();

/** The layout at its usual size, which says how large the graph is. */
function plain(graph: StageGraph, direction: Direction): Plain {
  const known = plains.get(graph) ?? {};
  plains.set(graph, known);
  let found = known[direction];
  if (!found) {
    const { boxes, points } = place(graph, direction, 1);
    found = { boxes, points, bounds: boundsOf(graph, boxes, points, direction) };
    known[direction] = found;
  }
  return found;
}

/** The box around nodes, their labels and the edges' way points, with room for the glow. */
export function boundsOf(
  graph: StageGraph,
  boxes: Map<number, Box>,
  points: Point[][],
  direction: Direction,
): Layout["bounds"] {
  if (graph.nodes.length === 0) return { x: 0, y: 0, width: 1, height: 1 };
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const include = (room: Rect) => {
    left = Math.min(left, room.left);
    right = Math.max(right, room.right);
    top = Math.min(top, room.top);
    bottom = Math.max(bottom, room.bottom);
  };
  for (const node of graph.nodes) {
    const at = boxes.get(node.id);
    if (at) [boxRect(at), ...labelRects(node, at, direction)].forEach(include);
  }
  for (const [x, y] of points.flat()) include({ left: x, top: y, right: x, bottom: y });
  const margin = 34;
  return {
    x: left - margin,
    y: top - margin,
    width: right - left + 2 * margin,
    height: bottom - top + 2 * margin,
  };
}

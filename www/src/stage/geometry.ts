// Where things are: the size of each node, the curve of each edge, the box around it all.
//
// Invariant: a pure function of the graph and the direction; no DOM is measured, so text widths come
// from the fixed advance of the mono face. Node centres and way points come laid out from the engine,
// left to right; "down" turns that layout on its side for narrow screens and computes no other.
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type Curve, curveThrough, type Direction, type Point } from "./curve";

export type { Curve, Direction };

export interface Box {
  x: number;
  y: number;
  halfWidth: number;
  halfHeight: number;
  /** What is written inside; empty where the name does not fit. */
  symbol: string;
  symbolSize: number;
  /** What is written outside, above it (across) or beside it (down). */
  name: string;
}

export interface Layout {
  direction: Direction;
  boxes: Map<number, Box>;
  curves: Curve[];
  bounds: { x: number; y: number; width: number; height: number };
}

/** Advance of one character of the mono face at 1 px. */
const ADVANCE = 0.6;
const SYMBOL_SIZE = 14;
export const LABEL_SIZE = 11;
const LEAF_RADIUS = 18;
const PILL_HALF_HEIGHT = 17;
const LONGEST_INSIDE = 3;

/** A lone sign such as `+` or `×` is written larger than a word. */
function symbolSize(symbol: string): number {
  return [...symbol].length === 1 && !/\w/.test(symbol) ? 17 : SYMBOL_SIZE;
}

/** The layout of a graph in a direction; on a small stage its nodes are drawn larger. */
export function layOut(graph: StageGraph, direction: Direction, magnify = 1): Layout {
  const place = placer(direction);
  const nodeById = new Map(graph.nodes.map((node) => [node.id, node]));
  const boxes = boxesOf(graph, direction, magnify);
  const curves = graph.edges.map((edge) => {
    const from = boxes.get(edge.from);
    const to = boxes.get(edge.to);
    const consumer = nodeById.get(edge.to);
    if (!from || !to || !consumer) return curveThrough([0, 0], [], direction);
    const end = entering(to, consumer, edge.operand, direction);
    return curveThrough(leaving(from, direction), [...edge.points.map(place), end], direction);
  });
  return { direction, boxes, curves, bounds: boundsOf(graph, boxes, direction) };
}

/** The direction in which the graph is larger on a stage of this size. */
export function betterDirection(graph: StageGraph, width: number, height: number): Direction {
  if (width >= 800 || graph.nodes.length === 0) return "across";
  const scale = (direction: Direction) => fitView(layOutBounds(graph, direction), width, height).scale;
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
  const { scale } = fitView(layOutBounds(graph, direction), width, height);
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

/** How far a text of the mono face reaches. */
export function textWidth(text: string, size: number): number {
  return [...text].length * size * ADVANCE;
}

/** Half the width that the columns of a layout leave to one node. */
const MOST_HALF_WIDTH = 54;

function boxesOf(graph: StageGraph, direction: Direction, magnify = 1): Map<number, Box> {
  const place = placer(direction);
  return new Map(
    graph.nodes.map((node) => [node.id, magnified(box(node, place([node.x, node.y])), magnify)]),
  );
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

function box(node: GraphNode, [x, y]: Point): Box {
  if (node.kind === "input" || node.kind === "parameter") {
    const name = node.name ?? "";
    const inside = name.length <= LONGEST_INSIDE;
    return {
      x,
      y,
      halfWidth: node.kind === "parameter" ? LEAF_RADIUS + 3 : LEAF_RADIUS,
      halfHeight: LEAF_RADIUS,
      symbol: inside ? name : "",
      symbolSize: SYMBOL_SIZE,
      name: inside ? "" : name,
    };
  }
  const size = symbolSize(node.symbol);
  const halfHeight = node.kind === "loss" ? PILL_HALF_HEIGHT + 3 : PILL_HALF_HEIGHT;
  const halfWidth = Math.max(halfHeight, textWidth(node.symbol, size) / 2 + 13);
  return { x, y, halfWidth, halfHeight, symbol: node.symbol, symbolSize: size, name: node.name ?? "" };
}

function placer(direction: Direction): (point: Point) => Point {
  return direction === "across" ? (point) => point : ([x, y]) => [y * 1.3, x * 0.66];
}

function leaving(box: Box, direction: Direction): Point {
  return direction === "across" ? [box.x + box.halfWidth, box.y] : [box.x, box.y + box.halfHeight];
}

/** Ports stand in the order of the operands, on the rounded end of the pill. */
function entering(box: Box, consumer: GraphNode, operand: number, direction: Direction): Point {
  const count = consumer.src.length;
  const rank = operand - (count - 1) / 2;
  if (direction === "across") {
    const gap = Math.min(13, (2 * box.halfHeight - 10) / Math.max(1, count - 1));
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

function layOutBounds(graph: StageGraph, direction: Direction): Layout["bounds"] {
  return boundsOf(graph, boxesOf(graph, direction), direction);
}

/** The box around nodes, their labels and the edges' way points, with room for the glow. */
function boundsOf(graph: StageGraph, boxes: Map<number, Box>, direction: Direction): Layout["bounds"] {
  if (graph.nodes.length === 0) return { x: 0, y: 0, width: 1, height: 1 };
  const place = placer(direction);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const include = (x: number, y: number) => {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  };
  for (const node of graph.nodes) {
    const at = boxes.get(node.id);
    if (!at) continue;
    include(at.x - at.halfWidth, at.y - at.halfHeight);
    include(at.x + at.halfWidth, at.y + at.halfHeight);
    const shape = `[${node.shape.join(", ")}]`;
    const wide = textWidth(at.name.length > shape.length ? at.name : shape, LABEL_SIZE);
    if (direction === "across") {
      include(at.x - wide / 2, at.y - at.halfHeight - (at.name ? 20 : 0));
      include(at.x + wide / 2, at.y + at.halfHeight + 20);
    } else {
      include(at.x + at.halfWidth + 10 + wide, at.y);
    }
  }
  for (const edge of graph.edges) for (const point of edge.points) include(...place(point));
  const margin = 28;
  return {
    x: left - margin,
    y: top - margin,
    width: right - left + 2 * margin,
    height: bottom - top + 2 * margin,
  };
}

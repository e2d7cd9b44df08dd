// Where things are: the size of each node, the curve of each edge, the box around it all.
//
// Invariant: a pure function of the graph; no DOM is measured, so text widths come from the fixed advance of
// the mono face. Node centres and way points come laid out from the engine, in the graph's own direction.
import { t } from "../language/language.svelte";
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
import type { Flow } from "../protocol/generated/Flow";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type Curve, curveThrough, type Direction, type Point, type Spot } from "./curve";
import { eventIndex } from "./eventIndex";
import type { DrawnNode } from "./fold";
import { boxRect, labelRects, placeNorms, type Rect, textRect, textWidth } from "./labels";

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

/** Air around the whole, with room for the glow. */
const MARGIN = 24;

/** A lone sign such as `+` or `×` is written larger than a word. */
function symbolSize(symbol: string): number {
  return [...symbol].length === 1 && !/\w/.test(symbol) ? 17 : SYMBOL_SIZE;
}

/** The direction in which a graph runs. */
export function directionOf({ flow }: StageGraph): Direction {
  return flow?.direction ?? "across";
}

/** The layout of a graph that has its places. */
export function layOut(graph: StageGraph): Layout {
  const direction = directionOf(graph);
  const nodeById = new Map(graph.nodes.map((node) => [node.id, node]));
  const boxes = new Map(graph.nodes.map((node) => [node.id, { ...box(node), x: node.x, y: node.y }]));
  const points = graph.edges.map((edge) => edge.points);
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

/**
 * The room of a node with its labels, as the engine's layout takes it: along the direction, and to either side
 * of its centre across it.
 */
export function roomOf(node: DrawnNode, direction: Direction): [number, number, number] {
  const own = box(node);
  const rooms = [boxRect(own), ...labelRects(node, own, direction)];
  const [left, top] = [
    Math.min(...rooms.map((room) => room.left)),
    Math.min(...rooms.map((room) => room.top)),
  ];
  const right = Math.max(...rooms.map((room) => room.right));
  const bottom = Math.max(...rooms.map((room) => room.bottom));
  return direction === "across"
    ? [2 * Math.max(-left, right), -top, bottom]
    : [2 * Math.max(-top, bottom), -left, right];
}

/** The longest norm that each edge will show. */
export function normTexts(graph: StageGraph): string[] {
  return eventIndex(graph).edges.map(({ passes }) =>
    passes.reduce((longest, { label }) => (label.length > longest.length ? label : longest), ""),
  );
}

/** The room of every node with its labels and its badge. */
export function roomTaken(graph: StageGraph, boxes: Map<number, Box>, direction: Direction): Rect[] {
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

/** Labels are written at this scale, and never smaller than they can be read unless the learner zooms out. */
export const READING_SCALE = 1;
/** Below this scale labels cannot be read and are left out. */
export const LEGIBLE_SCALE = 0.5;
/** A stage narrower than this has its graphs run down. */
const NARROW = 560;
/** Rows are as long as the stage is wide, columns as it is high, in steps of this: a small change of its size moves nothing. */
const ROW_STEP = 40;
const SHORTEST_ROW = 320;
/** What the caption and the transport take of a stage's height. */
const BARS = 110;

/** How a graph is laid out for a stage of this size, in the direction that the learner chose, if one was. */
export function flowFor(width: number, height: number, chosen: Direction | null): Flow {
  const isNarrow = width > 0 && width < NARROW;
  const direction = chosen ?? (isNarrow ? "down" : "across");
  // Down a narrow stage, the graph scrolls as a text does.
  if (width <= 0 || (direction === "down" && isNarrow)) return { direction, row: 0 };
  const room = (direction === "across" ? width : height - BARS) - 2 * MARGIN;
  return {
    direction,
    row: Math.max(SHORTEST_ROW, Math.floor(room / READING_SCALE / ROW_STEP) * ROW_STEP),
  };
}

/** Whether a graph that has its places is laid out so. */
export function flowsSo(graph: StageGraph, { direction, row }: Flow): boolean {
  if (directionOf(graph) !== direction || graph.width === 0) return false;
  const own = graph.flow?.row ?? 0;
  // What is not broken into rows fits into any that is longer.
  const long = direction === "across" ? graph.width : graph.height;
  return own === row || (own === 0 && long <= row);
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

/** A stage lower than this has no room for an overview map. */
const LOWEST_WITH_MAP = 280;

/**
 * The overview map: the size of a graph in it and its scale; `onStage` is what it takes of the lower right corner. None
 * on a low stage.
 */
export function overviewMap(bounds: Layout["bounds"], stageWidth: number, stageHeight: number) {
  if (stageHeight < LOWEST_WITH_MAP) return null;
  const [most, high] = stageWidth >= 560 ? [190, 120] : [120, 74];
  const scale = Math.min(most / bounds.width, high / bounds.height);
  const width = Math.max(24, bounds.width * scale);
  const height = Math.max(16, bounds.height * scale);
  // Its frame is 5 wide, and it stands 10 from the edges.
  return { scale, width, height, onStage: { width: width + 20, height: height + 20 } };
}

/** Room at the top of the stage that its buttons take: how high, and how far from either side, those of folds included. */
export const BUTTONS = { height: 44, left: 116, right: 258 };
/** A name over a node. */
const NAME_HEIGHT = 20;

/** The whole of a layout, below the buttons where a node or an edge would lie under one. */
export function fitBelowButtons({ bounds, boxes, curves }: Layout, width: number, height: number): View {
  const view = fitView(bounds, width, height);
  const under = (left: number, right: number, top: number) =>
    top * view.scale + view.y < BUTTONS.height &&
    (left * view.scale + view.x < BUTTONS.left || right * view.scale + view.x > width - BUTTONS.right);
  const hidden =
    [...boxes.values()].some((box) =>
      under(box.x - box.halfWidth, box.x + box.halfWidth, box.y - box.halfHeight - NAME_HEIGHT),
    ) || curves.some((curve) => curve.samples.some(([x, y]) => under(x, x, y)));
  const taken = hidden ? Math.min(BUTTONS.height, height / 3) : 0;
  const below = fitView(bounds, width, height - taken);
  return { ...below, y: below.y + taken };
}

/** The beginning of a layout that is larger than the stage, at reading size, below what lies over its top. */
export function atStart({ bounds, direction }: Layout, width: number, height: number, above: number): View {
  const place = (start: number, length: number, room: number, isMain: boolean) =>
    length <= room
      ? (room - length) / 2 - start
      : isMain
        ? -start
        : Math.min(-start, room / 2 - start - length / 2);
  const [x, y] = [
    place(bounds.x, bounds.width, width, direction === "across"),
    place(bounds.y, bounds.height, height - above, true) + above,
  ];
  return { scale: READING_SCALE, x, y };
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
  const name =
    node.module && !node.module.turns ? t("{n} nodes", { n: node.module.members.length }) : (node.name ?? "");
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

/** The box around nodes, their labels and the edges' way points, with room for the glow. */
export function boundsOf(
  graph: StageGraph,
  boxes: Map<number, Box>,
  points: readonly (readonly Point[])[],
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
  const margin = MARGIN;
  return {
    x: left - margin,
    y: top - margin,
    width: right - left + 2 * margin,
    height: bottom - top + 2 * margin,
  };
}

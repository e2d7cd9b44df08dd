// What the nodes and wires on the canvas share with it: ports, and the ways that wires go.
import type { Card, Wiring } from "./cards";
import type { Point } from "./layout";

export const CANVAS = Symbol("canvas");

export interface CanvasState {
  /** The node that Tab leads to. */
  readonly current: string | null;
  focused(id: string): void;
  /** A node was pressed, by a pointer or a key. */
  pressed(id: string, event: MouseEvent): void;
  /** A node was opened: its form, or the graph of its block. */
  opened(id: string): void;
}

/** How far along its side a port stands, from 0 to 1. */
export const portAt = (index: number, count: number) => (index + 1) / (count + 1);

/** Where a wire ends at a node. */
export function portPoint(card: Card, at: Point, side: "in" | "out", index: number, across: boolean): Point {
  const part = portAt(index, side === "in" ? card.ports : card.results.length);
  const end = side === "out";
  return across
    ? { x: at.x + (end ? card.width : 0), y: at.y + card.height * part }
    : { x: at.x + card.width * part, y: at.y + (end ? card.height : 0) };
}

/** What a wire is drawn from, beside its ends. */
export interface WireData {
  wire: Wiring;
  across: boolean;
  bends: readonly Point[];
  corners: readonly Point[];
  /** How many wires its target takes. */
  ports: number;
}

/** The way of a wire as the path of an SVG. */
export function wirePath(from: Point, to: Point, { across, bends, corners }: WireData): string {
  const [first, last] = [corners[0], corners.at(-1)];
  if (first && last)
    return roundCorners([from, { x: first.x, y: from.y }, ...corners, { x: last.x, y: to.y }, to]);
  const ahead = across ? to.x - from.x : to.y - from.y;
  if (ahead > 12) return throughLanes([from, ...bends, to], across);
  // Back to what was put before it: out, around, and in again.
  if (across) {
    const middle = (from.y + to.y) / 2;
    const [out, into] = [from.x + 18, to.x - 18];
    return roundCorners([
      from,
      { x: out, y: from.y },
      { x: out, y: middle },
      { x: into, y: middle },
      { x: into, y: to.y },
      to,
    ]);
  }
  const middle = (from.x + to.x) / 2;
  const [out, into] = [from.y + 18, to.y - 18];
  return roundCorners([
    from,
    { x: from.x, y: out },
    { x: middle, y: out },
    { x: middle, y: into },
    { x: to.x, y: into },
    to,
  ]);
}

/** Where a wire's label stands: before its target, between rows on the way back, of a second wire where it sets out. */
export function labelPlace(
  to: Point,
  { across, corners, ports, wire }: WireData,
): Point & { anchor: "start" | "end" } {
  const [first, last] = [corners[0], corners.at(-1)];
  if (first && last) {
    if (wire.port > 0) return { x: first.x - 12, y: first.y - 5, anchor: "end" };
    return { x: last.x + 10, y: last.y - 5, anchor: "start" };
  }
  if (across) return { x: to.x - 9, y: to.y - 6, anchor: "end" };
  const isLeft = wire.port < ports - 1;
  return { x: to.x + (isLeft ? -8 : 8), y: to.y - 10, anchor: isLeft ? "end" : "start" };
}

/** How round the corners of a wire are. */
const ROUND = 12;

/** A way along corners, which are rounded. */
function roundCorners(points: readonly Point[]): string {
  const [first] = points;
  if (!first) return "";
  let path = `M${first.x} ${first.y}`;
  for (let i = 1; i < points.length; i++) {
    const [from, at, to] = [points[i - 1] as Point, points[i] as Point, points[i + 1]];
    const before = Math.hypot(at.x - from.x, at.y - from.y);
    const after = to ? Math.hypot(to.x - at.x, to.y - at.y) : 0;
    const round = Math.min(ROUND, before / 2, after / 2);
    if (!to || round < 1) {
      path += `L${at.x} ${at.y}`;
      continue;
    }
    const near = (other: Point, far: number) =>
      `${at.x + ((other.x - at.x) * round) / far} ${at.y + ((other.y - at.y) * round) / far}`;
    path += `L${near(from, before)}Q${at.x} ${at.y} ${near(to, after)}`;
  }
  return path;
}

/** A wire's way through the places between layers: straight in lanes, bent between them. */
function throughLanes(points: readonly Point[], across: boolean): string {
  const [first] = points;
  if (!first) return "";
  let path = `M${first.x} ${first.y}`;
  points.slice(1).forEach((to, i) => {
    const from = points[i] ?? first;
    if (across) {
      const bend = (to.x - from.x) / 2;
      path += `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
    } else {
      const bend = (to.y - from.y) / 2;
      path += `C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
    }
  });
  return path;
}

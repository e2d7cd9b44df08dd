// The curve of one edge: a chain of cubics, its length, and points at equal distances along it.
//
// Invariant: a pure function of its way points; no path element is measured, so a pulse's place is
// known without a DOM. Forward runs from source to consumer, backward is the same curve reversed.
import type { Direction } from "../protocol/generated/Direction";
import { REACH, SHORTEST_REACH } from "../protocol/generated/drawing";

export type { Direction };
export type Point = readonly [number, number];
export type Cubic = readonly [Point, Point, Point, Point];

export interface Curve {
  /** SVG path data from source to consumer, and the same way back. */
  forward: string;
  backward: string;
  length: number;
  /** Points at equal distances, from consumer to source. */
  samples: Point[];
}

/**
 * An edge that is longer, in units of the layout, leads to another row or past many layers: its line is thinner, so that
 * nodes and the edges between neighbours are most of what is seen.
 */
export const FAR = 320;
const SAMPLES = 48;
/** Steps in which a cubic is measured. */
const FINE = 32;

/** The curve from `start` through the way points, leaving and arriving in the graph's direction. */
export function curveThrough(start: Point, rest: readonly Point[], direction: Direction): Curve {
  const cubics = cubicsThrough(start, rest, direction);
  const from = rest.at(-1) ?? start;
  const back = cubics.map(([a, b, c, d]): Cubic => [d, c, b, a]).reverse();
  return { forward: pathText(start, cubics), backward: pathText(from, back), ...measure(from, back) };
}

/**
 * The pieces of that curve, each of which leaves and arrives in the graph's direction; between rows, where the
 * edge runs back, against it.
 */
export function cubicsThrough(start: Point, rest: readonly Point[], direction: Direction): Cubic[] {
  const points = [start, ...rest];
  const axis = direction === "across" ? 0 : 1;
  const runsBack = (at: number) => {
    const [from, to] = [points[at], points[at + 1]];
    return from !== undefined && to !== undefined && to[axis] < from[axis] - 0.5;
  };
  // The ends keep the direction: an edge without way points may lead anywhere.
  const sign = (at: number) =>
    at > 0 && at < points.length - 1 && (runsBack(at) || runsBack(at - 1)) ? -1 : 1;
  return rest.map((to, at) => bend(points[at] ?? start, to, axis, sign(at), sign(at + 1)));
}

/** The point a fraction of the way along a curve, from the consumer (0) to the source (1). */
export function pointAt({ samples }: Curve, fraction: number): Point {
  const at = Math.min(1, Math.max(0, fraction)) * (samples.length - 1);
  const before = samples[Math.floor(at)];
  const after = samples[Math.ceil(at)];
  if (!before || !after) return [0, 0];
  return between(before, after, at % 1);
}

/** Where a text stands, and which part of it stands there. */
export interface Spot {
  x: number;
  y: number;
  anchor: "start" | "middle" | "end";
}

/**
 * Where a label stands beside a curve, a fraction of the way from the consumer: above it, or to its
 * right where it is steep; `below` is the other side.
 */
export function beside(curve: Curve, fraction: number, distance = 12, below = false): Spot {
  const [x, y] = pointAt(curve, fraction);
  const [[beforeX, beforeY], [afterX, afterY]] = [
    pointAt(curve, fraction - 0.04),
    pointAt(curve, fraction + 0.04),
  ];
  const [dx, dy] = [afterX - beforeX, afterY - beforeY];
  const size = Math.hypot(dx, dy) || 1;
  let [normalX, normalY] = [-dy / size, dx / size];
  const upright = Math.abs(normalY) < 0.35 ? normalX > 0 : normalY < 0;
  if (upright === below) [normalX, normalY] = [-normalX, -normalY];
  const anchor = normalX > 0.35 ? "start" : normalX < -0.35 ? "end" : "middle";
  return { x: x + normalX * distance, y: y + normalY * distance, anchor };
}

/** A cubic that leaves and arrives along an axis, in its direction (1) or against it (-1). */
function bend(from: Point, to: Point, axis: 0 | 1, leaving: 1 | -1, arriving: 1 | -1): Cubic {
  const reach = Math.max(SHORTEST_REACH, Math.abs(to[axis] - from[axis]) * REACH);
  const moved = ([x, y]: Point, by: number): Point => (axis === 0 ? [x + by, y] : [x, y + by]);
  return [from, moved(from, leaving * reach), moved(to, -arriving * reach), to];
}

function pathText(start: Point, cubics: readonly Cubic[]): string {
  const text = ([x, y]: Point) => `${x.toFixed(2)} ${y.toFixed(2)}`;
  return `M${text(start)}${cubics.map(([, b, c, d]) => `C${text(b)} ${text(c)} ${text(d)}`).join("")}`;
}

/** Walks the cubics in fine steps, then once more to place points at equal distances. */
function measure(start: Point, cubics: readonly Cubic[]): Pick<Curve, "length" | "samples"> {
  const count = cubics.length * FINE;
  const [xs, ys, begins] = [
    new Float64Array(count + 1),
    new Float64Array(count + 1),
    new Float64Array(count + 1),
  ];
  let [x, y] = start;
  let [length, at] = [0, 0];
  [xs[0], ys[0]] = start;
  for (const [a, b, c, d] of cubics) {
    for (let step = 1; step <= FINE; step++) {
      const u = step / FINE;
      const v = 1 - u;
      const [first, second, third, last] = [v * v * v, 3 * v * v * u, 3 * v * u * u, u * u * u];
      const nextX = first * a[0] + second * b[0] + third * c[0] + last * d[0];
      const nextY = first * a[1] + second * b[1] + third * c[1] + last * d[1];
      length += Math.hypot(nextX - x, nextY - y);
      [x, y] = [nextX, nextY];
      at++;
      xs[at] = x;
      ys[at] = y;
      begins[at] = length;
    }
  }
  if (count === 0) return { length, samples: Array.from({ length: SAMPLES + 1 }, () => start) };
  let near = 0;
  const samples = Array.from({ length: SAMPLES + 1 }, (_, index): Point => {
    const wanted = (length * index) / SAMPLES;
    while (near < count - 1 && (begins[near + 1] ?? Infinity) <= wanted) near++;
    const [begin = 0, end = 0] = [begins[near], begins[near + 1]];
    const share = end > begin ? (wanted - begin) / (end - begin) : 0;
    return between([xs[near] ?? 0, ys[near] ?? 0], [xs[near + 1] ?? 0, ys[near + 1] ?? 0], share);
  });
  return { length, samples };
}

function between(a: Point, b: Point, share: number): Point {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
}

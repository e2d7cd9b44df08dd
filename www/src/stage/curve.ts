// The curve of one edge: a chain of cubics, its length, and points at equal distances along it.
//
// Invariant: a pure function of its way points; no path element is measured, so a pulse's place is
// known without a DOM. Forward runs from source to consumer, backward is the same curve reversed.
export type Direction = "across" | "down";
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

const SAMPLES = 48;
/** Steps in which a cubic is measured. */
const FINE = 32;
/** How far a curve keeps the graph's direction, as a part of the distance to the next point. */
const REACH = 0.48;
const SHORTEST_REACH = 14;

/** The curve from `start` through the way points, leaving and arriving in the graph's direction. */
export function curveThrough(start: Point, rest: readonly Point[], direction: Direction): Curve {
  const cubics = cubicsThrough(start, rest, direction);
  const from = rest.at(-1) ?? start;
  const back = cubics.map(([a, b, c, d]): Cubic => [d, c, b, a]).reverse();
  return { forward: pathText(start, cubics), backward: pathText(from, back), ...measure(from, back) };
}

/** The pieces of that curve, each of which leaves and arrives in the graph's direction. */
export function cubicsThrough(start: Point, rest: readonly Point[], direction: Direction): Cubic[] {
  let from = start;
  return rest.map((to) => {
    const cubic = bend(from, to, direction);
    from = to;
    return cubic;
  });
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

function bend(from: Point, to: Point, direction: Direction): Cubic {
  const axis = direction === "across" ? 0 : 1;
  const reach = Math.max(SHORTEST_REACH, Math.abs(to[axis] - from[axis]) * REACH);
  return axis === 0
    ? [from, [from[0] + reach, from[1]], [to[0] - reach, to[1]], to]
    : [from, [from[0], from[1] + reach], [to[0], to[1] - reach], to];
}

function pathText(start: Point, cubics: readonly Cubic[]): string {
  const text = ([x, y]: Point) => `${x.toFixed(2)} ${y.toFixed(2)}`;
  return `M${text(start)}${cubics.map(([, b, c, d]) => `C${text(b)} ${text(c)} ${text(d)}`).join("")}`;
}

/** Walks the cubics in fine steps, then once more to place points at equal distances. */
function measure(start: Point, cubics: readonly Cubic[]): Pick<Curve, "length" | "samples"> {
  const steps: { from: Point; to: Point; begin: number; size: number }[] = [];
  let from = start;
  let length = 0;
  for (const cubic of cubics) {
    for (let step = 1; step <= FINE; step++) {
      const to = onCubic(cubic, step / FINE);
      const size = Math.hypot(to[0] - from[0], to[1] - from[1]);
      steps.push({ from, to, begin: length, size });
      length += size;
      from = to;
    }
  }
  let near = 0;
  const samples = Array.from({ length: SAMPLES + 1 }, (_, index): Point => {
    const wanted = (length * index) / SAMPLES;
    while (near < steps.length - 1 && (steps[near + 1]?.begin ?? Infinity) <= wanted) near++;
    const step = steps[near];
    return step ? between(step.from, step.to, step.size > 0 ? (wanted - step.begin) / step.size : 0) : start;
  });
  return { length, samples };
}

function onCubic([a, b, c, d]: Cubic, u: number): Point {
  const v = 1 - u;
  const mix = (at: 0 | 1) => v ** 3 * a[at] + 3 * v * v * u * b[at] + 3 * v * u * u * c[at] + u ** 3 * d[at];
  return [mix(0), mix(1)];
}

function between(a: Point, b: Point, share: number): Point {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
}

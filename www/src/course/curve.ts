// Curves over axes: what a learner draws, what a run gives, and how far apart they are.
//
// Invariant: pure. A drawn curve is a height for each of COLUMNS places that lie evenly over the x axis, in hundredths
// of the y axis; it is kept as these numbers with blanks between them. A run's curve is the text that Python prints of
// it, as in crates/lesson/src/prediction.rs.
import type { Axis } from "../protocol/generated/Axis";

export const COLUMNS = 25;
/** Where nothing else is said, a curve is right within this share of the axes' height, on average. */
const WITHIN = 0.1;
const TOP = 100;

/** A height that is not drawn yet is null. */
export type Heights = readonly (number | null)[];
export type Point = readonly [x: number, y: number];

export const blank: Heights = Array.from({ length: COLUMNS }, () => null);

/** What was said, as heights; null where it is no curve. */
export function heightsOf(said: string): number[] | null {
  const heights = said.split(" ").map((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN));
  return heights.length === COLUMNS && heights.every((height) => height <= TOP) ? heights : null;
}

/** The heights as they are kept; null where some are missing. */
export function keptAs(heights: Heights): string | null {
  return heights.includes(null) ? null : heights.join(" ");
}

/** A stroke from one place to another, each a share of the width and of the height, drawn into the heights. */
export function stroked(heights: Heights, from: Point, to: Point): Heights {
  const column = (x: number) => Math.round(clamp(x) * (COLUMNS - 1));
  const [first, last] = [column(from[0]), column(to[0])];
  const step = Math.sign(last - first);
  const drawn = [...heights];
  for (let at = first; ; at += step) {
    const share = first === last ? 1 : (at - first) / (last - first);
    drawn[at] = Math.round(TOP * clamp(from[1] + share * (to[1] - from[1])));
    if (at === last) return drawn;
  }
}

/** Heights without gaps: between two drawn places the curve is straight. Before the first and after the last none is. */
export function bridged(heights: Heights): Heights {
  const whole = [...heights];
  let before = -1;
  heights.forEach((height, at) => {
    if (height === null) return;
    const start = heights[before];
    if (start !== undefined && start !== null)
      for (let gap = before + 1; gap < at; gap += 1)
        whole[gap] = Math.round(start + ((height - start) * (gap - before)) / (at - before));
    before = at;
  });
  return whole;
}

/** Moves the point of a column by so many hundredths. What is not drawn yet lies level with its neighbours, or in the middle. */
export function moved(heights: Heights, column: number, by: number): Heights {
  const drawn = bridged(heights);
  const first = drawn.find((height) => height !== null) ?? TOP / 2;
  const last = drawn.findLast((height) => height !== null) ?? TOP / 2;
  const begins = drawn.findIndex((height) => height !== null);
  const whole = drawn.map((height, at) => height ?? (at < begins ? first : last));
  whole[column] = Math.min(TOP, Math.max(0, (whole[column] ?? 0) + by));
  return whole;
}

/** The points of a run's curve, from left to right; null where what it gave is none. */
export function pointsOf(value: string, x: Axis): Point[] | null {
  const list = /\[[\s\S]*\]/.exec(value)?.[0].replace(/\s/g, "").replaceAll("(", "[").replaceAll(")", "]");
  const inner = list?.slice(1, -1);
  if (!inner) return null;
  const isPairs = inner.startsWith("[");
  const rows = isPairs ? inner.slice(1, -1).split("],[") : inner.split(",");
  const step = (x.to - x.from) / (rows.length - 1);
  const points = rows.map((row, index): Point => {
    const numbers = row.split(",").map((text) => (text === "" ? Number.NaN : Number(text)));
    if (numbers.length !== (isPairs ? 2 : 1)) return [Number.NaN, Number.NaN];
    const [first = Number.NaN, second = Number.NaN] = numbers;
    return isPairs ? [first, second] : [x.from + index * step, first];
  });
  if (points.length < 2 || !points.flat().every(Number.isFinite)) return null;
  return points.sort(([one], [other]) => one - other);
}

/** How far a drawn curve and a run's are apart, on average: a share of the axes' height. */
export function distance(heights: readonly number[], points: readonly Point[], x: Axis, y: Axis): number {
  const apart = heights.map((height, column) => {
    const at = x.from + (column / (COLUMNS - 1)) * (x.to - x.from);
    return Math.abs(height / TOP - share(valueAt(points, at), y));
  });
  return apart.reduce((sum, each) => sum + each, 0) / apart.length;
}

/** The distance up to which a drawing is right. */
export const allowed = (within: number | null) => within ?? WITHIN;

/** Where a number lies on an axis: 0 at its beginning, 1 at its end. */
export const share = (value: number, { from, to }: Axis) => (value - from) / (to - from);

/** Round numbers on an axis, some three to six. */
export function ticks({ from, to }: Axis): number[] {
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough * 0.999) ?? rough;
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The curve between its points; level before the first and after the last. */
function valueAt(points: readonly Point[], x: number): number {
  const next = points.findIndex(([at]) => at >= x);
  const [right, left] = [points[next], points[next - 1]];
  if (!right) return points.at(-1)?.[1] ?? Number.NaN;
  if (!left || right[0] === left[0]) return right[1];
  return left[1] + ((x - left[0]) / (right[0] - left[0])) * (right[1] - left[1]);
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));

// From ink to 64 counts, as the digits of the course's set were made.
//
// The set's makers (Alpaydin and Kaynak, with NIST's form-reading programs) cut each digit out,
// took its slant away, scaled it to stand 20 dots wide and 32 high in a field of 32×32, brought its
// strokes to a common amount of ink, and counted the dots in each block of 4×4. The numbers below are
// measured on the set: every class covers all 32 rows, about 21 columns, and holds about 312 dots
// whether it is a 1 or an 8.
//
// Invariant: pure; the result does not depend on where or how large the digit was drawn, and each
// count is from 0 to 16. Leaves pointers and canvases to DigitPad.svelte.

export interface Point {
  /** From 0 to 1 across the pad. */
  x: number;
  y: number;
}
export type Stroke = Point[];

export const SIDE = 32;
export const BLOCK = 4;
const WIDTH = 20;
const HEIGHT = 32;
const INK = 312;
/** Pen radii that still look like a pen. */
const THINNEST = 1.2;
const THICKEST = 4.2;
/** A narrow digit is widened, and a low one heightened, by no more than this: a 1 stays a 1. */
const STRETCH = 1.5;
/** The share of the height at the top and at the bottom by which the slant is judged. */
const EDGE = 0.1;

/** The 8×8 counts of ink of a drawing, row by row; all zero of an empty one. */
export function reduce(strokes: Stroke[]): number[] {
  return counts(bitmap(strokes));
}

/** The drawing as 32×32 dots, 1 where there is ink. */
export function bitmap(strokes: Stroke[]): Uint8Array {
  const drawn = upright(strokes.filter((stroke) => stroke.length > 0));
  if (drawn.length === 0) return new Uint8Array(SIDE * SIDE);
  // More radius, more ink: the radius with the right amount lies where the two searches meet.
  let [low, high] = [THINNEST, THICKEST];
  for (let turn = 0; turn < 12; turn++) {
    const middle = (low + high) / 2;
    if (count(raster(frame(drawn, middle), middle)) < INK) low = middle;
    else high = middle;
  }
  return raster(frame(drawn, low), low);
}

/** How many dots each 4×4 block holds. */
export function counts(dots: Uint8Array): number[] {
  const blocks = SIDE / BLOCK;
  const sums = new Array<number>(blocks * blocks).fill(0);
  dots.forEach((dot, index) => {
    const row = Math.floor(index / SIDE / BLOCK);
    const column = Math.floor((index % SIDE) / BLOCK);
    const block = row * blocks + column;
    sums[block] = (sums[block] ?? 0) + dot;
  });
  return sums;
}

/**
 * Takes the slant away, as the set's makers did: the leftmost ink at the top and at the bottom come to
 * stand above each other.
 */
function upright(strokes: Stroke[]): Stroke[] {
  const ink = dense(strokes);
  const ys = ink.map((point) => point.y);
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const height = bottom - top;
  if (!(height > 1e-3)) return strokes;
  const leftmost = (points: Point[]) => Math.min(...points.map((point) => point.x));
  const high = leftmost(ink.filter((point) => point.y <= top + height * EDGE));
  const low = leftmost(ink.filter((point) => point.y >= bottom - height * EDGE));
  const slant = (high - low) / height;
  const middle = (top + bottom) / 2;
  return strokes.map((stroke) => stroke.map(({ x, y }) => ({ x: x + slant * (y - middle), y })));
}

/** The strokes as points close together: a fast pen leaves few. */
function dense(strokes: Stroke[]): Point[] {
  const spacing = 0.01;
  return strokes.flatMap((stroke) =>
    stroke.flatMap((to, index) => {
      const from = stroke[index - 1] ?? to;
      const pieces = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / spacing));
      return Array.from({ length: pieces }, (_, piece) => {
        const along = (piece + 1) / pieces;
        return { x: from.x + (to.x - from.x) * along, y: from.y + (to.y - from.y) * along };
      });
    }),
  );
}

/** Moves and scales the strokes so that, drawn with this pen, they fill the box and are centred. */
function frame(strokes: Stroke[], radius: number): Stroke[] {
  const points = strokes.flat();
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const across = (WIDTH - 2 * radius) / Math.max(right - left, 1e-6);
  const down = (HEIGHT - 2 * radius) / Math.max(bottom - top, 1e-6);
  // A dot has no size to scale.
  const even = right - left + bottom - top < 1e-3 ? 0 : Math.min(across, down);
  const scaleX = Math.min(across, even * STRETCH);
  const scaleY = Math.min(down, even * STRETCH);
  return strokes.map((stroke) =>
    stroke.map(({ x, y }) => ({
      x: SIDE / 2 + (x - (left + right) / 2) * scaleX,
      y: SIDE / 2 + (y - (top + bottom) / 2) * scaleY,
    })),
  );
}

function raster(strokes: Stroke[], radius: number): Uint8Array {
  const dots = new Uint8Array(SIDE * SIDE);
  for (const stroke of strokes) {
    for (const [index, to] of stroke.entries()) mark(dots, stroke[index - 1] ?? to, to, radius);
  }
  return dots;
}

/** Inks every dot whose centre is within `radius` of the segment. */
function mark(dots: Uint8Array, from: Point, to: Point, radius: number): void {
  const clamp = (value: number) => Math.min(SIDE - 1, Math.max(0, value));
  const [x0, x1] = [Math.min(from.x, to.x) - radius, Math.max(from.x, to.x) + radius];
  const [y0, y1] = [Math.min(from.y, to.y) - radius, Math.max(from.y, to.y) + radius];
  for (let row = clamp(Math.floor(y0)); row <= clamp(Math.ceil(y1)); row++) {
    for (let column = clamp(Math.floor(x0)); column <= clamp(Math.ceil(x1)); column++) {
      if (distance(column + 0.5, row + 0.5, from, to) <= radius) dots[row * SIDE + column] = 1;
    }
  }
}

function distance(x: number, y: number, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / length;
  const clamped = Math.min(1, Math.max(0, along));
  return Math.hypot(x - from.x - clamped * dx, y - from.y - clamped * dy);
}

function count(dots: Uint8Array): number {
  return dots.reduce((sum, dot) => sum + dot, 0);
}

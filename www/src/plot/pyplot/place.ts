// Where marks lie: the frame, its scales and colours, and places in pixels.
//
// Invariant: pure. A place that a scale does not have is NaN. `spots` says where marks are, for the legend's place.
import { type Palette, shown } from "./colours";
import type { Scale } from "./scale";
import type { Box } from "./scene";
import type { BarsMark, Colour, Mark } from "./schema";

export interface DrawnAxes {
  frame: Box;
  x: Scale;
  y: Scale;
  palette: Palette;
  /** The clip of the frame. */
  clip: number;
  /** An image fills the frame: black and white are chosen for it. */
  onImage: boolean;
  /** Of the axes, to tell what lies below a text. */
  marks: readonly Mark[];
  /** Where the texts are that arrows begin at. */
  labels: readonly Box[];
}

export type Spot = readonly [number, number];

/** What tells a place. */
export type Frame = Pick<DrawnAxes, "frame" | "x" | "y">;

export const colourOf = (colour: Colour, { palette, onImage }: DrawnAxes) => shown(colour, palette, onImage);

export function places(
  xs: readonly number[],
  ys: readonly number[],
  { x, y }: Pick<DrawnAxes, "x" | "y">,
): Spot[] {
  return xs.map((value, index) => [x(value), y(ys[index] ?? Number.NaN)] as const);
}

export const isThere = ([x, y]: Spot) => Number.isFinite(x) && Number.isFinite(y);

export function near({ x, y, width, height }: Box, [left, top]: Spot): boolean {
  return left >= x - 1 && left <= x + width + 1 && top >= y - 1 && top <= y + height + 1;
}

/** A bar in pixels; an end that a log scale has no place for is the frame's. */
export function barBox(
  mark: BarsMark,
  index: number,
  { frame, x, y }: Pick<DrawnAxes, "frame" | "x" | "y">,
): Box | null {
  const [left, low] = [mark.x[index] ?? Number.NaN, mark.y[index] ?? Number.NaN];
  const [wide, tall] = [mark.width[index] ?? Number.NaN, mark.height[index] ?? Number.NaN];
  const or = (value: number, otherwise: number) => (Number.isNaN(value) ? otherwise : value);
  if ([left, low, wide, tall].some(Number.isNaN)) return null;
  const [x0, x1] = [or(x(left), frame.x), or(x(left + wide), frame.x)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  const bottom = frame.y + frame.height;
  const [y0, y1] = [or(y(low), bottom), or(y(low + tall), bottom)].sort((a, b) => a - b) as [number, number];
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}

/** Where marks are, in pixels: what a legend had better not cover. */
export function spots(marks: readonly Mark[], place: Frame): Spot[] {
  const found: Spot[] = [];
  for (const mark of marks) {
    if (mark.kind === "line" || mark.kind === "points" || mark.kind === "polygon") {
      const own = places(mark.x, mark.y, place);
      found.push(...own);
      if (mark.kind !== "line" || own.length > 100) continue;
      for (const [index, [x, y]] of own.entries()) {
        const next = own[index + 1];
        if (!next) break;
        for (let part = 0.125; part < 1; part += 0.125)
          found.push([x + (next[0] - x) * part, y + (next[1] - y) * part]);
      }
    } else if (mark.kind === "bars") {
      for (let index = 0; index < mark.x.length; index++) {
        const box = barBox(mark, index, place);
        if (!box) continue;
        for (let step = 0; step <= 8; step++)
          found.push(
            [box.x + box.width * (step / 8), box.y],
            [box.x + box.width / 2, box.y + box.height * (step / 8)],
          );
      }
    } else if (mark.kind === "area") {
      const along = mark.x;
      const add = (ends: readonly number[]) => {
        for (const [index, end] of ends.entries()) {
          const main = along[index] ?? Number.NaN;
          found.push(mark.flat ? [place.x(end), place.y(main)] : [place.x(main), place.y(end)]);
        }
      };
      add(mark.low);
      add(mark.high);
    } else if (mark.kind === "segments") {
      found.push(...places(mark.x0, mark.y0, place), ...places(mark.x1, mark.y1, place));
    } else if (mark.kind === "text" && mark.place === "data") {
      const [x, y] = [place.x(mark.x), place.y(mark.y)];
      for (let step = 0; step < 6; step++) found.push([x + step * 8, y]);
    }
  }
  return found.filter(isThere);
}

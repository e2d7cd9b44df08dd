// An image's pixels.
//
// Invariant: pure. What is NaN is transparent, as Matplotlib has it. A list of colours that are steps keeps them;
// others are mixed between neighbours.
import { type Palette, type Rgb, rgbOf, shown } from "./colours";
import type { ImageMark, Ramp } from "./schema";

const STEPS = 256;

/** Red, green, blue and opacity, row by row, the first row on top. */
export function pixels(
  image: ImageMark,
  palette: Palette,
  flip: { x: boolean; y: boolean },
): Uint8ClampedArray<ArrayBuffer> {
  const { rows, columns, channels, values } = image;
  const plane = rows * columns;
  const out = new Uint8ClampedArray(plane * 4);
  const table = channels === 1 ? tableOf(image, palette) : [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = (flip.y ? rows - 1 - row : row) * columns + (flip.x ? columns - 1 - column : column);
      const to = (row * columns + column) * 4;
      const value = values[from] ?? Number.NaN;
      const [green, blue] = [values[plane + from] ?? value, values[2 * plane + from] ?? value];
      const colour =
        channels === 3
          ? ([value * 255, green * 255, blue * 255] as const)
          : table[stepOf(value, image, table.length)];
      if (!colour || colour.some(Number.isNaN)) continue;
      out.set([...colour, 255 * image.opacity], to);
    }
  }
  return out;
}

/** The place of a number's colour; NaN has none. */
export function stepOf(value: number, { low, high, log }: Ramp, steps: number): number {
  const part = log
    ? Math.log(Math.max(value, low * 1e-12) / low) / Math.log(high / low)
    : (value - low) / (high - low);
  if (Number.isNaN(part)) return -1;
  return Math.min(Math.max(Math.floor(part * steps), 0), steps - 1);
}

export function tableOf({ colors, listed }: Ramp, palette: Palette): Rgb[] {
  if (listed) return colors.map((colour) => rgbOf(shown(colour, palette, true) ?? colour));
  const stops = colors.map(rgbOf);
  return Array.from({ length: STEPS }, (_, step) => {
    const at = (step / (STEPS - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 1);
    const [a, b] = [stops[low] ?? [0, 0, 0], stops[Math.min(low + 1, stops.length - 1)] ?? [0, 0, 0]];
    return a.map((each, channel) => each + ((b[channel] ?? 0) - each) * (at - low)) as Rgb;
  });
}

/**
 * Steps that lie between smooth places, such as filled contours, with edges that are finer than their cells: a cell
 * between two is of the step that is nearer.
 */
export function finer(image: ImageMark): ImageMark {
  const { rows, columns, colors, values } = image;
  const times = Math.min(Math.floor(640 / Math.max(rows, columns)), 6);
  if (!image.listed || !image.smooth || image.channels === 3 || times < 2) return image;
  const steps = values.map((value) => stepOf(value, image, colors.length));
  const stepAt = (row: number, column: number) =>
    steps[Math.min(Math.max(row, 0), rows - 1) * columns + Math.min(Math.max(column, 0), columns - 1)] ?? -1;
  const out: number[] = [];
  for (let row = 0; row < rows * times; row++) {
    const y = (row + 0.5) / times - 0.5;
    const [top, b] = [Math.floor(y), y - Math.floor(y)];
    for (let column = 0; column < columns * times; column++) {
      const x = (column + 0.5) / times - 0.5;
      const [left, a] = [Math.floor(x), x - Math.floor(x)];
      const around = [
        stepAt(top, left),
        stepAt(top, left + 1),
        stepAt(top + 1, left),
        stepAt(top + 1, left + 1),
      ];
      const [p, q, r, s] = around as [number, number, number, number];
      const nearest = stepAt(Math.round(y), Math.round(x));
      const mixed = (p * (1 - a) + q * a) * (1 - b) + (r * (1 - a) + s * a) * b;
      out.push(around.includes(-1) ? (nearest < 0 ? Number.NaN : nearest) : Math.round(mixed));
    }
  }
  const scale = { low: -0.5, high: colors.length - 0.5, log: false };
  return { ...image, rows: rows * times, columns: columns * times, values: out, ...scale };
}

/** A colour bar as an image of one column, high numbers on top, or of one row. */
export function barImage(ramp: Ramp, flat: boolean): ImageMark {
  const steps = ramp.listed ? ramp.colors.length : STEPS;
  const values = Array.from({ length: steps }, (_, step) => (step + 0.5) / steps);
  return {
    kind: "image",
    label: "",
    left: 0,
    right: 1,
    bottom: 0,
    top: 1,
    rows: flat ? 1 : steps,
    columns: flat ? steps : 1,
    channels: 1,
    values: flat ? values : values.reverse(),
    smooth: false,
    opacity: 1,
    ...ramp,
    low: 0,
    high: 1,
    log: false,
  };
}

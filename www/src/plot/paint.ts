// A figure on a canvas, in the page's colours.
//
// Invariant: what is drawn depends on the figure, the size, the colours and the chosen cell alone. Zero
// is the ground; plus and minus have a hue each, and a minus is written where there is room, so that no
// meaning hangs on hue alone. NaN is hatched. None of the hues is the gradient's.
import type { Figure } from "../protocol";
import { columnsOf, rowsOf } from "./figure";

export interface Colours {
  ground: Rgb;
  ink: Rgb;
  quiet: Rgb;
  plus: Rgb;
  minus: Rgb;
  error: Rgb;
}
export type Rgb = readonly [number, number, number];

/** From this size of a cell on, a minus is written into it. In smaller ones many signs are noise. */
const SIGN_PIXELS = 24;

export function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const at = (channel: 0 | 1 | 2) => Math.round(from[channel] + (to[channel] - from[channel]) * part);
  return [at(0), at(1), at(2)];
}

/** The colour of a heat-map's value; null for NaN. `most` is the end of the scale. */
export function heat(value: number, most: number, colours: Colours): Rgb | null {
  if (Number.isNaN(value)) return null;
  const part = most > 0 ? Math.min(Math.abs(value) / most, 1) : 0;
  return mix(colours.ground, value < 0 ? colours.minus : colours.plus, part);
}

/** The colour of a pixel; null where a channel is NaN. */
export function pixel(values: readonly number[], low: number, high: number): Rgb | null {
  if (values.some(Number.isNaN)) return null;
  const level = (value: number) => Math.round(Math.min(Math.max((value - low) / (high - low), 0), 1) * 255);
  const [red = 0, green = red, blue = red] = values.map(level);
  return [red, green, blue];
}

function extent({ low, high }: Figure): number {
  return Math.max(Math.abs(low), Math.abs(high));
}

/** The ends of a heat-map's scale: as far on both sides of zero, or zero and the other end where one side has no value. */
export function ends(figure: Figure): [number, number] {
  const most = extent(figure);
  return [figure.low < 0 ? -most : 0, figure.high > 0 ? most : 0];
}

const css = ([red, green, blue]: Rgb) => `rgb(${red} ${green} ${blue})`;

export function paint(
  context: CanvasRenderingContext2D,
  figure: Figure,
  { width, height }: { width: number; height: number },
  colours: Colours,
  chosen: number | null,
): void {
  context.clearRect(0, 0, width, height);
  if (figure.kind === "histogram") bars(context, figure, width, height, colours, chosen);
  else cells(context, figure, width, height, colours, chosen);
}

function bars(
  context: CanvasRenderingContext2D,
  { values, low, high }: Figure,
  width: number,
  height: number,
  colours: Colours,
  chosen: number | null,
): void {
  if (low < 0 && high > 0) {
    const zero = (-low / (high - low)) * width;
    context.strokeStyle = css(colours.quiet);
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(zero, 0);
    context.lineTo(zero, height);
    context.stroke();
    context.setLineDash([]);
  }
  const tallest = Math.max(1, ...values);
  const each = width / values.length;
  const gap = each > 4 ? 1 : 0;
  values.forEach((count, bar) => {
    const tall = count > 0 ? Math.max((count / tallest) * (height - 2), 1.5) : 0;
    context.fillStyle = css(bar === chosen ? colours.ink : colours.plus);
    context.fillRect(bar * each, height - tall, Math.max(each - gap, 0.5), tall);
  });
  if (chosen !== null && values[chosen] === 0) {
    context.fillStyle = css(colours.ink);
    context.fillRect(chosen * each, height - 2, Math.max(each - gap, 1), 2);
  }
}

function cells(
  context: CanvasRenderingContext2D,
  figure: Figure,
  width: number,
  height: number,
  colours: Colours,
  chosen: number | null,
): void {
  const [rows, columns] = [rowsOf(figure), columnsOf(figure)];
  const [across, down] = [width / columns, height / rows];
  const most = extent(figure);
  const plane = rows * columns;
  const signs = Math.min(across, down) >= SIGN_PIXELS && figure.kind === "heatmap";
  for (let cell = 0; cell < plane; cell++) {
    const x = (cell % columns) * across;
    const y = Math.floor(cell / columns) * down;
    const value = figure.values[cell] ?? Number.NaN;
    const channels =
      figure.size[0] === 3
        ? [value, figure.values[plane + cell] ?? 0, figure.values[2 * plane + cell] ?? 0]
        : [value];
    const colour =
      figure.kind === "heatmap" ? heat(value, most, colours) : pixel(channels, figure.low, figure.high);
    // A little more than the cell, so that no seam shows between two.
    const [right, under] = [Math.ceil(across + 0.5), Math.ceil(down + 0.5)];
    if (colour) {
      context.fillStyle = css(colour);
      context.fillRect(x, y, right, under);
    } else hatch(context, x, y, across, down, colours);
    if (signs && value < 0) {
      context.fillStyle = css(Math.abs(value) > most * 0.5 ? colours.ground : colours.ink);
      context.fillRect(x + across * 0.36, y + down / 2 - 0.75, across * 0.28, 1.5);
    }
  }
  if (chosen === null || chosen >= plane) return;
  const x = (chosen % columns) * across;
  const y = Math.floor(chosen / columns) * down;
  context.lineWidth = 3;
  context.strokeStyle = css(colours.ground);
  context.strokeRect(x, y, across, down);
  context.lineWidth = 1.5;
  context.strokeStyle = css(colours.ink);
  context.strokeRect(x, y, across, down);
  context.lineWidth = 1;
}

function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  colours: Colours,
): void {
  context.fillStyle = css(colours.ground);
  context.fillRect(x, y, width, height);
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = css(colours.error);
  context.beginPath();
  const step = Math.max(3, Math.min(width, height) / 3);
  for (let start = -height; start < width; start += step) {
    context.moveTo(x + start, y + height);
    context.lineTo(x + start + height, y);
  }
  context.stroke();
  context.restore();
}

/** The page's colours as numbers. */
export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const read = (name: string): Rgb => {
    const hex = style.getPropertyValue(name).trim().replace("#", "");
    const at = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16) || 0;
    return [at(0), at(2), at(4)];
  };
  return {
    ground: read("--ground"),
    ink: read("--ink"),
    quiet: read("--quiet"),
    plus: read("--forward"),
    minus: read("--input"),
    error: read("--error"),
  };
}

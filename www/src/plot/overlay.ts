// Runs laid over each other: which lines there are, how each looks, what each says at a place.
//
// Invariant: a series keeps its hue in every run, and a run its dash in every series, so that a line is
// known by both, and by the table beside the chart. Smoothing and a log scale change what is drawn,
// never what is kept.

import { align, type Points, points, type Series } from "../notebook/series";
import type { Drawing, Line } from "./chart";
import { COLOURS } from "./colours";
import { smooth } from "./smooth";

export interface Layer {
  name: string;
  series: Series;
  /** Tells its dash; stays when other runs go. */
  number: number;
}

/** The newest run is drawn through. */
export const DASHES: (number[] | undefined)[] = [undefined, [6, 4], [2, 3], [10, 3, 2, 3], [12, 5], [1, 5]];

/** The series of all runs, in the order they first came. */
export function seriesNames(layers: readonly Layer[]): string[] {
  return [...new Set(layers.flatMap((layer) => layer.series.list.map((column) => column.name)))];
}

export function colourOf(names: readonly string[], series: string): string {
  return COLOURS[names.indexOf(series) % COLOURS.length] ?? "--ink";
}

/** By age: 0 is the newest. */
export function dashOf(age: number): number[] | undefined {
  return DASHES[age % DASHES.length];
}

/** A line of the chart, and its run. */
export interface Track {
  run: number;
  series: string;
  raw: Points;
  smooth: Points;
}

export interface Options {
  smoothing: number;
  log: boolean;
  hidden: ReadonlySet<string>;
}

export function tracks(layers: readonly Layer[], { smoothing, hidden }: Options): Track[] {
  return layers.flatMap((layer) =>
    layer.series.list
      .filter((column) => !hidden.has(column.name))
      .map((column) => {
        const raw = points(column);
        return { run: layer.number, series: column.name, raw, smooth: smooth(raw, smoothing) };
      }),
  );
}

/** The lines to draw; behind each smooth one its raw line, faintly. Layers are oldest first. */
export function drawing(layers: readonly Layer[], names: readonly string[], options: Options): Drawing {
  const found = tracks(layers, options);
  const faint = options.smoothing > 0;
  const lines: Line[] = [];
  const rows: Points[] = [];
  const add = (track: Track, raw: boolean) => {
    const age = layers.length - 1 - layers.findIndex((layer) => layer.number === track.run);
    lines.push({
      label: `${track.series}, ${layers[layers.length - 1 - age]?.name ?? ""}`,
      colour: colourOf(names, track.series),
      dash: raw ? undefined : dashOf(age),
      faint: raw,
    });
    rows.push(raw ? track.raw : track.smooth);
  };
  if (faint) for (const track of found) add(track, true);
  for (const track of found) add(track, false);
  const [xs, ...ys] = align(rows);
  // A log scale has no place for zero and below.
  const data = ys.map((row) => (options.log ? row.map((y) => (y !== null && y > 0 ? y : null)) : row));
  return { lines, data: [xs, ...data], log: options.log };
}

/** How many kept points a log scale cannot show. */
export function unshown(found: readonly Track[]): number {
  return found.reduce((sum, { raw }) => sum + raw.ys.filter((y) => y <= 0).length, 0);
}

/** The value of a line at a step: that of the last point up to it. */
export function valueAt({ xs, ys }: Points, x: number): number | null {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? Number.POSITIVE_INFINITY) <= x) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : (ys[low - 1] ?? null);
}

// The curves of several runs over each other: which hue and dash each has.
//
// Invariant: pure. A run keeps its hue and its dash, whichever others are drawn; where a metric was validated, training stands
// faintly behind. One run alone has a hue for each series, as in the Plot instrument.
import { align, type Points } from "../../notebook/series";
import type { Drawing, Line } from "../../plot/chart";
import { COLOURS } from "../../plot/colours";
import { DASHES, drawing, type Layer, type Options, tracks } from "../../plot/overlay";

/** Of a run among several, by its number, which counts from 1. */
export function looksOf(number: number): { colour: string; dash: number[] | undefined } {
  const place = number - 1;
  return {
    colour: COLOURS[place % COLOURS.length] ?? "--ink",
    dash: DASHES[Math.floor(place / COLOURS.length) % DASHES.length],
  };
}

export function overlaid(layers: readonly Layer[], names: readonly string[], options: Options): Drawing {
  if (layers.length === 1) return drawing(layers, names, options);
  const isValidated = names.includes("validation");
  const lines: Line[] = [];
  const rows: Points[] = [];
  const found = tracks(layers, options);
  const isBehind = (series: string) => isValidated && series === "training";
  for (const { run, series, smooth } of [
    ...found.filter((each) => isBehind(each.series)),
    ...found.filter((each) => !isBehind(each.series)),
  ]) {
    const name = layers.find(({ number }) => number === run)?.name ?? "";
    lines.push({ label: `${series}, ${name}`, ...looksOf(run), faint: isBehind(series) });
    rows.push(smooth);
  }
  const [xs, ...ys] = align(rows);
  // A log scale has no place for zero and below.
  const data = options.log ? ys.map((row) => row.map((y) => (y !== null && y > 0 ? y : null))) : ys;
  return { lines, data: [xs, ...data], log: options.log };
}

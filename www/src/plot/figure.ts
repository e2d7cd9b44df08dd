// A figure in words: its caption, and the text for a place on it.
//
// Invariant: pure functions of the figure. A cell is a bar of a histogram, a pixel, a cell of a
// heat-map; they are numbered row by row. Leaves painting to paint.ts.

import { t } from "../language/language.svelte";
import { short } from "../notebook/series";
import type { Figure } from "../protocol";

/** A kind of figure in words. */
export const kindText = (kind: Figure["kind"]) =>
  ({ histogram: t("Histogram"), image: t("Image"), heatmap: t("Heat-map") })[kind];

export function rowsOf(figure: Figure): number {
  return figure.kind === "histogram" ? 1 : figure.size[1];
}

export function columnsOf(figure: Figure): number {
  return figure.size[2];
}

/** A bar's two ends. */
export function edges({ low, high, size }: Figure, bar: number): [number, number] {
  const at = (index: number) => {
    const part = index / size[2];
    return low * (1 - part) + high * part;
  };
  return [at(bar), at(bar + 1)];
}

/** The values of a cell: one, or one a channel. */
export function valuesAt({ size: [channels, rows, columns], values }: Figure, cell: number): number[] {
  return Array.from(
    { length: channels },
    (_, channel) => values[channel * rows * columns + cell] ?? Number.NaN,
  );
}

/** The text of a cell: `[2, 5] = −0.25`, `0.1 to 0.2: 12 of 1000`. */
export function readout(figure: Figure, cell: number): string {
  if (figure.kind === "histogram") {
    const [from, to] = edges(figure, cell).map(short);
    return `${from} to ${to}: ${short(figure.values[cell] ?? 0)} of ${countOf(figure)}`;
  }
  const columns = columnsOf(figure);
  const row = Math.floor(cell / columns) * figure.every;
  const column = (cell % columns) * figure.every;
  const channels = figure.shape.length === 3 ? (figure.size[0] > 1 ? ":, " : "0, ") : "";
  return `[${channels}${row}, ${column}] = ${valuesAt(figure, cell).map(short).join(", ")}`;
}

export function countOf(figure: Figure): number {
  return figure.shape.reduce((product, length) => product * length, 1);
}

/** The elements that the picture leaves out or clips, one sentence each. */
export function remarks(figure: Figure): string[] {
  const said: string[] = [];
  const { kind, every, nan, outside, low, high, drawn } = figure;
  if (every > 1) said.push(t("One row and column of {n} is drawn.", { n: every }));
  if (nan > 0)
    said.push(
      kind === "histogram" ? t("{n} NaN are in no bar.", { n: nan }) : t("{n} NaN, hatched.", { n: nan }),
    );
  if (outside > 0) {
    const values = { n: outside, low: short(low), high: short(high) };
    if (kind === "heatmap") said.push(t("{n} infinite, drawn as the nearer end.", values));
    else if (kind === "histogram") said.push(t("{n} outside {low} to {high}, in no bar.", values));
    else said.push(t("{n} outside {low} to {high}, drawn as the nearer end.", values));
  }
  if (drawn > 1) said.push(t("Drawn {n} times; this is the last.", { n: drawn }));
  return said;
}

/** Of the tensor: shape, dtype. */
export function facts({ shape, dtype }: Figure): string {
  return `[${shape.join(", ")}] ${dtype}`;
}

/** The figure in words, for those who do not see it. */
export function describe(figure: Figure): string {
  const { kind, name, values, low, high, mean } = figure;
  const title = `${name ? t("{kind} of {name}", { kind: kindText(kind), name }) : kindText(kind)}, ${facts(figure)}`;
  if (countOf(figure) === 0) return t("{title}: it has no elements.", { title });
  const parts = [t("from {low} to {high}", { low: short(low), high: short(high) })];
  if (Number.isFinite(mean)) parts.push(t("mean {n}", { n: short(mean) }));
  if (kind === "histogram") {
    const tallest = values.reduce((best, count, bar) => (count > (values[best] ?? 0) ? bar : best), 0);
    const [from = "", to = ""] = edges(figure, tallest).map(short);
    parts.push(t("most often {low} to {high}", { low: from, high: to }));
  }
  return `${title}: ${parts.join(", ")}. ${remarks(figure).join(" ")}`.trim();
}

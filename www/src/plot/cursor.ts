// What the charts have in common: how one is put into its place, where keys move its cursor, and what a line says there.
import { short } from "../notebook/series";
import type { Chart } from "./chart";
import { type Track, valueAt } from "./overlay";

/** Puts a chart into an element once its code has come; the answer takes it away again. */
export function charted(
  element: HTMLElement,
  onMove: (place: number | null) => void,
  onChart: (chart: Chart | null) => void,
): () => void {
  let made: Chart | null = null;
  let isGone = false;
  void import("./chart").then(({ makeChart }) => {
    if (isGone) return;
    made = makeChart(element, onMove);
    onChart(made);
  });
  return () => {
    isGone = true;
    made?.destroy();
    onChart(null);
  };
}

/** Where a key moves the cursor, which stands behind the last step where it is null; undefined of other keys. */
export function movedBy(
  { key, shiftKey }: KeyboardEvent,
  index: number | null,
  last: number,
): number | null | undefined {
  if (key === "Escape") return null;
  const from = index ?? last;
  const stride = shiftKey ? Math.max(1, Math.round(last / 20)) : 1;
  const to = { ArrowRight: from + stride, ArrowLeft: from - stride, Home: 0, End: last }[key];
  return to === undefined ? undefined : Math.min(Math.max(to, 0), last);
}

/** The number of a run's line at a step, or at its end. */
export function textAt(lines: readonly Track[], run: number, series: string, step: number | null): string {
  const line = lines.find((each) => each.run === run && each.series === series);
  if (!line) return "";
  const value = step === null ? line.smooth.ys.at(-1) : valueAt(line.smooth, step);
  return value === null || value === undefined ? "–" : short(value);
}

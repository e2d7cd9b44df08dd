// What a run left, as plain data for a page.
//
// Invariant: pure; what the session says of a run and what the page says of a lost worker are one `error`.
import type { Output } from "../notebook/output.svelte";
import { points } from "../notebook/series";
import type { ErrorInfo, StageGraph } from "../protocol";
import type { RunResult } from "./api";

export function resultOf(output: Output, graph: StageGraph | null): RunResult {
  const series = output.series.list.map((column) => {
    const { xs, ys } = points(column);
    return [column.name, xs.map((x, index) => ({ x, y: ys[index] ?? Number.NaN }))] as const;
  });
  const error = output.error ?? (output.notice ? cutOff(output.notice) : null);
  return {
    ok: error === null,
    text: output.text,
    error,
    graph,
    series: Object.fromEntries(series),
    figures: output.figures,
    charts: output.charts,
    millis: output.millis ?? 0,
  };
}

/** A run that ended without a word of Python's. */
export function cutOff(message: string, kind = "KeyboardInterrupt"): ErrorInfo {
  return { kind, message, traceback: "", cell: null, line: null };
}

/** Python's JSON, with null for the numbers that JSON has no word for. */
export function finite(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (part) => (part.startsWith('"') ? part : "null"));
}

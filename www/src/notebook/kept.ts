// A run as a plain value, to be kept: its output within the budget, and back; and the output of a notebook file.
//
// Invariant: what `revive` makes shows what was shown, but for what the budget left out, which it says. A value of
// another shape, as an older page may have kept, is null.
import { t } from "../language/language.svelte";
import { OUTPUT_BYTES, sizeOf } from "../store/budget";
import type { PieceRun } from "./fileOutputs";
import type { Cell } from "./notebook.svelte";
import { Output } from "./output.svelte";
import type { Ran } from "./ran";
import type { Column } from "./series";

const FORMAT = 1;
/** Of a text that is cut, each end. */
const END = 40_000;
const BRIEF = 10_000;

type Plain = Pick<
  Output,
  | "source"
  | "text"
  | "omitted"
  | "error"
  | "report"
  | "notices"
  | "millis"
  | "peakBytes"
  | "figures"
  | "charts"
  | "before"
  | "pictures"
  | "file"
>;
/** What an older page kept has none of these. */
type Later = "source" | "charts" | "before" | "pictures" | "file";

export interface KeptRun {
  format: typeof FORMAT;
  ran: Ran | null;
  result: Cell["result"];
  output: Omit<Plain, Later> & Partial<Pick<Plain, Later>> & { series: Column[] };
}

export interface KeptPicture<Graph> {
  format: typeof FORMAT;
  /** Null where it was larger than the budget. */
  graph: Graph | null;
}

export function keepable(cell: Cell): { value: KeptRun; bytes: number } {
  const { source, text, omitted, error, report, notices, millis, peakBytes, series } = cell.output;
  const { figures, charts, before, pictures, file } = cell.output;
  const printed = { source, text, omitted, error, report, notices, millis, peakBytes };
  const plain = { ...printed, figures, charts, before, pictures, file };
  const output = { ...plain, series: series.list };
  const value: KeptRun = { format: FORMAT, ran: cell.ran, result: cell.result, output };
  const bytes = () => sizeOf(value, OUTPUT_BYTES);
  if (bytes() > OUTPUT_BYTES) {
    output.figures = [];
    output.charts = [];
    output.pictures = [];
    output.notices = [...notices, t("Its figures were too large to keep. Run it to draw them again.")];
  }
  if (bytes() > OUTPUT_BYTES) {
    output.series = [];
    output.notices = [
      ...notices,
      t("Its figures and plots were too large to keep. Run it to draw them again."),
    ];
  }
  if (bytes() > OUTPUT_BYTES && text.length > 2 * END) {
    output.text = text.slice(0, END) + text.slice(-END);
    output.omitted += text.length - 2 * END;
  }
  // Reactive state cannot be cloned into a database; this is plain already, but for what it may hold one day.
  return { value, bytes: bytes() };
}

/** Of a run that the end of the page cuts off: what it printed and plotted, or, `briefly`, the end of its text alone. */
export function cutOff(output: Output, briefly: boolean): KeptRun {
  output.flush();
  const { source, text, millis, peakBytes, series } = output;
  const notices = [
    ...output.notices,
    t("Leaving the page interrupted this run. Run it again to see all of it."),
  ];
  const shown = briefly ? text.slice(-BRIEF) : text;
  const left = {
    omitted: output.omitted + text.length - shown.length,
    error: null,
    report: null,
    figures: [],
  };
  return {
    format: FORMAT,
    ran: null,
    result: null,
    output: { source, text: shown, notices, millis, peakBytes, series: briefly ? [] : series.list, ...left },
  };
}

export function isKeptRun(value: unknown): value is KeptRun {
  return (value as KeptRun | null)?.format === FORMAT && typeof (value as KeptRun).output?.text === "string";
}

export function revive({ series, ...plain }: KeptRun["output"]): Output {
  const output = Object.assign(new Output(), plain);
  for (const column of series) output.series.put(column);
  output.flush();
  return output;
}

/** What a notebook file says that a cell of this text gave. */
export function filed(run: PieceRun, source: string, file: string): Output {
  const output = new Output();
  output.source = source;
  output.file = { name: file, order: run.order };
  output.print(run.text);
  output.error = run.error && { ...run.error, cell: null, line: null };
  output.pictures = run.pictures;
  if (run.left?.length)
    output.notices = [t("Not shown here, of the file: {kinds}.", { kinds: run.left.join(", ") })];
  return output;
}

export const picture = <Graph>(graph: Graph | null): KeptPicture<Graph> => ({ format: FORMAT, graph });

export function isKeptPicture<Graph>(value: unknown): value is KeptPicture<Graph> {
  return (value as KeptPicture<Graph> | null)?.format === FORMAT;
}

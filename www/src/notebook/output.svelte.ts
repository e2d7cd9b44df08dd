// The output of one run of a cell: printed text, an error, points of a plot, a report.
//
// Invariant: text appears in the order it was printed and is bounded, so that `while True: print()`
// fills neither the page nor its memory. Events may come by the thousand: what the page shows is
// brought up to date at most every 40 ms, less often the more there is, and once more at the end.

import type { Chart, CheckReport, ErrorInfo, Event, Figure } from "../protocol";
import type { Picture } from "./fileOutputs";
import { Series } from "./series";

const LONGEST_TEXT = 200_000;
const KEPT_END = 100_000;
/** A browser lays out every line, seen or not. */
const MOST_LINES = 3000;
const KEPT_LINES = 2000;
const MOST_NOTICES = 24;
const FLUSH_MILLIS = 40;
/** By how much longer each shown line makes the wait for the next update. */
const FLUSH_MILLIS_PER_LINE = 0.12;

export class Output {
  text = $state("");
  /** How many characters were left out of the middle. */
  omitted = $state(0);
  error = $state.raw<ErrorInfo | null>(null);
  report = $state.raw<CheckReport | null>(null);
  progress = $state.raw<{ label: string; done: number; total: number } | null>(null);
  /** Said by the page, not by Python: the worker is gone. */
  notice = $state("");
  /** Said by the session: what became of a device. */
  notices = $state.raw<string[]>([]);
  millis = $state<number | null>(null);
  peakBytes = $state(0);
  /** Grows whenever `series` does. */
  points = $state(0);
  readonly series = new Series();
  /** The code that ran; null where none did. */
  source: string | null = null;
  /** What `lab.histogram` and its like drew, by place. */
  figures = $state.raw<Figure[]>([]);
  /** What Matplotlib's names drew, in the order of their places. */
  charts = $state.raw<Chart[]>([]);

  /** How many characters were printed before a figure or a chart came, by its kind and place. */
  before: Record<string, number> = {};

  /** Images that a notebook file held. */
  pictures = $state.raw<readonly Picture[]>([]);
  /** The notebook file that it came with, and which run it was there; null where it is of a run here. */
  file: { name: string; order: number | null } | null = null;

  private drawn: Figure[] | null = null;
  private charted: Map<number, Chart> | null = null;
  private pending = "";
  private lines = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;

  get empty(): boolean {
    return (
      !this.text &&
      !this.error &&
      !this.report &&
      !this.notice &&
      !this.notices.length &&
      !this.points &&
      !this.figures.length &&
      !this.charts.length &&
      !this.pictures.length &&
      !this.progress
    );
  }

  take(event: Event): void {
    switch (event.type) {
      case "stdout":
        this.pending += event.text;
        // What scrolls by between two updates is never shown whole.
        if (this.pending.length > LONGEST_TEXT * 2) this.flush();
        break;
      case "notice":
        if (!this.notices.includes(event.text)) {
          this.notices = [...this.notices, event.text].slice(-MOST_NOTICES);
        }
        return;
      case "metric":
        this.series.add(event.series, event.x, event.y);
        break;
      case "figure":
        this.came(`figure ${event.figure.place}`);
        this.drawn ??= [...this.figures];
        this.drawn[event.figure.place] = event.figure;
        break;
      case "chart":
        this.came(`chart ${event.chart.place}`);
        this.charted ??= new Map(this.charts.map((chart) => [chart.place, chart]));
        this.charted.set(event.chart.place, event.chart);
        break;
      case "progress":
        this.progress =
          event.done < event.total ? { label: event.label, done: event.done, total: event.total } : null;
        return;
      case "error":
        this.error = event.error;
        return;
      case "checked":
        this.report = event.report;
        return;
      case "done":
        this.millis = event.millis;
        this.peakBytes = event.memory.peakBytes;
        this.progress = null;
        this.flush();
        return;
      default:
        return;
    }
    this.timer ??= setTimeout(() => this.flush(), FLUSH_MILLIS + this.lines * FLUSH_MILLIS_PER_LINE);
  }

  private came(drawing: string): void {
    this.before[drawing] ??= this.text.length + this.pending.length;
  }

  /** What was printed before the first drawing; all of it where some is left out. */
  get lead(): string {
    const drawn = this.figures.length + this.charts.length > 0 && !this.omitted;
    return drawn ? this.text.slice(0, Math.min(...Object.values(this.before))) : this.text;
  }

  /** Takes text as if it had been printed, all at once. */
  print(text: string): void {
    this.pending += text;
    this.flush();
  }

  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.pending) {
      const text = this.text + this.pending;
      this.pending = "";
      const shown = bounded(text);
      this.omitted += text.length - shown.length;
      this.lines = countLines(shown);
      this.text = shown;
    }
    this.points = this.series.size;
    if (this.drawn) this.figures = this.drawn;
    this.drawn = null;
    if (this.charted) this.charts = [...this.charted.values()].sort((a, b) => a.place - b.place);
    this.charted = null;
  }
}

/** The beginning and the end of a text that is too long; cut at line ends. */
function bounded(text: string): string {
  const lines = countLines(text);
  if (text.length <= LONGEST_TEXT && lines <= MOST_LINES) return text;
  const most = LONGEST_TEXT - KEPT_END;
  const start = Math.min(lineStart(text, MOST_LINES - KEPT_LINES), most);
  const head = text.slice(0, text.lastIndexOf("\n", start - 1) + 1 || start);
  const from = Math.max(lineStart(text, lines - KEPT_LINES), text.length - KEPT_END, head.length);
  const newline = text[from - 1] === "\n" ? from - 1 : text.indexOf("\n", from);
  return head + text.slice(newline >= 0 ? newline + 1 : from);
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Where line number `line` begins, counted from 0. */
function lineStart(text: string, line: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

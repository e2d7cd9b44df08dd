// What came out of one run of a cell: printed text, an error, points of a plot, a report.
//
// Invariant: text appears in the order it was printed and is bounded, so that `while True: print()`
// fills neither the page nor its memory. Events may come by the thousand: what the page shows is
// brought up to date at most every 40 ms, and once more at the end.

import { Series } from "../plot/series";
import type { CheckReport, ErrorInfo, Event } from "../protocol";

const LONGEST_TEXT = 200_000;
const KEPT_END = 100_000;
const FLUSH_MILLIS = 40;

export class Output {
  text = $state("");
  /** How many characters were left out of the middle. */
  omitted = $state(0);
  error = $state.raw<ErrorInfo | null>(null);
  report = $state.raw<CheckReport | null>(null);
  progress = $state.raw<{ label: string; done: number; total: number } | null>(null);
  /** Said by the page, not by Python: the worker is gone. */
  notice = $state("");
  millis = $state<number | null>(null);
  peakBytes = $state(0);
  /** Grows whenever `series` does. */
  points = $state(0);
  readonly series = new Series();

  private pending = "";
  private timer: ReturnType<typeof setTimeout> | null = null;

  get empty(): boolean {
    return !this.text && !this.error && !this.report && !this.notice && !this.points && !this.progress;
  }

  take(event: Event): void {
    switch (event.type) {
      case "stdout":
        this.pending += event.text;
        // What scrolls by between two updates is never shown whole.
        if (this.pending.length > LONGEST_TEXT * 2) this.flush();
        break;
      case "metric":
        this.series.add(event.series, event.x, event.y);
        break;
      case "progress":
        this.progress = { label: event.label, done: event.done, total: event.total };
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
    this.timer ??= setTimeout(() => this.flush(), FLUSH_MILLIS);
  }

  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.pending) {
      const text = this.text + this.pending;
      this.pending = "";
      const excess = text.length - LONGEST_TEXT;
      this.text = excess > 0 ? shorten(text) : text;
      if (excess > 0) this.omitted += text.length - this.text.length;
    }
    this.points = this.series.size;
  }
}

/** The beginning and the end; cut at line ends. */
function shorten(text: string): string {
  const head = text.slice(0, text.lastIndexOf("\n", LONGEST_TEXT - KEPT_END) + 1 || LONGEST_TEXT - KEPT_END);
  const from = text.length - KEPT_END;
  const newline = text.indexOf("\n", from);
  return head + text.slice(newline >= 0 ? newline + 1 : from);
}

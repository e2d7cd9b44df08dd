// The runs of this browser, as reactive state: the one that goes on, and those that are kept.
//
// Invariant: what a run has come to is in its record; the panel draws records. A record is kept when its run begins, at the
// end of each epoch and at its end, so that a page that is closed meanwhile costs the rest of the run alone.
import { Series } from "../../notebook/series";
import { forgetRun, keepRun, keptRuns, MOST } from "./kept";
import { isOver, METRICS, type Metric, type Run } from "./record";

/** A run with its curves in a form that grows. */
export class LiveRun {
  record = $state.raw<Run>() as Run;
  /** Whether its curves are drawn. */
  shown = $state(true);
  /** Grows with the curves. */
  points = $state(0);
  readonly series: Record<Metric, Series>;

  constructor(record: Run) {
    this.record = record;
    const brought = (metric: Metric) => {
      const series = new Series();
      for (const column of record.columns[metric] ?? []) series.put(column);
      return series;
    };
    this.series = Object.fromEntries(METRICS.map((metric) => [metric, brought(metric)])) as never;
  }

  change(change: Partial<Run>): void {
    this.record = { ...this.record, ...change };
  }

  add(metric: Metric, name: string, x: number, y: number): void {
    this.series[metric].add(name, x, y);
  }

  async keep(): Promise<boolean> {
    const columns = Object.fromEntries(METRICS.map((metric) => [metric, this.series[metric].list]));
    return await keepRun({ ...this.record, columns: structuredClone(columns) as Run["columns"] });
  }
}

class Runs {
  /** The oldest first. */
  list = $state.raw<readonly LiveRun[]>([]);
  /** The one whose numbers, predictions and norms are shown. */
  chosen = $state<string | null>(null);
  /** Whether the browser keeps none. */
  failing = $state(false);
  #loading: Promise<void> | null = null;

  get current(): LiveRun | null {
    return this.list.find(({ record }) => record.id === this.chosen) ?? this.list.at(-1) ?? null;
  }

  /** Brings the kept runs, once. */
  load(): Promise<void> {
    this.#loading ??= (async () => {
      const kept = (await keptRuns()).map((record) => {
        // What was still going on when the page was closed goes on no more.
        const run = new LiveRun(isOver(record) ? record : { ...record, state: "interrupted" });
        run.shown = false;
        return run;
      });
      const known = new Set(this.list.map(({ record }) => record.id));
      this.list = [...kept.filter(({ record }) => !known.has(record.id)), ...this.list];
      const last = this.list.at(-1);
      if (last) last.shown = true;
    })();
    return this.#loading;
  }

  get nextNumber(): number {
    return 1 + Math.max(0, ...this.list.map(({ record }) => record.number));
  }

  async add(record: Run): Promise<LiveRun> {
    await this.load();
    const run = new LiveRun({ ...record, number: this.nextNumber });
    this.list = [...this.list, run];
    this.chosen = record.id;
    this.failing = !(await run.keep());
    while (this.list.length > MOST) {
      const oldest = this.list.find((each) => each !== run && isOver(each.record));
      if (!oldest) break;
      await this.remove(oldest);
    }
    return run;
  }

  rename(run: LiveRun, name: string): void {
    const text = name.trim().slice(0, 60);
    if (text === "" || text === run.record.name) return;
    run.change({ name: text });
    void run.keep();
  }

  async remove(run: LiveRun): Promise<void> {
    this.list = this.list.filter((each) => each !== run);
    if (this.chosen === run.record.id) this.chosen = null;
    await forgetRun(run.record.id);
  }
}

export const runs = new Runs();

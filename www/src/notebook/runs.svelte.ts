// The runs of a notebook that plotted something, for the Plot instrument.
//
// Invariant: at most `KEPT` runs of a cell are held, the newest; a run that plotted nothing is not
// listed. A run's points and pictures are its Output's, so both views show the same.
import { t } from "../language/language.svelte";
import type { Output } from "./output.svelte";

/** Runs of one cell that are kept. */
export const KEPT = 6;

export class Run {
  name = $state("");
  shown = $state(true);

  constructor(
    readonly cell: string,
    /** Counted from 1, by cell. */
    readonly number: number,
    readonly output: Output,
  ) {
    this.name = t("run {n}", { n: number });
  }

  get plotted(): boolean {
    const { points, figures, charts } = this.output;
    return points > 0 || figures.length > 0 || charts.length > 0;
  }
}

export class Runs {
  private all = $state.raw<Run[]>([]);

  /** Oldest first. */
  get list(): Run[] {
    return this.all.filter((run) => run.plotted);
  }

  /** The cells that plotted something, that of the newest run last. */
  get cells(): string[] {
    return [...new Set(this.list.map((run) => run.cell).reverse())].reverse();
  }

  of(cell: string | undefined): Run[] {
    return this.list.filter((run) => run.cell === cell);
  }

  begin(cell: string, output: Output, name?: string): void {
    // What plotted nothing leaves no gap in the numbers.
    const kept = this.all.filter((run) => run.cell !== cell || run.plotted);
    const last = kept.findLast((run) => run.cell === cell)?.number ?? 0;
    const own = kept.filter((run) => run.cell === cell);
    const dropped = own.length >= KEPT ? own[0] : null;
    const run = new Run(cell, last + 1, output);
    if (name !== undefined) run.name = name;
    this.all = [...kept.filter((each) => each !== dropped), run];
  }

  remove(run: Run): void {
    this.all = this.all.filter((each) => each !== run);
  }
}

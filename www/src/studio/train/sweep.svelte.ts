// A sweep: a network trained once for each pair of two settings' values, one run after another.
//
// Invariant: each trial is a run as any other, with its place in the grid; the table is read from the runs, so it is there
// after a reload too. Cancelling ends the trial that goes on, and none comes after it.
import type { Studio } from "../studio.svelte";
import { trainingOf } from "../training";
import { bestOf, type Run, withSetting } from "./record";
import { runs } from "./runs.svelte";
import { trainer } from "./trainer.svelte";

/** Trials of a sweep at most. */
export const MOST_TRIALS = 36;

export interface Axis {
  setting: string;
  /** Separated by commas, as they are written. */
  values: string;
}

export interface Grid {
  sweep: string;
  row: string;
  column: string;
  rows: string[];
  columns: string[];
  /** By row and column; none where it has not begun. */
  cells: (Run | null)[][];
}

/** The values of an axis; a sentence where one is none. */
export function valuesOf({ setting, values }: Axis, choices: readonly string[] | null): string[] | string {
  const all = [...new Set(values.split(",").map((each) => each.trim()))].filter((each) => each !== "");
  if (all.length === 0)
    return `Write values of ${setting}, separated by commas, such as ${exampleOf(setting)}.`;
  for (const value of all) {
    const number = Number(value);
    const isWhole = ["batch size", "epochs", "seed"].includes(setting);
    const least = setting === "batch size" || setting === "epochs" ? 1 : 0;
    if (choices !== null) {
      if (!choices.includes(value)) return `“${value}” is no ${setting}; expected are ${choices.join(", ")}.`;
    } else if (!Number.isFinite(number) || number < least || (isWhole && !Number.isInteger(number)))
      return `“${value}” is no ${setting}; write numbers, separated by commas, such as ${exampleOf(setting)}.`;
  }
  return all;
}

export function exampleOf(setting: string): string {
  const examples: Record<string, string> = {
    "batch size": "16, 32, 64",
    epochs: "2, 5",
    seed: "0, 1, 2",
    optimizer: "SGD, Adam",
    schedule: "none, CosineAnnealingLR",
    momentum: "0, 0.9",
    weight_decay: "0, 0.01",
  };
  return examples[setting] ?? "0.1, 0.01, 0.001";
}

/** The grid of the newest sweep among these runs; null where there is none. */
export function gridOf(all: readonly Run[]): Grid | null {
  const last = all.findLast(({ place }) => place !== null)?.place;
  if (!last) return null;
  const trials = all.filter(({ place }) => place?.sweep === last.sweep);
  const rows = [...new Set(trials.map(({ place }) => place?.row[1] ?? ""))];
  const columns = [...new Set(trials.map(({ place }) => place?.column[1] ?? ""))];
  const at = (row: string, column: string) =>
    trials.find(({ place }) => place?.row[1] === row && place.column[1] === column) ?? null;
  const cells = rows.map((row) => columns.map((column) => at(row, column)));
  return { sweep: last.sweep, row: last.row[0], column: last.column[0], rows, columns, cells };
}

/** What a trial is judged by: the best accuracy, or the least loss. */
export function scoreOf(run: Run | null): number | null {
  if (!run) return null;
  const { accuracy, loss } = bestOf(run);
  return accuracy ?? loss;
}

class Sweep {
  /** How many trials have ended, of how many; null while none goes on. */
  going = $state.raw<{ done: number; of: number } | null>(null);
  #isCancelled = false;

  cancel(): void {
    this.#isCancelled = true;
    trainer.cancel();
  }

  async start(studio: Studio, [row, column]: [string, string], grid: [string[], string[]]): Promise<void> {
    if (this.going || trainer.isGoing) return;
    const sweep = crypto.randomUUID();
    const { net } = studio;
    const training = trainingOf(studio.ask, net);
    const [rows, columns] = grid;
    const trials = rows.flatMap((first) => columns.map((second) => [first, second] as const));
    this.#isCancelled = false;
    this.going = { done: 0, of: trials.length };
    try {
      for (const [at, [first, second]] of trials.entries()) {
        this.going = { done: at, of: trials.length };
        const settings = withSetting(withSetting(training, row, first), column, second);
        const run = await trainer.train(
          studio,
          { ...net, training: settings },
          {
            name: `${row} ${first}, ${column} ${second}`,
            place: { sweep, row: [row, first], column: [column, second] },
          },
        );
        if (this.#isCancelled || run === null || run.record.state === "cancelled") break;
      }
    } finally {
      this.going = null;
    }
    runs.chosen = runs.list.at(-1)?.record.id ?? null;
  }
}

export const sweep = new Sweep();

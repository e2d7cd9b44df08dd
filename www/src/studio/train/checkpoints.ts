// Checkpoints of runs, in the page's memory: what a run goes on from, at steps spread over it. A step is computed again from
// the nearest one before it.
//
// Invariant: all of them together have at most `BUDGET` bytes; those of the oldest run go first. A run that cannot be kept
// has none, and is computed again from its first step.

import { host } from "../../engine/engines.svelte";
import { literal } from "../away/asking";
import { session } from "../session.svelte";

type Bytes = Uint8Array<ArrayBuffer>;

export interface Checkpoint {
  /** Steps that the run had had. */
  step: number;
  bytes: Bytes;
}

const MEGABYTE = 1 << 20;
/** A session of this computer sends files as text. */
const budget = () => (host.onComputer ? 16 : 128) * MEGABYTE;
/** Of one run, and how many steps lie between two at least. */
const MOST = 16;
const LEAST_STEPS = 25;
const PATH = "glowgrad-checkpoint.tmp";

/** Where a run's next checkpoint is due. */
export class Keeping {
  #last = 0;
  /** Of one; 0 before the first. */
  #each = 0;
  #isOff = false;

  constructor(
    private readonly run: string,
    private readonly steps: number,
    private readonly kept: Kept = checkpoints,
  ) {}

  isDue(step: number): boolean {
    if (this.#isOff) return false;
    const count = this.#each === 0 ? MOST : Math.min(MOST, Math.floor(budget() / this.#each));
    return step - this.#last >= Math.max(LEAST_STEPS, Math.ceil(this.steps / (count + 1)));
  }

  /** Keeps where the session's run stands. What fails here ends no training. */
  async keep(step: number): Promise<void> {
    this.#last = step;
    const { text, error } = await session.run(`_dashboard.keep(${literal(PATH)}, ${budget()})`, {
      cell: "checkpoint",
    });
    const bytes = error || Number(text.trim()) === 0 ? null : await session.file(PATH);
    this.#isOff = bytes === null;
    if (bytes === null) return;
    this.#each = bytes.length;
    this.kept.add(this.run, { step, bytes });
    await session.run(`import os\nos.remove(${literal(PATH)})`, { cell: "checkpoint" });
  }
}

export class Kept {
  #runs = new Map<string, Checkpoint[]>();

  constructor(private readonly most: () => number = budget) {}

  add(run: string, checkpoint: Checkpoint): void {
    let own = [...(this.#runs.get(run) ?? []), checkpoint];
    this.#runs.set(run, own);
    for (const other of [...this.#runs.keys()])
      if (other !== run && this.bytes > this.most()) this.#runs.delete(other);
    while (this.bytes > this.most()) {
      // Of the run itself every second one stays, and none that is too large alone.
      own = own.length > 1 ? own.filter((_, at) => at % 2 === 1) : [];
      this.#runs.set(run, own);
    }
  }

  get bytes(): number {
    return [...this.#runs.values()].flat().reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** The last one before a step, or none. */
  before(run: string, step: number): Checkpoint | null {
    return this.#runs.get(run)?.findLast((each) => each.step < step) ?? null;
  }
}

/** Those of the page. */
export const checkpoints = new Kept();

/** Python that stands where a run stood; its file is there already. */
export const GO_ON = `_dashboard.go_on(${literal(PATH)})\nimport os\nos.remove(${literal(PATH)})\n`;
export { PATH };

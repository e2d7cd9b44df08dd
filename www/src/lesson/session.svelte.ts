// One learner's sitting: the cells of a lesson (or of the free page), what came out of them, and the
// graph on stage.
//
// Invariant: the cells of a sitting share one Python session, and no other sitting's variables are
// in it. What the learner wrote, did and saw lives here and in the store, never only in the worker,
// so a lost worker costs variables and nothing else.
import type { LineError } from "../code/marks";
import { type Done, LabLost } from "../lab/client";
import { python } from "../lab/labs.svelte";
import type { Event, Preview, StageGraph } from "../protocol";
import { emptyProgress, type Progress, store } from "../store/store";
import { Output } from "./output.svelte";

export class Cell {
  source = $state("");
  output = $state.raw(new Output());
  state = $state<"idle" | "waiting" | "running">("idle");
  /** How the last run ended. */
  result = $state<"ok" | "error" | null>(null);
  /** It ran in a worker that is gone. */
  stale = $state(false);
  /** How often its checks were tried, in this sitting. */
  tries = $state(0);

  constructor(
    /** The block's id in the lesson, which is also its name in tracebacks, here as in the terminal. */
    readonly name: string,
    readonly original: string,
  ) {
    this.source = original;
  }

  get edited(): boolean {
    return this.source !== this.original;
  }
}

/** The cell's last error as a mark in its code, where its line is known. */
export function errorAt(cell: Cell): LineError | null {
  const error = cell.output.error;
  // A stop is not a fault of the line it came to.
  if (!error?.line || error.kind === "KeyboardInterrupt") return null;
  if (error.cell !== null && error.cell !== cell.name) return null;
  return { line: error.line, text: `${error.kind}: ${error.message}` };
}

/** Whose variables are in the Python session. */
let owner: Session | null = null;

export class Session {
  graph = $state.raw<StageGraph | null>(null);
  /** Lines of a cell that a node on stage points to. */
  pointed = $state.raw<{ cell: string; line: number } | null>(null);
  /** The line of the caret. */
  caret = $state.raw<{ cell: string; line: number } | null>(null);
  progress = $state<Progress>(emptyProgress());
  readonly cells = new Map<string, Cell>();
  private inspectable = 0;
  private shown = 0;

  /** `lesson` is the key under which text and progress are kept; without one nothing is. */
  constructor(readonly lesson: string | null) {}

  add(name: string, source: string): Cell {
    const cell = new Cell(name, source);
    this.cells.set(name, cell);
    return cell;
  }

  /** Brings back what the learner wrote and did. */
  async restore(): Promise<void> {
    if (this.lesson === null) return;
    const [texts, progress] = await Promise.all([store.texts(this.lesson), store.progress(this.lesson)]);
    this.progress = progress;
    for (const [id, source] of texts) {
      const cell = this.cells.get(id);
      if (cell) cell.source = source;
    }
  }

  edit(cell: Cell, source: string): void {
    cell.source = source;
    if (this.lesson !== null) void store.setText(this.lesson, cell.name, cell.edited ? source : null);
  }

  async run(cell: Cell): Promise<void> {
    const done = await this.send(cell, { type: "runCell", cell: cell.name, source: cell.source });
    if (done?.ok) this.mark("cells", cell.name);
  }

  async check(cell: Cell, checks: string): Promise<void> {
    cell.tries += 1;
    await this.send(cell, { type: "check", exercise: cell.name, source: cell.source, checks });
    const report = cell.output.report;
    if (!report) return;
    cell.result = report.passed ? "ok" : "error";
    if (report.passed) this.mark("exercises", cell.name);
  }

  /** Runs cells in order until one fails. */
  async runAll(names: string[]): Promise<void> {
    for (const name of names) {
      const cell = this.cells.get(name);
      if (!cell) continue;
      await this.run(cell);
      if (cell.result !== "ok") return;
    }
  }

  choose(quiz: string, option: number): void {
    this.progress.quizzes[quiz] = option;
    this.keep();
  }

  /** Calls a function that the lesson defined. */
  async call(name: string, values: number[], shape: number[]): Promise<number[]> {
    this.own();
    let answer: number[] | null = null;
    let problem = "";
    await python.lab.run({ type: "call", function: name, values, shape }, (event) => {
      if (event.type === "called") answer = event.values;
      if (event.type === "error") problem = `${event.error.kind}: ${event.error.message}`;
    });
    if (answer === null) throw new Error(problem || `${name} returned nothing`);
    return answer;
  }

  readonly inspect = async (node: number): Promise<Preview> => {
    if (this.shown !== this.inspectable) {
      throw new Error(
        "This picture is from before Python was restarted. Run its cell again to read whole values.",
      );
    }
    return inspectWith(python.lab.run.bind(python.lab), node);
  };

  /** What the engine drew can be read no more: its worker is gone. */
  forget(): void {
    this.inspectable += 1;
    for (const cell of this.cells.values()) cell.stale = cell.result !== null;
  }

  /** Leaves: what still runs is stopped. */
  close(): void {
    if (owner === this && python.lab.current) python.lab.stop();
  }

  private async send(
    cell: Cell,
    order:
      | { type: "runCell"; cell: string; source: string }
      | { type: "check"; exercise: string; source: string; checks: string },
  ): Promise<Done | null> {
    if (cell.state !== "idle") return null;
    const output = new Output();
    cell.state = "waiting";
    try {
      this.own();
      const done = await python.lab.run(order, (event) => {
        if (cell.output !== output) {
          // The old output stays until there is something new to show.
          cell.output = output;
          cell.stale = false;
        }
        this.take(event, output);
      });
      cell.output = output;
      cell.stale = false;
      cell.result = done.ok && !output.error ? "ok" : "error";
      return done;
    } catch (error) {
      if (!(error instanceof LabLost)) throw error;
      output.flush();
      output.progress = null;
      output.notice = error.message;
      cell.output = output;
      cell.result = null;
      return null;
    } finally {
      cell.state = "idle";
    }
  }

  private take(event: Event, output: Output): void {
    if (event.type === "graph") {
      this.graph = event.graph;
      this.shown = this.inspectable;
    } else output.take(event);
  }

  /** Another sitting's variables are cleared before the first command of this one. */
  private own(): void {
    if (owner === this) return;
    if (owner) python.lab.run({ type: "reset" }).catch(() => {});
    owner = this;
  }

  private mark(kind: "cells" | "exercises", id: string): void {
    if (this.progress[kind].includes(id)) return;
    this.progress[kind].push(id);
    this.keep();
  }

  private keep(): void {
    if (this.lesson !== null) void store.setProgress(this.lesson, this.progress);
  }
}

/** Reads the whole value of a node from whichever engine drew it. */
export async function inspectWith(
  run: (order: { type: "inspect"; node: number }, onEvent: (event: Event) => void) => Promise<Done>,
  node: number,
): Promise<Preview> {
  let preview: Preview | null = null;
  let problem = "";
  await run({ type: "inspect", node }, (event) => {
    if (event.type === "inspected") preview = event.preview;
    if (event.type === "error") problem = event.error.message;
  });
  if (!preview) throw new Error(problem || "The engine did not answer.");
  return preview;
}

// The steps of the last training run: what each came to, which of them are kept, and the one on stage.
//
// Invariant: what is shown of a step is what the engine kept of it, or what the same cells gave again in a session
// of their own; a step that came out otherwise is not shown. One step is opened at a time: of several that are asked for meanwhile,
// the last. They are there until another run takes their place or Python begins anew; where the picture on stage is none of
// theirs, `away` says whose it is. A step's loss is what `backward()` was called on, whatever its name. Leaves drawing to `steps/`.
import { type Done, EngineLost } from "../engine/client";
import type { CommandBody } from "../engine/wire";
import { t } from "../language/language.svelte";
import type { Event, StageGraph } from "../protocol";
import type { NodePoint } from "../protocol/generated/NodePoint";
import type { RunSteps } from "../protocol/generated/RunSteps";
import type { StepPoint } from "../protocol/generated/StepPoint";

/** Sends a command to an engine. */
export type Send = (body: CommandBody, onEvent?: (event: Event) => void) => Promise<Done>;

/** A session of its own, for as long as a step computed again is looked at. */
export interface Twin {
  run: Send;
  close(): void;
}

/** A step that is computed again. */
export interface Again {
  step: number;
  /** How many of the steps before it have come. */
  done: number;
}

export class Steps {
  /** The cell whose run it is; null before the first. */
  cell = $state<string | null>(null);
  /** By the step's place, which counts from 1. */
  points = $state.raw<readonly StepPoint[]>([]);
  /** Null while the run goes on. */
  run = $state.raw<RunSteps | null>(null);
  /** The step on stage; null while another graph is there. */
  shown = $state<number | null>(null);
  /** Whether the step on stage was computed again. */
  isAgain = $state(false);
  again = $state.raw<Again | null>(null);
  /** A kept step has been asked for and is not on stage yet. */
  isOpening = $state(false);
  problem = $state("");
  /** The cell whose picture is on stage in place of the run's; empty where there is none. */
  away = $state<string | null>(null);
  readonly #send: Send;
  readonly #put: (graph: StageGraph, session: Twin | null) => void;
  readonly #twin: () => Twin;
  /** Points of the running command, which is a run when it has several. */
  #fresh: StepPoint[] = [];
  #wanted: number | null = null;
  #session: Twin | null = null;
  /** The picture that the run ended with, and the step that it shows. */
  #end: { graph: StageGraph; shown: number | null } | null = null;
  /** The commands that led to the run, the last of which it is. */
  #log: CommandBody[] = [];
  #logged: CommandBody[] = [];

  /** `put` shows a graph on stage, whose whole values another session has, where one is given; `twin` opens one. */
  constructor(send: Send, put: (graph: StageGraph, session: Twin | null) => void, twin: () => Twin) {
    this.#send = send;
    this.#put = put;
    this.#twin = twin;
  }

  get count(): number {
    return this.run?.steps ?? this.points.length;
  }

  /** Whether the run goes on. */
  get isGoing(): boolean {
    return this.cell !== null && this.run === null;
  }

  /** Whether there is a run, which may go on. */
  get isThere(): boolean {
    return this.cell !== null;
  }

  /** What the run computed after its last step is on stage. */
  get isPast(): boolean {
    return this.run !== null && this.shown === null && this.away === null;
  }

  /** The kept step that is nearest to this one. */
  nearest(step: number): number | null {
    const distance = (other: number) => Math.abs(other - step);
    const kept = this.run?.kept.map((each) => each.step) ?? [];
    return kept.reduce<number | null>(
      (best, each) => (best === null || distance(each) < distance(best) ? each : best),
      null,
    );
  }

  isKept(step: number): boolean {
    return this.run?.kept.some((each) => each.step === step) ?? false;
  }

  /** A command begins that may become a run. */
  begin(body: CommandBody): void {
    this.#fresh = [];
    this.#log.push(body);
  }

  /** Takes what the engine says of steps; whether it did. */
  take(event: Event, cell: string): boolean {
    if (event.type === "stepPoints") {
      if (this.#fresh.length === 0) this.#startRun(cell);
      for (const point of event.points) this.#fresh[point.step - 1] = point;
      this.points = [...this.#fresh];
    } else if (event.type === "runSteps") {
      this.run = event.run;
      this.#logged = [...this.#log];
    } else return false;
    return true;
  }

  /** A cell's graph came on stage. */
  drew(cell: string, graph: StageGraph): void {
    if (this.#fresh.length >= 2 && this.cell === cell && this.run !== null) {
      // After the last step the run may have gone on forward, to evaluate: that picture is no step's.
      const isStep = graph.events.some(({ type }) => type === "backward");
      this.#end = { graph, shown: isStep ? this.count : null };
    }
    this.stands(cell, graph);
  }

  /** The graph of this cell, or none, is on stage now, and what was being computed again is not wanted there. */
  stands(cell: string, graph: StageGraph | null): void {
    this.#leave();
    const end = this.#end?.graph === graph ? this.#end : null;
    this.shown = end?.shown ?? null;
    if (end) this.away = null;
    else this.away = graph ? cell : "";
  }

  #startRun(cell: string): void {
    this.#leave();
    this.cell = cell;
    this.run = null;
    this.shown = null;
    this.away = null;
    this.#end = null;
    this.problem = "";
  }

  /** Python began anew: what it kept is gone. */
  forget(): void {
    this.drop();
    this.#log = [];
    this.#logged = [];
    this.#fresh = [];
  }

  /** The run goes with its cell. */
  drop(): void {
    this.#leave();
    this.cell = null;
    this.points = [];
    this.run = null;
    this.shown = null;
    this.away = null;
    this.#end = null;
  }

  /** Puts a kept step on stage. */
  async open(step: number): Promise<void> {
    this.#wanted = step;
    if (this.isOpening) return;
    this.isOpening = true;
    try {
      while (this.#wanted !== null) {
        const next: number = this.#wanted;
        this.#wanted = null;
        if (next === this.shown && !this.isAgain) continue;
        this.problem = "";
        await this.#send({ type: "openStep", step: next }, (event) => {
          if (event.type === "graph") {
            this.#leave();
            this.isAgain = false;
            this.#put(event.graph, null);
            this.shown = next;
            this.away = null;
          } else if (event.type === "error") this.problem = event.error.message;
        });
      }
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error;
    } finally {
      this.isOpening = false;
      this.#wanted = null;
    }
  }

  /** A node of the graph on stage through all steps that are kept. */
  async through(node: number): Promise<readonly NodePoint[]> {
    let points: readonly NodePoint[] = [];
    if (this.run === null || this.isAgain) return points;
    await this.#send({ type: "nodeSteps", node }, (event) => {
      if (event.type === "nodeSteps") points = event.points;
    }).catch((error: unknown) => {
      if (!(error instanceof EngineLost)) throw error;
    });
    return points;
  }

  /** Whether steps of the run can be computed again: an exercise is checked as a whole. */
  get isRepeatable(): boolean {
    return this.run !== null && this.#logged.at(-1)?.type === "runCell";
  }

  /** Computes a step again: the same cells run in a session of their own, up to it. */
  async compute(step: number): Promise<void> {
    if (!this.isRepeatable) return;
    this.#leave();
    this.problem = "";
    const session = this.#twin();
    this.#session = session;
    this.again = { step, done: 0 };
    const commands = this.#logged;
    const points: StepPoint[] = [];
    let graph: StageGraph | null = null;
    try {
      for (const [at, body] of commands.entries()) {
        const isRun = at === commands.length - 1;
        const ends = isRun ? ({ ...body, until: step } as CommandBody) : body;
        await session.run(ends, (event) => {
          if (!isRun || this.#session !== session) return;
          if (event.type === "stepPoints") {
            for (const point of event.points) points[point.step - 1] = point;
            this.again = { step, done: Math.min(step, points.length) };
          } else if (event.type === "graph") graph = event.graph;
        });
        if (this.#session !== session) return;
      }
      const other = firstDifference(this.points.slice(0, step), points);
      if (other !== null || !graph) {
        this.#leave();
        this.problem =
          other === null
            ? t("Step {n} was not reached again.", { n: step })
            : t(
                "Step {n} cannot be had again: step {m} came out otherwise. Something in these cells is another each time, such as the clock or Python's random; seed it with torch.manual_seed(0) and random.seed(0).",
                { n: step, m: other },
              );
        return;
      }
      this.#put(graph, session);
      this.shown = step;
      this.away = null;
      this.isAgain = true;
      this.again = null;
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error;
      if (this.#session !== session) return;
      this.#leave();
      this.problem = t("Step {n} could not be computed again: {problem}", {
        n: step,
        problem: error.message,
      });
    }
  }

  /** Ends what is being computed again. */
  cancel(): void {
    this.#leave();
  }

  #leave(): void {
    this.#session?.close();
    this.#session = null;
    this.again = null;
    this.isAgain = false;
  }
}

/** The first step of a run that came out otherwise, to the bit; null where all came out the same. */
export function firstDifference(run: readonly StepPoint[], other: readonly StepPoint[]): number | null {
  const isSame = (a: number | null, b: number | null | undefined) => b !== undefined && Object.is(a, b);
  const at = run.findIndex((point, index) => {
    const again = other[index];
    // The norm of a gradient is there of steps that Python ran, which are other ones where training runs by itself.
    const sameGradient =
      point.gradient === null || again?.gradient === null || isSame(point.gradient, again?.gradient);
    return !(isSame(point.loss, again?.loss) && sameGradient);
  });
  return at < 0 ? null : at + 1;
}

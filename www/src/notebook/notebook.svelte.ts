// A notebook: the cells of a lesson (or of the free notebook), their outputs, the graph on stage, and
// how far the learner is. Every view of a lesson reads and drives this one object.
//
// Invariant: the cells of a notebook share one Python session, and no other notebook's variables are
// in it. The learner's text, progress and pictures live here and with the keeper, never only in the worker,
// so a lost worker costs variables and nothing else. Leaves drawing to the views, which import it, and
// keeping to its keeper.

import type { Surroundings } from "../code/help";
import type { Variable } from "../code/scope";
import { type Done, EngineLost } from "../engine/client";
import { python } from "../engine/engines.svelte";
import type { Instrument } from "../instruments/registry";
import { t } from "../language/language.svelte";
import type { SharedState } from "../link/state";
import type { Event, KernelList, Preview, StageGraph } from "../protocol";
import type { Finding } from "../stage/tools/broken";
import type { StepHistory } from "../stage/tools/history.svelte";
import type { Progress, Written } from "../store/merge";
import { inspectWith } from "./inspect";
import type { Opening } from "./opening";
import { Output } from "./output.svelte";
import { Predictions } from "./predictions.svelte";
import { type Ran, textId } from "./ran";
import { Runs } from "./runs.svelte";
import { Steps, type Twin } from "./steps.svelte";

export class Cell {
  source = $state("");
  output = $state.raw(new Output());
  state = $state<"idle" | "waiting" | "running">("idle");
  /** How the last run ended. */
  result = $state<"ok" | "error" | null>(null);
  /** It ran in a worker that is gone, or in an earlier session: its variables are not in Python. */
  stale = $state(false);
  /** When an earlier session kept what stands here; null where it is of this session. */
  earlier = $state<number | null>(null);
  /** Its last run; an exercise has none, because its variables are its own. */
  ran = $state.raw<Ran | null>(null);
  /** The text that another tab, or this one before it, had here. */
  other = $state.raw<Written | null>(null);
  readonly textId = $derived(textId(this.source));

  constructor(
    /** The block's id in the lesson, which is also its name in tracebacks, here as in the terminal. */
    readonly name: string,
    readonly original: string,
    readonly kind: "cell" | "exercise" | "note" | "order" = "cell",
  ) {
    this.source = original;
  }

  get edited(): boolean {
    return this.source !== this.original;
  }
}

/** The stage's position in the trace, and its folded modules. */
interface StageState {
  position: number | null;
  folds: string[];
  /** The position to go to when the next graph arrives. */
  wanted: Pick<SharedState, "position" | "folds"> | null;
}

/** What keeps the learner's work of a notebook beyond the page. */
export interface Keeper {
  /** Brings back what was kept. */
  restore(): Promise<void>;
  edited(cell: Cell): void;
  /** Its run begins, with this output; and ends, however it went. */
  began(cell: Cell, output: Output): void;
  ended(cell: Cell): void;
  /** The other text of a cell is let go of. */
  dismissed(cell: Cell): void;
  ran(cell: Cell): void;
  cleared(cell: Cell): void;
  drew(cell: string, graph: StageGraph): void;
  done(progress: Partial<Progress>): void;
}

/** The notebook whose variables are in the Python session. */
let owner: Notebook | null = null;

/** The notebook of a lesson that was left, if its variables are still in Python. */
export function leftOpen(lesson: string): Notebook | null {
  return owner?.lesson === lesson && owner.life === python.client.lives ? owner : null;
}

export class Notebook {
  /** Which instrument stands beside the text. */
  instrument = $state<Instrument>("graph");
  graph = $state.raw<StageGraph | null>(null);
  /** What the author's run left, for instruments that have nothing of the learner's yet. */
  opening = $state.raw<Opening | null>(null);
  /** The graph that each cell drew last, by the cell's name. */
  graphs = $state.raw<ReadonlyMap<string, StageGraph>>(new Map());
  /** Lines of a cell that a node on stage points to. */
  pointed = $state.raw<{ cell: string; line: number } | null>(null);
  /** The line of the caret. */
  caret = $state.raw<{ cell: string; line: number } | null>(null);
  /** A check was asked for, with the cells that it needs: its report is what is waited for. */
  checking = $state(false);
  /** The learner does not want to run again what ran in an earlier session. */
  notNow = $state(false);
  /** How many commands have ended: an answer of the engine from before is old. */
  commandsEnded = $state(0);
  progress = $state<Progress>({ cells: [], exercises: [], quizzes: {} });
  /** In the order of the page. */
  cells = $state.raw<ReadonlyMap<string, Cell>>(new Map());
  /** Where the stage stands, and where a shared link says it should. */
  readonly stage: StageState = $state({ position: null, folds: [], wanted: null });
  /** The state of a shared link; null when the learner wrote the cell. */
  shared: SharedState | null = null;
  /** Cells that run before the shared one, once; null when they have. */
  private before: string[] | null = null;
  /** The cell that ran last. */
  last: Cell | null = null;
  /** The runs, with their plots. */
  readonly runs = new Runs();
  readonly predictions = new Predictions();
  /** The steps of the last training run. */
  readonly steps = new Steps(
    (body, onEvent) => python.client.run(body, onEvent),
    (graph, session) => this.showStep(graph, session),
    () => python.client.another(),
  );
  /** The session that has the values of the graph on stage, where it is not the notebook's. */
  private elsewhere: Twin | null = null;
  /** The tensor that the last run asked to show (`lab.bytes(x)`). */
  look = $state.raw<Extract<Event, { type: "look" }> | null>(null);
  /** The cell that ran last, and how to run it again. */
  latest = $state.raw<{ cell: Cell; again: () => Promise<void> } | null>(null);
  /** The kernels of each cell's last run, by the cell's name; asked for while a view shows kernels. */
  kernels = $state.raw<Readonly<Record<string, KernelList>>>({});
  /** Lists whose times are as exact as they get. */
  private readonly timed = new WeakSet<KernelList>();
  /** How many views show kernels. */
  kernelViews = 0;
  /** The history of the steps; loaded with the first graph. */
  history = $state.raw<StepHistory | null>(null);
  /** Where numbers of the graph on stage first broke. */
  broken = $state.raw<readonly Finding[]>([]);
  /** The graph on stage was there before: it rests instead of playing. */
  resting = $state(false);
  /** The cell of an earlier session that drew the graph on stage, until a cell has run in this one. */
  earlierGraph = $state<string | null>(null);
  /** None keeps nothing. */
  keeper: Keeper | null = null;
  /** The worker that its variables are in, counted by the client. */
  life = -1;
  /** How many runs of cells ended in that worker. */
  private order = 0;
  /** Keys of the nodes that the engine follows, in its order. */
  private probed: string[] = [];
  private readonly known = { list: [] as Variable[], after: 0, asking: false };
  private inspectable = 0;
  private shown = 0;

  /** `lesson` is the key under which a keeper keeps it. */
  constructor(readonly lesson: string | null) {}

  add(name: string, source: string, kind?: Cell["kind"]): Cell {
    const cell = new Cell(name, source, kind);
    this.cells = new Map(this.cells).set(name, cell);
    return cell;
  }

  /** The graph on stage: the learner's, and before there is one the author's. */
  get staged(): StageGraph | null {
    return this.graph ?? this.opening?.graph ?? null;
  }

  /** The names of the cells from the first down to this; none where there is no such cell. */
  downTo(name: string): string[] {
    const cells = [...this.cells.values()].filter(({ kind }) => kind === "cell").map((cell) => cell.name);
    return cells.slice(0, cells.indexOf(name) + 1);
  }

  /** Shows what the author's run left, at its end. */
  openWith(opening: Opening | null): void {
    this.opening = opening;
    if (opening?.graph && !this.graph) this.rest({ position: opening.graph.events.length, folds: [] });
  }

  /** Puts these first, in this order. */
  arrange(names: readonly string[]): void {
    const order = [...new Set([...names, ...this.cells.keys()])];
    if (order.join() === [...this.cells.keys()].join()) return;
    const cells = order.map((name) => this.cells.get(name)).filter((cell) => cell !== undefined);
    this.cells = new Map(cells.map((cell) => [cell.name, cell]));
  }

  edit(cell: Cell, source: string): void {
    cell.source = source;
    this.keeper?.edited(cell);
  }

  /** Takes away what stands under a cell, and its picture. */
  clear(cell: Cell): void {
    this.unmark(cell);
    const isRun = this.steps.cell === cell.name;
    const gone = isRun && this.steps.shown ? this.graph : this.graphs.get(cell.name);
    if (isRun) this.steps.drop();
    this.letGo(([name]) => name === cell.name);
    if (gone && gone === this.graph) this.put("", null);
    cell.output = new Output();
    cell.result = null;
    cell.ran = null;
    cell.earlier = null;
    cell.stale = false;
    this.keeper?.cleared(cell);
  }

  /** Puts graphs of before in their places, and that of `cell` on stage, where it rests at `wanted`. */
  bring(graphs: ReadonlyMap<string, StageGraph>, cell: string, wanted: StageState["wanted"]): void {
    this.graphs = graphs;
    const graph = graphs.get(cell);
    if (!graph) return;
    this.shown = -1;
    this.graph = graph;
    this.earlierGraph = cell;
    this.rest(wanted);
    void this.note(graph);
  }

  /** The stage shows its graph, at `wanted`, and does not play it. */
  rest(wanted: StageState["wanted"]): void {
    this.resting = true;
    this.stage.wanted = wanted;
  }

  /** Opens the state of a link; nothing runs. `before`: the cells that its cell may need. */
  open(state: SharedState, before: string[]): void {
    this.shared = state;
    this.before = before;
    this.instrument = state.instrument;
  }

  async run(cell: Cell): Promise<void> {
    if (this.before && cell.state === "idle") {
      cell.state = "waiting";
      const prepared = await this.prepare(this.before);
      cell.state = "idle";
      if (!prepared) return;
    }
    const done = await this.send(cell, { type: "runCell", cell: cell.name, source: cell.source });
    if (done) this.mark("cells", cell.name, done.ok);
  }

  async check(cell: Cell, checks: string): Promise<void> {
    await this.send(cell, { type: "check", exercise: cell.name, source: cell.source, checks });
    const report = cell.output.report;
    if (!report) return;
    cell.result = report.passed ? "ok" : "error";
    if (cell.edited) this.mark("tried", cell.name);
    this.mark("exercises", cell.name, report.passed);
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
    this.keep(quiz, { quizzes: { [quiz]: option } });
  }

  predict(id: string, said: string): void {
    this.progress.predictions = { ...this.progress.predictions, [id]: said };
    this.keep(id, { predictions: { [id]: said } });
  }

  /** The solution was asked for before an honest try. */
  see(exercise: string): void {
    this.mark("seen", exercise);
  }

  /** Calls a function that the lesson defined. */
  async call(name: string, values: number[], shape: number[]): Promise<number[]> {
    this.own();
    let answer: number[] | null = null;
    let problem = "";
    await python.client.run({ type: "call", function: name, values, shape }, (event) => {
      if (event.type === "called") answer = event.values;
      if (event.type === "error") problem = `${event.error.kind}: ${event.error.message}`;
    });
    if (answer === null) throw new Error(problem || t("{name} returned nothing", { name }));
    return answer;
  }

  readonly inspect = async (node: number): Promise<Preview> => {
    const other = this.elsewhere;
    if (other && this.steps.isAgain) return inspectWith((body, onEvent) => other.run(body, onEvent), node);
    if (other)
      throw new Error(t("The session of this step has ended. Open the step again to read whole values."));
    if (this.shown !== this.inspectable) {
      throw new Error(
        t("This picture is from before Python was restarted. Run its cell again to read whole values."),
      );
    }
    return inspectWith(python.client.run.bind(python.client), node);
  };

  /** Asks the engine about its last command; the answer is the event of that type. */
  async ask<Type extends Event["type"]>(
    body: Parameters<typeof python.client.run>[0],
    type: Type,
  ): Promise<Extract<Event, { type: Type }>> {
    let answer: Extract<Event, { type: Type }> | null = null;
    let problem = "";
    await python.client.run(body, (event) => {
      if (event.type === type) answer = event as Extract<Event, { type: Type }>;
      if (event.type === "error") problem = event.error.message;
    });
    if (!answer) throw new Error(problem || t("The engine did not answer."));
    return answer;
  }

  /** What the editor of a cell may know beside its text. */
  surroundings(cell: Cell): Surroundings {
    return {
      before: () => {
        const all = [...this.cells.values()].filter(({ kind }) => kind !== "note" && kind !== "order");
        return all.slice(0, Math.max(0, all.indexOf(cell))).map(({ source }) => source);
      },
      variables: () => this.variables(),
    };
  }

  /** The variables after the last command; while one runs, those before it. */
  private async variables(): Promise<Variable[]> {
    if (owner !== this || this.commandsEnded === 0) return [];
    if (this.known.after !== this.commandsEnded && !python.client.current && !this.known.asking) {
      this.known.asking = true;
      const after = this.commandsEnded;
      try {
        // An engine of an older page does not know the question.
        const { list } = await this.ask({ type: "variables" }, "variables");
        this.known.list = list;
      } catch {
        this.known.list = [];
      }
      this.known.after = after;
      this.known.asking = false;
    }
    return this.known.list;
  }

  /** Asks for the kernels of the last command, which was that of `cell`. */
  async askKernels(cell: Cell): Promise<void> {
    const { list } = await this.ask({ type: "kernels" }, "kernels");
    this.kernels = { ...this.kernels, [cell.name]: list };
  }

  /** Has the engine time a list that is of its last command, once. */
  async timeKernels(cell: Cell, list: KernelList): Promise<void> {
    if (this.timed.has(list) || this.latest?.cell !== cell || list.kernels.length === 0) return;
    this.timed.add(list);
    const before = this.commandsEnded;
    // An engine of an older page does not know the question; its times then stay.
    const answer = await this.ask({ type: "timeKernels" }, "kernels").catch(() => null);
    if (!answer || this.commandsEnded !== before || this.kernels[cell.name] !== list) return;
    this.timed.add(answer.list);
    this.kernels = { ...this.kernels, [cell.name]: answer.list };
  }

  /** Has the engine follow the nodes pinned on the graph that came last, through every step of a loop. */
  async follow(): Promise<void> {
    const { graph, shown, inspectable } = this;
    if (!graph || !this.history || owner !== this || shown !== inspectable || this.elsewhere) return;
    const found = this.history.onGraph(graph);
    if (found.length === 0 && this.probed.length === 0) return;
    try {
      await python.client.run({ type: "pin", nodes: found.map(({ id }) => id) });
      this.probed = found.map(({ key }) => key);
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error;
    }
  }

  /** Values of the graphs can be read no more: their worker is gone. */
  forget(): void {
    this.inspectable += 1;
    this.steps.forget();
    for (const cell of this.cells.values()) cell.stale = cell.result !== null;
  }

  /** Puts a step of the last run on stage: it rests where the last picture did. */
  private showStep(graph: StageGraph, session: Twin | null): void {
    this.elsewhere = session;
    this.resting = true;
    this.earlierGraph = null;
    this.graph = graph;
    this.shown = this.inspectable;
    void this.note(graph, false);
  }

  /** Leaves: what still runs is stopped. */
  close(): void {
    this.steps.cancel();
    if (owner === this && python.client.current) python.client.stop();
  }

  /** Sets the seed of a shared cell and runs the cells before it; false when they were stopped. */
  private async prepare(names: string[]): Promise<boolean> {
    const seed = new Cell("seed", `__import__("glowgrad").manual_seed(${this.shared?.seed ?? 0})`);
    for (const cell of [seed, ...names.map((name) => this.cells.get(name))]) {
      if (!cell) continue;
      const done = await this.send(cell, { type: "runCell", cell: cell.name, source: cell.source });
      if (!done || cell.output.error?.kind === "KeyboardInterrupt") return false;
    }
    this.before = null;
    this.stage.wanted = this.shared;
    return true;
  }

  private async send(
    cell: Cell,
    body:
      | { type: "runCell"; cell: string; source: string }
      | { type: "check"; exercise: string; source: string; checks: string },
  ): Promise<Done | null> {
    if (cell.state !== "idle") return null;
    const output = new Output();
    output.source = body.source;
    const drawn = this.graph;
    this.runs.begin(cell.name, output);
    this.last = cell;
    this.unmark(cell);
    cell.state = "waiting";
    this.keeper?.began(cell, output);
    try {
      this.own();
      this.steps.begin(body);
      const running = python.client.run(body, (event) => {
        if (cell.output !== output) {
          // The old output stays until there is something new to show.
          cell.output = output;
          cell.stale = false;
          cell.earlier = null;
        }
        this.take(event, output, cell.name);
      });
      // Queued behind the run, before anything else can be. A worker lost there is told by the run.
      const asked = this.kernelViews > 0 ? this.askKernels(cell).catch(() => {}) : null;
      if (!asked) this.kernels = {};
      const predicted =
        body.type === "runCell" && this.predictions.sent(cell.name, (text) => this.ask(text, "evaluated"));
      const done = await running;
      await asked;
      await predicted;
      // A call that failed before this run is not on stage after it.
      if (drawn?.failure && this.graph === drawn) {
        this.letGo(([, graph]) => graph === drawn);
        const [name, graph] = [...this.graphs].at(-1) ?? ["", null];
        this.put(name, graph);
      }
      this.earlierGraph = null;
      const again = () => (body.type === "check" ? this.check(cell, body.checks) : this.run(cell));
      this.latest = { cell, again };
      cell.output = output;
      cell.stale = false;
      cell.earlier = null;
      cell.result = done.ok && !output.error ? "ok" : "error";
      if (this.cells.get(cell.name) === cell) {
        if (body.type === "runCell") cell.ran = this.remember(cell, body.source);
        this.keeper?.ran(cell);
      }
      return done;
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error;
      output.flush();
      output.progress = null;
      output.notice = error.message;
      cell.output = output;
      cell.earlier = null;
      cell.result = null;
      cell.ran = null;
      return null;
    } finally {
      this.commandsEnded += 1;
      cell.state = "idle";
      this.keeper?.ended(cell);
    }
  }

  /** A mark is of the run that made it. */
  private unmark(cell: Cell): void {
    this.broken = this.broken.filter((each) => each.cell !== cell.name);
  }

  private letGo(isGone: (drawn: [string, StageGraph]) => boolean): void {
    this.graphs = new Map([...this.graphs].filter((each) => !isGone(each)));
  }

  /** A picture of before, or none, is on stage. */
  private put(cell: string, graph: StageGraph | null): void {
    this.graph = graph;
    this.steps.stands(cell, graph);
    this.resting = true;
  }

  /** The run that has ended: commands run one after another, so what ran above by now ran before it. */
  private remember(cell: Cell, source: string): Ran {
    const above: Record<string, string> = {};
    for (const each of this.cells.values()) {
      if (each === cell) break;
      if (each.ran && !each.stale) above[each.name] = each.ran.text;
    }
    this.order += 1;
    return { order: this.order, text: textId(source), above };
  }

  /** Looks where a graph's numbers broke, and takes a new one into the history. */
  private async note(graph: StageGraph, isNew = true): Promise<void> {
    this.broken = [];
    // Without a connection the stage still plays; the history begins with the next graph.
    const tools = await import("../stage/tools").catch(() => null);
    if (!tools || this.graph !== graph) return;
    this.history ??= new tools.StepHistory(() => void this.follow());
    this.broken = tools.firstBroken(graph);
    if (isNew) {
      this.history.take(graph);
      await this.follow();
    }
    await this.blame(graph);
  }

  /** Asks the kept steps which of them broke the parameters that were broken when this graph's step began. */
  private async blame(graph: StageGraph): Promise<void> {
    const given = this.broken.filter(({ isGiven }) => isGiven);
    if (given.length === 0 || !this.steps.run || this.steps.isAgain || this.elsewhere) return;
    const { blame } = await import("./spoiled");
    const ran = this.cells.get(this.steps.cell ?? "")?.output.source ?? "";
    const by = await blame(given, graph, this.steps, ran);
    if (this.graph !== graph) return;
    this.history?.spoil(graph, by);
    this.broken = this.broken.map((each) => ({ ...each, ...by.get(each.inside) }));
  }

  private take(event: Event, output: Output, cell: string): void {
    if (event.type === "probePoints") {
      for (const { pin, ...point } of event.points) {
        const key = this.probed[pin];
        if (key !== undefined) this.history?.add(key, point);
      }
    } else if (this.steps.take(event, cell)) {
      // They are kept there.
    } else if (event.type === "graph") {
      this.elsewhere = null;
      this.steps.drew(cell, event.graph);
      this.graph = event.graph;
      this.graphs = new Map(this.graphs).set(cell, event.graph);
      this.resting = false;
      this.earlierGraph = null;
      this.keeper?.drew(cell, event.graph);
      void this.note(event.graph);
      this.shown = this.inspectable;
    } else if (event.type === "look") this.look = event;
    else output.take(event);
  }

  /** Another notebook's variables are cleared before the first command of this one. */
  private own(): void {
    const { lives } = python.client;
    if (owner !== this || this.life !== lives) this.order = 0;
    this.life = lives;
    if (owner === this) return;
    if (owner) python.client.run({ type: "reset" }).catch(() => {});
    owner?.steps.forget();
    this.steps.forget();
    owner = this;
  }

  /** Notes that a block was worked on, and, where that holds, that it is done. */
  private mark(kind: "cells" | "exercises" | "tried" | "seen", id: string, holds = true): void {
    const before = this.progress[kind] ?? [];
    if (holds && !before.includes(id)) this.progress[kind] = [...before, id];
    this.keep(id, holds ? { [kind]: [id] } : {});
  }

  private keep(block: string, done: Partial<Progress>): void {
    this.progress.last = { block, when: Date.now() };
    this.keeper?.done({ ...done, last: this.progress.last });
  }
}

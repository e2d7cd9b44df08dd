// Keeps a notebook beyond the page: texts and progress in the store, outputs and pictures beside it, and joins what
// other tabs write.
//
// Invariant: a text is never replaced silently: the one that goes stands beside the cell until the learner has
// decided. What was brought back is marked as of an earlier session, and Python knows none of its variables. A
// browser that refuses to keep costs what it refuses, and `failing` says so.
import { isInstrument } from "../instruments/registry";
import type { StageGraph } from "../protocol";
import { PICTURE_BYTES, sizeOf } from "../store/budget";
import { setCutOff, takeCutOff } from "../store/cutOff";
import { type KeptStore, keptStore } from "../store/kept";
import { type Progress, united } from "../store/merge";
import { type Place, placeOf } from "../store/place";
import { type Change, type Store, store } from "../store/store";
import { cutOff, isKeptPicture, isKeptRun, keepable, picture, revive } from "./kept";
import type { Cell, Keeper, Notebook } from "./notebook.svelte";
import type { Output } from "./output.svelte";

/** How long a picture waits for the page to be at rest before it is copied. */
const REST_MILLIS = 400;

export class LessonKeeper implements Keeper {
  /** The browser does not keep what is written. */
  failing = $state(false);
  /** The cell whose picture was on stage and is too large to be kept. */
  tooLarge = $state<string | null>(null);
  /** The version of each cell's text that this tab knows. */
  private readonly versions = new Map<string, number>();
  /** Grows with every text written here. */
  private writes = 0;
  /** Of a millisecond: two tabs that write in the same one do not have the same version. */
  private readonly fraction = Math.random();
  private readonly drawn = new Map<string, StageGraph>();
  /** The runs that go on, by their cells. */
  private readonly running = new Map<string, Output>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private left = false;

  constructor(
    private readonly notebook: Notebook,
    private readonly lesson: string,
    private readonly store: Store,
    private readonly kept: KeptStore,
  ) {}

  /** Begins to hear other tabs; ends when the answer is called. */
  watch(): () => void {
    const unwatch = this.store.watch((change) => this.hear(change));
    // A tab that was asleep may have missed what others said.
    const wake = () => {
      if (document.visibilityState === "visible") void this.refresh();
      else this.flush();
    };
    document.addEventListener("visibilitychange", wake);
    window.addEventListener("pagehide", this.leave);
    return () => {
      unwatch();
      document.removeEventListener("visibilitychange", wake);
      window.removeEventListener("pagehide", this.leave);
      this.flush();
    };
  }

  async restore(): Promise<void> {
    const { notebook, lesson } = this;
    const [texts, progress, outputs] = await Promise.all([
      this.store.texts(lesson),
      this.store.progress(lesson),
      this.kept.of("output", lesson),
    ]);
    notebook.progress = progress;
    this.failing = !(await this.store.lasting());
    for (const [id, text] of texts) {
      const cell = notebook.cells.get(id);
      if (!cell) continue;
      cell.source = text.source;
      cell.other = text.other ?? null;
      this.versions.set(id, text.when ?? 0);
    }
    for (const cut of takeCutOff(lesson)) {
      const isOld = cut.when < (outputs.get(cut.block)?.when ?? 0);
      if (isOld || !notebook.cells.has(cut.block)) continue;
      outputs.set(cut.block, cut);
      const { block, when, value } = cut;
      void this.kept.put({ kind: "output", lesson, block, when, bytes: sizeOf(value) }, value);
    }
    for (const { block, when, value } of [...outputs.values()].sort((a, b) => a.when - b.when)) {
      const cell = notebook.cells.get(block);
      if (!cell || !isKeptRun(value)) continue;
      cell.output = revive(value.output);
      cell.result = value.result;
      cell.ran = value.ran;
      cell.stale = true;
      cell.earlier = when;
      notebook.runs.begin(block, cell.output, "earlier");
    }
    const place = placeOf(lesson);
    if (place && isInstrument(place.instrument)) notebook.instrument = place.instrument;
    await this.restorePictures(place);
  }

  edited(cell: Cell): void {
    const { name, source } = cell;
    const known = this.versions.get(name) ?? 0;
    const when = Math.max(Date.now() + this.fraction, known + 1);
    this.versions.set(name, when);
    this.writes += 1;
    this.store.write({ lesson: this.lesson, block: name, source, when }, known, !cell.edited).then(
      (now) => {
        const mine = this.versions.get(name) === when;
        if (now.when !== when && mine) {
          this.versions.set(name, now.when ?? 0);
          cell.source = now.source;
        }
        if (now.other) cell.other = now.other;
      },
      () => {
        this.failing = true;
      },
    );
  }

  began(cell: Cell, output: Output): void {
    this.running.set(cell.name, output);
  }

  ended(cell: Cell): void {
    this.running.delete(cell.name);
    // The page was left, and is there again.
    if (this.left) takeCutOff(this.lesson);
    this.left = false;
  }

  dismissed(cell: Cell): void {
    this.store.dismiss(this.lesson, cell.name).catch(() => {
      this.failing = true;
    });
  }

  ran(cell: Cell): void {
    const { value, bytes } = keepable(cell);
    const size = { kind: "output" as const, lesson: this.lesson, block: cell.name, bytes, when: Date.now() };
    void this.kept.put(size, value);
  }

  cleared(cell: Cell): void {
    void this.kept.forget("output", this.lesson, cell.name);
    void this.kept.forget("picture", this.lesson, cell.name);
    this.drawn.delete(cell.name);
  }

  drew(cell: string, graph: StageGraph): void {
    this.tooLarge = null;
    this.drawn.set(cell, graph);
    this.timer ??= setTimeout(this.flush, REST_MILLIS);
  }

  done(progress: Partial<Progress>): void {
    this.store.addProgress(this.lesson, progress).catch(() => {
      this.failing = true;
    });
  }

  /** The page is left: what runs is cut off. */
  private readonly leave = () => {
    this.flush();
    if (this.running.size === 0) return;
    const when = Date.now();
    const runs = (briefly: boolean) =>
      [...this.running].map(([block, output]) => ({ block, when, value: cutOff(output, briefly) }));
    this.left = setCutOff(this.lesson, runs(false)) || setCutOff(this.lesson, runs(true));
  };

  /** Keeps the pictures that wait for it. */
  private readonly flush = () => {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const { lesson } = this;
    for (const [block, graph] of this.drawn) {
      const bytes = sizeOf(graph, PICTURE_BYTES);
      const fits = bytes <= PICTURE_BYTES;
      const size = { kind: "picture" as const, lesson, block, bytes: fits ? bytes : 0, when: Date.now() };
      // Without room, the picture of a run before this one is no longer this cell's.
      void this.kept.put(size, picture(fits ? graph : null)).then((done) => {
        if (!done) void this.kept.forget("picture", lesson, block);
      });
    }
    this.drawn.clear();
  };

  private async restorePictures(place: Place | null): Promise<void> {
    const { notebook } = this;
    const found = await this.kept.of("picture", this.lesson);
    const known = [...found.values()]
      .filter(({ block, value }) => notebook.cells.has(block) && isKeptPicture<StageGraph>(value))
      .sort((a, b) => a.when - b.when);
    const graphs = new Map<string, StageGraph>();
    for (const { block, value } of known) {
      const { graph } = value as { graph: StageGraph | null };
      if (graph) graphs.set(block, graph);
    }
    const onStage = found.has(place?.cell ?? "") ? place?.cell : known.at(-1)?.block;
    if (!onStage) return;
    const graph = graphs.get(onStage);
    if (!graph) this.tooLarge = onStage;
    const same = place?.cell === onStage;
    const position = (same ? place?.position : null) ?? graph?.events.length ?? null;
    notebook.bring(graphs, onStage, { position, folds: same ? (place?.folds ?? []) : [] });
  }

  private hear(change: Change): void {
    if (change.kind === "all") void this.refresh();
    else if (change.lesson !== this.lesson) return;
    else if (change.kind === "progress") void this.joinProgress();
    else {
      const cell = this.notebook.cells.get(change.block);
      // An older text has lost: the tab that wrote it hears so from the store.
      if (!cell || change.when <= (this.versions.get(cell.name) ?? 0)) return;
      this.replace(cell, change.source ?? cell.original, change.when);
    }
  }

  /** Another tab's text comes, and the one that was here stands beside it. */
  private replace(cell: Cell, source: string, when: number): void {
    const before = { source: cell.source, when: this.versions.get(cell.name) ?? 0 };
    this.versions.set(cell.name, when);
    if (source === before.source) return;
    // Of many keystrokes in the other tab, the text before the first is the one to keep.
    if (!cell.other) cell.other = before;
    else if (cell.other.source === source) cell.other = null;
    cell.source = source;
  }

  private async joinProgress(): Promise<void> {
    const theirs = await this.store.progress(this.lesson).catch(() => null);
    if (theirs) this.notebook.progress = united(this.notebook.progress, theirs);
  }

  /** Reads again what is kept. */
  async refresh(): Promise<void> {
    if (this.failing) return;
    const { writes } = this;
    const texts = await this.store.texts(this.lesson).catch(() => null);
    // What is being written here is told by its own write.
    if (!texts || writes !== this.writes) return;
    for (const cell of this.notebook.cells.values()) {
      const kept = texts.get(cell.name);
      const known = this.versions.get(cell.name) ?? 0;
      if (kept && (kept.when ?? 0) !== known) {
        this.replace(cell, kept.source, kept.when ?? 0);
        cell.other = kept.other ?? cell.other;
      } else if (!kept && cell.edited) this.replace(cell, cell.original, known + 1);
    }
    await this.joinProgress();
  }
}

/**
 * Has a notebook kept, and brings back what was: into one that was left open, what other tabs have changed since, and
 * its picture at rest.
 */
export async function keepOpen(notebook: Notebook, leftOpen: boolean): Promise<LessonKeeper | null> {
  const { graph, stage } = notebook;
  if (leftOpen && notebook.keeper instanceof LessonKeeper) {
    notebook.rest(graph && { position: stage.position ?? graph.events.length, folds: [...stage.folds] });
    await notebook.keeper.refresh();
    return notebook.keeper;
  }
  const keeper = keep(notebook);
  await keeper?.restore();
  return keeper;
}

/** Has a notebook kept under the name of its lesson. */
export function keep(notebook: Notebook, texts = store, kept = keptStore): LessonKeeper | null {
  if (notebook.lesson === null) return null;
  const keeper = new LessonKeeper(notebook, notebook.lesson, texts, kept);
  notebook.keeper = keeper;
  return keeper;
}

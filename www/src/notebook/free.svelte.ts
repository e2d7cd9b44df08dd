// The free notebook: cells and notes that come, go and move, over one `Notebook`.
//
// Invariant: what is taken away, by a deletion or by a file in its place, can be put back until the next such change.
// Leaves the order's rules to document.ts, files to files.ts, and keeping to the notebook's keeper.
import { t } from "../language/language.svelte";
import { store } from "../store/store";
import { arranged, FIRST, freshName, inserted, kindOf, moved, ORDER, orderText } from "./document";
import type { Piece } from "./files";
import { keepOpen, type LessonKeeper } from "./keeper.svelte";
import { filed } from "./kept";
import { type Cell, leftOpen, Notebook } from "./notebook.svelte";

export const FREE = "play";

interface Before {
  /** What was done. */
  said: string;
  order: string;
  texts: Map<string, string>;
}

export class FreeNotebook {
  /** What the last deletion or file took away. */
  before = $state.raw<Before | null>(null);

  private constructor(
    readonly notebook: Notebook,
    readonly keeper: LessonKeeper | null,
    private readonly order: Cell,
    private readonly first: string,
  ) {}

  /** Opens the kept one; `first` is the text of its first cell before it was changed. */
  static async open(first: string): Promise<FreeNotebook> {
    const left = leftOpen(FREE);
    const again = left?.cells.has(ORDER) ? left : null;
    const notebook = again ?? new Notebook(FREE);
    if (!again) {
      const texts = await store.texts(FREE).catch(() => new Map<string, { source: string }>());
      for (const name of arranged(texts.get(ORDER)?.source ?? FIRST, texts.keys()))
        add(notebook, name, first);
      notebook.add(ORDER, FIRST, "order");
    }
    const keeper = await keepOpen(notebook, again !== null);
    return new FreeNotebook(notebook, keeper, notebook.cells.get(ORDER) as Cell, first);
  }

  /** The names of its cells and notes, as they stand. */
  readonly names: string[] = $derived.by(() => {
    const written = [...this.notebook.cells.values()].filter(({ edited }) => edited);
    return arranged(
      this.order.source,
      written.map(({ name }) => name),
    );
  });

  get untouched(): boolean {
    return !this.order.edited && this.names.every((name) => !this.notebook.cells.get(name)?.edited);
  }

  get pieces(): { cell: Cell; kind: Piece["kind"] }[] {
    return this.names.flatMap((name) => {
      const cell = this.notebook.cells.get(name);
      const kind = kindOf(name);
      return cell && kind ? [{ cell, kind }] : [];
    });
  }

  /** Brings the notebook's cells to what the order names: another tab may have changed it. */
  settle(): void {
    const missing = this.names.filter((name) => !this.notebook.cells.has(name));
    for (const name of missing) add(this.notebook, name, this.first);
    this.notebook.arrange(this.names);
    if (missing.length > 0) void this.keeper?.refresh();
  }

  /** Adds one behind `after`, or at the end; gives its name. */
  add(kind: Piece["kind"], after: string | null): string {
    const name = freshName(kind, this.notebook.cells.keys());
    this.arrange(inserted(this.names, name, after));
    return name;
  }

  move(name: string, by: -1 | 1): void {
    this.arrange(moved(this.names, name, by));
  }

  remove(name: string): void {
    this.before = this.snapshot(t("{name} is deleted.", { name }));
    this.arrange(this.names.filter((each) => each !== name));
    this.empty(name);
  }

  /** Puts what a file holds at the end, or in the place of everything. */
  take(pieces: readonly Piece[], file: string, instead: boolean): void {
    this.before = this.snapshot(t("{name} is open.", { name: file }));
    if (instead) {
      const names = this.names;
      this.arrange([]);
      for (const name of names) this.empty(name);
    }
    const names = this.names;
    const used = instead ? [] : [...this.notebook.cells.keys()];
    const taken = pieces.map((piece) => {
      const name = freshName(piece.kind, used);
      used.push(name);
      return { name, ...piece };
    });
    this.arrange([...names, ...taken.map(({ name }) => name)]);
    for (const { name, source, run } of taken) {
      this.write(name, source);
      const cell = this.notebook.cells.get(name);
      if (!cell || !run) continue;
      cell.output = filed(run, source, file);
      cell.stale = true;
      this.keeper?.ran(cell);
    }
  }

  /** Puts back what the last deletion or file took away. */
  undo(): void {
    const { before } = this;
    if (!before) return;
    this.before = null;
    for (const name of this.names) if (!before.texts.has(name)) this.empty(name);
    this.notebook.edit(this.order, before.order);
    this.settle();
    for (const [name, source] of before.texts) this.write(name, source);
  }

  private snapshot(said: string): Before {
    const texts = new Map(this.pieces.map(({ cell }) => [cell.name, cell.source]));
    return { said, order: orderText(this.names), texts };
  }

  private arrange(names: string[]): void {
    this.notebook.edit(this.order, orderText(names));
    this.settle();
  }

  private write(name: string, source: string): void {
    const cell = this.notebook.cells.get(name);
    if (cell && cell.source !== source) this.notebook.edit(cell, source);
  }

  private empty(name: string): void {
    const cell = this.notebook.cells.get(name);
    if (!cell) return;
    if (cell.edited) this.notebook.edit(cell, cell.original);
    this.notebook.clear(cell);
  }
}

function add(notebook: Notebook, name: string, first: string): void {
  const kind = kindOf(name);
  if (kind) notebook.add(name, name === FIRST ? first : "", kind);
}

// The learner's work, kept on this computer: edited text and progress, by lesson.
//
// Invariant: a write is on disk when its promise resolves (strict durability), and losing a worker,
// or the tab, loses nothing that was written. What other tabs wrote is joined with it, as merge.ts says, and told
// to `watch`. Where the browser refuses IndexedDB (private windows), everything works and lasts as long as the
// page; `lasting` says which.
import type { DBSchema, IDBPDatabase } from "idb";
import { openDatabase } from "./database";
import { emptyProgress, mergeText, type Progress, type Text, united, type Written } from "./merge";

export { emptyProgress, type Progress, type Text, type Written };

export interface Saved {
  texts: Text[];
  progress: Record<string, Progress>;
}

interface Schema extends DBSchema {
  texts: { key: [string, string]; value: Text };
  progress: { key: string; value: Progress };
}

/** What another tab has changed. */
export type Change =
  | { kind: "text"; lesson: string; block: string; source: string | null; when: number }
  | { kind: "progress"; lesson: string }
  /** Everything may be another: a file was opened. */
  | { kind: "all" };

export class Store {
  private memory = { texts: new Map<string, Text>(), progress: new Map<string, Progress>() };
  private readonly database: Promise<IDBPDatabase<Schema> | null>;

  private readonly channel: BroadcastChannel | null;

  constructor(name = "glowgrad") {
    this.database = open(name);
    this.channel = channel(name);
  }

  /** Tells of what other tabs change, until the answer is called. */
  watch(listener: (change: Change) => void): () => void {
    const hear = ({ data }: MessageEvent<Change>) => listener(data);
    this.channel?.addEventListener("message", hear);
    return () => this.channel?.removeEventListener("message", hear);
  }

  /** Whether the store still has its contents after the page is closed. */
  async lasting(): Promise<boolean> {
    return (await this.database) !== null;
  }

  /** The edited cells of a lesson, by block. */
  async texts(lesson: string): Promise<Map<string, Text>> {
    const all = (await this.all()).texts.filter((text) => text.lesson === lesson);
    return new Map(all.map((text) => [text.block, text]));
  }

  /**
   * Keeps what a tab wrote, beside what another tab may have written since this one knew version `known`; gives
   * what is kept then. A text that is `original` need not be kept, unless another one stands beside it.
   */
  async write(text: Text & Written, known: number, original: boolean): Promise<Text> {
    const { lesson, block } = text;
    const settle = (kept: Text | undefined) => {
      const now = mergeText(kept, text, known);
      return { now, keep: !(original && now.source === text.source && !now.other) };
    };
    const database = await this.database;
    let found: ReturnType<typeof settle>;
    if (database) {
      const change = database.transaction("texts", "readwrite", { durability: "strict" });
      found = settle(await change.store.get([lesson, block]));
      if (found.keep) await change.store.put(found.now);
      else await change.store.delete([lesson, block]);
      await change.done;
    } else {
      found = settle(this.memory.texts.get(key(lesson, block)));
      if (found.keep) this.memory.texts.set(key(lesson, block), found.now);
      else this.memory.texts.delete(key(lesson, block));
    }
    const { now, keep } = found;
    this.tell({ kind: "text", lesson, block, source: keep ? now.source : null, when: now.when ?? 0 });
    return now;
  }

  /** Lets go of the text that stands beside a cell's. */
  async dismiss(lesson: string, block: string): Promise<void> {
    const database = await this.database;
    if (!database) {
      delete this.memory.texts.get(key(lesson, block))?.other;
      return;
    }
    const change = database.transaction("texts", "readwrite", { durability: "strict" });
    const kept = await change.store.get([lesson, block]);
    if (kept?.other) {
      delete kept.other;
      await change.store.put(kept);
    }
    await change.done;
  }

  async progress(lesson: string): Promise<Progress> {
    const database = await this.database;
    const found = database ? await database.get("progress", lesson) : this.memory.progress.get(lesson);
    return structuredClone(found ?? emptyProgress());
  }

  /** Notes what was done; gives all that is done in the lesson, here and in other tabs. */
  async addProgress(lesson: string, done: Partial<Progress>): Promise<Progress> {
    // A copy, and a plain one: reactive state cannot be cloned into a database.
    const plain = JSON.parse(JSON.stringify(done)) as Partial<Progress>;
    const join = (kept: Progress | undefined) => united(kept ?? emptyProgress(), plain);
    const database = await this.database;
    let all: Progress;
    if (database) {
      const change = database.transaction("progress", "readwrite", { durability: "strict" });
      all = join(await change.store.get(lesson));
      await change.store.put(all, lesson);
      await change.done;
    } else {
      all = join(this.memory.progress.get(lesson));
      this.memory.progress.set(lesson, all);
    }
    this.tell({ kind: "progress", lesson });
    return structuredClone(all);
  }

  /** Everything, for the course page and for export. */
  async all(): Promise<Saved> {
    const database = await this.database;
    if (!database) {
      return {
        texts: [...this.memory.texts.values()],
        progress: structuredClone(Object.fromEntries(this.memory.progress)),
      };
    }
    const reading = database.transaction(["texts", "progress"]);
    const lessons = reading.objectStore("progress");
    const [texts, slugs, values] = await Promise.all([
      reading.objectStore("texts").getAll(),
      lessons.getAllKeys(),
      lessons.getAll(),
    ]);
    return {
      texts,
      progress: Object.fromEntries(slugs.map((slug, index) => [slug, values[index] ?? emptyProgress()])),
    };
  }

  /**
   * Adds what a file holds. Its texts take the place of those that are here; progress is united, so
   * that an older file takes nothing away.
   */
  async merge(saved: Saved): Promise<void> {
    const here = await this.all();
    const texts = new Map(
      [...here.texts, ...saved.texts].map((text) => [key(text.lesson, text.block), text]),
    );
    const progress = new Map(Object.entries(here.progress));
    for (const [lesson, theirs] of Object.entries(saved.progress)) {
      const own = progress.get(lesson);
      progress.set(lesson, own ? united(own, theirs) : theirs);
    }
    await this.replace({ texts: [...texts.values()], progress: Object.fromEntries(progress) });
  }

  /** Everything that is kept becomes this, in one step. */
  async replace(saved: Saved): Promise<void> {
    const database = await this.database;
    if (!database) {
      this.memory.texts = new Map(saved.texts.map((text) => [key(text.lesson, text.block), text]));
      this.memory.progress = new Map(Object.entries(structuredClone(saved.progress)));
      this.tell({ kind: "all" });
      return;
    }
    const change = database.transaction(["texts", "progress"], "readwrite", { durability: "strict" });
    const [texts, progress] = [change.objectStore("texts"), change.objectStore("progress")];
    await Promise.all([
      texts.clear(),
      progress.clear(),
      ...saved.texts.map((text) => texts.put(text)),
      ...Object.entries(saved.progress).map(([lesson, value]) => progress.put(value, lesson)),
      change.done,
    ]);
    this.tell({ kind: "all" });
  }

  private tell(change: Change): void {
    this.channel?.postMessage(change);
  }
}

/** What carries changes to other tabs; null where there is none, or no other tab would see this store. */
function channel(name: string): BroadcastChannel | null {
  if (typeof BroadcastChannel === "undefined" || typeof indexedDB === "undefined") return null;
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

function open(name: string): Promise<IDBPDatabase<Schema> | null> {
  return openDatabase<Schema>(name, (database) => {
    database.createObjectStore("texts", { keyPath: ["lesson", "block"] });
    database.createObjectStore("progress");
  });
}

function key(lesson: string, block: string): string {
  return `${lesson}\n${block}`;
}

export const store = new Store();

// The learner's work, kept on this computer: edited text and progress, by lesson.
//
// Invariant: a write is on disk when its promise resolves (strict durability), and losing a worker,
// or the tab, loses nothing that was written. Where the browser refuses IndexedDB (private windows),
// everything works and lasts as long as the page; `lasting` says which.
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** How far a learner is in one lesson. Ids are those of the lesson's blocks. */
export interface Progress {
  cells: string[];
  exercises: string[];
  /** The option chosen last in each quiz, from 0. */
  quizzes: Record<string, number>;
  /** Exercises whose checks ran on code of the learner's own, however they ended. */
  tried?: string[];
  /** Exercises whose solution was shown before such a try. */
  seen?: string[];
  /** The block that was worked on last, and when, in milliseconds since 1970. */
  last?: { block: string; when: number };
}

/** An edited cell. */
export interface Text {
  lesson: string;
  block: string;
  source: string;
}

export interface Saved {
  texts: Text[];
  progress: Record<string, Progress>;
}

interface Schema extends DBSchema {
  texts: { key: [string, string]; value: Text };
  progress: { key: string; value: Progress };
}

export const emptyProgress = (): Progress => ({ cells: [], exercises: [], quizzes: {} });

export class Store {
  private memory = { texts: new Map<string, Text>(), progress: new Map<string, Progress>() };
  private readonly database: Promise<IDBPDatabase<Schema> | null>;

  constructor(name = "glowgrad") {
    this.database = open(name);
  }

  /** Whether the store still has its contents after the page is closed. */
  async lasting(): Promise<boolean> {
    return (await this.database) !== null;
  }

  /** The edited cells of a lesson: source by block. */
  async texts(lesson: string): Promise<Map<string, string>> {
    const all = (await this.all()).texts.filter((text) => text.lesson === lesson);
    return new Map(all.map((text) => [text.block, text.source]));
  }

  /** Keeps an edited cell; null forgets it. */
  async setText(lesson: string, block: string, source: string | null): Promise<void> {
    const database = await this.database;
    if (!database) {
      if (source === null) this.memory.texts.delete(key(lesson, block));
      else this.memory.texts.set(key(lesson, block), { lesson, block, source });
      return;
    }
    const change = database.transaction("texts", "readwrite", { durability: "strict" });
    if (source === null) await change.store.delete([lesson, block]);
    else await change.store.put({ lesson, block, source });
    await change.done;
  }

  async progress(lesson: string): Promise<Progress> {
    const database = await this.database;
    const found = database ? await database.get("progress", lesson) : this.memory.progress.get(lesson);
    return structuredClone(found ?? emptyProgress());
  }

  async setProgress(lesson: string, progress: Progress): Promise<void> {
    const database = await this.database;
    // A copy, and a plain one: reactive state cannot be cloned into a database.
    const plain = JSON.parse(JSON.stringify(progress)) as Progress;
    if (!database) {
      this.memory.progress.set(lesson, plain);
      return;
    }
    const change = database.transaction("progress", "readwrite", { durability: "strict" });
    await change.store.put(plain, lesson);
    await change.done;
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
  }
}

/** The blocks done in either; the answers of the second; the later place. */
function united(one: Progress, two: Progress): Progress {
  const either = (a: string[] = [], b: string[] = []) => [...new Set([...a, ...b])];
  const lasts = [one.last, two.last].filter((last) => last !== undefined);
  const last = lasts.sort((a, b) => b.when - a.when)[0];
  return {
    cells: either(one.cells, two.cells),
    exercises: either(one.exercises, two.exercises),
    quizzes: { ...one.quizzes, ...two.quizzes },
    tried: either(one.tried, two.tried),
    seen: either(one.seen, two.seen),
    ...(last ? { last } : {}),
  };
}

async function open(name: string): Promise<IDBPDatabase<Schema> | null> {
  if (typeof indexedDB === "undefined") return null;
  try {
    return await openDB<Schema>(name, 1, {
      upgrade(database) {
        database.createObjectStore("texts", { keyPath: ["lesson", "block"] });
        database.createObjectStore("progress");
      },
    });
  } catch {
    return null;
  }
}

function key(lesson: string, block: string): string {
  return `${lesson}\n${block}`;
}

export const store = new Store();

// What is kept for the learner on this computer: edited text and progress, by lesson.
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
  private readonly memory = { texts: new Map<string, Text>(), progress: new Map<string, Progress>() };
  private readonly database: Promise<IDBPDatabase<Schema> | null>;

  constructor(name = "glowgrad") {
    this.database = open(name);
  }

  /** Whether what is written is still there after the page is closed. */
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

  /** Adds what a file holds; where both have a text or a lesson's progress, the file's counts. */
  async merge(saved: Saved): Promise<void> {
    for (const text of saved.texts) await this.setText(text.lesson, text.block, text.source);
    for (const [lesson, progress] of Object.entries(saved.progress)) await this.setProgress(lesson, progress);
  }
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

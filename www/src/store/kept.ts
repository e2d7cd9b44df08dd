// What cells printed and drew, kept on this computer beside the learner's texts, in a database of its own.
//
// Invariant: all of it takes at most ALL_BYTES. It can be made again by running the cells, so that a browser that
// refuses (private windows, a full disk) costs the outputs of earlier sessions and nothing else: no call rejects.
import type { DBSchema, IDBPDatabase } from "idb";
import { type Kind, overBudget, type Size } from "./budget";
import { openDatabase } from "./database";

/** A value that was kept. */
export interface Kept {
  block: string;
  when: number;
  value: unknown;
}

type Key = [Kind, string, string];

interface Schema extends DBSchema {
  values: { key: Key; value: Kept };
  sizes: { key: Key; value: Size };
}

export class KeptStore {
  private database: Promise<IDBPDatabase<Schema> | null> | null = null;

  constructor(private readonly name = "glowgrad-kept") {}

  /** Keeps a value in the place of the last one of that cell; false when the browser has no room for it. */
  async put(size: Size, value: unknown): Promise<boolean> {
    const database = await this.open();
    if (!database) return false;
    const change = database.transaction(["values", "sizes"], "readwrite");
    const [values, sizes] = [change.objectStore("values"), change.objectStore("sizes")];
    try {
      const others = (await sizes.getAll()).filter((each) => String(key(each)) !== String(key(size)));
      const going = overBudget([...others, size]);
      // Outputs fill all the room: there is none for a picture.
      if (going.includes(size)) return false;
      const work: Promise<unknown>[] = [change.done];
      for (const each of going) work.push(values.delete(key(each)), sizes.delete(key(each)));
      work.push(values.put({ block: size.block, when: size.when, value }, key(size)));
      work.push(sizes.put(size, key(size)));
      await Promise.all(work);
      return true;
    } catch {
      try {
        change.abort();
      } catch {
        // It has ended by itself.
      }
      await change.done.catch(() => {});
      return false;
    }
  }

  /** What is kept of a lesson's cells, by block. */
  async of(kind: Kind, lesson: string): Promise<Map<string, Kept>> {
    const database = await this.open();
    if (!database) return new Map();
    try {
      const all = await database.getAll("values", IDBKeyRange.bound([kind, lesson, ""], [kind, lesson, []]));
      return new Map(all.map((kept) => [kept.block, kept]));
    } catch {
      return new Map();
    }
  }

  /** Lets go of what is kept of a cell. */
  async forget(kind: Kind, lesson: string, block: string): Promise<void> {
    const database = await this.open();
    if (!database) return;
    const change = database.transaction(["values", "sizes"], "readwrite");
    const at: Key = [kind, lesson, block];
    await Promise.all([
      change.objectStore("values").delete(at),
      change.objectStore("sizes").delete(at),
      change.done,
    ]).catch(() => {});
  }

  /** What is kept, without its values. */
  async sizes(): Promise<Size[]> {
    const database = await this.open();
    return (await database?.getAll("sizes").catch(() => [])) ?? [];
  }

  private open(): Promise<IDBPDatabase<Schema> | null> {
    this.database ??= openDatabase<Schema>(this.name, (database) => {
      database.createObjectStore("values");
      database.createObjectStore("sizes");
    });
    return this.database;
  }
}

function key({ kind, lesson, block }: Size): Key {
  return [kind, lesson, block];
}

export const keptStore = new KeptStore();

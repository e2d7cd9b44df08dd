// The files that Python's sessions see, kept on this computer in a database of their own.
//
// Invariant: a file is replaced in one transaction, so that the old one or the new one is there, whenever the page
// ends. A browser that keeps nothing (private windows, a full disk) leaves files to last as long as the session.
import type { DBSchema, IDBPDatabase } from "idb";
import { openDatabase } from "../store/database";

export interface KeptFile {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the Unix epoch. */
  when: number;
}

interface Schema extends DBSchema {
  files: { key: string; value: KeptFile };
}

export class FileDatabase {
  private database: Promise<IDBPDatabase<Schema> | null> | null = null;

  constructor(private readonly name = "glowgrad-files") {}

  /** All files, by path. */
  async all(): Promise<KeptFile[]> {
    const database = await this.open();
    return (await database?.getAll("files").catch(() => [])) ?? [];
  }

  /** The file at a path; null where there is none. */
  async one(path: string): Promise<KeptFile | null> {
    const database = await this.open();
    return (await database?.get("files", path).catch(() => null)) ?? null;
  }

  /** Writes and removes files; false when the browser keeps nothing. */
  async change(written: KeptFile[], removed: string[] = []): Promise<boolean> {
    const database = await this.open();
    if (!database) return false;
    const change = database.transaction("files", "readwrite");
    try {
      const work: Promise<unknown>[] = [change.done];
      for (const file of written) work.push(change.store.put(file, file.path));
      for (const path of removed) work.push(change.store.delete(path));
      await Promise.all(work);
      return true;
    } catch {
      await change.done.catch(() => {});
      return false;
    }
  }

  private open(): Promise<IDBPDatabase<Schema> | null> {
    this.database ??= openDatabase<Schema>(this.name, (database) => {
      database.createObjectStore("files");
    });
    return this.database;
  }
}

// A database of the browser's, opened; null where the browser has none or refuses (private windows, a full disk).
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** `stores` makes its object stores when it is new. */
export async function openDatabase<Schema extends DBSchema>(
  name: string,
  stores: (database: IDBPDatabase<Schema>) => void,
): Promise<IDBPDatabase<Schema> | null> {
  if (typeof indexedDB === "undefined") return null;
  try {
    return await openDB<Schema>(name, 1, { upgrade: stores });
  } catch {
    return null;
  }
}

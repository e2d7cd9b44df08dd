// Training runs, kept on this computer in a database of their own.
//
// Invariant: a browser that keeps nothing (private windows, a full disk) leaves runs to last as long as the page. At most
// MOST runs are kept: the oldest go first.
import type { DBSchema, IDBPDatabase } from "idb";
import { openDatabase } from "../../store/database";
import { FORM, type Run } from "./record";

export const MOST = 60;

interface Schema extends DBSchema {
  runs: { key: string; value: Run };
}

let database: Promise<IDBPDatabase<Schema> | null> | null = null;

function open(): Promise<IDBPDatabase<Schema> | null> {
  database ??= openDatabase<Schema>("glowgrad-runs", (fresh) => {
    fresh.createObjectStore("runs", { keyPath: "id" });
  });
  return database;
}

/** The kept runs, the oldest first. */
export async function keptRuns(): Promise<Run[]> {
  const found = (await (await open())?.getAll("runs").catch(() => [])) ?? [];
  return found.filter(({ form }) => form === FORM).sort((a, b) => a.when - b.when);
}

/** Whether the browser took it. */
export async function keepRun(run: Run): Promise<boolean> {
  try {
    const place = await open();
    await place?.put("runs", run);
    return place !== null;
  } catch {
    return false;
  }
}

export async function forgetRun(id: string): Promise<void> {
  await (await open())?.delete("runs", id).catch(() => {});
}

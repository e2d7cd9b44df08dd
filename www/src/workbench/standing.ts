// How a cell stands, in words: whether what is under it is of this session and of this text; and running several.

import { tick } from "svelte";
import { t } from "../language/language.svelte";
import type { Cell, Notebook } from "../notebook/notebook.svelte";
import { changed, makerOf, missing, outdatedBy } from "../notebook/order";

/** Why what stands under a cell may not be what it would give now; null where nothing speaks against it. */
export function doubt(notebook: Notebook, cell: Cell): string | null {
  // An exercise has no run of its own, and a run that was cut off never ended.
  const { source } = cell.output;
  const own = changed(cell) || (cell.ran === null && source !== null && source !== cell.source);
  const { file } = cell.output;
  if (file)
    return own ? t("From {name}, changed since", { name: file.name }) : t("From {name}", { name: file.name });
  if (cell.earlier !== null) {
    const when = moment(cell.earlier);
    if (cell.result === null) return t("Interrupted by leaving the page, {when}", { when });
    return own ? t("Earlier session, changed since") : t("Earlier session, {when}", { when });
  }
  if (cell.stale) return t("Ran before Python was restarted");
  if (own) return cell.kind === "exercise" ? t("Changed since the check") : t("Changed since it ran");
  const by = outdatedBy(notebook.cells.values(), cell);
  return by.length > 0 ? t("Out of date: {names} changed", { names: list(by) }) : null;
}

/** The cells above to run again: those that ran once, and are of another session or text now. */
export function above(notebook: Notebook, cell: Cell): string[] {
  const names = missing(notebook.cells.values(), cell);
  const before = names.some((name) => notebook.cells.get(name)?.ran);
  return before ? names : [];
}

/** Runs cells in order; where one fails, the page goes there. True when all ended well. */
export async function runInOrder(notebook: Notebook, names: string[]): Promise<boolean> {
  await notebook.runAll(names);
  const failed = names.find((name) => {
    const cell = notebook.cells.get(name);
    return cell && (cell.result !== "ok" || cell.stale);
  });
  // What it raised is drawn first.
  await tick();
  if (failed !== undefined) document.getElementById(failed)?.scrollIntoView();
  return failed === undefined;
}

/** Names of cells as a sentence has them: two, or how many. */
export function list(names: string[]): string {
  if (names.length <= 1) return names[0] ?? "";
  if (names.length > 2) return t("{n} cells", { n: names.length });
  return t("{names} and {last}", { names: names.slice(0, -1).join(", "), last: names.at(-1) ?? "" });
}

/** A time of the clock, and the day if it is not today. */
export function moment(when: number, now = Date.now()): string {
  const clock: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hour12: false };
  const same = new Date(when).toDateString() === new Date(now).toDateString();
  const day: Intl.DateTimeFormatOptions = same ? {} : { day: "numeric", month: "short" };
  return new Date(when).toLocaleString("en-GB", { ...day, ...clock });
}

/** A cell that makes a name which another one misses. */
export type Maker = NonNullable<ReturnType<typeof makerOf>>;

/** The cell above that makes the name which a NameError of this cell misses. */
export function madeAbove(notebook: Notebook, cell: Cell): Maker | null {
  const { error } = cell.output;
  if (error?.kind !== "NameError") return null;
  return makerOf(notebook.cells.values(), cell, error.message);
}

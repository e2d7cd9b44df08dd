// What the page offers to run again of an earlier session: one offer, which what else could offer the same gives way to.
import type { Notebook } from "./notebook.svelte";
import { gone } from "./order";

/** The cells of an earlier session, until one has run in this, or the learner has said not now. */
export function offeredAgain(notebook: Notebook): string[] {
  const cells = [...notebook.cells.values()];
  if (notebook.notNow || cells.some(({ ran, stale, state }) => (ran && !stale) || state !== "idle"))
    return [];
  return gone(cells).filter((name) => notebook.cells.get(name)?.earlier != null);
}

// Marks in the code of a cell: its last error, and where numbers of the graph on stage first broke.
//
// Invariant: pure. A mark is of the run that made it, and stands at the line that it is about, or nowhere.
import type { LineError } from "../code/marks";
import { lineNow } from "../code/moved";
import { t } from "../language/language.svelte";
import type { Cell, Notebook } from "./notebook.svelte";

/** The cell's last error as a mark in its code, where its line is known. */
export function errorAt(cell: Cell): LineError | null {
  const error = cell.output.error;
  // A stop is not a fault of the line it came to.
  if (!error?.line || error.kind === "KeyboardInterrupt") return null;
  if (error.cell !== null && error.cell !== cell.name) return null;
  const line = lineNow(cell.output.source, cell.source, error.line);
  return line === null ? null : { line, text: `${error.kind}: ${error.message}` };
}

/** Where a value or gradient of the graph on stage first broke, as a mark in the cell's code. */
export function brokenAt(notebook: Notebook, cell: Cell): LineError | null {
  const finding = notebook.broken.find((each) => each.cell === cell.name);
  const line = finding?.line ? lineNow(cell.output.source, cell.source, finding.line) : null;
  return finding && line !== null
    ? {
        line,
        text: finding.told ?? t("First {label} in {text}", { label: finding.label, text: finding.text }),
      }
    : null;
}

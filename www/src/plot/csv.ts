// The points of runs as CSV: one row a point, RFC 4180.
//
// Invariant: every point that is kept is there as it came, not smoothed, NaN and Infinity by name.
import { type Column, points } from "../notebook/series";

export interface Plotted {
  name: string;
  columns: Column[];
}

export function csv(runs: Plotted[]): string {
  const rows = ["run,series,step,value"];
  for (const { name, columns } of runs) {
    for (const column of columns) {
      const { xs, ys } = points(column);
      const start = `${quoted(name)},${quoted(column.name)},`;
      xs.forEach((x, index) => {
        rows.push(`${start}${x},${ys[index]}`);
      });
    }
  }
  return `${rows.join("\r\n")}\r\n`;
}

/** A field; text that a spreadsheet would take for a formula begins with a quote. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

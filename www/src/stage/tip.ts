// Where a node's tip stands: the whole of it on the table, which clips what reaches over its edges.
//
// Invariant: pure. A tip that is taller than the table keeps its top, where title and rule are.

export type TipSide = "under" | "over" | "right" | "left";

/** Over or under: on the side that was preferred, unless the tip has room on the other alone. */
export function tipSide(preferred: "under" | "over", y: number, reach: number, tip: number, table: number) {
  const roomUnder = y + reach + tip <= table;
  const roomOver = y - reach - tip >= 0;
  if (preferred === "over") return roomOver || !roomUnder ? "over" : "under";
  return roomUnder || !roomOver ? "under" : "over";
}

/** The place that a tip of this height is moved from (its top, bottom or middle, by its side), within the table. */
export function tipTop(side: TipSide, top: number, tip: number, table: number, margin: number): number {
  const above = side === "under" ? 0 : side === "over" ? tip : tip / 2;
  return Math.max(margin + above, Math.min(top, table - margin - (tip - above)));
}

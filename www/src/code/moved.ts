// Where a line of a text that ran stands in the text as it is now.
//
// Invariant: pure. A mark stands beside the line that it is about, or nowhere: null where that line cannot be told.

/** Lines count from 1. Null for `ran`: nothing is known of the text that ran, and the line stays where it was. */
export function lineNow(ran: string | null, now: string, line: number): number | null {
  if (ran === null || ran === now) return line;
  const [before, after] = [ran.split("\n"), now.split("\n")];
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  // Above what changed, or edited in its place; or below it.
  if (line <= head || before.length === after.length) return line;
  if (line > before.length - tail) return line + after.length - before.length;
  // In what changed, a line that is there once is the same one.
  const places = (lines: string[]) =>
    lines
      .slice(head, lines.length - tail)
      .flatMap((each, at) => (each === before[line - 1] ? [head + at + 1] : []));
  const [place, other] = places(after);
  return place !== undefined && other === undefined && places(before).length === 1 ? place : null;
}

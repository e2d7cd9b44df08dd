// Two pieces of code side by side: which lines are the same, which differ, and where within a line.
//
// Invariant: pure; the left sides in order are the first text, line by line, the right sides the
// second. Lines are matched by their longest common subsequence; blanks at a line's end do not count.

export interface Side {
  /** Counted from 1. */
  line: number;
  text: string;
  /** The part that differs from the line beside it; null when the whole line is the same or alone. */
  differs: [from: number, to: number] | null;
}

export interface Row {
  left: Side | null;
  right: Side | null;
  same: boolean;
}

export function compare(left: string, right: string): Row[] {
  const [a, b] = [lines(left), lines(right)];
  const lengths = commonLengths(a, b);
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push({ left: side(a, i++), right: side(b, j++), same: true });
      continue;
    }
    // Lines that differ, up to the next common line, stand side by side as far as both have some.
    const [fromA, fromB] = [i, j];
    while ((i < a.length || j < b.length) && !(i < a.length && j < b.length && a[i] === b[j])) {
      const skipA = lengths[i + 1]?.[j] ?? -1;
      const skipB = lengths[i]?.[j + 1] ?? -1;
      if (j >= b.length || (i < a.length && skipA >= skipB)) i += 1;
      else j += 1;
    }
    rows.push(...beside(a.slice(fromA, i), fromA, b.slice(fromB, j), fromB));
  }
  return rows;
}

function lines(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
}

function side(texts: string[], index: number): Side {
  return { line: index + 1, text: texts[index] ?? "", differs: null };
}

/** Lines that differ, the first of one beside the first of the other. */
function beside(a: string[], fromA: number, b: string[], fromB: number): Row[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, index): Row => {
    const [one, two] = [a[index], b[index]];
    const left = one === undefined ? null : { line: fromA + index + 1, text: one, differs: null };
    const right = two === undefined ? null : { line: fromB + index + 1, text: two, differs: null };
    if (!left || !right) return { left, right, same: false };
    const [inOne, inTwo] = apart(left.text, right.text);
    return { left: { ...left, differs: inOne }, right: { ...right, differs: inTwo }, same: false };
  });
}

/** The parts of two lines between their common beginning and their common end. */
function apart(one: string, two: string): [Side["differs"], Side["differs"]] {
  const most = Math.min(one.length, two.length);
  let start = 0;
  while (start < most && one[start] === two[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === two.at(-1 - end)) end += 1;
  return [
    [start, one.length - end],
    [start, two.length - end],
  ];
}

/** The length of the longest common subsequence of `a` from i on and `b` from j on. */
function commonLengths(a: string[], b: string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i] as number[];
      row[j] =
        a[i] === b[j]
          ? (lengths[i + 1]?.[j + 1] ?? 0) + 1
          : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

// The free notebook as a list: which cells and notes it has, and in which order.
//
// Invariant: pure. The order is a text of its own, a name a line, so that it is kept and joined with other tabs as any
// text is. A cell that holds something is shown even where the order does not name it, as when two tabs added one each.

export type BlockKind = "cell" | "note";

/** The name under which the order is kept among the texts of the notebook. */
export const ORDER = "order";
/** The order of a notebook that has not been touched. */
export const FIRST = "cell-1";
export const MOST_BLOCKS = 500;

const NAME = /^(cell|note)-[1-9]\d{0,5}$/;

/** Whether a name is that of a cell or of a note; null for any other text. */
export function kindOf(name: string): BlockKind | null {
  return (NAME.exec(name)?.[1] as BlockKind | undefined) ?? null;
}

/** The names in the order they stand in; `written` are those that hold something. */
export function arranged(order: string, written: Iterable<string>): string[] {
  const names = [...order.split("\n"), ...written].filter((name) => kindOf(name) !== null);
  return [...new Set(names)].slice(0, MOST_BLOCKS);
}

export function orderText(names: readonly string[]): string {
  return names.join("\n");
}

/** A name that none of these has. */
export function freshName(kind: BlockKind, names: Iterable<string>): string {
  const numbers = [...names].filter((name) => kindOf(name) === kind).map((name) => Number(name.slice(5)));
  return `${kind}-${Math.max(0, ...numbers) + 1}`;
}

/** With `name` behind `after`; at the end where that is null. */
export function inserted(names: readonly string[], name: string, after: string | null): string[] {
  const at = after === null ? names.length : names.indexOf(after) + 1;
  return [...names.slice(0, at), name, ...names.slice(at)];
}

/** With `name` one place up (−1) or down (1), where there is one. */
export function moved(names: readonly string[], name: string, by: -1 | 1): string[] {
  const at = names.indexOf(name);
  const to = at + by;
  if (at < 0 || to < 0 || to >= names.length) return [...names];
  const rest = names.filter((each) => each !== name);
  return [...rest.slice(0, to), name, ...rest.slice(to)];
}

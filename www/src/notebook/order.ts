// The order of running: which cells above are still to run, which results rest on texts that have changed, and
// whether a NameError comes from a cell above that has not run.
//
// Invariant: pure. Cells come in the order of the page. No dependency between cells is guessed: a cell may use
// whatever stands above it, as in a notebook that runs from top to bottom. Only a missing name is looked up.
import type { Ran } from "./ran";

/** What is judged of a cell. */
export interface Standing {
  name: string;
  kind: "cell" | "exercise" | "note" | "order";
  source: string;
  /** The id of `source`. */
  textId: string;
  ran: Ran | null;
  /** Its variables are not in Python: it ran in another session. */
  stale: boolean;
  result: "ok" | "error" | null;
}

/** Whether its text is another than that which ran. */
export function changed({ ran, textId }: Standing): boolean {
  return ran !== null && ran.text !== textId;
}

/** The cells above whose text was another when the cell ran. */
export function outdatedBy(cells: Iterable<Standing>, cell: Standing): string[] {
  const { ran } = cell;
  if (!ran) return [];
  return above(cells, cell)
    .filter(({ name, textId }) => ran.above[name] !== undefined && ran.above[name] !== textId)
    .map(({ name }) => name);
}

/**
 * The cells above that have to run so that all above stands as it is written: from the first that has not run to
 * its end in this session, or not with its text, down to the cell.
 */
export function missing(cells: Iterable<Standing>, cell: Standing): string[] {
  const all = above(cells, cell);
  const first = all.findIndex(
    (each) => each.stale || each.result !== "ok" || changed(each) || outdatedBy(all, each).length > 0,
  );
  return first < 0 ? [] : all.slice(first).map(({ name }) => name);
}

/** The cells that ran in an earlier session or in one that was lost, and have not run since. */
export function gone(cells: Iterable<Standing>): string[] {
  return [...cells].filter(({ kind, stale, ran }) => kind === "cell" && stale && ran).map(({ name }) => name);
}

/** The cell above that makes the name which an error misses, unless it had run before; `isThere`: it has run since. */
export function makerOf(
  cells: Iterable<Standing>,
  cell: Standing,
  message: string,
): { missing: string; name: string; isThere: boolean } | null {
  const name = /name '([^']+)' is not defined/.exec(message)?.[1];
  if (name === undefined) return null;
  const maker = above(cells, cell).findLast(({ source }) => binds(source, name));
  if (!maker) return null;
  const { ran } = maker;
  const isThere = ran !== null && !maker.stale && maker.result === "ok" && !changed(maker);
  const isLater = cell.stale || (cell.ran !== null && ran !== null && ran.order > cell.ran.order);
  return isThere && !isLater ? null : { missing: name, name: maker.name, isThere };
}

/** Whether a text of Python gives a name a value, as far as its single lines show. */
export function binds(source: string, name: string): boolean {
  const word = `(?<![\\w.])${name.replace(/\W/g, "")}(?!\\w)`;
  const ways = [
    `^\\s*(?:async\\s+)?(?:def|class)\\s+${word}`,
    `^\\s*(?:from\\s+\\S+\\s+)?import\\s+(?:.*,\\s*)?\\(?${word}`,
    `\\bas\\s+\\(?${word}`,
    `^\\s*(?:async\\s+)?for\\s[^:]*?${word}[^:]*?\\sin\\s`,
    `${word}\\s*:=`,
  ];
  const [target, way] = [new RegExp(word), new RegExp(ways.join("|"))];
  return source
    .replace(/'[^'\n]*'|"[^"\n]*"|#.*/g, "")
    .split("\n")
    .some((line) => target.test(targets(line)) || way.test(line));
}

/** What stands before the last `=` of an assignment, without what is in its subscripts; empty where there is none. */
function targets(line: string): string {
  let depth = 0;
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    else if (character === "=" && line[at + 1] === "=") at += 1;
    else if (character === "=" && depth === 0 && !/[!<>:+\-*/%@&|^]/.test(line[at - 1] ?? "")) end = at;
  }
  return line.slice(0, end).replace(/(?<=\w)\[[^\]]*\]/g, "");
}

function above(cells: Iterable<Standing>, cell: Standing): Standing[] {
  const found: Standing[] = [];
  for (const each of cells) {
    if (each.name === cell.name) break;
    if (each.kind === "cell") found.push(each);
  }
  return found;
}

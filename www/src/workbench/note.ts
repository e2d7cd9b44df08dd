// A note's text as parts to draw: headings, lists, quotes, tables, code and paragraphs of Markdown. What stands in their
// lines is told in spans.ts.
//
// Invariant: pure, and never HTML: whatever stands in a note that came in a file is shown as text. A list has no list in
// it, and code by indentation is a paragraph.
import { MATH, SOLID } from "./spans";

export type Part =
  | { kind: "heading"; level: number; text: string }
  /** `start` is the first item's number; null where items have none. */
  | { kind: "list"; items: string[]; start: number | null }
  | { kind: "code"; text: string }
  | { kind: "text"; text: string }
  | { kind: "quote"; parts: Part[] }
  | Table
  | { kind: "rule" };

export interface Table {
  kind: "table";
  /** Where each column's text stands. */
  sides: ("left" | "center" | "right")[];
  head: string[];
  /** Each row has as many cells as the head. */
  rows: string[][];
}

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/s;
const UNDERLINE = /^ {0,3}(={2,}|-{2,})\s*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const DEEPEST_QUOTE = 8;
const ITEM = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/s;
const COLUMNS = /^\|?\s*:?-+:?(?:\s*\|\s*:?-+:?)*\s*\|?$/;
const CELL = new RegExp(String.raw`${MATH}|\\\||\|`, "gisu");
const WHOLE = new RegExp(`${SOLID}|${MATH}`, "gisu");
const LONGEST_FORMULA = 200;

export function parts(note: string, depth = 0): Part[] {
  const found: Part[] = [];
  const lines = note.split(/\r?\n/);
  let code: string[] | null = null;
  let open = false;
  for (let at = 0; at < lines.length; at += 1) {
    const last = found.at(-1);
    const first = lines[at] ?? "";
    if (FENCE.test(first)) {
      if (code) found.push({ kind: "code", text: code.join("\n") });
      code = code ? null : [];
      open = false;
      continue;
    }
    if (code) {
      code.push(first);
      continue;
    }
    if (QUOTE.test(first) && depth < DEEPEST_QUOTE) {
      const end = until(lines, at, (line) => !QUOTE.test(line));
      const quoted = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
      found.push({ kind: "quote", parts: parts(quoted.join("\n"), depth + 1) });
      at = end - 1;
      open = false;
      continue;
    }
    const table = tableAt(lines, at);
    if (table) {
      found.push(table);
      at += table.rows.length + 1;
      open = false;
      continue;
    }
    const end = endOfFormula(lines, at);
    const line = lines.slice(at, end).join("\n");
    at = end - 1;
    const heading = HEADING.exec(line);
    const underline: string | undefined =
      open && last?.kind === "text" ? UNDERLINE.exec(line)?.[1] : undefined;
    const isRule = RULE.test(line);
    const item = ITEM.exec(line);
    if (heading) found.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" });
    else if (underline && last?.kind === "text") {
      found.splice(-1, 1, { kind: "heading", level: underline.startsWith("=") ? 1 : 2, text: last.text });
    } else if (isRule) found.push({ kind: "rule" });
    else if (item) {
      const [, number, text = ""] = item;
      if (last?.kind === "list") last.items.push(text);
      else found.push({ kind: "list", items: [text], start: number === undefined ? null : Number(number) });
    } else if (line.trim() && open && last?.kind === "text") last.text += `\n${line}`;
    else if (line.trim() && open && last?.kind === "list") {
      last.items.push(`${last.items.pop()}\n${line.trimStart()}`);
    } else if (line.trim()) found.push({ kind: "text", text: line });
    open = line.trim() !== "" && !heading && !underline && !isRule;
  }
  if (code) found.push({ kind: "code", text: code.join("\n") });
  return found;
}

/** The first line from `at` on of which this holds; their number where there is none. */
function until(lines: readonly string[], at: number, ends: (line: string) => boolean): number {
  let end = at;
  while (end < lines.length && !ends(lines[end] ?? "")) end += 1;
  return end;
}

/** Behind which line a formula ends that begins in a line: signs at the beginning of its lines are no marks. */
function endOfFormula(lines: readonly string[], at: number): number {
  const begun = /\$\$|\\begin\{([a-z]+\*?)\}/i.exec((lines[at] ?? "").replace(WHOLE, ""));
  if (!begun) return at + 1;
  const closing = begun[1] ? `\\end{${begun[1]}}` : "$$";
  for (const [index, line] of lines.slice(at + 1, at + LONGEST_FORMULA).entries()) {
    // A formula has no empty line: its dollars are dollars.
    if (!line.trim()) break;
    if (line.includes(closing)) return at + index + 2;
  }
  return at + 1;
}

/** The table of GitHub's Markdown that begins in a line. */
function tableAt(lines: readonly string[], at: number): Table | null {
  const [first = "", second = ""] = lines.slice(at, at + 2);
  if (!first.includes("|") || !COLUMNS.test(second.trim()) || HEADING.test(first)) return null;
  const head = cells(first);
  const sides = cells(second).map((column) => {
    if (!column.endsWith(":")) return "left";
    return column.startsWith(":") ? "center" : "right";
  });
  if (sides.length !== head.length) return null;
  const isOther = (line: string) => [FENCE, HEADING, QUOTE, /^\s*$/].some((begins) => begins.test(line));
  const rows = lines.slice(at + 2, until(lines, at + 2, isOther)).map((line) => {
    const row = cells(line);
    return head.map((_, column) => row[column] ?? "");
  });
  return { kind: "table", sides, head, rows };
}

/** A row's cells: a line in a formula, or behind a backslash, ends none. */
function cells(row: string): string[] {
  const found = [""];
  const line = row.trim().replace(/^\|/, "");
  let done = 0;
  for (const { 0: whole, index } of line.matchAll(CELL)) {
    const more = line.slice(done, index) + (whole === "|" ? "" : whole === "\\|" ? "|" : whole);
    found.push(found.pop() + more);
    if (whole === "|") found.push("");
    done = index + whole.length;
  }
  const rest = line.slice(done);
  if (rest.trim()) found.push(found.pop() + rest);
  else if (found.length > 1 && found.at(-1) === "") found.pop();
  return found.map((cell) => cell.trim());
}

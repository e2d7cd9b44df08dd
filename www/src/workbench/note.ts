// A note's text as parts to draw: headings, lists, code and paragraphs of Markdown.
//
// Invariant: pure, and never HTML: whatever stands in a note that came in a file is shown as text. Links, tables and
// mathematics stay as they are written: the page ships no typesetter.

export type Part =
  | { kind: "heading"; level: number; text: string }
  | { kind: "list"; items: string[]; numbered: boolean }
  | { kind: "code"; text: string }
  | { kind: "text"; text: string };

/** A piece of a line: text, in which code stands between backticks, or other pieces that are emphasised. */
export type Span = { kind: "text"; text: string } | { kind: "em" | "strong"; spans: Span[] };

/** Code, and a sign after a backslash, are no marks. `_` is one at the ends of words alone, as names of Python hold it. */
const MARKS = [
  /`[^`]*`|\\([*_])/u,
  /\*\*(?=\S)((?:`[^`]*`|[^`])+?)(?<=\S)\*\*(?!\*)/u,
  /(?<![\p{L}\p{N}_])__(?=\S)((?:`[^`]*`|[^`])+?)(?<=\S)__(?![\p{L}\p{N}_])/u,
  /\*(?=[^\s*]|\*\*)((?:`[^`]*`|\*\*|[^`*])+?)(?<=\S)\*(?!\*)/u,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])((?:`[^`]*`|[^`])+?)(?<=\S)_(?![\p{L}\p{N}_])/u,
];
const MARK = new RegExp(MARKS.map(({ source }) => source).join("|"), "gsu");

export function spans(text: string): Span[] {
  const found: Span[] = [];
  const add = (more: string) => {
    const last = found.at(-1);
    if (last?.kind === "text") last.text += more;
    else if (more) found.push({ kind: "text", text: more });
  };
  let done = 0;
  for (const { 0: whole, 1: escaped, 2: stars, 3: lines, 4: star, 5: line, index } of text.matchAll(MARK)) {
    add(text.slice(done, index));
    done = index + whole.length;
    const [strong, em] = [stars ?? lines, star ?? line];
    if (strong) found.push({ kind: "strong", spans: spans(strong) });
    else if (em) found.push({ kind: "em", spans: spans(em) });
    else add(escaped ?? whole);
  }
  add(text.slice(done));
  return found;
}

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;

export function parts(note: string): Part[] {
  const found: Part[] = [];
  let code: string[] | null = null;
  let open = false;
  for (const line of note.split(/\r?\n/)) {
    const last = found.at(-1);
    if (/^\s*(```|~~~)/.test(line)) {
      if (code) found.push({ kind: "code", text: code.join("\n") });
      code = code ? null : [];
      open = false;
      continue;
    }
    if (code) {
      code.push(line);
      continue;
    }
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    const item = ITEM.exec(line);
    if (heading) found.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" });
    else if (item) {
      if (last?.kind === "list") last.items.push(item[2] ?? "");
      else found.push({ kind: "list", items: [item[2] ?? ""], numbered: item[1] !== undefined });
    } else if (line.trim() && open && last?.kind === "text") last.text += `\n${line}`;
    else if (line.trim()) found.push({ kind: "text", text: line });
    open = line.trim() !== "" && !heading && !item;
  }
  if (code) found.push({ kind: "code", text: code.join("\n") });
  return found;
}

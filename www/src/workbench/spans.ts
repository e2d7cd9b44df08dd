// A line of a note as pieces to draw: emphasis, code, formulas and links.
//
// Invariant: pure, and never HTML: what is none of these stays text. A link goes to a web page, a mail address or a route
// of this page. Nothing in a formula or in code is a mark. Formulas are told from dollars as Jupyter and Pandoc do: no
// space within the dollars, no digit behind them. Links by reference and footnotes stay as they are written.

export type Span =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "em" | "strong"; spans: Span[] }
  | { kind: "link"; href: string; spans: Span[] }
  | Formula;

export interface Formula {
  kind: "math";
  /** What stands between the dollars. */
  tex: string;
  display: boolean;
  /** Brackets before it and punctuation behind it, which a line does not end between. */
  before: string;
  after: string;
  /** All of that as it is written. */
  text: string;
}

const CODE = /(?<!`)(?<ticks>`+)(?!`)(?<code>.+?)(?<!`)\k<ticks>(?!`)/u;
const ESCAPE = /\\(?<sign>[!-/:-@[-`{-~])/u;
const DISPLAY = /\$\$(?<display>(?:\\.|(?!\$\$)[^\\])+)\$\$/u;
/** Jupyter sets an environment without dollars, too. */
const ENVIRONMENT = /(?<environment>\\begin\{(?<name>[a-z]+\*?)\}.{0,9000}?\\end\{\k<name>\})/u;
const INLINE =
  /(?<before>\({0,3})(?<!\$)\$(?![\s$])(?<inline>(?:\\.|[^\\$])+)(?<!\s)\$(?![\d$])(?<after>[)\].,:;!?…]*)/u;

/** Formulas, the longer kind first. */
export const MATH = [DISPLAY, ENVIRONMENT, INLINE].map(({ source }) => source).join("|");
/** What holds no marks. */
export const SOLID = [CODE, ESCAPE].map(({ source }) => source).join("|");

/** Where a link may go. Parentheses in an address come in pairs. */
const TO = String.raw`(?:https?://|mailto:|#/)(?:[^\s()<>]|\([^\s()<>]*\))*`;
const LABEL = String.raw`\[(?<label>(?:\x60[^\x60]*\x60|\\.|[^\[\]\x60\\]|\[[^\[\]]*\])*)\]`;
const TITLE = String.raw`(?:\s+(?:"[^"]*"|'[^']*'))?\s*`;
const LINK = String.raw`(?<image>!?)${LABEL}\(\s*(?:<(?<within>${TO})>|(?<to>${TO}))${TITLE}\)`;
const BRACKETED = String.raw`<(?<bracketed>(?:https?://|mailto:)[^\s<>]+)>`;
/** The sentence's punctuation behind an address is not of it. */
const BARE = String.raw`(?<![\p{L}\p{N}])(?<bare>https?://(?:[^\s()<>\[\]\x60"*]|\([^\s()<>]*\))*(?:[^\s()<>\[\]\x60"*.,:;!?'~_]|\([^\s()<>]*\)))`;
/** The address of a picture that is within the text is the picture's bytes: it is cut. */
const DATA = String.raw`(?<data>data:[\w/+.\-]+;base64,)[\w+/=]{24,}`;
/** Stands for a piece while marks are looked for; the note's own such signs are pieces, too. */
const HELD = "\uE000";
const PIECE = new RegExp([SOLID, MATH, LINK, BRACKETED, BARE, DATA, HELD].join("|"), "gisu");

/** `_` is a mark at the ends of words alone, as names of Python hold it. */
const MARKS = [
  /\*\*(?=\S)(.{1,2000}?)(?<=\S)\*\*(?!\*)/u,
  /(?<![\p{L}\p{N}_])__(?=\S)(.{1,2000}?)(?<=\S)__(?![\p{L}\p{N}_])/u,
  /\*(?=[^\s*]|\*\*)((?:\*\*|[^*]){1,2000}?)(?<=\S)\*(?!\*)/u,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])(.{1,2000}?)(?<=\S)_(?![\p{L}\p{N}_])/u,
];
const MARK = new RegExp(MARKS.map(({ source }) => source).join("|"), "gsu");

export function spans(text: string): Span[] {
  return read(text, false);
}

/** `linked` is a link's own text: a link within it is its text alone. */
function read(text: string, linked: boolean): Span[] {
  const pieces: Span[][] = [];
  const held = text.replace(PIECE, (...match) => {
    pieces.push(pieceOf(match[0], match.at(-1), linked));
    return HELD;
  });
  return emphasised(held, pieces.values());
}

function pieceOf(whole: string, found: Record<string, string | undefined>, linked: boolean): Span[] {
  const { code, sign, display, environment, inline, label, data } = found;
  // A space at both ends keeps a backtick from the marks.
  if (code !== undefined) return [{ kind: "code", text: code.replace(/^ (.*\S.*) $/s, "$1") }];
  if (sign !== undefined) return [{ kind: "text", text: sign }];
  const block = display ?? environment;
  const tex = block ?? inline;
  const { before = "", after = "" } = found;
  if (tex !== undefined) {
    return [{ kind: "math", tex, display: block !== undefined, before, after, text: whole }];
  }
  if (data !== undefined) return [{ kind: "text", text: `${data}…` }];
  const href = found.within ?? found.to ?? found.bracketed ?? found.bare;
  if (href === undefined) return [{ kind: "text", text: whole }];
  // No picture is loaded from elsewhere.
  const shown = label !== undefined && !found.image ? read(label, true) : [];
  if (!shown.length) shown.push({ kind: "text", text: label || href });
  return linked ? shown : [{ kind: "link", href, spans: shown }];
}

function emphasised(text: string, pieces: Iterator<Span[]>): Span[] {
  const found: Span[] = [];
  const push = (span: Span) => {
    const last = found.at(-1);
    // A formula of its own has a line of its own.
    if (last?.kind === "text" && isBlock(span)) {
      last.text = last.text.trimEnd();
      if (!last.text) found.pop();
    }
    if (span.kind === "text" && last && isBlock(last)) span = { ...span, text: span.text.trimStart() };
    if (last?.kind === "text" && span.kind === "text") last.text += span.text;
    else if (span.kind !== "text" || span.text) found.push(span);
  };
  const add = (more: string) => {
    for (const [index, plain] of more.split(HELD).entries()) {
      if (index) for (const span of pieces.next().value ?? []) push(span);
      push({ kind: "text", text: plain });
    }
  };
  let done = 0;
  for (const { 0: whole, 1: stars, 2: lines, 3: star, 4: line, index } of text.matchAll(MARK)) {
    add(text.slice(done, index));
    done = index + whole.length;
    const strong = stars ?? lines;
    push({
      kind: strong ? "strong" : "em",
      spans: emphasised(strong ?? star ?? line ?? "", pieces),
    });
  }
  add(text.slice(done));
  return found;
}

function isBlock(span: Span): boolean {
  return span.kind === "math" && span.display;
}

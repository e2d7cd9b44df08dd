// A note's text as parts to draw: headings, lists, quotes, tables, code and paragraphs of GitHub's Markdown, which marked
// reads. What stands in their lines is told in spans.ts.
//
// Invariant: pure, and never HTML: whatever stands in a note that came in a file is shown as text.
import { Lexer, type Token, type Tokens } from "marked";
import { Held, type Span } from "./spans";

export type Part =
  | { kind: "heading"; level: number; spans: Span[] }
  /** `start` is the first item's number; null where items have none. */
  | { kind: "list"; items: Item[]; start: number | null }
  | { kind: "code"; text: string }
  | { kind: "text"; spans: Span[] }
  | { kind: "quote"; parts: Part[] }
  | Table
  | { kind: "rule" };

/** An item, and whether its box is checked; null where it has none. */
export interface Item {
  parts: Part[];
  checked: boolean | null;
}

export interface Table {
  kind: "table";
  /** Where each column's text stands. */
  sides: ("left" | "center" | "right")[];
  head: Span[][];
  /** Each row has as many cells as the head. */
  rows: Span[][][];
}

/** Lists and quotes within each other; what lies deeper is shown as it is written. */
const DEEPEST = 12;
const COMMENT = /<!--.*?-->/gs;

export function parts(note: string): Part[] {
  const held = new Held(note);
  let tokens: Token[];
  try {
    tokens = Lexer.lex(held.note);
  } catch {
    // marked reads lists and quotes within each other by recursion, so thousands of them are too many.
    return [{ kind: "text", spans: [{ kind: "text", text: note }] }];
  }
  return read(tokens, held, 0);
}

function read(tokens: readonly Token[], held: Held, depth: number): Part[] {
  return tokens.flatMap((token) => part(token, held, depth));
}

function paragraph(spans: Span[]): Part[] {
  return spans.some((span) => span.kind !== "text" || span.text) ? [{ kind: "text", spans }] : [];
}

function part(token: Token, held: Held, depth: number): Part[] {
  switch (token.type) {
    case "space":
    case "checkbox":
      return [];
    case "heading": {
      const { depth: level, tokens } = token as Tokens.Heading;
      return [{ kind: "heading", level, spans: held.spans(tokens) }];
    }
    case "code":
      return [{ kind: "code", text: held.written(token.text) }];
    case "hr":
      return [{ kind: "rule" }];
    case "blockquote":
      if (depth === DEEPEST) return paragraph(held.text(token.raw));
      return [{ kind: "quote", parts: read((token as Tokens.Blockquote).tokens, held, depth + 1) }];
    case "list": {
      const { items, ordered, start } = token as Tokens.List;
      if (depth === DEEPEST) return paragraph(held.text(token.raw));
      const told = items.map((item) => ({
        parts: read(item.tokens, held, depth + 1),
        checked: item.task ? item.checked === true : null,
      }));
      return [{ kind: "list", items: told, start: ordered ? Number(start) : null }];
    }
    case "table": {
      const { header, align, rows } = token as Tokens.Table;
      const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => held.spans(tokens));
      return [
        {
          kind: "table",
          sides: align.map((side) => side ?? "left"),
          head: cells(header),
          rows: rows.map(cells),
        },
      ];
    }
    case "html":
      return paragraph(held.html(token.raw.replaceAll(COMMENT, "").trim()));
    case "def":
      // Where links lead is not shown; the text of a footnote is.
      return token.tag.startsWith("^") ? paragraph(held.text(token.raw.trim())) : [];
    default:
      return paragraph("tokens" in token && token.tokens ? held.spans(token.tokens) : held.text(token.raw));
  }
}

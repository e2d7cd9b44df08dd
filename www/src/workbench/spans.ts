// What stands in a line of a note as pieces to draw: emphasis, code, formulas and links.
//
// Invariant: pure, and never HTML: tags stay text. A link goes to a web page, a mail address or a route of this page.
// Nothing in a formula or in code is a mark. Formulas are told from dollars as Jupyter and Pandoc do: no space within the
// dollars, no digit behind them. Markdown knows none, so they are held while it is read: a sign with a number stands for
// each.
import type { Token, Tokens } from "marked";

export type Span =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "em" | "strong" | "del"; spans: Span[] }
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

const CODE = /(?<!`)(?<ticks>`+)(?!`)(?:.+?)(?<!`)\k<ticks>(?!`)/u;
const ESCAPE = /\\[!-/:-@[-`{-~]/u;
const DISPLAY = /\$\$(?<display>(?:\\.|(?!\$\$|\n\s*\n)[^\\])+)\$\$/u;
/** Jupyter sets an environment without dollars, too. */
const ENVIRONMENT =
  /(?<environment>\\begin\{(?<name>[a-z]+\*?)\}(?:(?!\n\s*\n).){0,9000}?\\end\{\k<name>\})/u;
const INLINE = /(?<!\$)\$(?![\s$])(?<inline>(?:\\.|(?!\n\s*\n)[^\\$])+)(?<!\s)\$(?![\d$])/u;
const FORMULA = new RegExp(
  [CODE, DISPLAY, ENVIRONMENT, ESCAPE, INLINE].map((it) => it.source).join("|"),
  "gisu",
);
const HELD = /\uE000(\d+)\uE001/g;

/** Where a link may go. */
const TO = /^(?:https?:\/\/|mailto:|#\/)[^\s<>]+$/i;
/** The address of a picture that is within the text is the picture's bytes: it is cut. */
const DATA = /(data:[\w/+.-]+;base64,)[\w+/=]{24,}/g;
const ENTITY = /&(amp|lt|gt|quot|apos|#39|nbsp);/g;
const MEANT: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", nbsp: "\u00a0" };

/** A note whose formulas are held, and the formulas. */
export class Held {
  readonly note: string;
  readonly #formulas: Formula[] = [];

  constructor(note: string) {
    this.note = note.replaceAll(FORMULA, (text, ...match) => {
      const { display, environment, inline } = match.at(-1);
      const block = display ?? environment;
      const tex = block ?? inline;
      if (tex === undefined) return text;
      const formula = { tex, display: block !== undefined, before: "", after: "", text };
      return `\uE000${this.#formulas.push({ kind: "math", ...formula }) - 1}\uE001`;
    });
  }

  /** A text as it is written. */
  written(text: string): string {
    return text.replaceAll(HELD, (held, at) => this.#formulas[Number(at)]?.text ?? held);
  }

  /** A text whose formulas are formulas. */
  text(text: string): Span[] {
    return text.split(/\uE000(\d+)\uE001/).flatMap((piece, index): Span[] => {
      const formula = index % 2 ? this.#formulas[Number(piece)] : undefined;
      if (formula) return [formula];
      return [{ kind: "text", text: index % 2 ? `\uE000${piece}\uE001` : piece.replaceAll(DATA, "$1…") }];
    });
  }

  /** Markdown's tokens of a line. */
  spans(tokens: readonly Token[]): Span[] {
    return joined(tokens.flatMap((token) => this.#span(token)));
  }

  #span(token: Token): Span[] {
    switch (token.type) {
      case "strong":
      case "em":
      case "del":
        return [{ kind: token.type, spans: this.spans((token as Tokens.Strong).tokens) }];
      case "codespan":
        return [{ kind: "code", text: this.written(token.text) }];
      case "br":
        return [{ kind: "text", text: "\n" }];
      case "link":
        return this.#link(token as Tokens.Link);
      case "image":
        return this.#picture(token.raw, token.href, token.text);
      case "html":
        return this.html(token.raw);
      case "escape":
        return this.text(token.text);
      case "text": {
        const { tokens, text } = token as Tokens.Text;
        return tokens ? this.spans(tokens) : this.text(text.replaceAll(ENTITY, (_, it) => MEANT[it] ?? "&"));
      }
      default:
        return this.text(token.raw);
    }
  }

  /** HTML as text, but for ends of lines and pictures. */
  html(text: string): Span[] {
    if (/^<br\s*\/?>$/i.test(text)) return [{ kind: "text", text: "\n" }];
    const [to, name] = ["src", "alt"].map(
      (it) => new RegExp(`^<img\\s[^>]*?\\b${it}=(["'])([^"'>]*)\\1[^>]*>$`, "i").exec(text)?.[2],
    );
    return to === undefined ? this.text(text) : this.#picture(text, to, name ?? "");
  }

  /** No picture is loaded from elsewhere: it is a link. */
  #picture(raw: string, href: string, name: string): Span[] {
    const text = name || href;
    return this.#link({ type: "link", raw, href, text, tokens: [{ type: "text", raw: text, text }] });
  }

  #link({ href, raw, tokens }: Omit<Tokens.Link, "title">): Span[] {
    const to = this.written(href);
    if (!TO.test(to)) return this.text(raw);
    // A link within it is its text alone.
    const shown = this.spans(tokens).flatMap((span) => (span.kind === "link" ? span.spans : [span]));
    return [{ kind: "link", href: to, spans: shown }];
  }
}

/** Neighbouring texts as one, with what a line does not end between. */
function joined(spans: Span[]): Span[] {
  const found: Span[] = [];
  for (let span of spans) {
    const last = found.at(-1);
    if (span.kind === "math") {
      // A formula of its own has a line of its own.
      const ends = span.display ? /\s*$/ : /\({0,3}$/;
      if (last?.kind === "text") {
        const before = ends.exec(last.text)?.[0] ?? "";
        last.text = last.text.slice(0, last.text.length - before.length);
        if (!last.text) found.pop();
        if (!span.display) span = { ...span, before, text: before + span.text };
      }
    } else if (span.kind === "text" && last?.kind === "math") {
      const begins = last.display ? /^\s*/ : /^[)\].,:;!?…]*/;
      const after = begins.exec(span.text)?.[0] ?? "";
      if (!last.display) found.splice(-1, 1, { ...last, after, text: last.text + after });
      span = { kind: "text", text: span.text.slice(after.length) };
    }
    if (span.kind === "text" && last?.kind === "text") last.text += span.text;
    else if (span.kind !== "text" || span.text) found.push({ ...span });
  }
  return found;
}

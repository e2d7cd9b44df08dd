// Formulas and gradient rules, written as plain text in the engine, set like mathematics: letters of
// operands slanted, powers raised, the arriving gradient marked.
//
// Invariant: nothing is lost; every character of the text stands in a piece, but for the `^` of a
// power and the brackets around a raised expression. What looks like prose stays prose.

export type FormulaPiece =
  | { kind: "text" | "variable" | "gradient"; text: string }
  | { kind: "power"; pieces: FormulaPiece[] };

/** After these, `a` is the operand and no article: "a where", "a is NaN". */
const JOINERS = new Set(["and", "or", "xor", "is", "where", "else", "through", "mod", "in", "as", "with"]);
const VARIABLE = /^(?:[a-z]|[Φφσμ])$/u;

export function setFormula(source: string): FormulaPiece[] {
  const pieces: FormulaPiece[] = [];
  const add = (kind: "text" | "variable" | "gradient", text: string) => {
    const last = pieces.at(-1);
    if (kind === "text" && last?.kind === "text") last.text += text;
    else pieces.push({ kind, text });
  };
  let at = 0;
  while (at < source.length) {
    if (source[at] === "^" && at > 0) {
      const raised = power(source, at + 1);
      if (raised) {
        pieces.push({ kind: "power", pieces: setFormula(raised.inner) });
        at = raised.end;
        continue;
      }
    }
    const word = /^[\p{L}_][\p{L}_\d]*/u.exec(source.slice(at))?.[0];
    if (!word) {
      add("text", source[at] ?? "");
      at += 1;
      continue;
    }
    at += word.length;
    // A transpose mark is a letter to Unicode, and no part of the name here.
    const marks = /[ᵀ]+$/u.exec(word)?.[0] ?? "";
    const name = word.slice(0, word.length - marks.length);
    if (name === "gy") add("gradient", name);
    else if (VARIABLE.test(name) && !article(name, source.slice(at))) add("variable", name);
    else if (name) add("text", name);
    if (marks) add("text", marks);
  }
  return pieces;
}

function article(name: string, rest: string): boolean {
  if (name !== "a") return false;
  const next = /^ ([a-z]{2,})/.exec(rest)?.[1];
  return next !== undefined && !JOINERS.has(next);
}

/** The exponent behind a `^`: a bracketed expression without its brackets, or one signed name. */
function power(source: string, start: number): { inner: string; end: number } | null {
  if (source[start] === "(") {
    let depth = 0;
    for (let at = start; at < source.length; at++) {
      if (source[at] === "(") depth += 1;
      if (source[at] === ")") depth -= 1;
      if (depth === 0) return { inner: source.slice(start + 1, at), end: at + 1 };
    }
    return null;
  }
  const plain = /^[−-]?(?:[\p{L}_]+|\d+(?:\.\d+)?)[²³]?/u.exec(source.slice(start))?.[0];
  return plain ? { inner: plain, end: start + plain.length } : null;
}

/** The formula as a line to be read aloud or copied: the text that it was set from. */
export function formulaSource(pieces: FormulaPiece[]): string {
  return pieces
    .map((piece) => (piece.kind === "power" ? `^${bracketed(formulaSource(piece.pieces))}` : piece.text))
    .join("");
}

function bracketed(text: string): string {
  return /^[−-]?[\p{L}_\d.]+[²³]?$/u.test(text) ? text : `(${text})`;
}

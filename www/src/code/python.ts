// Colours Python that is not in an editor: the same classes as CodeMirror's class highlighter, from
// forty lines instead of a parser, so that first paint needs no editor.
//
// Invariant: the pieces of a line joined are the line, whatever it holds. Leaves correctness in
// strange cases (nested f-strings) to the editor, which takes over when the learner types.

export interface Piece {
  text: string;
  /** A `tok-…` class, or empty. */
  kind: string;
}

const KEYWORDS = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const CONSTANTS = new Set(["True", "False", "None"]);

const TOKEN =
  /(#.*)|((?:[rbfuRBFU]{0,2})(?:'''|""")|[rbfuRBFU]{0,2}(?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(\b(?:0[xob][\da-fA-F_]+|\d[\d_]*\.?\d*(?:e[+-]?\d+)?j?)|\.\d+)|([A-Za-z_]\w*)|([-+*/%@=<>!&|^~]+)/g;

/** The pieces of each line. */
export function highlight(source: string): Piece[][] {
  let quote: string | null = null;
  return source.split("\n").map((line) => {
    const pieces: Piece[] = [];
    let at = 0;
    if (quote) {
      const end: number = line.indexOf(quote);
      at = end < 0 ? line.length : end + 3;
      pieces.push({ text: line.slice(0, at), kind: "tok-string" });
      if (end < 0) return pieces;
      quote = null;
    }
    TOKEN.lastIndex = at;
    for (let match = TOKEN.exec(line); match; match = TOKEN.exec(line)) {
      if (match.index > at) pieces.push({ text: line.slice(at, match.index), kind: "" });
      let text = match[0];
      const [, comment, string, number, word] = match;
      if (string?.endsWith('"""') || string?.endsWith("'''")) {
        const mark = string.slice(-3);
        const end = line.indexOf(mark, match.index + string.length);
        text = end < 0 ? line.slice(match.index) : line.slice(match.index, end + 3);
        if (end < 0) quote = mark;
      }
      const kind = comment
        ? "tok-comment"
        : string
          ? "tok-string"
          : number
            ? "tok-number"
            : word
              ? wordKind(word, line, match.index)
              : "tok-operator";
      pieces.push({ text, kind });
      at = match.index + text.length;
      TOKEN.lastIndex = at;
    }
    if (at < line.length) pieces.push({ text: line.slice(at), kind: "" });
    return pieces;
  });
}

function wordKind(word: string, line: string, at: number): string {
  if (CONSTANTS.has(word)) return "tok-bool";
  if (KEYWORDS.has(word)) return "tok-keyword";
  return /(?:def|class)\s+$/.test(line.slice(0, at)) ? "tok-definition" : "";
}

import { describe, expect, it } from "vitest";
import sampleJson from "./fixtures/sample.json";
import { type FormulaPiece, formulaSource, setFormula } from "./formula";
import { allOps, type Reference } from "./reference";

/** `*variable*`, `<gradient>`, `{power}`. */
function shown(pieces: FormulaPiece[]): string {
  return pieces
    .map((piece) => {
      if (piece.kind === "power") return `{${shown(piece.pieces)}}`;
      if (piece.kind === "variable") return `*${piece.text}*`;
      return piece.kind === "gradient" ? `<${piece.text}>` : piece.text;
    })
    .join("");
}

describe("setFormula", () => {
  it.each([
    ["y = tanh a", "*y* = tanh *a*"],
    ["gy · (1 − y²)", "<gy> · (1 − *y*²)"],
    ["y = e^a / Σ e^a", "*y* = *e*{*a*} / Σ *e*{*a*}"],
    ["y = 1 / (1 + e^−a)", "*y* = 1 / (1 + *e*{−*a*})"],
    ["gy · b · a^(b − 1)", "<gy> · *b* · *a*{*b* − 1}"],
    ["ln(1 + e^(beta · a)) / beta", "ln(1 + *e*{beta · *a*}) / beta"],
    ["y = aᵀ", "*y* = *a*ᵀ"],
    ["gyᵀ @ a", "<gy>ᵀ @ *a*"],
    ["gy · σ(beta · a)", "<gy> · *σ*(beta · *a*)"],
    ["e^(a^(b))", "*e*{*a*{*b*}}"],
  ])("sets %s", (source, set) => {
    expect(shown(setFormula(source))).toBe(set);
  });

  it("tells the operand a from the article", () => {
    expect(shown(setFormula("y = a through a view"))).toBe("*y* = *a* through a view");
    expect(shown(setFormula("y = a is NaN"))).toBe("*y* = *a* is NaN");
    expect(shown(setFormula("y = part of a"))).toBe("*y* = part of *a*");
  });

  it("leaves alone what is no power", () => {
    for (const source of ["^", "a^", "a^(b", "^a", "a ^ b"])
      expect(formulaSource(setFormula(source))).toBe(source);
  });

  it("loses nothing of any formula or rule", () => {
    const texts = allOps(sampleJson as Reference).flatMap((op) => [
      op.formula,
      ...op.gradients.map(({ rule }) => rule),
    ]);
    for (const text of texts) expect(formulaSource(setFormula(text))).toBe(text);
  });
});

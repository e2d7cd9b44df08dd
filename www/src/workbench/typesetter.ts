// KaTeX, and its formulas as a browser draws them without KaTeX's fonts and style sheet.
//
// Invariant: what is given is MathML that holds nothing active: KaTeX escapes every sign of a formula and trusts no command
// that makes a link, a picture or an attribute. Loaded with the first formula of a note alone: nothing imports this file
// statically. Lessons are set when the page is built (www/build/lessonMath.ts).
import katex from "katex";

/** A formula as MathML, or why there is none. */
export type Typeset = { mathml: string } | { fault: string };

export function typeset(tex: string, display: boolean): Typeset {
  try {
    const mathml = katex.renderToString(tex, {
      displayMode: display,
      output: "mathml",
      trust: refuse,
      strict: "ignore",
      maxSize: 40,
    });
    return { mathml: columns(spaces(letters(mathml))) };
  } catch (error) {
    if (error instanceof katex.ParseError) return { fault: error.rawMessage };
    return { fault: (error as Error).message };
  }
}

/** Nothing is trusted, and a formula that asks for it is shown as it is written. */
function refuse({ command }: { command: string }): never {
  throw new Error(`${command} is not taken: formulas have no links, pictures and attributes`);
}

/** Where the letters of each variant begin: Latin ones from A on, Greek ones from Α on, and digits. */
const VARIANTS: Record<string, { latin: number; greek?: number; digits?: number }> = {
  bold: { latin: 0x1d400, greek: 0x1d6a8, digits: 0x1d7ce },
  italic: { latin: 0x1d434 },
  "bold-italic": { latin: 0x1d468, greek: 0x1d71c, digits: 0x1d7ce },
  script: { latin: 0x1d49c },
  "bold-script": { latin: 0x1d4d0 },
  fraktur: { latin: 0x1d504 },
  "bold-fraktur": { latin: 0x1d56c },
  "double-struck": { latin: 0x1d538, digits: 0x1d7d8 },
  "sans-serif": { latin: 0x1d5a0, digits: 0x1d7e2 },
  "bold-sans-serif": { latin: 0x1d5d4, digits: 0x1d7ec },
  "sans-serif-italic": { latin: 0x1d608 },
  "sans-serif-bold-italic": { latin: 0x1d63c },
  monospace: { latin: 0x1d670, digits: 0x1d7f6 },
};
/** Letters that Unicode had before it had the others of their variant. */
const EARLIER: Record<string, Record<string, string>> = {
  italic: { h: "ℎ" },
  script: { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ", e: "ℯ", g: "ℊ", o: "ℴ" },
  fraktur: { C: "ℭ", H: "ℌ", I: "ℑ", R: "ℜ", Z: "ℨ" },
  "double-struck": { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" },
};
const THIN = "0.1667em";
/** The Greek signs in Unicode's order; the empty place is its second Theta. */
const GREEK = [..."ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ ΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ"];

/**
 * With the letters that a variant stands for in its place. MathML Core (w3.org/TR/mathml-core, 2.1.1) has no variant but
 * `normal`: ℝ would be R in Chromium.
 */
function letters(mathml: string): string {
  return mathml.replace(
    /<(m[a-z]+) mathvariant="([a-z-]+)">([^<]*)<\//g,
    (whole, tag: string, variant: string, text: string) => {
      const base = VARIANTS[variant];
      if (!base) return whole;
      const turned = text.replace(/&[^;]+;|./gu, (sign) => EARLIER[variant]?.[sign] ?? letter(sign, base));
      return `<${tag}>${turned}</`;
    },
  );
}

function letter(sign: string, { latin, greek, digits }: (typeof VARIANTS)[string]): string {
  const from = (base: number | undefined, by: number) => (base ? String.fromCodePoint(base + by) : sign);
  if (/^[A-Z]$/.test(sign)) return from(latin, sign.charCodeAt(0) - 65);
  if (/^[a-z]$/.test(sign)) return from(latin, sign.charCodeAt(0) - 97 + 26);
  if (/^\d$/.test(sign)) return from(digits, Number(sign));
  const at = GREEK.indexOf(sign);
  return at < 0 || sign === " " ? sign : from(greek, at);
}

/**
 * With thin spaces around names of functions, `y log x`, as TeX has them; none before a bracket. KaTeX leaves them to the
 * invisible sign of application, which MathML Core draws as nothing.
 */
function spaces(mathml: string): string {
  return mathml.replace(
    /(<\/(?!mo>)\w+>)?(?:<(msub|msup|msubsup|munder|mover|munderover)><mrow>)?<mi([^>]*)>([^<]+)<\/mi><mo>\u2061<\/mo>(?=(<mo[^>]*>[([{|∣∥⟨⌊⌈]|<\/)?)/g,
    (
      _,
      before: string | undefined,
      script: string | undefined,
      rest: string,
      name: string,
      tight?: string,
    ) => {
      const left = before ? THIN : "0";
      const right = tight && !script ? "0" : THIN;
      const style = ` style="margin:0 ${right} 0 ${left}"`;
      const [outer, inner] = script ? [`<${script}${style}><mrow>`, ""] : ["", style];
      return `${before ?? ""}${outer}<mi${rest}${inner}>${name}</mi><mo>\u2061</mo>`;
    },
  );
}

/**
 * With the sides, gaps and lines of tables as styles of their cells, as MathML Core has no attributes for them. The empty
 * cells in which KaTeX's style sheet counts equations are left out.
 */
function columns(mathml: string): string {
  const tables: { sides: string[]; gaps: string[]; lines: string[]; column: number }[] = [];
  return mathml
    .replace(/<mtd class ?="(?:mtr-glue|mml-eqn-num)"><\/mtd>/g, "")
    .replace(/<(\/?)(mtable|mtr|mtd)\b([^>]*)>/g, (whole, closing: string, tag: string, rest: string) => {
      const words = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(rest)?.[1]?.split(" ") ?? [];
      const table = tables.at(-1);
      if (tag === "mtable" && closing) tables.pop();
      else if (tag === "mtable") {
        const [sides, gaps, lines] = [words("columnalign"), words("columnspacing"), words("columnlines")];
        tables.push({ sides, gaps, lines, column: 0 });
      } else if (tag === "mtr" && table) table.column = 0;
      else if (table && !closing && !rest) {
        const { sides, gaps, lines, column } = table;
        table.column += 1;
        const half = (gap: string | undefined) => `${Number.parseFloat(gap ?? "") / 2 || 0}em`;
        const line = /^(solid|dashed)$/.exec(lines[column] ?? "")?.[1];
        const style = [
          `text-align:${sides[column] ?? "center"}`,
          `padding-left:${half(column ? (gaps[column - 1] ?? gaps.at(-1)) : "")}`,
          `padding-right:${half(gaps[column] ?? (column < sides.length - 1 ? gaps.at(-1) : ""))}`,
          ...(line ? [`border-right:1px ${line}`] : []),
        ];
        return `<mtd style="${style.join(";")}">`;
      }
      return whole;
    });
}

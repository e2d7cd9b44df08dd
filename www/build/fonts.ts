// Cuts the page's faces down to what it uses: the characters below, the weights in the style sheets,
// and the layout features that show. Half the bytes of first paint are type; this halves them again.
//
// Invariant: `@fonts/NAME.woff2` in a style sheet is a subset of the npm package's face, made once
// per version and kept under node_modules/.cache. Characters outside the subset fall back to the
// next family in the stack. Letters that first paint does without are a file of their own, loaded where they stand.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import subsetFont from "subset-font";
import type { Plugin } from "vite";

const ASCII = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join("");
const CHARACTERS = `${ASCII}\u00a0×÷·°±²³–—‘’“”…→←−≤≥≈∂Σπλ`;
/** Letters and signs of western European languages: what ISO 8859-1 has of them. */
const LETTERS = Array.from({ length: 0x100 - 0xc0 }, (_, index) => String.fromCharCode(0xc0 + index)).join(
  "",
);
const MORE = `¡§«»¿${LETTERS.replace(/[×÷]/g, "")}`;

const FACES = {
  // Without ligatures, which are a sixteenth of this face: its f clears the letter after it.
  "source-serif-4": { wght: { min: 400, max: 660 }, style: "normal", features: ["kern", "mark"] },
  // Emphasis within a text, never bold: one weight, half the bytes.
  "source-serif-4-italic": { wght: 400, style: "italic", features: ["kern", "mark", "liga"] },
  // Code is shown as it is typed: no ligatures, whose glyphs are half of this face.
  "jetbrains-mono": { wght: { min: 400, max: 660 }, style: "normal", features: ["mark"] },
  inter: {
    wght: { min: 400, max: 660 },
    style: "normal",
    features: ["kern", "mark", "tnum", "cv05", "ss03"],
  },
} as const;

/** Of each face the file of first paint, and `@fonts/NAME-more.woff2`: late.css has it fetched where its letters stand. */
const FILES = Object.keys(FACES).flatMap((name) => [
  { name: name as keyof typeof FACES, file: name, characters: CHARACTERS },
  { name: name as keyof typeof FACES, file: `${name}-more`, characters: MORE },
]);

export function fonts(): Plugin {
  let folder = "";
  return {
    name: "glowgrad-fonts",
    config(config) {
      folder = resolve(config.root ?? process.cwd(), "node_modules/.cache/glowgrad-fonts");
      return { resolve: { alias: { "@fonts": folder } } };
    },
    async buildStart() {
      mkdirSync(folder, { recursive: true });
      await Promise.all(FILES.map((each) => make(folder, each)));
    },
  };
}

async function make(folder: string, { name, file, characters }: (typeof FILES)[number]): Promise<void> {
  const { wght, style, features } = FACES[name];
  const family = name.replace("-italic", "");
  const path = `@fontsource-variable/${family}/files/${family}-latin-wght-${style}.woff2`;
  const source = readFileSync(createRequire(import.meta.url).resolve(path));
  const stamp = createHash("sha256")
    .update(source)
    .update(`${characters} ${JSON.stringify(wght)} ${features}`)
    .digest("hex");
  const [font, mark] = [resolve(folder, `${file}.woff2`), resolve(folder, `${file}.stamp`)];
  if (existsSync(font) && existsSync(mark) && readFileSync(mark, "utf8") === stamp) return;
  const subset = await subsetFont(source, characters, {
    targetFormat: "woff2",
    variationAxes: { wght },
    keepFeatures: [...features],
  });
  writeFileSync(font, subset);
  writeFileSync(mark, stamp);
}

// Modules made of the lessons and the reference at build time: `virtual:course-work`, what there is to do in each
// lesson (ids of cells, exercises and questions), `virtual:search-index`, every sentence to be found, and
// `virtual:names`, what the editor knows of glowgrad's names.
//
// Invariant: all are reached by dynamic import only, so that first paint carries none; a copy
// without lessons has empty ones. The sentences are taken from the HTML that crates/lesson wrote;
// how they are searched is www/src/search/search.ts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plugin } from "vite";
import type { Work } from "../src/course/completion.ts";
import type { Block, Lesson, Reference } from "../src/protocol/index.ts";
import type { Entry, OpIndex, SearchIndex } from "../src/search/search.ts";
import { plain } from "./lessonMath.ts";
import { namesData } from "./names.ts";

const MODULES = ["virtual:course-work", "virtual:search-index", "virtual:names"];
const NOT_LESSONS = ["index.json", "layers.json", "pieces.json", "reference.json"];

export function lessonIndex(): Plugin {
  let folder = "";
  return {
    name: "glowgrad-lesson-index",
    configResolved(config) {
      folder = resolve(config.root, "www/src/course/generated");
    },
    resolveId: (id) => (MODULES.includes(id) ? `\0${id}` : null),
    load(id) {
      if (!MODULES.includes(id.slice(1)) || !id.startsWith("\0")) return null;
      const value = made(id, folder, (file) => this.addWatchFile(file));
      // As text that is parsed: faster to load than an object literal of this size.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(value))});`;
    },
  };
}

function made(id: string, folder: string, watch: (file: string) => void): unknown {
  const reference = readReference(folder);
  if (id.endsWith("names")) return namesData(reference);
  const lessons = readLessons(folder, watch);
  if (id.endsWith("work")) return Object.fromEntries(lessons.map((lesson) => [lesson.slug, workOf(lesson)]));
  return searchIndex(lessons, opsOf(reference));
}

function readLessons(folder: string, watch: (file: string) => void): Lesson[] {
  if (!existsSync(folder)) return [];
  const lessons = readdirSync(folder)
    .filter((name) => name.endsWith(".json") && !NOT_LESSONS.includes(name))
    .map((name) => {
      watch(resolve(folder, name));
      return JSON.parse(readFileSync(resolve(folder, name), "utf8")) as Lesson;
    });
  return lessons.sort((a, b) => a.number - b.number);
}

function readReference(folder: string): Reference {
  const file = resolve(folder, "reference.json");
  if (!existsSync(file)) return { families: [], values: [] };
  return JSON.parse(readFileSync(file, "utf8")) as Reference;
}

function opsOf({ families }: Reference): OpIndex[] {
  return families.flatMap(({ ops }) =>
    ops.map(({ kind, name, aliases, doc }) => ({ kind, name, aliases, doc: doc.replaceAll("`", "") })),
  );
}

export function workOf(lesson: Lesson): Work {
  const of = <Type extends Block["type"]>(type: Type) =>
    lesson.blocks.filter((block): block is Extract<Block, { type: Type }> => block.type === type);
  return {
    cells: of("cell").map(({ id }) => id),
    exercises: of("exercise").map(({ id }) => id),
    predictions: of("predict").map(({ id }) => id),
    questions: Object.fromEntries(
      of("quiz").map(({ id, options }) => [
        id,
        options.flatMap(({ correct }, index) => (correct ? [index] : [])),
      ]),
    ),
  };
}

export function searchIndex(lessons: Lesson[], ops: OpIndex[]): SearchIndex {
  return {
    lessons: lessons.map((lesson) => {
      const { slug, number, title, part, outcome } = lesson;
      const sections: { id: string; title: string }[] = [];
      const entries: Entry[] = [];
      lesson.blocks.forEach((block, index) => {
        if (block.type === "section") sections.push({ id: block.id, title: block.title });
        const section = sections.length - 1;
        for (const entry of entriesOf(block, index)) entries.push({ ...entry, section });
      });
      return { slug, number, title, part, outcome: outcome.replaceAll("`", ""), sections, entries };
    }),
    ops,
  };
}

/** The texts of a block that can be found, and the id of the element that shows each. */
function entriesOf(block: Block, index: number): Omit<Entry, "section">[] {
  switch (block.type) {
    case "section":
      return [{ kind: "section", at: block.id, text: block.title }];
    case "prose":
      return sentences(block.html, `block-${index}`);
    case "cell":
      return block.source
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => ({ kind: "code" as const, at: block.id, text: line.trim() }));
    case "exercise":
      return [
        { kind: "exercise" as const, at: block.id, text: block.title },
        ...sentences(block.html, block.id),
      ];
    case "predict":
    case "quiz":
      return sentences(block.html, block.id).map((entry) => ({ ...entry, kind: "question" as const }));
    default:
      return [];
  }
}

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });
/** Tags at which a sentence ends, whatever stands before them. */
const BREAKS = /<\/?(?:p|li|ul|ol|pre|h\d|table|thead|tbody|tr|th|td|blockquote|div|hr|br)\b[^>]*>/;
const MATH = /<(span|div) class="math[^"]*" data-tex="([^"]*)">[\s\S]*?<\/\1>/g;

function sentences(html: string, at: string): Omit<Entry, "section">[] {
  const found: Omit<Entry, "section">[] = [];
  // A block of mathematics is part of the sentence before it; its tag must not end that one.
  const inline = html.replace(MATH, (_match, _tag, tex: string) => ` ${readable(plain(tex))} `);
  const headings = new Set([...inline.matchAll(/<h\d[^>]*>([\s\S]*?)<\/h\d>/g)].map((match) => match[1]));
  for (const piece of inline.split(BREAKS)) {
    const heading = headings.has(piece);
    const terms = [...piece.matchAll(/<strong>([\s\S]*?)<\/strong>/g)].map((match) => textOf(match[1] ?? ""));
    const text = textOf(piece);
    for (const { segment } of SENTENCES.segment(text)) {
      const sentence = segment.trim();
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue;
      const here = terms.filter((term) => sentence.includes(term));
      found.push({
        kind: heading ? "section" : "prose",
        at,
        text: sentence,
        ...(here.length ? { terms: here } : {}),
      });
    }
  }
  return found;
}

function textOf(html: string): string {
  return plain(html.replace(/<[^>]*>/g, ""))
    .replace(/\s+/g, " ")
    .trim();
}

const SIGNS: Record<string, string> = {
  cdot: "·",
  cdots: "…",
  dots: "…",
  times: "×",
  to: "→",
  leftarrow: "←",
  le: "≤",
  ge: "≥",
  ne: "≠",
  approx: "≈",
  infty: "∞",
  sum: "Σ",
  prod: "Π",
  sigma: "σ",
  varepsilon: "ε",
  lfloor: "⌊",
  rfloor: "⌋",
  quad: " ",
  qquad: " ",
};

/** TeX as a learner would type it, and so find it: `\frac{e^{x_i}}{2}` → `e^(x_i)/2`. */
function readable(tex: string): string {
  let text = tex
    .replace(/\\(?:left|right|[bB]ig[lr]?)(?![a-zA-Z])/g, "")
    .replace(/\\partial\s*/g, "∂")
    .replace(
      /\\(?!(?:[dt]?frac|sqrt|text|mathrm)\b)([a-zA-Z]+)/g,
      (_match, name: string) => SIGNS[name] ?? name,
    )
    .replace(/\\[,;!\s]/g, "")
    .replace(/\\%/g, "%");
  // From the innermost braces outward, until none is left to be read.
  for (let before = ""; before !== text; ) {
    before = text;
    text = text
      .replace(/\\(?:text|mathrm)\{([^{}]*)\}/g, "$1")
      .replace(
        /([_^])\{([^{}]*)\}/g,
        (_match, sign: string, inner: string) => sign + grouped(inner, /[^\p{L}\p{N}.-]/u),
      )
      .replace(/\\sqrt\{([^{}]*)\}/g, (_match, inner: string) => `√${grouped(inner, /[\s+/-]/)}`)
      .replace(
        /\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g,
        (_match, over: string, under: string) => `${grouped(over, /[\s+/-]/)}/${grouped(under, /[\s+/-]/)}`,
      );
  }
  return text.replace(/[{}]/g, "").replace(/</g, "&lt;");
}

/** In round brackets where it holds what would be read apart. */
function grouped(inner: string, apart: RegExp): string {
  return apart.test(inner.trim()) ? `(${inner.trim()})` : inner.trim();
}

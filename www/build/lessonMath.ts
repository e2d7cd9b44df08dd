// Renders the lessons' mathematics at build time, so that a lesson needs no typesetter.
//
// Invariant: in every string of a generated lesson, each `<span|div class="math" data-tex="…">`
// comes out holding KaTeX's HTML and MathML; in a line it stands in a `whole` with the brackets and the punctuation at
// it, and is `long` where it may be broken itself. Everything else is left as it is. TeX that KaTeX
// refuses stops the build with the lesson's name.
import katex from "katex";
import type { Plugin } from "vite";

const LESSON = /\/course\/(?:generated|translations\/\w+)\/([^/]+)\.json$/;
const MATH = /(\(*)<(span|div) class="math([^"]*)" data-tex="([^"]*)">[\s\S]*?<\/\2>([)\].,;:!?…]*)/g;
/** Signs that surely stand in one line, on a telephone too. */
const SHORT = 16;

export function lessonMath(): Plugin {
  return {
    name: "glowgrad-lesson-math",
    enforce: "pre",
    transform(source, id) {
      const lesson = LESSON.exec(id)?.[1];
      if (lesson) return { code: JSON.stringify(renderAll(JSON.parse(source), lesson)), map: null };
      if (id.includes("katex") && id.endsWith(".css")) return { code: woff2Only(source), map: null };
      return null;
    },
  };
}

/** Renders in every string of a JSON value. */
export function renderAll(value: unknown, lesson: string): unknown {
  if (typeof value === "string") return renderMath(value, lesson);
  if (Array.isArray(value)) return value.map((item) => renderAll(item, lesson));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderAll(item, lesson)]));
  }
  return value;
}

export function renderMath(html: string, lesson: string): string {
  return html.replace(
    MATH,
    (_match, before: string, tag: string, more: string, escaped: string, after: string) => {
      const tex = plain(escaped);
      const displayMode = tag === "div";
      try {
        const rendered = katex.renderToString(tex, {
          displayMode,
          throwOnError: true,
          output: "htmlAndMathml",
        });
        if (displayMode) return `${before}<div class="math${more}">${rendered}</div>${after}`;
        const long = signs(tex) > SHORT ? " long" : "";
        return `<span class="whole">${before}<span class="math${more}${long}">${rendered}</span>${after}</span>`;
      } catch (error) {
        throw new Error(`lesson ${lesson}: cannot typeset ${tex}: ${(error as Error).message}`);
      }
    },
  );
}

/** About how many signs a formula shows. */
function signs(tex: string): number {
  return tex.replace(/\\[a-zA-Z]+/g, "x").replace(/[\s\\{}^_]/g, "").length;
}

/** Text with HTML's escapes taken out. */
export function plain(text: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", amp: "&" };
  return text.replace(/&(lt|gt|quot|#39|#x27|amp);/g, (_match, name: string) => named[name] ?? "");
}

/** Every browser that runs WebAssembly SIMD reads woff2; the older files would only fill the site. */
function woff2Only(css: string): string {
  return css.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("(?:woff|truetype)"\)/g, "");
}

// The language of the page: English, until the learner chooses another.
//
// Invariant: a choice is `glowgrad.language` in local storage and `lang` on <html>. English texts are the keys, so that
// what has no translation is English; the dictionaries are loaded when they are chosen, and a part that only some pages
// need when a page asks for it. Whatever calls `t` while a component is drawn is drawn anew when the language changes.

type Texts = { default: Record<string, string> };
/** The texts of every page, and the parts of some. */
type Dictionary = Texts & { parts: Record<string, () => Promise<Texts>> };

/** The languages that have a dictionary. */
const dictionaries: Record<string, () => Promise<Dictionary>> = {
  es: () => import("./es"),
};

export const KEY = "glowgrad.language";

let code = $state("en");
let wanted = "en";
let texts: Record<string, string> = $state.raw({});
const needed = new Set<string>();

export const language = {
  /** `en`, `es`. */
  get code(): string {
    return code;
  },
};

/** A text of the interface in the learner's language, with values for the `{names}` in it. */
export function t(text: string, values?: Record<string, string | number>): string {
  const said = texts[text] ?? text;
  return values ? said.replace(/\{(\w+)\}/g, (name, key) => `${values[key] ?? name}`) : said;
}

/** The same of a sentence that the engine's crates and the page share (protocol/generated/sentences.ts). */
export const sentence: typeof t = (text, values) => t(text, values);

/** Shows the page in a language. Fails where its dictionary does not arrive; the page then stays as it is. */
export async function show(next: string): Promise<void> {
  wanted = next;
  const found = await dictionaries[next]?.();
  const parts = await Promise.all([...needed].map((part) => found?.parts[part]?.()));
  // Another one may have been chosen meanwhile.
  if (wanted !== next) return;
  texts = Object.assign({}, code === next && texts, found?.default, ...parts.map((part) => part?.default));
  code = document.documentElement.lang = next;
}

/** A page, once the part of the dictionary that it needs is there too; without it, the page is there in English. */
export async function withTexts<Page>(part: string, page: Promise<Page>): Promise<Page> {
  needed.add(part);
  await show(wanted).catch(() => {});
  return page;
}

/** Shows the page in the language that was chosen here before. */
export async function restore(): Promise<void> {
  try {
    const chosen = localStorage.getItem(KEY) ?? "";
    if (Object.hasOwn(dictionaries, chosen)) await show(chosen);
  } catch {
    // A browser that keeps nothing, or a dictionary that does not arrive: English.
  }
}

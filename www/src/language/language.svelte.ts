// The language of the page: English, until the learner chooses another.
//
// Invariant: a choice is `glowgrad.language` in local storage and `lang` on <html>. English texts are the keys, so that
// what has no translation is English; the dictionaries are loaded when they are chosen. Whatever calls `t` while a
// component is drawn is drawn anew when the language changes.

/** The languages that have a dictionary. */
const dictionaries: Record<string, () => Promise<{ default: Record<string, string> }>> = {
  es: () => import("./es"),
};

export const KEY = "glowgrad.language";

let code = $state("en");
let wanted = "en";
let texts: Record<string, string> = $state.raw({});

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
  const found = (await dictionaries[next]?.())?.default ?? {};
  // Another one may have been chosen meanwhile.
  if (wanted !== next) return;
  texts = found;
  code = document.documentElement.lang = next;
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

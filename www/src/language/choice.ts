// Which languages there are, and choosing one.
import { KEY, language, show } from "./language.svelte";

/** By code, each in its own words. A new one also has its dictionary in language.svelte.ts. */
export const LANGUAGES: Record<string, string> = { en: "English", es: "Español" };

/** Whether the learner has chosen a language here, or has said no to one. */
export function hasChosen(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** Shows the page in a language from now on. */
export async function choose(next: string): Promise<void> {
  await show(next);
  if (language.code !== next) return;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing shows it until the page is closed.
  }
}

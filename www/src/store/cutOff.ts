// Runs that the end of the page cut off, with what they had printed by then.
//
// Invariant: written at once, as a page that is left has no time for a database; at most MOST_LETTERS a lesson. It is
// taken over into the database by the page that reads it, and gone then. A browser that refuses keeps none.

/** A run that was going on, and what there was of it as a plain value. */
export interface CutOff {
  block: string;
  when: number;
  value: unknown;
}

const MOST_LETTERS = 200_000;
const key = (lesson: string) => `glowgrad.cut-off:${lesson}`;

/** False where it is too much to be kept. */
export function setCutOff(lesson: string, runs: readonly CutOff[]): boolean {
  const text = JSON.stringify(runs);
  if (text.length > MOST_LETTERS) return false;
  try {
    localStorage.setItem(key(lesson), text);
    return true;
  } catch {
    return false;
  }
}

export function takeCutOff(lesson: string): CutOff[] {
  try {
    // JSON has no NaN.
    const number = (at: string, value: unknown) =>
      value === null && /^(\d+|first|last)$/.test(at) ? Number.NaN : value;
    const found: unknown = JSON.parse(localStorage.getItem(key(lesson)) ?? "[]", number);
    localStorage.removeItem(key(lesson));
    return Array.isArray(found)
      ? found.filter((each) => typeof each?.block === "string" && each.when > 0)
      : [];
  } catch {
    return [];
  }
}

// What two tabs wrote, as one: the rules by which texts and progress of the same lesson are joined.
//
// Invariant: pure. The newest text of a cell wins, and a text that loses stays beside it as `other` until the
// learner has decided. Progress only grows.

/** How far a learner is in one lesson. Ids are those of the lesson's blocks. */
export interface Progress {
  cells: string[];
  exercises: string[];
  /** The option chosen last in each quiz, from 0. */
  quizzes: Record<string, number>;
  /** What the learner has said to each prediction, by its id. */
  predictions?: Record<string, string>;
  /** Exercises whose checks ran on code of the learner's own, however they ended. */
  tried?: string[];
  /** Exercises whose solution was shown before such a try. */
  seen?: string[];
  /** The block that was worked on last, and when, in milliseconds since 1970. */
  last?: { block: string; when: number };
}

export const emptyProgress = (): Progress => ({ cells: [], exercises: [], quizzes: {} });

/** A text, and when it was written, in milliseconds since 1970. */
export interface Written {
  source: string;
  when: number;
}

/** A cell's text. */
export interface Text {
  lesson: string;
  block: string;
  source: string;
  /** Also the version of the text; 0 where an older page wrote it. */
  when?: number;
  /** What another tab had written, in the place of which this text stands. */
  other?: Written;
}

/**
 * The text of a cell after a tab has written `mine`. `known` is the version that this tab had before: where another
 * one is kept, a second tab has written in between.
 */
export function mergeText(kept: Text | undefined, mine: Text & Written, known: number): Text {
  if (!kept) return mine;
  const before = { source: kept.source, when: kept.when ?? 0 };
  if (before.when === known) return withOther(mine, kept.other);
  if (mine.when >= before.when) return withOther(mine, before);
  return withOther({ ...kept }, { source: mine.source, when: mine.when });
}

function withOther({ other: _, ...text }: Text, other: Written | undefined): Text {
  return other && other.source !== text.source ? { ...text, other } : text;
}

/** The blocks done in either; the answers of the second; the later place. */
export function united(one: Progress, two: Partial<Progress>): Progress {
  const either = (a: string[] = [], b: string[] = []) => [...new Set([...a, ...b])];
  const lasts = [one.last, two.last].filter((last) => last !== undefined);
  const last = lasts.sort((a, b) => b.when - a.when)[0];
  return {
    cells: either(one.cells, two.cells),
    exercises: either(one.exercises, two.exercises),
    quizzes: { ...one.quizzes, ...two.quizzes },
    predictions: { ...one.predictions, ...two.predictions },
    tried: either(one.tried, two.tried),
    seen: either(one.seen, two.seen),
    ...(last ? { last } : {}),
  };
}

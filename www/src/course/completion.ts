// How far each lesson is done: its cells, exercises and questions, those done, and the time left, for the course
// page.
//
// Invariant: pure. Progress may name blocks that a lesson no longer has, or lessons that this copy does not
// have: neither counts. The blocks come from `virtual:course-work`, made at build time.
import type { LessonSummary } from "../protocol";
import type { Progress } from "../store/store";

/** The ids of what there is to do in a lesson. */
export interface Work {
  cells: string[];
  exercises: string[];
  predictions: string[];
  /** The right options of each question, from 0. */
  questions: Record<string, number[]>;
}

export interface Count {
  done: number;
  all: number;
}

export interface Completion {
  cells: Count;
  exercises: Count;
  questions: Count;
  /** Exercises whose solution was looked at before a try. */
  seen: number;
  /** From 0 to 1. An exercise counts as several cells, because it takes as long. */
  share: number;
  /** Minutes, rounded up; 0 when everything is done. */
  left: number;
  begun: boolean;
  finished: boolean;
}

/** How long an exercise and a question take beside a cell with its prose. */
const WEIGHT = { cells: 1, exercises: 4, questions: 1 };

export function completionOf(
  lesson: LessonSummary,
  work: Work | undefined,
  progress: Progress | undefined,
): Completion {
  const count = (ids: string[], isDone: (id: string) => boolean): Count => ({
    done: ids.filter(isDone).length,
    all: ids.length,
  });
  const answers = new Map(Object.entries(progress?.quizzes ?? {}));
  const cells = count(work?.cells ?? [], (id) => progress?.cells.includes(id) ?? false);
  const exercises = count(work?.exercises ?? [], (id) => progress?.exercises.includes(id) ?? false);
  const right = new Map(Object.entries(work?.questions ?? {}));
  const questions = count([...right.keys()], (id) => right.get(id)?.includes(answers.get(id) ?? -1) ?? false);
  const weigh = (which: keyof Count) =>
    cells[which] * WEIGHT.cells + exercises[which] * WEIGHT.exercises + questions[which] * WEIGHT.questions;
  const all = weigh("all");
  const share = all === 0 ? 0 : weigh("done") / all;
  const seen = work?.exercises.filter((id) => progress?.seen?.includes(id)).length ?? 0;
  const answered = [...right.keys()].some((id) => answers.has(id));
  return {
    cells,
    exercises,
    questions,
    seen,
    share,
    left: Math.ceil(lesson.minutes * (1 - share)),
    begun: share > 0 || answered,
    finished: all > 0 && share === 1,
  };
}

/** `1 h 35 min`. */
export function duration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

export interface Onward {
  kind: "begin" | "continue" | "next" | "finished";
  lesson: LessonSummary;
  /** The block to go on at, where it is known. */
  block?: string;
}

/**
 * Where to go on: the lesson that was worked on last, at its last block, or when that one is
 * finished the next that is not. Null when there are no lessons.
 */
export function onward(
  lessons: LessonSummary[],
  progress: Record<string, Progress>,
  finished: (lesson: LessonSummary) => boolean,
): Onward | null {
  const [first] = lessons;
  if (!first) return null;
  const of = new Map(Object.entries(progress));
  const when = (lesson: LessonSummary) => of.get(lesson.slug)?.last?.when ?? -1;
  const [recent] = [...lessons].sort((a, b) => when(b) - when(a));
  const last = recent && of.get(recent.slug)?.last;
  if (!recent || !last) {
    const open = lessons.find((lesson) => !finished(lesson));
    const begun = lessons.some((lesson) => of.has(lesson.slug));
    return open ? { kind: begun ? "next" : "begin", lesson: open } : { kind: "finished", lesson: first };
  }
  if (!finished(recent)) return { kind: "continue", lesson: recent, block: last.block };
  const after = lessons.indexOf(recent) + 1;
  const next = [...lessons.slice(after), ...lessons.slice(0, after)].find((lesson) => !finished(lesson));
  return next ? { kind: "next", lesson: next } : { kind: "finished", lesson: first };
}

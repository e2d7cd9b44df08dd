// The lessons, as `cargo lab` wrote them under generated/: the list at once, each lesson on demand.
//
// Invariant: a missing or unknown lesson is null, a course that was not generated an empty list;
// nothing here throws on a missing file.

import type { Block, Lesson, LessonSummary } from "../protocol";

export type BlockOf<Type extends Block["type"]> = Extract<Block, { type: Type }>;

const indexes = import.meta.glob<LessonSummary[]>("./generated/index.json", {
  eager: true,
  import: "default",
});
// The list of lessons, the pieces of `mine`, the op reference and the rows of layers lie beside the lessons and are none.
const files = import.meta.glob<Lesson>(
  [
    "./generated/*.json",
    "!./generated/index.json",
    "!./generated/layers.json",
    "!./generated/pieces.json",
    "!./generated/reference.json",
  ],
  { import: "default" },
);

export const course: LessonSummary[] = [...(Object.values(indexes)[0] ?? [])].sort(
  (a, b) => a.number - b.number,
);

export async function loadLesson(slug: string): Promise<Lesson | null> {
  const file = files[`./generated/${slug}.json`];
  return file ? await file() : null;
}

/** The course as its parts, in order. */
export function parts(lessons: LessonSummary[]): { title: string; lessons: LessonSummary[] }[] {
  const found: { title: string; lessons: LessonSummary[] }[] = [];
  for (const lesson of lessons) {
    const last = found.at(-1);
    if (last?.title === lesson.part) last.lessons.push(lesson);
    else found.push({ title: lesson.part, lessons: [lesson] });
  }
  return found;
}

export function neighbours(lessons: LessonSummary[], slug: string) {
  const index = lessons.findIndex((lesson) => lesson.slug === slug);
  return {
    previous: index > 0 ? lessons[index - 1] : undefined,
    next: index >= 0 ? lessons[index + 1] : undefined,
  };
}

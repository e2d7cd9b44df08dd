// The lessons in other languages, as `cargo lab` wrote them under translations/: each on demand.
//
// Invariant: what has no translation is null.
import type { Lesson, LessonSummary } from "../protocol";

const indexes = import.meta.glob<LessonSummary[]>("./translations/*/index.json", { import: "default" });
const files = import.meta.glob<Lesson>(
  ["./translations/*/*.json", "!./translations/*/index.json", "!./translations/*/pieces.json"],
  { import: "default" },
);

export async function translatedContents(code: string): Promise<LessonSummary[] | null> {
  const found = indexes[`./translations/${code}/index.json`];
  return found ? await found() : null;
}

export async function translatedLesson(slug: string, code: string): Promise<Lesson | null> {
  const found = files[`./translations/${code}/${slug}.json`];
  return found ? await found() : null;
}

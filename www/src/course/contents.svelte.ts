// The list of lessons in the learner's language.
//
// Invariant: the list has every lesson of the course in the same order; it is the English one until the other has
// arrived, and where there is no other.
import { language } from "../language/language.svelte";
import type { LessonSummary } from "../protocol";
import { course } from "./course";

let listed = $state.raw<{ code: string; lessons: LessonSummary[] }>({ code: "en", lessons: course });
let asked = "en";

export function contents(): LessonSummary[] {
  const { code } = language;
  if (code === "en") return course;
  if (asked !== code) {
    asked = code;
    void list(code);
  }
  return listed.code === code ? listed.lessons : course;
}

async function list(code: string): Promise<void> {
  try {
    const { translatedContents } = await import("./translated");
    const lessons = await translatedContents(code);
    if (lessons) listed = { code, lessons };
  } catch {
    // Without a connection the list stays English; it is asked for again when the language is chosen again.
    asked = "en";
  }
}

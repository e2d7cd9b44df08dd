// The learner's progress through the whole course: the blocks done, beside all blocks.
//
// Leaves the numbers to completion.ts; loads the list of all blocks only when it is asked.
import { type Progress, store } from "../store/store";
import { type Completion, completionOf } from "./completion";
import { course } from "./course";

export interface CourseCompletion {
  progress: Record<string, Progress>;
  /** By lesson; every lesson of the course has one. */
  of: Map<string, Completion>;
}

export async function courseCompletion(): Promise<CourseCompletion> {
  // The store is read last, so that of two answers the later one has the later progress: imports need not end in the
  // order in which they were begun.
  const { default: work } = await import("virtual:course-work");
  const { progress } = await store.all();
  const kept = new Map(Object.entries(progress));
  return {
    progress,
    of: new Map(
      course.map((lesson) => [lesson.slug, completionOf(lesson, work[lesson.slug], kept.get(lesson.slug))]),
    ),
  };
}

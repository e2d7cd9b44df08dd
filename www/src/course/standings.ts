// The learner's progress through the whole course: the blocks done, beside all blocks.
//
// Leaves the numbers to work.ts; loads what there is to do only when it is asked.
import { type Progress, store } from "../store/store";
import { course } from "./course";
import { type Standing, standing } from "./work";

export interface Standings {
  progress: Record<string, Progress>;
  /** By lesson; every lesson of the course has one. */
  of: Map<string, Standing>;
}

export async function standings(): Promise<Standings> {
  const [{ default: work }, { progress }] = await Promise.all([import("virtual:course-work"), store.all()]);
  const kept = new Map(Object.entries(progress));
  return {
    progress,
    of: new Map(
      course.map((lesson) => [lesson.slug, standing(lesson, work[lesson.slug], kept.get(lesson.slug))]),
    ),
  };
}

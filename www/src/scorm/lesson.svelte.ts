// A lesson inside a learning platform: its progress goes there while it grows, and comes back where it was kept.
//
// Invariant: loaded where the page came out of a SCORM package, which says so in its HTML. One session a page, ended once
// when the page is left, and begun again where the browser brings the page back.
import { t } from "../language/language.svelte";
import type { LessonSummary } from "../protocol";
import { type Progress, united } from "../store/merge";
import { findApi, Platform } from "./platform";
import { Report } from "./report";

interface Worked {
  progress: Progress;
}

/** Begins to report; gives a sentence about it for the learner. */
let begun: Promise<string> | null = null;

export function reportLesson(lesson: LessonSummary, notebook: Worked): Promise<string> {
  // The page may be left for another lesson and come back.
  begun ??= report(lesson, notebook);
  return begun;
}

async function report(lesson: LessonSummary, notebook: Worked): Promise<string> {
  const api = findApi(window);
  if (!api) {
    return t(
      "No learning platform was found around this page: how far you are is kept in this browser alone.",
    );
  }
  const { default: work } = await import("virtual:course-work");
  const platform = new Platform(api);
  const report = new Report(platform, lesson, work[lesson.slug]);
  const begin = () => {
    const kept = report.begin();
    if (kept) notebook.progress = united(kept, notebook.progress);
    report.update(notebook.progress);
  };
  begin();
  if (!platform.isOpen) {
    return t(
      "The learning platform did not begin ({problem}): how far you are is kept in this browser alone.",
      {
        problem: platform.failing,
      },
    );
  }
  $effect.root(() => {
    // All of it is read here: what a lesson adds to lists and answers counts too.
    $effect(() => report.update($state.snapshot(notebook.progress)));
  });
  window.addEventListener("pagehide", () => report.end());
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) begin();
  });
  return t("How far you are goes to the learning platform.");
}

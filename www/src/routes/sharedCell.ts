// The cell of a shared link in a notebook that keeps nothing, with the cells of its lesson that stand before it.
//
// Invariant: nothing runs by itself, and no text of the learner's is written over.
import { course, loadLesson } from "../course/course";
import type { SharedState } from "../link/state";
import type { Notebook } from "../notebook/notebook.svelte";
import type { Lesson } from "../protocol";

const NAME = "shared";

/** Puts the cell into `notebook`; gives the lesson, where this lab has it, and the cells that the shared one may need. */
export async function openShared(notebook: Notebook, state: SharedState) {
  const slug = course.find((each) => each.slug === state.from?.lesson)?.slug;
  const lesson: Lesson | null = slug === undefined ? null : await loadLesson(slug).catch(() => null);
  const blocks = lesson?.blocks.filter((block) => block.type === "cell" || block.type === "exercise") ?? [];
  const at = blocks.findIndex((block) => block.id === state.from?.cell);
  const before: string[] = [];
  for (const block of blocks.slice(0, Math.max(at, 0))) {
    if (block.type !== "cell") continue;
    notebook.add(block.id, block.source.trimEnd());
    before.push(block.id);
  }
  notebook.open(state, before);
  const cell = notebook.add(NAME, state.code);
  return { cell, lesson, before };
}

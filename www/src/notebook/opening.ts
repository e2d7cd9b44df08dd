// What a lesson's stage shows before the learner has run anything: what a run of the author's left, as
// www/build/openings.mjs had the engine compute it.
//
// Invariant: loaded with its lesson, never before; a page that was built without Python has none. Leaves which view
// shows it, and until when, to the notebook.
import type { KernelList, MemoryMap, StageGraph } from "../protocol";

export interface Opening {
  /** The cell that ran last. */
  cell: string;
  /** The code is a file of the lesson's own, which no cell holds. */
  own: boolean;
  graph: StageGraph | null;
  memory: MemoryMap;
  kernels: KernelList;
}

const files = import.meta.glob<Opening>("../course/openings/*.json", { import: "default" });

export async function loadOpening(lesson: string): Promise<Opening | null> {
  // Without a connection the stage says what will be there.
  return (await files[`../course/openings/${lesson}.json`]?.().catch(() => null)) ?? null;
}

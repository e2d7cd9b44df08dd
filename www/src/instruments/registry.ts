// The instruments that can stand beside the text: the one list of them, in the order of their tabs.
//
// Invariant: everything that names an instrument (tabs, links, `lab.bytes` and its like) reads this list. The
// view of each is in workbench/Instruments.svelte, whose table does not compile while one is missing.
import type { Instrument } from "../protocol";

export type { Instrument };

const LABELS: Record<Instrument, string> = {
  graph: "Graph",
  memory: "Memory",
  kernels: "Kernels",
  plot: "Plot",
};

export const INSTRUMENTS = Object.entries(LABELS).map(([name, label]) => ({
  name: name as Instrument,
  label,
}));

/** Whether a text, such as one from a link, names an instrument. */
export function isInstrument(text: unknown): text is Instrument {
  return INSTRUMENTS.some(({ name }) => name === text);
}

// The instruments that can stand beside the text: the one list of them, in the order of their tabs.
//
// Invariant: everything that names an instrument (tabs, links, `lab.bytes` and its like) reads this list. The
// view of each is in workbench/Instruments.svelte, whose table does not compile while one is missing.
import { t } from "../language/language.svelte";
import type { Instrument } from "../protocol";

export type { Instrument };

const LABELS: Record<Instrument, () => string> = {
  graph: () => t("Graph"),
  memory: () => t("Memory"),
  kernels: () => t("Kernels"),
  plot: () => t("Plot"),
};

export const INSTRUMENTS = Object.keys(LABELS).map((name) => ({ name: name as Instrument }));

/** What its tab says. */
export function labelOf(name: Instrument): string {
  return LABELS[name]();
}

/** Whether a text, such as one from a link, names an instrument. */
export function isInstrument(text: unknown): text is Instrument {
  return INSTRUMENTS.some(({ name }) => name === text);
}

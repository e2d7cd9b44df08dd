// Every key of the stage, in one list, as the help panel shows it.
//
// Invariant: a key that the stage acts on stands here once. Leaves acting on it to Stage (time),
// GraphView (walking) and the toolbox (orders.ts).

import { t } from "../../language/language.svelte";

export interface KeyHelp {
  keys: string[];
  does: string;
}

export const keyHelp = (): readonly { title: string; keys: readonly KeyHelp[] }[] => [
  {
    title: t("Time"),
    keys: [
      { keys: [t("Space")], does: t("Play or pause") },
      { keys: ["→", "←"], does: t("One event on, one back") },
      { keys: [t("Home"), t("End")], does: t("To the start, to the end") },
      { keys: [t("Page Up"), t("Page Down")], does: t("A tenth on or back, on the scrubber") },
    ],
  },
  {
    title: t("From node to node"),
    keys: [
      { keys: ["Tab"], does: t("To the graph: one node takes the focus") },
      {
        keys: [t("Shift + arrow")],
        does: t("Along the edges: to what a node reads, to what reads it, to its neighbours"),
      },
      { keys: [t("Enter")], does: t("Open the card of the node, or close it") },
      { keys: ["f"], does: t("Fold the node's module, or unfold it") },
      { keys: [t("Escape")], does: t("Close what is open") },
    ],
  },
  {
    title: t("Find and see"),
    keys: [
      { keys: ["/"], does: t("Search: op, symbol, name, shape, dtype, module, line") },
      { keys: ["z"], does: t("Zoom to the selected node, or to what the search found") },
      { keys: ["0"], does: t("Fit the whole graph") },
      { keys: ["n"], does: t("To the first NaN or Inf") },
    ],
  },
  {
    title: t("From step to step"),
    keys: [
      { keys: ["p"], does: t("Pin the selected node, or unpin it") },
      { keys: ["c"], does: t("Keep this run to compare the next with it, or stop") },
      { keys: ["?"], does: t("These keys") },
    ],
  },
];

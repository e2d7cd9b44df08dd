// Every key of the stage, in one list, as the help panel shows it.
//
// Invariant: a key that the stage acts on stands here once. Leaves acting on it to Stage (time),
// GraphView (walking) and the toolbox (orders.ts).

export interface KeyHelp {
  keys: string[];
  does: string;
}

export const KEY_HELP: readonly { title: string; keys: readonly KeyHelp[] }[] = [
  {
    title: "Time",
    keys: [
      { keys: ["Space"], does: "Play or pause" },
      { keys: ["→", "←"], does: "One event on, one back" },
      { keys: ["Home", "End"], does: "To the start, to the end" },
      { keys: ["Page Up", "Page Down"], does: "A tenth on or back, on the scrubber" },
    ],
  },
  {
    title: "From node to node",
    keys: [
      { keys: ["Tab"], does: "To the graph: one node takes the focus" },
      {
        keys: ["Shift + arrow"],
        does: "Along the edges: to what a node reads, to what reads it, to its neighbours",
      },
      { keys: ["Enter"], does: "Open the card of the node, or close it" },
      { keys: ["f"], does: "Fold the node's module, or unfold it" },
      { keys: ["Escape"], does: "Close what is open" },
    ],
  },
  {
    title: "Find and see",
    keys: [
      { keys: ["/"], does: "Search: op, symbol, name, shape, dtype, module, line" },
      { keys: ["z"], does: "Zoom to the selected node, or to what the search found" },
      { keys: ["0"], does: "Fit the whole graph" },
      { keys: ["n"], does: "To the first NaN or Inf" },
    ],
  },
  {
    title: "From step to step",
    keys: [
      { keys: ["p"], does: "Pin the selected node, or unpin it" },
      { keys: ["c"], does: "Keep this run to compare the next with it, or stop" },
      { keys: ["?"], does: "These keys" },
    ],
  },
];

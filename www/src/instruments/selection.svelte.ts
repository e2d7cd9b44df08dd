// What the learner points at, shared by all views: the graph, the bytes, the kernels, the code.
//
// Invariant: a thing on stage goes by its node's id, in every view, so pointing at it in one lights it
// in all. Leaves what a node's line, bytes or kernel are to the views.
export class Selection {
  /** The node under the pointer. */
  hovered = $state<number | null>(null);
  /** The node whose card is open. */
  selected = $state<number | null>(null);
  /** Nodes that another view points at together: those of a kernel, the views of a buffer. */
  marked = $state.raw<ReadonlySet<number>>(new Set());

  /** Ids belong to one graph: a new one begins with nothing pointed at. */
  clear(): void {
    this.hovered = null;
    this.selected = null;
    this.marked = new Set();
  }
}

// The picture on stage, cut into cells: one for each node and edge, so that a frame touches only what
// changed since the last.
//
// Invariant: after `show(t)` the cells together equal `picture(graph, t)`; a cell whose part did not
// change keeps its object, and effects that read it do not run again.
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type EdgePicture, type NodePicture, type Picture, picture, settle } from "./picture";

export class Cell<Part> {
  now: Part = $state.raw() as Part;

  constructor(part: Part) {
    this.now = part;
  }
}

export class Frame {
  readonly graph: StageGraph;
  readonly nodes: Cell<NodePicture>[];
  readonly edges: Cell<EdgePicture>[];
  t = $state(0);
  event: number | null = $state(null);
  #shown: Picture;

  constructor(graph: StageGraph) {
    this.graph = graph;
    this.#shown = picture(graph, 0);
    this.nodes = this.#shown.nodes.map((part) => new Cell(part));
    this.edges = this.#shown.edges.map((part) => new Cell(part));
  }

  /** The whole picture at `t`, for who paints all of it at once. */
  get shown(): Picture {
    return this.#shown;
  }

  show(t: number): void {
    const next = settle(this.#shown, picture(this.graph, t));
    next.nodes.forEach((part, index) => {
      const cell = this.nodes[index];
      if (cell && part !== this.#shown.nodes[index]) cell.now = part;
    });
    next.edges.forEach((part, index) => {
      const cell = this.edges[index];
      if (cell && part !== this.#shown.edges[index]) cell.now = part;
    });
    this.t = next.t;
    this.event = next.event;
    this.#shown = next;
  }
}

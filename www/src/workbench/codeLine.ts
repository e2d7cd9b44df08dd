// Which line of code an event on stage belongs to, so that code and graph light up together.
import type { StageGraph, TraceEvent } from "../protocol";

export interface CodeLine {
  cell: string | null;
  line: number;
  /** Whether a gradient is there, rather than a value being made. */
  gradient: boolean;
}

export function codeLineOf(graph: StageGraph | null, event: TraceEvent | null): CodeLine | null {
  if (!graph || !event) return null;
  const gradient = event.type === "vjp" || event.type === "accumulate" || event.type === "backward";
  if (!gradient && event.type !== "made") return null;
  const id = event.type === "backward" ? event.root : event.node;
  const node = graph.nodes.find((each) => each.id === id);
  return node?.line ? { cell: node.cell, line: node.line, gradient } : null;
}

// The events of each node and edge, indexed once per graph so that a frame is a few
// look-ups per node.
//
// Invariant: an index is derived from the graph alone and never changes; it holds event numbers in
// rising order. Leaves the shapes of motion to picture.ts.
// How loud a gradient is: log10 of its norm, DECADES below the loudest of the graph being silent.
import { t } from "../language/language.svelte";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { Preview } from "../protocol/generated/Preview";
import type { StageGraph } from "../protocol/generated/StageGraph";
import type { TraceEvent } from "../protocol/generated/TraceEvent";
import { formatNumber } from "./numbers";

/** A gradient as the stage shows it: how bright it is, and its label. */
export interface Loudness {
  /** 0 for a gradient that is zero or far below the loudest, 1 for the loudest. */
  level: number;
  /** The norm as text; empty where no norm was recorded. */
  label: string;
  /** Whether it holds NaN or infinity. */
  broken: boolean;
}

/** Event `event` gave gradient `value` to a node, or sent it along an edge. */
export interface Visit {
  event: number;
  value: number;
}

export interface NodeEvents {
  node: GraphNode;
  /** The event that drew it; none for a node made before this trace. */
  made: number | null;
  /** Events at which a gradient came to rest here, whatever brought it. */
  arrivals: Visit[];
  /** Events during which the node itself is at work: its rule, an addition, its `.grad`. */
  works: number[];
  accumulations: number[];
  fills: { event: number; accumulated: boolean }[];
  writes: number[];
}

export interface EdgeEvents {
  /** The event that made the consumer. */
  made: number | null;
  passes: (Visit & Loudness)[];
}

export interface EventIndex {
  nodes: NodeEvents[];
  edges: EdgeEvents[];
  /** Events at which a `backward()` begins: the marks of an earlier one fade there. */
  backwards: number[];
  previews: Map<number, Preview>;
  loudness: Map<number, Loudness>;
  nodeById: Map<number, GraphNode>;
  eventsById: Map<number, NodeEvents>;
}

const DECADES = 3;
const UNKNOWN: Loudness = { level: 0.5, label: "", broken: false };
const indexes = new WeakMap<StageGraph, EventIndex>();

/** The index of a graph's events. The same graph gives the same object. */
export function eventIndex(graph: StageGraph): EventIndex {
  let known = indexes.get(graph);
  if (!known) {
    known = indexEvents(graph);
    indexes.set(graph, known);
  }
  return known;
}

/** How loud a norm is beside the loudest one: 0 to 1, rising with its logarithm. */
export function level(norm: number, loudest: number): number {
  if (!Number.isFinite(norm)) return 1;
  if (norm <= 0 || loudest <= 0) return 0;
  return Math.min(1, Math.max(0, 1 + Math.log10(norm / loudest) / DECADES));
}

function indexEvents(graph: StageGraph): EventIndex {
  const previews = new Map(graph.previews.map((preview) => [preview.id, preview]));
  const nodeById = new Map(graph.nodes.map((node) => [node.id, node]));
  const nodes = graph.nodes.map(
    (node): NodeEvents => ({
      node,
      made: null,
      arrivals: [],
      works: [],
      accumulations: [],
      fills: [],
      writes: [],
    }),
  );
  const eventsById = new Map(nodes.map((entry) => [entry.node.id, entry]));
  const edges = graph.edges.map((): EdgeEvents => ({ made: null, passes: [] }));
  const backwards: number[] = [];
  const loudness = measure(graph, previews);
  const operandEdges = new Map<number, { operand: number; passes: EdgeEvents["passes"] }[]>();
  graph.edges.forEach((edge, at) => {
    const { passes } = edges[at] ?? { passes: [] };
    const known = operandEdges.get(edge.to);
    if (known) known.push({ operand: edge.operand, passes });
    else operandEdges.set(edge.to, [{ operand: edge.operand, passes }]);
  });

  graph.events.forEach((event, index) => {
    const entry = eventsById.get("root" in event ? event.root : event.node);
    if (!entry) return;
    switch (event.type) {
      case "made":
        entry.made ??= index;
        break;
      case "backward":
        backwards.push(index);
        entry.arrivals.push({ event: index, value: event.gradient });
        entry.works.push(index);
        break;
      case "vjp":
        entry.works.push(index);
        for (const { operand, passes } of operandEdges.get(event.node) ?? []) {
          const value = event.grads[operand];
          if (value === null || value === undefined) continue;
          passes.push({ event: index, value, ...(loudness.get(value) ?? UNKNOWN) });
        }
        event.grads.forEach((value, operand) => {
          const source = eventsById.get(entry.node.src[operand] ?? -1);
          if (value === null) return;
          // A second gradient rests here only after the addition that the next event shows.
          const held = source?.arrivals.at(-1);
          const fresh = !held || held.event < (backwards.at(-1) ?? 0);
          if (source && fresh) source.arrivals.push({ event: index, value });
        });
        break;
      case "accumulate":
        entry.arrivals.push({ event: index, value: event.sum });
        entry.accumulations.push(index);
        entry.works.push(index);
        break;
      case "grad":
        entry.arrivals.push({ event: index, value: event.gradient });
        entry.fills.push({ event: index, accumulated: event.accumulated });
        entry.works.push(index);
        if (event.accumulated) entry.accumulations.push(index);
        break;
      case "write":
        entry.writes.push(index);
        break;
      case "backwardEnd":
        break;
    }
  });
  graph.edges.forEach((edge, at) => {
    const entry = edges[at];
    if (entry) entry.made = eventsById.get(edge.to)?.made ?? null;
  });
  return { nodes, edges, backwards, previews, loudness, nodeById, eventsById };
}

/** The gradients that arrive with an event, and those that its rule sends on. */
export function gradientsOf(event: TraceEvent): number[] {
  if (event.type === "vjp") return [event.gradient, ...event.grads.flatMap((value) => value ?? [])];
  if (event.type === "accumulate") return [event.sum];
  return event.type === "grad" || event.type === "backward" ? [event.gradient] : [];
}

function measure(graph: StageGraph, previews: Map<number, Preview>): Map<number, Loudness> {
  const gradients = new Set<number>();
  for (const event of graph.events) {
    for (const value of gradientsOf(event)) gradients.add(value);
    if (event.type === "accumulate") gradients.add(event.added);
  }
  const found = [...gradients].flatMap((id) => previews.get(id) ?? []);
  const loudest = found.reduce((most, each) => (isBroken(each) ? most : Math.max(most, each.norm)), 0);
  return new Map(
    found.map((preview) => {
      const broken = isBroken(preview);
      return [
        preview.id,
        {
          level: broken ? 1 : level(preview.norm, loudest),
          label: broken ? brokenLabel(preview) : formatNumber(preview.norm),
          broken,
        },
      ];
    }),
  );
}

/** NaN and infinity arrive as null where the graph came as JSON. */
function isBroken(preview: Preview): boolean {
  return preview.nonFinite > 0 || !Number.isFinite(preview.norm);
}

function brokenLabel(preview: Preview): string {
  const values = preview.values as (number | null)[];
  if (values.some((value) => Number.isNaN(value as number))) return "NaN";
  return values.some((value) => value === Infinity || value === -Infinity) ? "inf" : t("not finite");
}

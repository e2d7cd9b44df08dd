// Modules folded to one node each: the graph as it is drawn, from the whole graph and the folded paths.
//
// Invariant: pure. The result is a StageGraph like any other (sources before users, in nodes and in
// events), so its picture is a function of (graph, folds, t). A module folds to one node for each run
// of its calls: calls next to one another in the order they were made, so no path leaves a run and
// comes back, and the drawn graph has no cycle. The loss is always drawn. Every number is the engine's:
// where gradients of several rules leave over one edge, it carries their recorded sum or none at all.
// Leaves places to layout.ts, which folds are open to folds.ts, motion to foldEvents.ts.
import type { GraphEdge } from "../protocol/generated/GraphEdge";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { foldEvents } from "./foldEvents";

/** The module that a folded node stands for. */
export interface Module {
  path: string;
  /** Ids of the nodes inside, in the order they were made. */
  members: number[];
  /** How many of them are parameters. */
  parameters: number;
}

/** A node of the whole graph, or a folded module, which goes by the id of its last inner node. */
export interface DrawnNode extends GraphNode {
  module?: Module;
}

export interface DrawnGraph extends StageGraph {
  nodes: DrawnNode[];
  whole: StageGraph;
  /** The drawn node that stands for a node of the whole graph. */
  standsFor: (id: number) => number;
  /** For each event, the event of the whole graph with which it is over; never falls. */
  from: readonly number[];
  /** Whether nodes have their places; otherwise they wait for a layout. */
  placed: boolean;
}

/** The paths of a scope, outermost first: `a.b.c` gives `a`, `a.b`, `a.b.c`. */
export function pathsOf(scope: string | null): string[] {
  if (!scope) return [];
  const parts = scope.split(".");
  return parts.map((_, at) => parts.slice(0, at + 1).join("."));
}

/** The graph with the modules of these paths folded. */
export function fold(graph: StageGraph, folded: ReadonlySet<string>): DrawnGraph {
  const runs = folded.size === 0 ? [] : runsOf(graph, folded);
  const runOf = new Map(runs.flatMap((run) => run.members.map((node) => [node.id, run] as const)));
  if (runs.length === 0) {
    return {
      ...graph,
      whole: graph,
      standsFor: (id) => id,
      from: graph.events.map((_, index) => index),
      placed: graph.width > 0 || graph.nodes.length === 0,
    };
  }
  const standsFor = (id: number) => runOf.get(id)?.id ?? id;
  const sources = new Map(runs.map((run) => [run.id, [...outside(run, standsFor)]]));
  const nodes = graph.nodes.flatMap((node): DrawnNode[] => {
    const run = runOf.get(node.id);
    if (!run) return [{ ...node, src: node.src.map(standsFor) }];
    return node.id === run.id ? [moduleNode(node, run, sources.get(run.id) ?? [])] : [];
  });
  const edges = nodes.flatMap((node) =>
    node.src.map((from, operand): GraphEdge => ({ from, to: node.id, operand, points: [] })),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const { events, from } = foldEvents(graph, byId, standsFor);
  return {
    ...graph,
    nodes,
    edges,
    events,
    width: 0,
    height: 0,
    whole: graph,
    standsFor,
    from,
    placed: false,
  };
}

/** How many nodes are drawn with these paths folded. */
export function drawnCount(graph: StageGraph, folded: ReadonlySet<string>): number {
  return runsOf(graph, folded).reduce((count, run) => count - run.members.length + 1, graph.nodes.length);
}

/** The folded module that a node of the whole graph is inside of; none where it is drawn itself. */
export function hiding(graph: StageGraph, folded: ReadonlySet<string>, id: number): string | null {
  const run = runsOf(graph, folded).find(({ members }) => members.some((node) => node.id === id));
  return run?.path ?? null;
}

/** The position in the drawn graph's events that shows what `t` shows in those of the whole graph. */
export function fromWhole({ from }: DrawnGraph, t: number): number {
  let [low, high] = [0, from.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) + 1 <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The position in the whole graph's events that `t` shows. */
export function toWhole({ from }: DrawnGraph, t: number): number {
  const index = Math.min(from.length, Math.ceil(t)) - 1;
  return index < 0 ? 0 : (from[index] ?? 0) + Math.min(1, t - index);
}

interface Run {
  id: number;
  path: string;
  members: GraphNode[];
}

function runsOf(graph: StageGraph, folded: ReadonlySet<string>): Run[] {
  const runs: Run[] = [];
  // Many nodes share a scope.
  const paths = new Map<string | null, string | undefined>();
  const foldedAround = (scope: string | null) => {
    if (!paths.has(scope))
      paths.set(
        scope,
        pathsOf(scope).find((each) => folded.has(each)),
      );
    return paths.get(scope);
  };
  const runOf = new Map<number, Run>();
  let open: Run | null = null as Run | null;
  for (const node of graph.nodes) {
    if (node.src.length === 0) continue;
    const path = node.kind === "loss" ? undefined : foldedAround(node.scope);
    if (path === undefined) {
      open = null;
      continue;
    }
    const run: Run = open?.path === path ? open : { id: node.id, path, members: [] };
    if (run !== open) runs.push(run);
    open = run;
    run.id = node.id;
    run.members.push(node);
    runOf.set(node.id, run);
  }
  takeLeaves(graph, runOf);
  const kept = runs.filter((run) => run.members.length > 1);
  for (const run of kept) run.members.sort((a, b) => a.id - b.id);
  return kept;
}

/** A leaf that only one run reads is inside it, if it is the module's own and not one of its arguments. */
function takeLeaves(graph: StageGraph, runOf: Map<number, Run>): void {
  const readers = new Map<number, Run | null>();
  for (const node of graph.nodes) {
    for (const source of node.src) {
      const run = runOf.get(node.id) ?? null;
      readers.set(source, !readers.has(source) || readers.get(source) === run ? run : null);
    }
  }
  for (const leaf of graph.nodes) {
    const run = leaf.src.length === 0 && leaf.kind !== "loss" ? readers.get(leaf.id) : null;
    if (!run) continue;
    const inside = `${run.path}.`;
    const own =
      leaf.kind === "parameter" ||
      leaf.name?.startsWith(inside) ||
      leaf.scope === run.path ||
      leaf.scope?.startsWith(inside);
    if (own) run.members.push(leaf);
  }
}

/** The nodes that a run reads from outside, each once, in the order in which it reads them. */
function outside(run: Run, standsFor: (id: number) => number): Set<number> {
  const found = new Set<number>();
  for (const node of run.members) {
    for (const source of node.src) if (standsFor(source) !== run.id) found.add(standsFor(source));
  }
  return found;
}

function moduleNode(last: GraphNode, run: Run, src: number[]): DrawnNode {
  const first = run.members.find((node) => node.src.length > 0) ?? last;
  return {
    ...last,
    kind: "op",
    op: "module",
    symbol: shortName(run.path),
    name: run.path,
    gradFn: null,
    src,
    cell: first.cell,
    line: first.line,
    scope: run.path,
    formula: "",
    rules: [],
    elementwise: false,
    saved: [],
    module: {
      path: run.path,
      members: run.members.map((node) => node.id),
      parameters: run.members.filter((node) => node.kind === "parameter").length,
    },
  };
}

/** The end of a path that says something: `layer1.0`, not `0`. */
function shortName(path: string): string {
  const parts = path.split(".");
  const at = parts.findLastIndex((part) => !/^\d+$/.test(part));
  return parts.slice(Math.max(0, at)).join(".");
}

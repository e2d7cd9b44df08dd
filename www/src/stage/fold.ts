// Modules and repeats folded to one node each: the graph as it is drawn, from the whole graph and the folded paths.
//
// Invariant: pure. The result is a StageGraph like any other (sources before users, in nodes and in
// events), so its picture is a function of (graph, folds, t). A module folds to one node for each run
// of its calls: calls next to one another in the order they were made, so no path leaves a run and
// comes back, and the drawn graph has no cycle. Turns of a repeat fold in the same way, among the nodes that
// folded modules leave (repeats.ts). The loss is always drawn: turns that end in it are drawn as the loss. Every number is the engine's:
// where gradients of several rules leave over one edge, it carries their recorded sum or none at all.
// Leaves places to places.ts, which folds are open to folds.ts, motion to foldEvents.ts.
import { t } from "../language/language.svelte";
import type { GraphEdge } from "../protocol/generated/GraphEdge";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { foldEvents } from "./foldEvents";
import { type Repeat, readKey, repeatsOf } from "./repeats";

/** The module that a folded node stands for. */
export interface Module {
  path: string;
  /** Ids of the nodes inside, in the order they were made. */
  members: number[];
  /** How many of them are parameters. */
  parameters: number;
  /** Where it stands for turns of a repeat: its path is the repeat's key. */
  turns?: Turns;
}

/** Turns that stand in one node. */
export interface Turns {
  /** The first of them, from 0, and how many there are. */
  first: number;
  count: number;
  /** How many the whole repeat has. */
  total: number;
  /** How many calls each has. */
  calls: number;
}

/** What each turn is made of: `call`, or `4 calls`. */
export const callsText = ({ calls }: Turns) => (calls === 1 ? t("call") : t("{n} calls", { n: calls }));

/** A node of the whole graph, or a folded module, which goes by the id of its last inner node. */
export interface DrawnNode extends GraphNode {
  module?: Module;
  /** The repeat whose open turn it is in. */
  turn?: { key: string; index: number };
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

/** The graph with the modules and repeats of these paths folded. */
export function fold(graph: StageGraph, folded: ReadonlySet<string>): DrawnGraph {
  const keys = [...folded].flatMap((path) => readKey(path) ?? []);
  const runs = folded.size === keys.length ? [] : runsOf(graph, folded);
  const modules = contract(graph, runs);
  if (keys.length === 0) return modules;
  const repeats = repeatsAmong(graph, folded, () => modules);
  const turns = turnsOf(modules, repeats, new Map(keys.map(({ key, turn }) => [key, turn])));
  const inTurns = new Set(turns.runs.flatMap((run) => run.members.map(({ id }) => id)));
  const kept = runs.filter((run) => !inTurns.has(run.id));
  return contract(
    graph,
    [...kept, ...turns.runs].sort((a, b) => a.id - b.id),
    turns.open,
  );
}

/** The repeats of each graph, with the modules among whose nodes they were looked for last. */
const known = new WeakMap<StageGraph, { modules: string; repeats: Repeat[] }>();

/** The repeats among the nodes that the modules of these paths leave, when they are folded. */
export function repeatsAmong(
  graph: StageGraph,
  folded: ReadonlySet<string>,
  contracted = () => contract(graph, runsOf(graph, modulesIn(folded))),
): Repeat[] {
  const modules = [...modulesIn(folded)].join(" ");
  const last = known.get(graph);
  if (last?.modules === modules) return last.repeats;
  const repeats = repeatsOf(contracted().nodes);
  known.set(graph, { modules, repeats });
  return repeats;
}

/** Of folded paths those of modules. */
export function modulesIn(folded: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...folded].filter((path) => readKey(path) === null));
}

/** The graph with each of these runs as one node; `open` are the nodes of open turns. */
function contract(graph: StageGraph, runs: Run[], open?: ReadonlyMap<number, DrawnNode["turn"]>): DrawnGraph {
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
    const turn = open?.get(node.id);
    if (!run) return [{ ...node, src: node.src.map(standsFor), ...(turn && { turn }) }];
    return node.id === run.id
      ? [{ ...moduleNode(node, run, sources.get(run.id) ?? []), ...(turn && { turn }) }]
      : [];
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

/** The runs of turns of the repeats by these keys, each with the turn that is open; and the nodes of those. */
function turnsOf(graph: DrawnGraph, repeats: readonly Repeat[], keys: ReadonlyMap<string, number | null>) {
  const runs: Run[] = [];
  const open = new Map<number, { key: string; index: number }>();
  const byId = new Map(graph.whole.nodes.map((node) => [node.id, node]));
  for (const { key, turns } of repeats) {
    const wanted = keys.get(key);
    if (wanted === undefined) continue;
    // A link may name a turn that is not there.
    const index = wanted !== null && turns[wanted] ? wanted : null;
    const stack = (first: number, end: number) => {
      // One turn alone is drawn as it is.
      if (end - first < 2) return;
      const inside = turns.slice(first, end).flat();
      const members = inside.flatMap((node) =>
        node.module ? node.module.members.flatMap((id) => byId.get(id) ?? []) : (byId.get(node.id) ?? []),
      );
      const last = inside.at(-1);
      if (!last) return;
      const run: Run = { id: last.id, path: key, members };
      run.turns = { first, count: end - first, total: turns.length, calls: turns[0]?.length ?? 0 };
      members.push(...ownLeaves(graph, turns, first, end).flatMap((id) => byId.get(id) ?? []));
      members.sort((a, b) => a.id - b.id);
      runs.push(run);
    };
    stack(0, index ?? turns.length);
    if (index !== null) {
      for (const node of turns[index] ?? []) open.set(node.id, { key, index });
      stack(index + 1, turns.length);
    }
  }
  return { runs, open };
}

/**
 * The leaves of the turns from `first` to `end` that one turn alone reads, where every turn has one: what several
 * share, and what the first begins with, stays outside, to be seen.
 */
function ownLeaves(graph: DrawnGraph, turns: DrawnNode[][], first: number, end: number): number[] {
  const readers = new Map<number, number>();
  for (const node of graph.nodes) {
    for (const source of new Set(node.src)) readers.set(source, (readers.get(source) ?? 0) + 1);
  }
  const leaves = new Set(graph.nodes.filter((node) => node.src.length === 0).map((node) => node.id));
  const own = new Map<number, number>();
  for (let turn = first; turn < end; turn++) {
    const other = turns[turn === 0 ? 1 : 0];
    turns[turn]?.forEach((call, at) => {
      const seen = new Set<number>();
      call.src.forEach((source, operand) => {
        const peer = other?.[at]?.src[operand] ?? -1;
        if (!leaves.has(source) || !leaves.has(peer) || peer === source || seen.has(source)) return;
        seen.add(source);
        own.set(source, (own.get(source) ?? 0) + 1);
      });
    });
  }
  return [...own].filter(([leaf, count]) => count === readers.get(leaf)).map(([leaf]) => leaf);
}

/** How many nodes are drawn with the modules of these paths folded. */
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
  turns?: Turns;
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
    kind: last.kind === "loss" ? "loss" : "op",
    op: "module",
    symbol: run.turns ? `× ${run.turns.count}` : shortName(run.path),
    name: run.turns ? turnsName(run.turns) : run.path,
    src,
    cell: first.cell,
    line: first.line,
    scope: run.turns ? last.scope : run.path,
    formula: "",
    rules: [],
    elementwise: false,
    saved: [],
    module: {
      path: run.path,
      members: run.members.map((node) => node.id),
      parameters: run.members.filter((node) => node.kind === "parameter").length,
      ...(run.turns && { turns: run.turns }),
    },
  };
}

/** Turns in words: which of how many, where a turn is open. */
export function turnsName({ first, count, total }: Turns): string {
  return count === total
    ? t("{n} turns", { n: count })
    : t("turns {first} to {last} of {n}", { first: first + 1, last: first + count, n: total });
}

/** The end of a path that says something: `layer1.0`, not `0`. */
function shortName(path: string): string {
  const parts = path.split(".");
  const at = parts.findLastIndex((part) => !/^\d+$/.test(part));
  return parts.slice(Math.max(0, at)).join(".");
}

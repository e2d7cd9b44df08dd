// Which modules are folded: the steps by which a learner opens and closes them.
//
// Invariant: pure; a set of paths never holds a path and one inside it. Opening goes one level down,
// closing one level up. Leaves what folding does to a graph to fold.ts.
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type DrawnNode, drawnCount, hiding, pathsOf } from "./fold";

export type Folds = ReadonlySet<string>;

/** Larger graphs begin folded. */
export const LARGE_GRAPH = 150;
/** They are opened by levels while there is room for it. */
const ROOM = 18;

interface Modules {
  /** Each module by its path, with the paths one level inside it. */
  inside: Map<string, Set<string>>;
  /** Modules whose every run is one of a single module inside: as a list of modules, which has no call of its own. */
  lists: Set<string>;
}

const known = new WeakMap<StageGraph, Modules>();

/** The modules of a graph by their paths, each with the paths one level inside it. */
export function modulesOf(graph: StageGraph): ReadonlyMap<string, ReadonlySet<string>> {
  return readModules(graph).inside;
}

function readModules(graph: StageGraph): Modules {
  const found = known.get(graph);
  if (found) return found;
  const inside = new Map<string, Set<string>>();
  const runs = new Map<string, number>();
  const called = new Set<string>();
  const pathsIn = new Map<string | null, string[]>();
  let before: string[] = [];
  for (const node of graph.nodes) {
    if (node.src.length === 0) continue;
    const paths = pathsIn.get(node.scope) ?? pathsOf(node.scope);
    pathsIn.set(node.scope, paths);
    if (node.scope) called.add(node.scope);
    paths.forEach((path, depth) => {
      if (!inside.has(path)) inside.set(path, new Set());
      if (depth > 0) inside.get(paths[depth - 1] ?? "")?.add(path);
      if (before[depth] !== path) runs.set(path, (runs.get(path) ?? 0) + 1);
    });
    before = paths;
  }
  const lists = new Set<string>();
  for (const [path, own] of inside) {
    const runsInside = [...own].reduce((sum, each) => sum + (runs.get(each) ?? 0), 0);
    if (!called.has(path) && runsInside === runs.get(path)) lists.add(path);
  }
  const modules = { inside, lists };
  known.set(graph, modules);
  return modules;
}

/** Every module folded: those of the top level. */
export function foldAll(graph: StageGraph): Folds {
  return new Set([...modulesOf(graph).keys()].filter((path) => !path.includes(".")));
}

/** The modules that are folded when a graph comes on stage. */
export function foldsAtFirst(graph: StageGraph): Folds {
  if (graph.nodes.length <= LARGE_GRAPH) return new Set();
  const modules = modulesOf(graph);
  let folds = foldAll(graph);
  for (;;) {
    const next = new Set([...folds].flatMap((path) => [...(modules.get(path) ?? [])]));
    if (next.size === 0 || drawnCount(graph, next) > ROOM) return folds;
    folds = next;
  }
}

/** Opens a folded module by one level; a level that shows nothing but the next is passed over. */
export function unfold(graph: StageGraph, folds: Folds, path: string): Folds {
  const { inside, lists } = readModules(graph);
  const under = (each: string): string[] =>
    [...(inside.get(each) ?? [])].flatMap((own) => (lists.has(own) ? under(own) : [own]));
  return new Set([...[...folds].filter((each) => each !== path), ...under(path)]);
}

/** Opens what hides a node of the whole graph, and no more: until it is drawn itself. */
export function openTo(graph: StageGraph, folds: Folds, id: number): Folds {
  let open = folds;
  for (;;) {
    const path = hiding(graph, open, id);
    if (path === null) return open;
    open = unfold(graph, open, path);
  }
}

/** Folds a module and whatever is folded inside it. */
export function foldUp(folds: Folds, path: string): Folds {
  return new Set([...[...folds].filter((each) => !each.startsWith(`${path}.`)), path]);
}

/**
 * The innermost module around a drawn node whose folding takes anything away; none outside of all.
 * `graph` is the whole one.
 */
export function foldAround(graph: StageGraph, folds: Folds, node: DrawnNode): string | null {
  const reader = node.src.length === 0 ? graph.nodes.find((each) => each.src.includes(node.id)) : undefined;
  const paths = pathsOf(reader && !node.scope ? reader.scope : node.scope);
  const count = drawnCount(graph, folds);
  const fits = (path: string) => node.module?.path !== path && drawnCount(graph, foldUp(folds, path)) < count;
  return paths.findLast(fits) ?? null;
}

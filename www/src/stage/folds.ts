// Which modules are folded: the steps by which a learner opens and closes them.
//
// Invariant: pure; a set of paths never holds a path and one inside it. Opening goes one level down,
// closing one level up. Leaves what folding does to a graph to fold.ts.
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type DrawnNode, drawnCount, pathsOf } from "./fold";

export type Folds = ReadonlySet<string>;

/** Larger graphs begin folded. */
export const LARGE_GRAPH = 150;
/** They are opened by levels while there is room for it. */
const ROOM = 18;

const known = new WeakMap<StageGraph, Map<string, Set<string>>>();

/** The modules of a graph by their paths, each with the paths one level inside it. */
export function modulesOf(graph: StageGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const found = known.get(graph);
  if (found) return found;
  const modules = new Map<string, Set<string>>();
  const scopes = new Set(graph.nodes.map((node) => (node.src.length > 0 ? node.scope : null)));
  for (const scope of scopes) {
    let outer: string | null = null;
    for (const path of pathsOf(scope)) {
      if (!modules.has(path)) modules.set(path, new Set());
      if (outer !== null) modules.get(outer)?.add(path);
      outer = path;
    }
  }
  known.set(graph, modules);
  return modules;
}

/** Every module folded: those of the top level. */
export function foldAll(graph: StageGraph): Folds {
  return new Set([...modulesOf(graph).keys()].filter((path) => !path.includes(".")));
}

/** What is folded when a graph comes on stage. */
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

/** Opens a folded module by one level; by more where a level shows nothing new, as a list of modules. */
export function unfold(graph: StageGraph, folds: Folds, path: string): Folds {
  const modules = modulesOf(graph);
  const others = [...folds].filter((each) => each !== path);
  const count = drawnCount(graph, folds);
  let inside = [path];
  for (;;) {
    inside = inside.flatMap((each) => [...(modules.get(each) ?? [])]);
    const next = new Set([...others, ...inside]);
    if (inside.length === 0 || drawnCount(graph, next) > count) return next;
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

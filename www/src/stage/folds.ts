// Which modules are folded: the steps by which a learner opens and closes them.
//
// Invariant: pure; a set of paths never holds a path and one inside it, nor a repeat twice. Opening goes one
// level down, closing one level up; a repeat opens at one turn and opens another next. Leaves what folding does to a graph to fold.ts.
import type { StageGraph } from "../protocol/generated/StageGraph";
import {
  type DrawnNode,
  drawnCount,
  fold,
  hiding,
  type Module,
  modulesIn,
  pathsOf,
  repeatsAmong,
} from "./fold";
import { readKey, withTurn } from "./repeats";

export type Folds = ReadonlySet<string>;

/** Larger graphs begin folded: with more nodes the labels of a stage cannot be read at once. */
export const LARGE_GRAPH = 48;
/** They are opened by levels while there is room for it. */
const ROOM = 18;
/** More leaves than these around one folded module are a crowd. */
const CROWD = 6;

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

/** Everything folded: the modules of the top level, and what repeats beside them. */
export function foldAll(graph: StageGraph): Folds {
  return withRepeats(graph, withoutCrowds(graph, outermost(graph)));
}

function outermost(graph: StageGraph): Folds {
  return new Set([...modulesOf(graph).keys()].filter((path) => !path.includes(".")));
}

/** Whether there is anything to fold. */
export function foldsAnything(graph: StageGraph): boolean {
  return modulesOf(graph).size > 0 || repeatsAmong(graph, new Set()).length > 0;
}

/** The same modules folded, and every repeat among what they leave. */
function withRepeats(graph: StageGraph, folds: Folds): Folds {
  return new Set([...folds, ...repeatsAmong(graph, folds).map(({ key }) => key)]);
}

/** The modules that are folded when a graph comes on stage. */
export function foldsAtFirst(graph: StageGraph): Folds {
  if (graph.nodes.length <= LARGE_GRAPH) return new Set();
  const modules = modulesOf(graph);
  let folds = outermost(graph);
  for (;;) {
    const next = new Set([...folds].flatMap((path) => [...(modules.get(path) ?? [])]));
    if (next.size === 0 || drawnCount(graph, next) > ROOM) break;
    folds = next;
  }
  folds = withoutCrowds(graph, folds);
  return drawnCount(graph, folds) > ROOM ? withRepeats(graph, folds) : folds;
}

/**
 * The same folds, but that a module which ran turn after turn, and reads a leaf of its own at each, is opened to its
 * repeat: there the leaves are inside, and around the module they would be most of the picture.
 */
function withoutCrowds(graph: StageGraph, folds: Folds): Folds {
  const drawn = fold(graph, folds);
  const leaves = new Set(drawn.nodes.filter(({ src }) => src.length === 0).map(({ id }) => id));
  return drawn.nodes.reduce((best, { module, src }) => {
    if (!module || src.filter((id) => leaves.has(id)).length <= CROWD) return best;
    const opened = unfoldNode(graph, best, module);
    const isLess = fold(graph, opened).nodes.length < fold(graph, best).nodes.length;
    return isLess ? opened : best;
  }, folds);
}

/** Opens a folded node by one level. */
export function unfoldNode(graph: StageGraph, folds: Folds, { path, turns, members }: Module): Folds {
  if (!turns) {
    const opened = unfold(graph, folds, path);
    if (drawnCount(graph, opened) <= LARGE_GRAPH) return opened;
    // A module that ran turn after turn opens to its repeat.
    const inside = new Set(members);
    const own = repeatsAmong(graph, opened).filter((repeat) =>
      repeat.turns.flat().every(({ id }) => inside.has(id)),
    );
    return new Set([...opened, ...own.map(({ key }) => key)]);
  }
  // Of the turns before the open one, the nearest opens; of those after it, too.
  const isBefore = turns.first === 0 && turns.count < turns.total;
  return openTurn(folds, path, isBefore ? turns.count - 1 : turns.first);
}

/** Opens one turn of a repeat, and folds the one that was open. */
export function openTurn(folds: Folds, key: string, turn: number): Folds {
  return new Set([...closedRepeat(folds, key), withTurn(key, turn)]);
}

function closedRepeat(folds: Folds, key: string): string[] {
  return [...folds].filter((path) => readKey(path)?.key !== key);
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
    const drawn = fold(graph, open);
    const repeat = drawn.nodes.find((node) => node.id === drawn.standsFor(id))?.module;
    if (repeat?.turns) {
      const turn = turnWith(graph, open, repeat.path, id);
      if (turn === null) return open;
      open = openTurn(open, repeat.path, turn);
      continue;
    }
    const path = hiding(graph, modulesIn(open), id);
    if (path === null) return open;
    open = unfold(graph, open, path);
  }
}

/** The closed turn of a repeat that a node is in: its call, or the leaf that it alone reads. */
function turnWith(graph: StageGraph, folds: Folds, key: string, id: number): number | null {
  const inside = fold(graph, modulesIn(folds)).standsFor(id);
  const repeat = repeatsAmong(graph, folds).find((each) => each.key === key);
  const at = repeat?.turns.findIndex((turn) =>
    turn.some((node) => node.id === inside || node.src.includes(inside)),
  );
  return at === undefined || at < 0 || folds.has(withTurn(key, at)) ? null : at;
}

/** Folds a module and whatever is folded inside it. */
export function foldUp(folds: Folds, path: string): Folds {
  if (readKey(path)) return new Set([...closedRepeat(folds, path), path]);
  return new Set([...[...folds].filter((each) => !each.startsWith(`${path}.`)), path]);
}

/**
 * The innermost module around a drawn node whose folding takes anything away; none outside of all.
 * `graph` is the whole one.
 */
export function foldAround(graph: StageGraph, folds: Folds, node: DrawnNode): string | null {
  if (node.turn) return node.turn.key;
  const reader = node.src.length === 0 ? graph.nodes.find((each) => each.src.includes(node.id)) : undefined;
  const paths = pathsOf(reader && !node.scope ? reader.scope : node.scope);
  const count = drawnCount(graph, folds);
  const fits = (path: string) => node.module?.path !== path && drawnCount(graph, foldUp(folds, path)) < count;
  return paths.findLast(fits) ?? null;
}

// Two runs side by side: which nodes are new, gone or changed, and from which number to which.
//
// Invariant: pure; each node of one graph is matched with at most one of the other. Named nodes are
// matched by name. The rest by the longest common order of op and module, so that a line typed above
// them parts no pair; among equal choices the same line wins.
import { t } from "../../language/language.svelte";
import type { GraphNode } from "../../protocol/generated/GraphNode";
import type { Preview } from "../../protocol/generated/Preview";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { eventIndex } from "../eventIndex";
import { elementCount, formatNumber, formatShape } from "../numbers";
import { partText } from "../outline";
import { identify } from "./identity";

/** One thing about a node that has changed. */
export interface Change {
  what: "shape" | "dtype" | "op" | "value" | "gradient";
  before: string;
  after: string;
}

export interface Difference {
  kind: "new" | "gone" | "changed";
  /** In the later graph; in the earlier one where it is gone. */
  node: GraphNode;
  before: GraphNode | null;
  changes: Change[];
}

export interface Comparison {
  differences: Difference[];
  /** By the id in the later graph. */
  byId: ReadonlyMap<number, Difference>;
  /** Pairs that are the same to the last recorded number. */
  same: number;
}

/** The changes in `after`. */
export function compare(before: StageGraph, after: StageGraph): Comparison {
  const pairs = match(before, after);
  const differences: Difference[] = [];
  let same = 0;
  for (const node of after.nodes) {
    const earlier = pairs.get(node);
    if (!earlier) {
      differences.push({ kind: "new", node, before: null, changes: [] });
      continue;
    }
    const changes = changesOf(before, earlier, after, node);
    if (changes.length > 0) differences.push({ kind: "changed", node, before: earlier, changes });
    else same += 1;
  }
  const kept = new Set(pairs.values());
  for (const node of before.nodes) {
    if (!kept.has(node)) differences.push({ kind: "gone", node, before: node, changes: [] });
  }
  const byId = new Map(
    differences.flatMap((each) => (each.kind === "gone" ? [] : [[each.node.id, each] as const])),
  );
  return { differences, byId, same };
}

/** Largest product of lengths for which the longest common order is sought. */
const LARGEST_TABLE = 4_000_000;

/** Node of `after` to its node of `before`. */
export function match(before: StageGraph, after: StageGraph): Map<GraphNode, GraphNode> {
  const pairs = new Map<GraphNode, GraphNode>();
  const [old, now] = [identify(before), identify(after)];
  for (const [key, node] of now.nodes) {
    const earlier = node.name === null ? undefined : old.nodes.get(key);
    if (earlier && (earlier.src.length === 0) === (node.src.length === 0)) pairs.set(node, earlier);
  }
  const taken = new Set(pairs.values());
  align(
    before.nodes.filter((node) => !taken.has(node)),
    after.nodes.filter((node) => !pairs.has(node)),
    pairs,
  );
  return pairs;
}

/** Pairs nodes that stand in the same order in both, most pairs first. */
function align(old: GraphNode[], now: GraphNode[], pairs: Map<GraphNode, GraphNode>): void {
  let start = 0;
  while (start < old.length && start < now.length && alike(old[start], now[start]) === 3) start += 1;
  let [oldEnd, nowEnd] = [old.length, now.length];
  while (oldEnd > start && nowEnd > start && alike(old[oldEnd - 1], now[nowEnd - 1]) === 3) {
    oldEnd -= 1;
    nowEnd -= 1;
  }
  const pair = (oldAt: number, nowAt: number) => {
    const [earlier, node] = [old[oldAt], now[nowAt]];
    if (earlier && node) pairs.set(node, earlier);
  };
  for (let at = 0; at < start; at++) pair(at, at);
  for (let at = 0; at < old.length - oldEnd && at < now.length - nowEnd; at++) pair(oldEnd + at, nowEnd + at);
  const [rows, columns] = [oldEnd - start, nowEnd - start];
  if (rows * columns > LARGEST_TABLE) {
    for (let at = 0; at < Math.min(rows, columns); at++) {
      if (alike(old[start + at], now[start + at]) > 0) pair(start + at, start + at);
    }
    return;
  }
  // best[row * width + column] is the most that the rest from there on can score.
  const width = columns + 1;
  const best = new Float64Array((rows + 1) * width);
  const score = (row: number, column: number) => best[row * width + column] ?? 0;
  const worth = (row: number, column: number) => {
    const likeness = alike(old[start + row], now[start + column]);
    return likeness === 0 ? 0 : 1 + likeness / 1000;
  };
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const here = worth(row, column);
      best[row * width + column] = Math.max(
        score(row + 1, column),
        score(row, column + 1),
        here > 0 ? here + score(row + 1, column + 1) : 0,
      );
    }
  }
  let [row, column] = [0, 0];
  while (row < rows && column < columns) {
    const here = worth(row, column);
    if (here > 0 && score(row, column) === here + score(row + 1, column + 1)) {
      pair(start + row, start + column);
      row += 1;
      column += 1;
    } else if (score(row, column) === score(row + 1, column)) row += 1;
    else column += 1;
  }
}

/** 0 for nodes that cannot be the same; more where their line and name agree too. */
function alike(a: GraphNode | undefined, b: GraphNode | undefined): 0 | 1 | 2 | 3 {
  if (!a || !b || a.op !== b.op || a.scope !== b.scope) return 0;
  const sameLine = a.line === b.line && a.cell === b.cell;
  const sameName = a.name === b.name;
  return sameLine && sameName ? 3 : sameLine || sameName ? 2 : 1;
}

function changesOf(before: StageGraph, earlier: GraphNode, after: StageGraph, node: GraphNode): Change[] {
  const changes: Change[] = [];
  const note = (what: Change["what"], old: string, now: string) => {
    if (old !== now) changes.push({ what, before: old, after: now });
  };
  note("op", earlier.op, node.op);
  note("shape", formatShape(earlier.shape), formatShape(node.shape));
  note("dtype", earlier.dtype, node.dtype);
  const value = numbers(eventIndex(before).previews.get(earlier.id), eventIndex(after).previews.get(node.id));
  if (value) changes.push({ what: "value", ...value });
  const gradient = numbers(lastGradient(before, earlier.id), lastGradient(after, node.id));
  if (gradient) changes.push({ what: "gradient", ...gradient });
  return changes;
}

/** The gradient that rests at a node when the trace has ended. */
export function lastGradient(graph: StageGraph, id: number): Preview | undefined {
  const { nodes, previews } = eventIndex(graph);
  const value = nodes.find((entry) => entry.node.id === id)?.arrivals.at(-1)?.value;
  return value === undefined ? undefined : previews.get(value);
}

/** Both as text where they differ; none where every recorded number is the same. */
function numbers(
  old: Preview | undefined,
  now: Preview | undefined,
): { before: string; after: string } | null {
  if (!old && !now) return null;
  if (old && now && equal(old, now)) return null;
  const [before, after] = [inShort(old), inShort(now)];
  return before === after
    ? { before, after: t("{value}, other elements", { value: after }) }
    : { before, after };
}

/** JSON has null for NaN. */
function sameNumber(a: unknown, b: unknown): boolean {
  return Object.is(a ?? Number.NaN, b ?? Number.NaN);
}

function equal(a: Preview, b: Preview): boolean {
  const scalars: (keyof Preview)[] = ["norm", "min", "max", "mean", "nonFinite"];
  return (
    scalars.every((key) => sameNumber(a[key], b[key])) &&
    a.values.length === b.values.length &&
    a.values.every((value, index) => sameNumber(value, b.values[index]))
  );
}

/** A number as it is, a tensor by its norm. */
export function inShort(preview: Preview | undefined): string {
  if (!preview) return t("none");
  return elementCount(preview.shape) === 1
    ? formatNumber(preview.values[0])
    : t("norm {n}", { n: formatNumber(preview.norm) + partText(preview) });
}

// A node's identity from one graph to the next: ids are new in each, so nodes are found again by their
// name, or by op, module, line and order.
//
// Invariant: pure; within one graph no two nodes share a key, and the same code run again gives the same
// keys. Leaves matching of code that was changed to compare.ts.
import { t } from "../../language/language.svelte";
import type { GraphNode } from "../../protocol/generated/GraphNode";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { nodeTitle } from "../outline";

export interface Identities {
  /** Node id to key. */
  keys: ReadonlyMap<number, string>;
  nodes: ReadonlyMap<string, GraphNode>;
}

const known = new WeakMap<StageGraph, Identities>();

/** The keys of a graph's nodes. The same graph gives the same object. */
export function identify(graph: StageGraph): Identities {
  let found = known.get(graph);
  if (found) return found;
  const counts = new Map<string, number>();
  const keys = new Map<number, string>();
  const nodes = new Map<string, GraphNode>();
  for (const node of graph.nodes) {
    const base = baseKey(node);
    const order = counts.get(base) ?? 0;
    counts.set(base, order + 1);
    const key = `${base}#${order}`;
    keys.set(node.id, key);
    nodes.set(key, node);
  }
  found = { keys, nodes };
  known.set(graph, found);
  return found;
}

function baseKey(node: GraphNode): string {
  if (node.name !== null) return `name ${node.name}`;
  return [node.op, node.scope ?? "", node.cell ?? "", node.line ?? ""].join(" | ");
}

/** The title of a followed node: its name, or its op with the line that made it. */
export function placedTitle(node: GraphNode): string {
  if (node.name !== null) return node.name;
  const place = [node.scope, node.line === null ? null : t("line {n}", { n: node.line })]
    .filter(Boolean)
    .join(", ");
  return place ? `${nodeTitle(node)} (${place})` : nodeTitle(node);
}

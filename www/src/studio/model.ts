// A network as the studio holds it: the JSON form of crates/architecture, and how its parts are found.
//
// Invariant: pure, and nothing here computes a shape: what flows is the module's answer (`Analysis`).

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Args = Record<string, Json>;
export type Position = [number, number];

export interface Net {
  format: string;
  version: number;
  name: string;
  note?: string;
  inputs: NetInput[];
  nodes: NetNode[];
  outputs: string[];
  blocks?: Block[];
  training?: Training;
}

export interface NetInput {
  name: string;
  shape: (number | string)[];
  dtype?: string;
  at?: Position;
}

export interface NetNode {
  id: string;
  type?: string;
  /** The layer that this node uses once more. */
  same?: string;
  args?: Args;
  children?: Omit<NetNode, "id">[];
  repeat?: number;
  inputs?: string[];
  note?: string;
  at?: Position;
}

export interface Block {
  name: string;
  note?: string;
  parameters?: { name: string; default: Json }[];
  inputs: string[];
  nodes: NetNode[];
  outputs: string[];
}

export interface Training {
  /** What is minimised, where it is not a loss of the result and the target. */
  objective?: string;
  data: string;
  loss: string;
  optimizer: string;
  optimizer_args?: Args;
  schedule?: string;
  batch_size: number;
  epochs: number;
  seed: number;
}

export interface Fact {
  shape: (number | string)[];
  dtype: string;
}

export interface Facts {
  results: Fact[];
  names: string[];
  parameters: number;
  fault: string | null;
  is_waiting: boolean;
}

export interface Analysis {
  nodes: Record<string, Facts>;
  inputs: Record<string, Fact>;
  outputs: Fact[];
  parameters: number;
  faults: string[];
}

export interface Argument {
  name: string;
  type: string;
  words?: string[];
  choices: string[];
  none?: boolean;
  required: boolean;
  default: Json;
}

/** A row of the registry: a layer, a loss, an optimizer. */
export interface Row {
  name: string;
  family: string;
  doc: string;
  rules?: string[];
  /** Of a layer how many tensors it takes, of a function what they are called. */
  operands: number | string[];
  variadic?: boolean;
  arguments: Argument[];
}

export interface Catalog {
  layers: Row[];
  functions: Row[];
  losses: Row[];
  optimizers: Row[];
  /** Names of schedules. */
  schedules: string[];
  /** What training may minimise; the losses that it is computed with, all where there are none. */
  objectives: { name: string; label: string; note: string; losses: string[] }[];
  data: { name: string; note: string; needs_files: boolean }[];
  presets: { name: string; note: string }[];
}

/** The graph that is on the canvas: the network's own, or a block's. */
export interface Graph {
  block: Block | null;
  inputs: string[];
  nodes: NetNode[];
  outputs: string[];
}

export function graphOf(net: Net, block: string | null): Graph {
  const found = block === null ? null : (net.blocks?.find(({ name }) => name === block) ?? null);
  if (found) return { block: found, inputs: found.inputs, nodes: found.nodes, outputs: found.outputs };
  return { block: null, inputs: net.inputs.map(({ name }) => name), nodes: net.nodes, outputs: net.outputs };
}

/** `lstm.1` is the second result of `lstm`. */
export function parseSource(text: string): { name: string; result: number } {
  const match = /^(.*)\.(\d+)$/.exec(text);
  return match ? { name: match[1] ?? "", result: Number(match[2]) } : { name: text, result: 0 };
}

export function sourceText(name: string, result: number): string {
  return result === 0 ? name : `${name}.${result}`;
}

/** Where a node stands in `Analysis.nodes`. */
export function pathOf(block: string | null, id: string): string {
  return block === null ? id : `${block}/${id}`;
}

export function shapeText(shape: readonly (number | string)[]): string {
  return shape.length === 0 ? "one number" : shape.join(", ");
}

/** The type of a node, also of one that uses another node's layer once more. */
export function kindOf(graph: Graph, node: NetNode): string {
  if (!node.same) return node.type ?? "";
  return graph.nodes.find(({ id }) => id === node.same)?.type ?? "";
}

/** What flows along a source, as far as it is known. */
export function factOf(net: Net, analysis: Analysis, graph: Graph, source: string): Fact | null {
  const { name, result } = parseSource(source);
  const block = graph.block?.name ?? null;
  const facts = analysis.nodes[pathOf(block, name)];
  if (facts && graph.nodes.some(({ id }) => id === name)) return facts.results[result] ?? null;
  if (block === null) return analysis.inputs[name] ?? null;
  // An input of a block has the shape that its first use gives it.
  const at = graph.inputs.indexOf(name);
  if (at < 0) return null;
  for (const user of [graphOf(net, null), ...(net.blocks ?? []).map(({ name }) => graphOf(net, name))]) {
    const node = user.nodes.find(({ type, children }) => type === block || children?.[0]?.type === block);
    const given = node?.inputs?.[at];
    if (given !== undefined) return factOf(net, analysis, user, given);
  }
  return null;
}

/** How many tensors a node takes, and whether it takes more. */
export function portsOf(net: Net, row: Row | undefined, kind: string, given: number): number {
  const block = net.blocks?.find(({ name }) => name === kind);
  if (block) return Math.max(block.inputs.length, given);
  if (!row) return Math.max(1, given);
  if (row.variadic) return given + 1;
  const takes = typeof row.operands === "number" ? Math.min(row.operands, 1) : row.operands.length;
  return Math.max(takes, given);
}

export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

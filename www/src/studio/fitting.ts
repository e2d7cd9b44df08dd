// What fits behind a tensor: each layer and function is put behind it in a network of its own, and the module says.
//
// Invariant: the order is the same for the same tensor: first what such tensors usually go through.
import type { Catalog, Fact, Net, Row } from "./model";
import { type Ask, isRefused } from "./module";

export interface Fitting {
  row: Row;
  /** What it gives; empty where it takes more than this tensor. */
  gives: Fact[];
}

const USUAL: Record<string, string[]> = {
  image: [
    "Conv2d",
    "BatchNorm2d",
    "ReLU",
    "MaxPool2d",
    "Flatten",
    "Dropout2d",
    "AvgPool2d",
    "AdaptiveAvgPool2d",
    "add",
    "GroupNorm",
  ],
  row: ["Linear", "ReLU", "Dropout", "BatchNorm1d", "LayerNorm", "GELU", "Tanh", "Softmax", "add", "cat"],
  sequence: [
    "Linear",
    "LayerNorm",
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "LSTM",
    "GRU",
    "Conv1d",
    "GELU",
    "Dropout",
    "select",
    "mean",
    "add",
  ],
  index: ["Embedding"],
};

function kindOf({ shape, dtype }: Fact): string {
  if (dtype === "int64") return "index";
  return shape.length >= 4 ? "image" : shape.length === 3 ? "sequence" : "row";
}

export function fitting(ask: Ask, catalog: Catalog, fact: Fact): Fitting[] {
  const shape = fact.shape.map((size) => (typeof size === "number" || /^\w+$/.test(size) ? size : "M"));
  const net: Net = {
    format: "glowgrad.architecture",
    version: 1,
    name: "Asked",
    inputs: [{ name: "x", shape, dtype: fact.dtype }],
    nodes: [],
    outputs: [],
  };
  const found: Fitting[] = [];
  for (const row of [...catalog.layers, ...catalog.functions]) {
    if (row.family === "lazy" || row.family === "parameter") continue;
    const takesMore = typeof row.operands !== "number" && row.operands.length > 1;
    if (takesMore) {
      if (row.family === "arithmetic" || row.variadic) found.push({ row, gives: [] });
      continue;
    }
    const told = ask("add", { net, after: "x", kind: row.name });
    if (isRefused(told)) continue;
    const facts = told.analysis.nodes[told.id];
    if (facts && facts.fault === null) found.push({ row, gives: facts.results });
  }
  const usual = USUAL[kindOf(fact)] ?? [];
  const rank = ({ row }: Fitting) => (usual.indexOf(row.name) + 1 || 1000) - 1;
  return found.sort((a, b) => rank(a) - rank(b));
}

// Search in a graph: which nodes fit what was typed.
//
// Invariant: pure; every word must fit the node somewhere (op, symbol, name, shape, dtype, module, line,
// kind). Whole words come before beginnings, beginnings before parts; ties stand in the order of the trace.
import type { GraphNode } from "../../protocol/generated/GraphNode";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { opTitle } from "../outline";

const FIELDS = ["op", "symbol", "name", "shape", "dtype", "module", "line", "cell", "kind"] as const;
type Field = (typeof FIELDS)[number];

/** Words that name a field otherwise. */
const SYNONYMS: Record<string, Field> = { scope: "module", type: "dtype", variable: "name" };

interface Word {
  field: Field | null;
  text: string;
}

/** The nodes that fit, best first; none for an empty query. */
export function search(graph: StageGraph, query: string): GraphNode[] {
  const words = parse(query);
  if (words.length === 0) return [];
  const found: { node: GraphNode; rank: number }[] = [];
  for (const node of graph.nodes) {
    const texts = textsOf(node);
    let rank = 0;
    for (const word of words) {
      const best = fitness(texts, word);
      if (best === 0) {
        rank = 0;
        break;
      }
      rank += best;
    }
    if (rank > 0) found.push({ node, rank });
  }
  return found.sort((a, b) => b.rank - a.rank).map(({ node }) => node);
}

/** `line 4`, `line:4` and `[2, 3]` are one word each. */
function parse(query: string): Word[] {
  const joined = query
    .toLowerCase()
    .replace(/,\s+/g, ",")
    .replace(/\[\s+/g, "[")
    .replace(/\s+\]/g, "]")
    .replace(/\b(line|cell)\s+(?=\d)/g, "$1:")
    .replace(/:\s+/g, ":");
  return joined
    .split(/\s+/)
    .filter(Boolean)
    .map((text) => {
      const at = text.indexOf(":");
      const name = text.slice(0, at);
      const field = SYNONYMS[name] ?? FIELDS.find((each) => each === name);
      return at > 0 && field ? { field, text: text.slice(at + 1) } : { field: null, text };
    })
    .filter(({ text }) => text !== "");
}

function textsOf(node: GraphNode): Record<Field, string[]> {
  const shape = node.shape.join(",");
  const low = (text: string | null) => (text === null ? [] : [text.toLowerCase()]);
  return {
    op: [...new Set([node.op.toLowerCase(), opTitle(node).toLowerCase()])],
    symbol: low(node.symbol),
    name: low(node.name),
    shape: [`[${shape}]`, shape, node.shape.join("x"), node.shape.join("×")],
    dtype: low(node.dtype),
    module: low(node.scope),
    line: node.line === null ? [] : [String(node.line)],
    cell: node.cell === null ? [] : [node.cell.toLowerCase(), node.cell.toLowerCase().replace(/\D+/g, "")],
    kind: [node.kind, ...(node.kind === "input" ? ["data"] : [])],
  };
}

/** 3 for the whole text, 2 for its beginning, 1 for a part of it, 0 for none. */
function fitness(texts: Record<Field, string[]>, { field, text }: Word): number {
  const fields = field ? [field] : FIELDS.filter((each) => each !== "cell");
  let best = 0;
  for (const name of fields) {
    for (const whole of texts[name]) {
      const exact = name === "line" || name === "cell";
      const here = whole === text ? 3 : exact ? 0 : whole.startsWith(text) ? 2 : whole.includes(text) ? 1 : 0;
      if (here > best) best = here;
    }
  }
  return best;
}

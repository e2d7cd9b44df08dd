// Search in a graph: which nodes fit a query, drawn or inside a folded module.
//
// Invariant: pure; every word must fit the node somewhere (op, symbol, name, shape, dtype, module, line,
// kind). Whole words come before beginnings, beginnings before parts; of equals what is drawn
// comes first, then the order of the trace.
import type { GraphNode } from "../../protocol/generated/GraphNode";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import type { DrawnGraph, DrawnNode } from "../fold";

const FIELDS = ["op", "symbol", "name", "shape", "dtype", "module", "line", "cell", "kind"] as const;
type Field = (typeof FIELDS)[number];

/** Words that name a field otherwise. */
const SYNONYMS: Record<string, Field> = { scope: "module", type: "dtype", variable: "name" };

interface Word {
  field: Field | null;
  text: string;
}

/** A node that fits: drawn, or inside a folded module. */
export interface Match {
  node: DrawnNode;
  /** The module that hides it, and the drawn node that stands for it. */
  inside: { module: string; id: number } | null;
}

/** The matches among the drawn nodes and those that folded modules hide, best first. */
export function matchesIn(graph: DrawnGraph, query: string): Match[] {
  const inside = new Map<number, Match["inside"]>();
  const all: Match[] = [];
  for (const node of graph.nodes) {
    if (!node.module) continue;
    all.push({ node, inside: null });
    for (const member of node.module.members) inside.set(member, { module: node.module.path, id: node.id });
  }
  for (const node of graph.whole.nodes) all.push({ node, inside: inside.get(node.id) ?? null });
  const drawnFirst = (a: Match, b: Match) => Number(a.inside !== null) - Number(b.inside !== null);
  return ranked(all, query, drawnFirst);
}

/** The nodes of a graph that fit, best first; none for an empty query. */
export function search(graph: StageGraph, query: string): GraphNode[] {
  const all = graph.nodes.map((node): Match => ({ node, inside: null }));
  return ranked(all, query, () => 0).map(({ node }) => node);
}

function ranked(all: Match[], query: string, tie: (a: Match, b: Match) => number): Match[] {
  const words = parse(query);
  if (words.length === 0) return [];
  const found: { match: Match; rank: number }[] = [];
  for (const match of all) {
    const texts = textsOf(match.node);
    let rank = 0;
    for (const word of words) {
      const best = fitness(texts, word);
      if (best === 0) {
        rank = 0;
        break;
      }
      rank += best;
    }
    if (rank > 0) found.push({ match, rank });
  }
  return found
    .sort((a, b) => b.rank - a.rank || tie(a.match, b.match) || a.match.node.id - b.match.node.id)
    .map(({ match }) => match);
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

const known = new WeakMap<GraphNode, Record<Field, string[]>>();

function textsOf(node: GraphNode): Record<Field, string[]> {
  let texts = known.get(node);
  if (!texts) {
    texts = readTexts(node);
    known.set(node, texts);
  }
  return texts;
}

function readTexts(node: GraphNode): Record<Field, string[]> {
  const shape = node.shape.join(",");
  const low = (text: string | null) => (text === null ? [] : [text.toLowerCase()]);
  return {
    op: low(node.op),
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

// What is drawn of each node and wire: texts, sizes, ports, and the sentence that a screen reader says.
//
// Invariant: pure. A size follows from the texts alone, so that a picture can be laid out before anything is drawn.
import { t } from "../language/language.svelte";
import {
  type Analysis,
  type Catalog,
  type Fact,
  factOf,
  type Graph,
  graphOf,
  type Json,
  kindOf,
  type Net,
  type NetNode,
  parseSource,
  pathOf,
  portsOf,
  type Row,
  shapeText,
} from "./model";

export interface Card {
  id: string;
  role: "input" | "layer" | "function" | "block" | "output";
  title: string;
  /** The type, and what its arguments say in short. */
  kind: string;
  shape: string;
  parameters: number;
  fault: string | null;
  isWaiting: boolean;
  repeat: number;
  /** How many nodes a block has. */
  inside: number;
  /** The layer that it uses once more. */
  same: string;
  ports: number;
  results: string[];
  width: number;
  height: number;
  says: string;
}

export interface Wiring {
  id: string;
  source: string;
  result: number;
  target: string;
  port: number;
  shape: string;
  isFaulty: boolean;
}

export const HEIGHT = 46;
const LETTER = 6.62;
const NARROWEST = 96;
const WIDEST = 250;
/** Wires lead to what the network gives; a node cannot have this name. */
const OUTPUT = "→";

export const outputId = (index: number) => `${OUTPUT}${index}`;
export const isOutput = (id: string) => id.startsWith(OUTPUT);
export const outputIndex = (id: string) => Number(id.slice(1));

/** Rows by name: layers and functions. */
export function rowsOf(catalog: Catalog): Map<string, Row> {
  return new Map([...catalog.layers, ...catalog.functions].map((row) => [row.name, row]));
}

export function cardsOf(
  net: Net,
  analysis: Analysis,
  rows: ReadonlyMap<string, Row>,
  graph: Graph,
): { cards: Card[]; wires: Wiring[] } {
  const cards: Card[] = graph.inputs.map((name) => inputCard(name, factOf(net, analysis, graph, name)));
  const wires: Wiring[] = [];
  const block = graph.block?.name ?? null;
  const flows = (source: string) => factOf(net, analysis, graph, source);
  for (const node of graph.nodes) {
    const facts = analysis.nodes[pathOf(block, node.id)];
    const isFaulty = !!facts?.fault && !facts.is_waiting;
    cards.push(nodeCard(net, analysis, rows, graph, node));
    (node.inputs ?? []).forEach((source, port) => {
      wires.push(wiring(source, node.id, port, flows(source), isFaulty));
    });
  }
  graph.outputs.forEach((source, index) => {
    const fact = flows(source);
    cards.push(outputCard(index, graph.outputs.length, source, fact));
    wires.push(wiring(source, outputId(index), 0, fact, false));
  });
  return { cards, wires };
}

function parametersText(count: number): string {
  return count === 1 ? t("1 parameter") : t("{n} parameters", { n: count.toLocaleString("en") });
}

function wiring(text: string, target: string, port: number, fact: Fact | null, isFaulty: boolean): Wiring {
  const { name, result } = parseSource(text);
  const shape = fact ? shapeText(fact.shape) : "";
  return { id: `${target}:${port}`, source: name, result, target, port, shape, isFaulty };
}

function inputCard(name: string, fact: Fact | null): Card {
  const shape = fact ? shapeText(fact.shape) : t("any shape");
  const kind = fact && fact.dtype !== "float32" ? fact.dtype : t("input");
  return sized({
    id: name,
    role: "input",
    title: name,
    kind,
    shape,
    says: t("{name}, input, {shape}", { name, shape }),
  });
}

function outputCard(index: number, count: number, source: string, fact: Fact | null): Card {
  const title = count > 1 ? t("output {n}", { n: index + 1 }) : t("output");
  const shape = fact ? shapeText(fact.shape) : "";
  const says = `${t("{title}, from {source}", { title, source })}${shape ? `, ${shape}` : ""}`;
  return sized({ id: outputId(index), role: "output", title, kind: "", shape, ports: 1, results: [], says });
}

function nodeCard(
  net: Net,
  analysis: Analysis,
  rows: ReadonlyMap<string, Row>,
  graph: Graph,
  node: NetNode,
): Card {
  const kind = kindOf(graph, node);
  const facts = analysis.nodes[pathOf(graph.block?.name ?? null, node.id)];
  const block = net.blocks?.find(({ name }) => name === kind);
  const row = rows.get(kind);
  const results = facts?.results.map(({ shape }) => shapeText(shape)) ?? [];
  const shape = results.join("  ·  ");
  const repeat = node.repeat ?? 1;
  const isFunction = typeof row?.operands !== "number";
  const fault = facts?.fault ?? null;
  const brief = node.same ? t("{name}, once more", { name: node.same }) : briefArguments(kind, node);
  const says = [
    node.id,
    node.same ? t("{kind} of {name} once more", { kind, name: node.same }) : kind,
    node.same ? "" : saidArguments(kind, node),
    repeat > 1 ? t("{n} times in a row", { n: repeat }) : "",
    fault && !facts?.is_waiting ? t("does not fit: {problem}", { problem: fault }) : "",
    facts?.is_waiting ? t("waits for its source") : "",
    results.length > 0 ? t("gives {shapes}", { shapes: results.join(t(" and ")) }) : "",
    facts && facts.parameters > 0 ? parametersText(facts.parameters) : "",
  ];
  return sized({
    id: node.id,
    role: block ? "block" : kind === "Sequential" || !isFunction ? "layer" : "function",
    title: node.id,
    kind: [kind, brief].filter(Boolean).join(" "),
    shape: fault ? (facts?.is_waiting ? t("waits for its source") : t("does not fit")) : shape,
    parameters: facts?.parameters ?? 0,
    fault,
    isWaiting: facts?.is_waiting ?? false,
    repeat,
    inside: block ? block.nodes.length : (node.children?.length ?? 0),
    same: node.same ?? "",
    ports: portsOf(net, row, kind, node.inputs?.length ?? 0),
    results:
      facts && facts.names.length > 1
        ? facts.names
        : block && block.outputs.length > 1
          ? block.outputs
          : [""],
    says: says.filter(Boolean).join(", "),
  });
}

type Told = Pick<Card, "id" | "role" | "title" | "kind" | "shape" | "says"> & Partial<Card>;

function sized(told: Told): Card {
  const card: Card = {
    parameters: 0,
    fault: null,
    isWaiting: false,
    repeat: 1,
    inside: 0,
    same: "",
    ports: 0,
    results: [""],
    width: 0,
    height: HEIGHT,
    ...told,
  };
  const first = card.title.length + (card.kind ? card.kind.length + 1.5 : 0) + (card.repeat > 1 ? 5 : 0);
  const count = briefCount(card.parameters);
  const second = card.shape.length + (count ? count.length + 3.5 : 0);
  const mark = card.role === "input" || card.role === "output" ? 22 : 0;
  card.width = Math.round(
    Math.min(WIDEST, Math.max(NARROWEST, Math.max(first, second) * LETTER + 34 + mark)),
  );
  card.height = Math.max(HEIGHT, 20 + 15 * Math.max(card.ports, card.results.length));
  return card;
}

/** `61.7 K` of 61706. */
export function briefCount(n: number): string {
  if (n === 0) return "";
  if (n < 10_000) return n.toLocaleString("en");
  const [unit, name] = n < 1e6 ? [1e3, "K"] : n < 1e9 ? [1e6, "M"] : [1e9, "G"];
  const scaled = n / (unit as number);
  return `${scaled.toFixed(scaled < 100 ? 1 : 0)} ${name}`;
}

const FROM_TO: Record<string, [string, string]> = {
  Linear: ["in_features", "out_features"],
  Embedding: ["num_embeddings", "embedding_dim"],
  LSTM: ["input_size", "hidden_size"],
  GRU: ["input_size", "hidden_size"],
  RNN: ["input_size", "hidden_size"],
};

function ends(kind: string, node: NetNode): [Json, Json] | null {
  const names = /^Conv/.test(kind) ? (["in_channels", "out_channels"] as const) : FROM_TO[kind];
  const [from, to] = names?.map((name) => node.args?.[name]) ?? [];
  return from === undefined || to === undefined ? null : [from, to];
}

/** What distinguishes it from others of its type, in a few letters. */
function briefArguments(kind: string, node: NetNode): string {
  const { args = {} } = node;
  const found = ends(kind, node);
  const parts = found ? [`${brief(found[0])} → ${brief(found[1])}`] : [];
  if (args.kernel_size !== undefined) parts.push(square(args.kernel_size));
  if (args.stride !== undefined && args.stride !== 1) parts.push(`/${brief(args.stride)}`);
  if (parts.length === 0 && typeof args.p === "number") parts.push(String(args.p));
  if (parts.length === 0) {
    const first = Object.values(args)[0];
    if (first !== undefined && brief(first).length <= 12) parts.push(brief(first));
  }
  return parts.join(" ");
}

function square(size: Json): string {
  return typeof size === "number"
    ? `${size}×${size}`
    : Array.isArray(size)
      ? size.map(brief).join("×")
      : brief(size);
}

function brief(value: Json): string {
  if (typeof value === "string") return value.replace(/^=\s*/, "");
  return Array.isArray(value) ? value.map(brief).join(",") : value === null ? "none" : String(value);
}

function saidArguments(kind: string, node: NetNode): string {
  const found = ends(kind, node);
  if (found) {
    const [from, to] = found.map(brief) as [string, string];
    return /^Conv/.test(kind)
      ? t("{from} to {to} channels", { from, to })
      : t("{from} to {to}", { from, to });
  }
  return Object.entries(node.args ?? {})
    .slice(0, 2)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${brief(value)}`)
    .join(", ");
}

/** The graph around a node: what it takes from, and what takes from it. */
export function neighbours(wires: readonly Wiring[], id: string): { before: string[]; after: string[] } {
  return {
    before: wires.filter(({ target }) => target === id).map(({ source }) => source),
    after: wires.filter(({ source }) => source === id).map(({ target }) => target),
  };
}

/** Whether a type is a block of the network. */
export function isBlock(net: Net, kind: string): boolean {
  return graphOf(net, kind).block !== null;
}

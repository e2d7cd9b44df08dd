// The trace in words: one line per event, for the caption under the graph, for the outline beside it
// and for screen readers.
//
// Invariant: the words depend on the graph alone, and event i has exactly one line, `outline(graph)[i]`,
// which is written when it is first asked for.
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import {
  ACCUMULATES,
  BEGINS,
  ENDS,
  GRAD_ADDED,
  GRAD_FILLED,
  LINE,
  MADE,
  MADE_BY,
  NO_OPERAND,
  REFUSED,
  REFUSED_IN,
  RULE_RUNS,
  RUNS,
  WANTS_GRADIENT,
  WANTS_NO_GRADIENT,
  WRITTEN,
} from "../protocol/generated/sentences";
import type { TraceEvent } from "../protocol/generated/TraceEvent";
import { type EventIndex, eventIndex, gradientsOf } from "./eventIndex";
import { callsText, type DrawnNode } from "./fold";
import { elementCount, formatNumber, formatShape } from "./numbers";
import type { EventKind } from "./timeline";

export interface OutlineEntry {
  index: number;
  kind: EventKind;
  /** Which part of the step the event belongs to. */
  part: "forward" | "backward" | "update";
  /** The event, as a sentence. */
  text: string;
  /** The numbers that go with it; may be empty. */
  detail: string;
  /** Whether a gradient in it holds NaN or infinity. */
  broken: boolean;
  node: number;
}

const outlines = new WeakMap<StageGraph, (OutlineEntry | undefined)[]>();

/** The line of one event. The same event gives the same object. */
export function lineOf(graph: StageGraph, index: number): OutlineEntry | null {
  const event = graph.events[index];
  if (!event) return null;
  const known = outlines.get(graph) ?? [];
  outlines.set(graph, known);
  known[index] ??= describe(event, index, eventIndex(graph), graph.failure);
  return known[index];
}

/** One line for each event of the graph. */
export function outline(graph: StageGraph): OutlineEntry[] {
  return graph.events.flatMap((_, index) => lineOf(graph, index) ?? []);
}

/** Lines of a long trace are written out in pages of so many: the one that is on, and those around it. */
export const PAGE = 200;

/** Which lines are written out at an event: all of a short trace; `more` adds pages on either side. */
export function linesAt(
  count: number,
  event: number | null,
  more: readonly [number, number] = [0, 0],
): [number, number] {
  if (count <= 3 * PAGE) return [0, count];
  const page = Math.floor((event ?? 0) / PAGE);
  const from = Math.max(0, page - 1 - more[0]) * PAGE;
  return [from, Math.min(count, Math.max(page + 2, 3) * PAGE + more[1] * PAGE)];
}

/** A node's name in a sentence: its variable, else its op. What failed has its module's name, and no own. */
export function nodeTitle(node: GraphNode): string {
  return node.kind === "failed" ? node.op : (node.name ?? node.op);
}

/** `gx` for the only operand, `ga`, `gb`, `gc` where there are several. */
export function gradientName(node: GraphNode, operand: number): string {
  return `g${operandName(node, operand)}`;
}

/** `x` for the only operand, `a`, `b`, `c` where there are several, as in the rules. */
export function operandName(node: GraphNode, operand: number): string {
  return node.src.length === 1 ? "x" : String.fromCharCode(97 + operand);
}

function describe(event: TraceEvent, index: number, context: EventIndex, failure = ""): OutlineEntry {
  const id = "root" in event ? event.root : event.node;
  const node = context.nodeById.get(id);
  const title = node ? nodeTitle(node) : `node ${id}`;
  const say = (sentence: string) => fill(sentence, { title });
  const norm = (value: number) => {
    const label = context.loudness.get(value)?.label;
    return label === undefined || label === "" ? "" : /\d/.test(label) ? `norm ${label}` : label;
  };
  const entry = (part: OutlineEntry["part"], text: string, detail = ""): OutlineEntry => ({
    index,
    kind: event.type,
    part,
    text,
    detail,
    broken: gradientsOf(event).some((value) => context.loudness.get(value)?.broken),
    node: id,
  });
  switch (event.type) {
    case "made":
      if (node?.kind === "failed") {
        return { ...entry("forward", refusedText(node, failure), node.formula), broken: true };
      }
      return entry(
        "forward",
        node ? madeText(node) : say(MADE),
        node ? `shape ${formatShape(node.shape)}` : "",
      );
    case "backward":
      return entry("backward", say(BEGINS), norm(event.gradient));
    case "vjp":
      return entry("backward", node ? ruleText(node, event.grads) : say(RULE_RUNS), vjpDetail(event, norm));
    case "accumulate":
      return entry("backward", say(ACCUMULATES), sumDetail(event, index, context, norm));
    case "grad":
      return entry("backward", say(event.accumulated ? GRAD_ADDED : GRAD_FILLED), norm(event.gradient));
    case "backwardEnd":
      return entry("backward", ENDS);
    case "write":
      return entry("update", say(WRITTEN));
  }
}

/** A sentence with its values in their places. */
function fill(sentence: string, values: Record<string, unknown>): string {
  return sentence.replace(/{(\w+)}/g, (_, name) => `${values[name]}`);
}

function madeText(node: DrawnNode): string {
  const values = { title: nodeTitle(node), op: node.op, line: node.line };
  const line = node.line === null ? "" : fill(LINE, values);
  if (node.module?.turns)
    return `${line}${nodeTitle(node)} of the same ${callsText(node.module.turns)} run, ${node.module.members.length} nodes in one.`;
  if (node.module) return `${line}${node.module.path} runs, ${node.module.members.length} nodes in one.`;
  const made = node.name ? MADE_BY : RUNS;
  const leaf = node.requiresGrad ? WANTS_GRADIENT : WANTS_NO_GRADIENT;
  return line + fill(node.src.length > 0 ? made : leaf, values);
}

function refusedText(node: GraphNode, why: string): string {
  // Most messages begin with the op, which the sentence names.
  const prefix = `${node.op}: `;
  const reason = why.startsWith(prefix) ? why.slice(prefix.length) : why;
  const values = { title: node.name, op: node.op, line: node.line, why: reason };
  const line = node.line === null ? "" : fill(LINE, values);
  return line + fill(node.name === null ? REFUSED : REFUSED_IN, values);
}

function ruleText(node: DrawnNode, grads: (number | null)[]): string {
  const names = grads.flatMap((value, operand) => (value === null ? [] : [gradientName(node, operand)]));
  if (node.module) {
    return `${node.module.turns ? nodeTitle(node) : node.module.path}: the gradient has gone through all its nodes${names.length > 0 ? " and leaves it" : ""}.`;
  }
  if (names.length === 0) return fill(NO_OPERAND, { title: node.op });
  const into = names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${node.op}: its local rule turns gy into ${into}.`;
}

/** Norms do not add up, single numbers do. */
function sumDetail(
  event: Extract<TraceEvent, { type: "accumulate" }>,
  index: number,
  { eventsById, previews }: EventIndex,
  norm: (value: number) => string,
): string {
  const arrivals = eventsById.get(event.node)?.arrivals;
  const before = arrivals?.findLast((visit) => visit.event < index)?.value;
  const values = [before, event.added, event.sum].map((id) => previews.get(id ?? -1));
  if (before === undefined || !values.every((value) => value !== undefined)) return norm(event.sum);
  const [held, added, sum] = values;
  return elementCount(sum?.shape ?? []) === 1
    ? `${formatNumber(held?.values[0])} + ${formatNumber(added?.values[0])} = ${formatNumber(sum?.values[0])}`
    : `${norm(before)} and ${norm(event.added)} make ${norm(event.sum)}`;
}

function vjpDetail(event: Extract<TraceEvent, { type: "vjp" }>, norm: (value: number) => string): string {
  const came = norm(event.gradient);
  const went = event.grads.flatMap((value) => (value === null ? [] : [norm(value)])).filter(Boolean);
  return came && went.length > 0 ? `${came} → ${went.join(", ")}` : "";
}

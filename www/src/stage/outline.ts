// The trace in words: one line per event, for the caption under the graph, for the outline beside it
// and for screen readers.
//
// Invariant: the words depend on the graph alone, and event i has exactly one line, `outline(graph)[i]`,
// which is written when it is first asked for.
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import type { TraceEvent } from "../protocol/generated/TraceEvent";
import { type EventIndex, eventIndex } from "./eventIndex";
import type { DrawnNode } from "./fold";
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
  known[index] ??= describe(event, index, eventIndex(graph));
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

/** A node's name in a sentence: its variable, else its op. */
export function nodeTitle(node: GraphNode): string {
  return node.name ?? opTitle(node);
}

/** The op as the learner calls it. */
export function opTitle(node: GraphNode): string {
  return node.op === "pow_scalar" ? "pow" : node.op;
}

/** `gx` for the only operand, `ga`, `gb`, `gc` where there are several. */
export function gradientName(node: GraphNode, operand: number): string {
  return `g${operandName(node, operand)}`;
}

/** `x` for the only operand, `a`, `b`, `c` where there are several, as in the rules. */
export function operandName(node: GraphNode, operand: number): string {
  return node.src.length === 1 ? "x" : String.fromCharCode(97 + operand);
}

function describe(event: TraceEvent, index: number, context: EventIndex): OutlineEntry {
  const id = "root" in event ? event.root : event.node;
  const node = context.nodeById.get(id);
  const title = node ? nodeTitle(node) : `node ${id}`;
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
      return entry(
        "forward",
        node ? madeText(node) : `${title} is made.`,
        node ? `shape ${formatShape(node.shape)}` : "",
      );
    case "backward":
      return entry(
        "backward",
        `backward() begins at ${title}: the gradient of ${title} by itself.`,
        norm(event.gradient),
      );
    case "vjp":
      return entry(
        "backward",
        node ? ruleText(node, event.grads) : `${title}: its local rule runs.`,
        vjpDetail(event, norm),
      );
    case "accumulate":
      return entry(
        "backward",
        `${title} has a gradient already: this one is added to it (+=).`,
        sumDetail(event, index, context, norm),
      );
    case "grad":
      return event.accumulated
        ? entry(
            "backward",
            `${title}.grad held a gradient from before: this one is added to it.`,
            norm(event.gradient),
          )
        : entry("backward", `${title}.grad is filled.`, norm(event.gradient));
    case "backwardEnd":
      return entry("backward", "backward() has ended: every leaf it reached has its gradient.");
    case "write":
      return entry("update", `${title} is written in place.`);
  }
}

function gradientsOf(event: TraceEvent): number[] {
  if (event.type === "vjp") return [event.gradient, ...event.grads.flatMap((value) => value ?? [])];
  if (event.type === "accumulate") return [event.sum];
  return event.type === "grad" || event.type === "backward" ? [event.gradient] : [];
}

function madeText(node: DrawnNode): string {
  const line = node.line === null ? "" : `Line ${node.line}: `;
  if (node.module) return `${line}${node.module.path} runs, ${node.module.members.length} nodes in one.`;
  if (node.src.length > 0)
    return `${line}${node.name ? `${node.name} is made by ${opTitle(node)}` : `${opTitle(node)} runs`}.`;
  const what = node.requiresGrad ? "a leaf that wants a gradient" : "data that wants no gradient";
  return `${line}${nodeTitle(node)}, ${what}.`;
}

function ruleText(node: DrawnNode, grads: (number | null)[]): string {
  const names = grads.flatMap((value, operand) => (value === null ? [] : [gradientName(node, operand)]));
  if (node.module) {
    return `${node.module.path}: the gradient has gone through all its nodes${names.length > 0 ? " and leaves it" : ""}.`;
  }
  if (names.length === 0) return `${opTitle(node)}: no operand wants a gradient.`;
  const into = names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${opTitle(node)}: its local rule turns gy into ${into}.`;
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

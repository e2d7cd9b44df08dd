// The trace in words: one line per event, for the caption under the graph, for the outline beside it
// and for screen readers.
//
// Invariant: the words depend on the graph and the learner's language alone, and event i has exactly one line,
// `outline(graph)[i]`, which is written when it is first asked for.
import { language, sentence, t } from "../language/language.svelte";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { Preview } from "../protocol/generated/Preview";
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

/** The lines that are written, and their language. */
let outlines = new WeakMap<StageGraph, (OutlineEntry | undefined)[]>();
let written = language.code;

/** The line of one event. In one language the same event gives the same object. */
export function lineOf(graph: StageGraph, index: number): OutlineEntry | null {
  const event = graph.events[index];
  if (!event) return null;
  if (written !== language.code) {
    written = language.code;
    outlines = new WeakMap();
  }
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

/** Words behind a norm that is not of all elements: of a very large value, the first ones are read. */
export function partText({ shape, read }: Pick<Preview, "shape" | "read">): string {
  return read < elementCount(shape) ? t(" of the first {n} elements", { n: read.toLocaleString("en") }) : "";
}

/** A kind of node in words. */
export function kindText(kind: GraphNode["kind"]): string {
  return {
    input: t("data"),
    parameter: t("parameter"),
    op: t("op"),
    loss: t("loss"),
    failed: t("failed"),
  }[kind];
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
  const title = node ? nodeTitle(node) : t("node {n}", { n: id });
  const say = (text: string) => sentence(text, { title });
  const norm = (value: number) => {
    const label = context.loudness.get(value)?.label;
    return label === undefined || label === "" ? "" : /\d/.test(label) ? t("norm {n}", { n: label }) : label;
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
        node ? t("shape {shape}", { shape: formatShape(node.shape) }) : "",
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
      return entry("backward", sentence(ENDS));
    case "write":
      return entry("update", say(WRITTEN));
  }
}

function madeText(node: DrawnNode): string {
  const title = nodeTitle(node);
  const { module } = node;
  const members = module?.members.length ?? 0;
  const made = () => {
    if (module?.turns)
      return t("{title} of the same {calls} run, {n} nodes in one.", {
        title,
        calls: callsText(module.turns),
        n: members,
      });
    if (module) return t("{title} runs, {n} nodes in one.", { title: module.path, n: members });
    if (node.src.length > 0) return sentence(node.name ? MADE_BY : RUNS, { title, op: node.op });
    return sentence(node.requiresGrad ? WANTS_GRADIENT : WANTS_NO_GRADIENT, { title });
  };
  return lineText(node) + made();
}

/** Which line of the learner's made it, where one did. */
function lineText({ line }: GraphNode): string {
  return line === null ? "" : sentence(LINE, { line });
}

function refusedText(node: GraphNode, why: string): string {
  const { name, op } = node;
  // Most messages begin with the op, which the sentence names.
  const prefix = `${op}: `;
  const reason = why.startsWith(prefix) ? why.slice(prefix.length) : why;
  const refused =
    name === null
      ? sentence(REFUSED, { op, why: reason })
      : sentence(REFUSED_IN, { op, why: reason, title: name });
  return lineText(node) + refused;
}

function ruleText(node: DrawnNode, grads: (number | null)[]): string {
  const names = grads.flatMap((value, operand) => (value === null ? [] : [gradientName(node, operand)]));
  if (node.module) {
    const title = node.module.turns ? nodeTitle(node) : node.module.path;
    return names.length > 0
      ? t("{title}: the gradient has gone through all its nodes and leaves it.", { title })
      : t("{title}: the gradient has gone through all its nodes.", { title });
  }
  const last = names.at(-1);
  if (last === undefined) return sentence(NO_OPERAND, { title: node.op });
  const into =
    names.length === 1 ? last : t("{list} and {last}", { list: names.slice(0, -1).join(", "), last });
  return t("{op}: its local rule turns gy into {into}.", { op: node.op, into });
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
    : t("{a} and {b} make {sum}", { a: norm(before), b: norm(event.added), sum: norm(event.sum) });
}

function vjpDetail(event: Extract<TraceEvent, { type: "vjp" }>, norm: (value: number) => string): string {
  const came = norm(event.gradient);
  const went = event.grads.flatMap((value) => (value === null ? [] : [norm(value)])).filter(Boolean);
  return came && went.length > 0 ? `${came} → ${went.join(", ")}` : "";
}

// A node's local rule with its actual numbers: `{gy} · (1 − {y}²)` becomes `0.42 · (1 − 0.91²) = 0.0722`.
//
// Invariant: every number shown is one that the engine recorded; nothing is computed here, so a rule
// can never claim a result that the engine did not get. A number not recorded (beyond the preview, or
// not there yet at this position) leaves its letter standing.
// An elementwise rule is shown for one element, with operands broadcast to it; any other rule with
// shapes, and with the norm of its result.
import { t } from "../language/language.svelte";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { Preview } from "../protocol/generated/Preview";
import type { StageGraph } from "../protocol/generated/StageGraph";
import type { TraceEvent } from "../protocol/generated/TraceEvent";
import { eventIndex } from "./eventIndex";
import { elementCount, formatNumber, formatShape, type Value } from "./numbers";
import { gradientName, nodeTitle, operandName, partText } from "./outline";

export type Vjp = Extract<TraceEvent, { type: "vjp" }>;

/** A piece of a rule: plain text, or a value's letter and what it stands for. */
export interface RulePart {
  text: string;
  /** Set where the piece stands for a value. */
  role: "gradient" | "value" | null;
}

export interface RuleLine {
  operand: number;
  /** `gx`, or `ga`, `gb` where there are several operands. */
  target: string;
  /** The operand's variable or op. */
  to: string;
  symbolic: RulePart[];
  /** The same with this node's numbers or shapes; none while none is known. */
  filled: RulePart[] | null;
  /** The result, such as `0.0722` or `[2, 3], norm 1.5`; none before the rule ran. */
  result: string | null;
  /** Whether the result is more than what the filled rule says for one element or in letters. */
  leads: boolean;
  /** Why the result is not that of the one element shown; empty mostly. */
  note: string;
  /** The value id of the gradient that came out. */
  gradient: number | null;
}

export interface FilledRules {
  lines: RuleLine[];
  /** The element that an elementwise rule is shown for; none for whole tensors and scalars. */
  element: number[] | null;
  /** Its place in row-major order. */
  flat: number | null;
}

/** The vjp of `node` that has begun by position `t`: the last one; none before the first. */
export function vjpAt(graph: StageGraph, node: number, t: number): Vjp | null {
  for (let index = Math.min(graph.events.length, Math.ceil(t)) - 1; index >= 0; index--) {
    const event = graph.events[index];
    if (event?.type === "vjp" && event.node === node) return event;
  }
  return null;
}

/**
 * The rules of `node` as `vjp` ran them. Without a `vjp` the forward values are filled in, and the
 * gradient `arrived` (a value id) where one waits at the node.
 * `wanted` is the row-major place of the element to show; by default the one with the largest
 * gradient among those recorded.
 */
export function fillRules(
  graph: StageGraph,
  node: GraphNode,
  vjp: Vjp | null,
  wanted: number | null = null,
  arrived: number | null = null,
): FilledRules {
  const { previews, nodeById } = eventIndex(graph);
  const find = (id: number | undefined | null) =>
    id === undefined || id === null ? undefined : previews.get(id);
  const values: Record<string, Preview | undefined> = {
    gy: find(vjp?.gradient ?? arrived),
    y: find(node.id),
    a: find(node.src[0]),
    b: find(node.src[1]),
    c: find(node.src[2]),
  };
  const flat = node.elementwise ? (wanted ?? tellingElement(node, values, vjp?.grads.map(find) ?? [])) : null;
  const lines = node.src.flatMap((source, operand): RuleLine[] => {
    const template = node.rules[operand];
    if (!template) return [];
    const gradient = vjp?.grads[operand] ?? null;
    const operandNode = nodeById.get(source);
    if (vjp ? gradient === null : operandNode?.requiresGrad === false) return [];
    const out = find(gradient);
    const came = result(node, operandNode, out, flat);
    const filled = fill(template, node, values, flat);
    // A rule in words stands above; with numbers it is the incoming gradient and the result.
    const words = template.startsWith("{gy},");
    const same = came.result !== null && template === "{gy}" && !came.note;
    return [
      {
        operand,
        target: gradientName(node, operand),
        to: operandNode ? nodeTitle(operandNode) : t("node {n}", { n: source }),
        symbolic: parts(template, (name) => letter(node, name)),
        filled: same ? null : words ? (filled?.slice(0, 1) ?? null) : filled,
        ...came,
        leads: words || came.note !== "",
        gradient,
      },
    ];
  });
  const scalar = elementCount(node.shape) === 1;
  return { lines, flat, element: flat === null || scalar ? null : unravel(flat, node.shape) };
}

/** The place in an operand of `shape` that element `flat` of `out` reads, by broadcasting. */
export function broadcastIndex(flat: number, out: readonly number[], shape: readonly number[]): number {
  let rest = flat;
  let index = 0;
  let stride = 1;
  for (let dim = out.length - 1, at = shape.length - 1; at >= 0; dim--, at--) {
    const size = out[dim] ?? 1;
    const position = rest % size;
    rest = Math.floor(rest / size);
    const own = shape[at] ?? 1;
    if (own !== 1) index += position * stride;
    stride *= own;
  }
  return index;
}

/** The coordinates of the element at row-major place `flat`. */
export function unravel(flat: number, shape: readonly number[]): number[] {
  const place: number[] = [];
  let rest = flat;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    const size = shape[dim] ?? 1;
    place[dim] = rest % size;
    rest = Math.floor(rest / size);
  }
  return place;
}

function fill(
  template: string,
  node: GraphNode,
  values: Record<string, Preview | undefined>,
  flat: number | null,
): RulePart[] | null {
  let known = false;
  const filled = parts(template, (name) => {
    const value = values[name];
    if (!value) return letter(node, name);
    const at =
      elementCount(value.shape) === 1
        ? 0
        : flat === null
          ? null
          : broadcastIndex(flat, node.shape, value.shape);
    if (at === null) {
      known = true;
      return formatShape(value.shape);
    }
    if (at >= value.values.length) return letter(node, name);
    known = true;
    return enclosed(value.values[at]);
  });
  return known ? filled : null;
}

function result(
  node: GraphNode,
  source: GraphNode | undefined,
  out: Preview | undefined,
  flat: number | null,
) {
  if (!out) return { result: null, note: "" };
  if (elementCount(out.shape) === 1) {
    const summed = node.elementwise && source ? elementCount(node.shape) : 1;
    return {
      result: formatNumber(out.values[0]),
      note: summed > 1 ? t("summed over all {n} elements, because it was broadcast", { n: summed }) : "",
    };
  }
  const at = flat === null ? null : broadcastIndex(flat, node.shape, out.shape);
  if (at === null || at >= out.values.length) {
    return {
      result: t("{shape}, norm {norm}", {
        shape: formatShape(out.shape),
        norm: formatNumber(out.norm) + partText(out),
      }),
      note: "",
    };
  }
  const shared = elementCount(node.shape) / elementCount(out.shape);
  return {
    result: formatNumber(out.values[at]),
    note: shared > 1 ? t("summed over the {n} elements that share it by broadcasting", { n: shared }) : "",
  };
}

/** The element whose numbers tell most: one where a result is not finite, else the largest gradient. */
function tellingElement(
  node: GraphNode,
  values: Record<string, Preview | undefined>,
  results: (Preview | undefined)[],
): number {
  const lead = values.gy ?? values.y;
  if (!lead) return 0;
  const known = Object.values(values).filter((value) => value !== undefined);
  const placeIn = (value: Preview, flat: number) => broadcastIndex(flat, node.shape, value.shape);
  let best = 0;
  let size = -1;
  lead.values.forEach((value: Value, flat) => {
    if (known.some((other) => placeIn(other, flat) >= other.values.length)) return;
    const finite = [lead, ...results].every((result) => {
      const place = result ? placeIn(result, flat) : 0;
      return !result || place >= result.values.length || Number.isFinite(result.values[place]);
    });
    const here = finite ? Math.abs(value as number) : Infinity;
    if (here > size) [best, size] = [flat, here];
  });
  return best;
}

function parts(template: string, textOf: (name: string) => string): RulePart[] {
  return template.split(/\{(gy|y|a|b|c)\}/).flatMap((piece, index): RulePart[] => {
    if (index % 2 === 0) return piece ? [{ text: piece, role: null }] : [];
    return [{ text: textOf(piece), role: piece === "gy" ? "gradient" : "value" }];
  });
}

function letter(node: GraphNode, name: string): string {
  return name === "gy" || name === "y" ? name : operandName(node, name.charCodeAt(0) - 97);
}

/** A negative number or a power of ten inside a formula keeps its brackets: `(−0.3)²`. */
function enclosed(value: Value): string {
  const text = formatNumber(value);
  return /^−|e/.test(text) ? `(${text})` : text;
}

/** What the node computes; its only operand is `x`, as in its rules. */
export function formulaText(node: GraphNode): string {
  return node.src.length === 1 ? node.formula.replace(/(?<![\w.])a(?!\w)/g, "x") : node.formula;
}

/** The pieces of a rule as one string. */
export function ruleText(pieces: readonly RulePart[]): string {
  return pieces.map((piece) => piece.text).join("");
}

// One stop of the trace in numbers: forward what was made; backward what came in, the local rule with this node's numbers, what
// came out, and what was added to what.
//
// Invariant: every number was recorded by the engine. Tensors of one element are shown as they are,
// others by one element, the telling one, and by their norms. Leaves drawing to StopRow.
import { t } from "../../language/language.svelte";
import type { GraphNode } from "../../protocol/generated/GraphNode";
import type { Preview } from "../../protocol/generated/Preview";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { eventIndex } from "../eventIndex";
import { elementCount, formatNumber, formatShape, type Value } from "../numbers";
import { gradientName, nodeTitle, partText } from "../outline";
import { fillRules, formulaText, type RuleLine, unravel, type Vjp } from "../rules";

export interface Sum {
  before: string;
  added: string;
  sum: string;
  /** The element that the numbers are of; empty for a single one. */
  element: string;
  /** The norms of the three, where they are tensors. */
  norms: string;
}

/** A rule as it ran; of a matrix product one element of the result as its sum of products. */
export interface StopLine extends RuleLine {
  terms: string;
}

export interface Stop {
  title: string;
  node: number;
  /** The forward formula. */
  formula: string;
  /** The gradient that came in; empty where the event has none. */
  incoming: string;
  lines: StopLine[];
  /** The element that an elementwise rule is shown for; empty for whole tensors. */
  element: string;
  sum: Sum | null;
  /** The value of a node that was made; empty elsewhere. */
  value: string;
  /** The value left in `.grad`; empty elsewhere. */
  grad: string;
}

/** The stop at event `index`; none where there is nothing to read. */
export function stopAt(graph: StageGraph, index: number | null): Stop | null {
  const event = index === null ? undefined : graph.events[index];
  if (!event || index === null || event.type === "write" || event.type === "backwardEnd") return null;
  const { nodeById, previews, nodes } = eventIndex(graph);
  const id = "root" in event ? event.root : event.node;
  const node = nodeById.get(id);
  if (!node) return null;
  const stop: Stop = {
    title: nodeTitle(node),
    node: id,
    formula: "",
    incoming: "",
    lines: [],
    element: "",
    sum: null,
    value: "",
    grad: "",
  };
  const find = (value: number | undefined) => (value === undefined ? undefined : previews.get(value));
  const before = () =>
    find(
      nodes.find((entry) => entry.node.id === id)?.arrivals.findLast((visit) => visit.event < index)?.value,
    );
  switch (event.type) {
    case "made":
      return { ...stop, formula: formulaText(node), value: whole(find(id)) };
    case "backward":
      return { ...stop, incoming: whole(find(event.gradient)) };
    case "vjp": {
      const rules = fillRules(graph, node, event);
      return {
        ...stop,
        formula: formulaText(node),
        incoming: whole(find(event.gradient)),
        lines: rules.lines.map((line) => ({
          ...line,
          terms: productTerms(graph, node, event, line.operand),
        })),
        element: rules.element ? formatShape(rules.element) : "",
      };
    }
    case "accumulate":
      return { ...stop, sum: sumOf(before(), find(event.added), find(event.sum)) };
    case "grad": {
      const total = find(event.gradient);
      const entry = nodes.find((each) => each.node.id === id);
      const fill = entry?.fills.findLast((each) => each.event < index);
      const earlier = fill && graph.events[fill.event];
      const held = earlier?.type === "grad" ? find(earlier.gradient) : undefined;
      const sum = event.accumulated ? sumOf(held, before(), total) : null;
      return { ...stop, sum, grad: whole(total) };
    }
  }
}

/** `before + added = sum`, with the numbers of the element where most was added. */
export function sumOf(
  before: Preview | undefined,
  added: Preview | undefined,
  sum: Preview | undefined,
): Sum | null {
  if (!before || !added || !sum) return null;
  const known = Math.min(before.values.length, added.values.length, sum.values.length);
  let at = 0;
  for (let flat = 1; flat < known; flat++) {
    if (size(added.values[flat]) > size(added.values[at])) at = flat;
  }
  const single = elementCount(sum.shape) === 1;
  const text = (preview: Preview) => (known > 0 ? formatNumber(preview.values[at]) : whole(preview));
  return {
    before: text(before),
    added: text(added),
    sum: text(sum),
    element: single || known === 0 ? "" : formatShape(unravel(at, sum.shape)),
    norms: single
      ? ""
      : t("norms {list}", { list: [before, added, sum].map(({ norm }) => formatNumber(norm)).join(", ") }),
  };
}

/** Products written out of one sum. */
const MOST_TERMS = 4;

/** A local rule that is a matrix product: `{gy} @ {b}ᵀ`. */
const PRODUCT = /^\{(\w+)\}(ᵀ?) @ \{(\w+)\}(ᵀ?)$/;

/** A factor of such a product, and whether it is transposed. */
interface Factor {
  matrix: Preview;
  transposed: boolean;
}

/**
 * One element of a matrix product's gradient as the sum that made it, `ga[0, 1] = 0.3 · 2 + …`: the
 * largest element, where both matrices were recorded as a whole; empty otherwise.
 */
export function productTerms(graph: StageGraph, node: GraphNode, vjp: Vjp, operand: number): string {
  const { previews } = eventIndex(graph);
  const factor = (name = "", transposed = ""): Factor | null => {
    const value = name === "gy" ? vjp.gradient : node.src["abc".indexOf(name)];
    const matrix = previews.get(value ?? -1);
    return isWhole(matrix) ? { matrix, transposed: transposed !== "" } : null;
  };
  const product = PRODUCT.exec(node.rules[operand] ?? "");
  if (!product) return "";
  const [, a, aTransposed, b, bTransposed] = product;
  const [left, right] = [factor(a, aTransposed), factor(b, bTransposed)];
  const out = previews.get(vjp.grads[operand] ?? -1);
  if (!left || !right || !isWhole(out)) return "";
  let flat = 0;
  out.values.forEach((value, at) => {
    if (size(value) > size(out.values[flat])) flat = at;
  });
  const [row = 0, column = 0] = unravel(flat, out.shape);
  const count = left.matrix.shape[left.transposed ? 0 : 1] ?? 0;
  const terms = Array.from(
    { length: Math.min(count, MOST_TERMS) },
    (_, k) => `${enclosed(element(left, row, k))} · ${enclosed(element(right, k, column))}`,
  );
  const rest = count > MOST_TERMS ? t(" + … ({n} products)", { n: count }) : "";
  const target = `${gradientName(node, operand)}${formatShape([row, column])}`;
  return `${target} = ${terms.join(" + ")}${rest} = ${formatNumber(out.values[flat])}`;
}

function element({ matrix, transposed }: Factor, row: number, column: number): Value {
  const [r, c] = transposed ? [column, row] : [row, column];
  return matrix.values[r * (matrix.shape[1] ?? 1) + c];
}

function isWhole(matrix: Preview | undefined): matrix is Preview {
  return matrix?.shape.length === 2 && matrix.values.length === elementCount(matrix.shape);
}

function enclosed(value: Value): string {
  const text = formatNumber(value);
  return /^−|e/.test(text) ? `(${text})` : text;
}

/** NaN and infinity tell most. */
function size(value: Value): number {
  return Number.isFinite(value) ? Math.abs(value as number) : Infinity;
}

function whole(preview: Preview | undefined): string {
  if (!preview) return "";
  return elementCount(preview.shape) === 1
    ? formatNumber(preview.values[0])
    : t("{shape}, norm {norm}", {
        shape: formatShape(preview.shape),
        norm: formatNumber(preview.norm) + partText(preview),
      });
}

/** Every addition of a gradient at `node` that has begun by position `t`, in order. */
export function sumsOf(graph: StageGraph, node: number, t: number): Sum[] {
  return graph.events.flatMap((event, index) => {
    if (event.type !== "accumulate" || event.node !== node || index >= t) return [];
    return stopAt(graph, index)?.sum ?? [];
  });
}

// Where numbers first went wrong: the first value, and the first gradient, that holds NaN or infinity
// while nothing that went into it did.
//
// Invariant: pure; looks at what the engine recorded and computes nothing, so that a finding names an
// event of the trace and numbers that were there. Leaves marking node and line to the tools and the page.
import type { GraphNode } from "../../protocol/generated/GraphNode";
import type { Preview } from "../../protocol/generated/Preview";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { eventIndex } from "../eventIndex";
import { elementCount, formatNumber, formatShape, type Value } from "../numbers";
import { gradientName, nodeTitle, operandName } from "../outline";
import { broadcastIndex, unravel } from "../rules";

/** One value that went into the broken one. */
export interface Ingredient {
  /** As the rules call it, such as `gy` or `a`. */
  letter: string;
  /** Its variable; empty where it has none. */
  title: string;
  text: string;
}

export interface Finding {
  what: "value" | "gradient";
  /** `NaN`, `inf` or `−inf`. */
  label: string;
  node: number;
  /** Position of the trace at which it is there. */
  t: number;
  line: number | null;
  cell: string | null;
  /** The event, in one sentence. */
  text: string;
  /** The values that made it. */
  made: Ingredient[];
}

/** Whether a preview has NaN or infinity, as a label; empty when all of it is finite. JSON makes null of both. */
export function brokenKind(preview: Preview | undefined): string {
  if (!preview || (preview.nonFinite === 0 && Number.isFinite(preview.norm))) return "";
  const seen: Value[] = [preview.min, preview.max, ...preview.values];
  if (seen.some((value) => Number.isNaN(value as number))) return "NaN";
  if (seen.includes(Infinity)) return "inf";
  return seen.includes(-Infinity) ? "−inf" : "NaN or inf";
}

const known = new WeakMap<StageGraph, Finding[]>();

/** The first broken value and the first broken gradient, in the order of the trace; mostly none. */
export function firstBroken(graph: StageGraph): Finding[] {
  let found = known.get(graph);
  if (!found) {
    found = graph.previews.some((preview) => brokenKind(preview) !== "") ? find(graph) : [];
    known.set(graph, found);
  }
  return found;
}

function find(graph: StageGraph): Finding[] {
  const { previews, nodeById, eventsById } = eventIndex(graph);
  const label = (id: number | null | undefined) =>
    id === null || id === undefined ? "" : brokenKind(previews.get(id));
  const findings: Finding[] = [];
  const has = (what: Finding["what"]) => findings.some((each) => each.what === what);
  const add = (
    what: Finding["what"],
    id: number,
    event: number,
    kind: string,
    text: string,
    made: Ingredient[],
  ) => {
    const node = nodeById.get(id);
    findings.push({
      what,
      label: kind,
      node: id,
      t: event + 1,
      line: node?.line ?? null,
      cell: node?.cell ?? null,
      text,
      made,
    });
  };
  graph.events.forEach((event, index) => {
    const id = "root" in event ? event.root : event.node;
    const node = nodeById.get(id);
    if (!node) return;
    if (event.type === "made" && !has("value") && label(id)) {
      const kind = label(id);
      const text =
        node.src.length === 0
          ? `${nodeTitle(node)} holds ${kind} from the start.`
          : `${capital(node.op)} made the first ${kind}${node.name ? `, in ${node.name}` : ""}.`;
      add(
        "value",
        id,
        index,
        kind,
        text,
        operandsAt(node, brokenPlace(previews.get(id)), previews, nodeById),
      );
    }
    if (has("gradient")) return;
    if (event.type === "backward" && label(event.gradient)) {
      const kind = label(event.gradient);
      add("gradient", id, index, kind, `backward() began with ${kind} at ${nodeTitle(node)}.`, []);
    } else if (event.type === "vjp") {
      const operand = event.grads.findIndex((gradient) => label(gradient) !== "");
      if (operand < 0) return;
      const kind = label(event.grads[operand]);
      const text = `The rule of ${node.op} made the first ${kind} of the gradients, in ${gradientName(node, operand)}.`;
      add(
        "gradient",
        id,
        index,
        kind,
        text,
        rulePartsOf(node, operand, event.gradient, event.grads, previews, nodeById),
      );
    } else if (event.type === "accumulate" && label(event.sum)) {
      const entry = eventsById.get(id);
      const before = entry?.arrivals.findLast((visit) => visit.event < index)?.value;
      const kind = label(event.sum);
      add("gradient", id, index, kind, `Adding gradients of ${nodeTitle(node)} made ${kind}.`, [
        ...(before === undefined
          ? []
          : [{ letter: "before", title: "", text: summary(previews.get(before)) }]),
        { letter: "added", title: "", text: summary(previews.get(event.added)) },
      ]);
    }
  });
  return findings;
}

/** The place of the first element that is what the preview is labelled with: a NaN has other causes than an
 * infinity before it. Without one among those recorded, the first that is not finite. */
function brokenPlace(preview: Preview | undefined): number {
  if (!preview) return -1;
  const kind = brokenKind(preview);
  const place = preview.values.findIndex((value) => labelOf(value) === kind);
  return place >= 0 ? place : preview.values.findIndex((value) => !Number.isFinite(value as number));
}

function labelOf(value: Value): string {
  if (Number.isNaN(value as number)) return "NaN";
  if (value === Infinity) return "inf";
  return value === -Infinity ? "−inf" : "";
}

function rulePartsOf(
  node: GraphNode,
  operand: number,
  gradient: number,
  grads: readonly (number | null)[],
  previews: ReadonlyMap<number, Preview>,
  nodeById: ReadonlyMap<number, GraphNode>,
): Ingredient[] {
  const out = previews.get(grads[operand] ?? -1);
  const place = out && sameShape(out.shape, node.shape) ? brokenPlace(out) : -1;
  return [
    { letter: "gy", title: "", text: at(node, place, previews.get(gradient)) },
    ...operandsAt(node, place, previews, nodeById),
    { letter: "y", title: "", text: at(node, place, previews.get(node.id)) },
  ];
}

function operandsAt(
  node: GraphNode,
  place: number,
  previews: ReadonlyMap<number, Preview>,
  nodeById: ReadonlyMap<number, GraphNode>,
): Ingredient[] {
  return node.src.map((id, operand) => ({
    letter: operandName(node, operand),
    title: nodeById.get(id)?.name ?? "",
    text: at(node, place, previews.get(id)),
  }));
}

/** The element that an elementwise result at `place` was made from; otherwise the whole, in short. */
function at(node: GraphNode, place: number, preview: Preview | undefined): string {
  if (!preview) return "not recorded";
  if (elementCount(preview.shape) === 1) return formatNumber(preview.values[0]);
  if (!node.elementwise || place < 0) return summary(preview);
  const index = broadcastIndex(place, node.shape, preview.shape);
  if (index >= preview.values.length) return summary(preview);
  return `${formatNumber(preview.values[index])} at ${formatShape(unravel(index, preview.shape))}`;
}

function summary(preview: Preview | undefined): string {
  if (!preview) return "not recorded";
  if (elementCount(preview.shape) === 1) return formatNumber(preview.values[0]);
  const bad = preview.nonFinite > 0 ? `, ${preview.nonFinite} not finite` : "";
  return `${formatShape(preview.shape)} from ${formatNumber(preview.min)} to ${formatNumber(preview.max)}${bad}`;
}

function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, dim) => size === b[dim]);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// The kernel list as numbers and texts: totals, sizes, which kernel holds a node, outlines.
//
// Invariant: pure. A kernel's nodes go by their ids on stage, as everywhere. Leaves drawing to the
// components, and what the engine recorded to the session.
import { t } from "../language/language.svelte";
import type { GraphEdge } from "../protocol/generated/GraphEdge";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { KernelInfo } from "../protocol/generated/KernelInfo";
import type { KernelList } from "../protocol/generated/KernelList";
import type { KernelNode } from "../protocol/generated/KernelNode";
import type { StageGraph } from "../protocol/generated/StageGraph";

export interface Totals {
  kernels: number;
  read: number;
  written: number;
  bytes: number;
  /** None where the clock told nothing. */
  nanos: number | null;
  /** A part of it is a mean of several runs. */
  mean: boolean;
}

export function totals({ kernels }: KernelList): Totals {
  const read = kernels.reduce((sum, kernel) => sum + kernel.bytesRead, 0);
  const written = kernels.reduce((sum, kernel) => sum + kernel.bytesWritten, 0);
  const timed = kernels.filter((kernel) => kernel.nanos !== null);
  const nanos = timed.length > 0 ? timed.reduce((sum, kernel) => sum + (kernel.nanos ?? 0), 0) : null;
  const mean = timed.some(({ runs }) => runs > 1);
  return { kernels: kernels.length, read, written, bytes: read + written, nanos, mean };
}

const UNITS = ["B", "KiB", "MiB", "GiB"];

/** Bytes in the largest unit that leaves a whole part: `96 B`, `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const text = unit === 0 || size >= 100 ? size.toFixed(0) : size.toFixed(1).replace(/\.0$/, "");
  return `${text} ${UNITS[unit]}`;
}

/** A time: `12 µs`, `1.4 ms`. A kernel may end within one tick of the clock. */
export function formatNanos(nanos: number | null): string {
  if (nanos === null) return "–";
  // The clock of a page ticks every 100 µs.
  if (nanos === 0) return "< 100 µs";
  if (nanos < 500) return "< 1 µs";
  if (nanos < 999_500) return `${Math.round(nanos / 1000)} µs`;
  const [size, unit] = nanos < 999.5e6 ? [nanos / 1e6, "ms"] : [nanos / 1e9, "s"];
  return `${size >= 100 ? size.toFixed(0) : size.toFixed(1)} ${unit}`;
}

/** A time that may be a mean, which no clock's grain hides: `≈ 3.1 µs`. */
export function formatTime(nanos: number | null, mean: boolean): string {
  if (nanos === null || !mean) return formatNanos(nanos);
  if (nanos < 999.5) return `≈ ${Math.max(1, Math.round(nanos))} ns`;
  if (nanos < 99_950) return `≈ ${(nanos / 1000).toFixed(1)} µs`;
  return `≈ ${formatNanos(nanos)}`;
}

/** The same with what it is a mean of. */
export function timeInWords({ nanos, runs }: Pick<KernelInfo, "nanos" | "runs">): string {
  const time = formatTime(nanos, runs > 1);
  return runs > 1 ? t("{time} (mean of {n} runs)", { time, n: runs.toLocaleString("en") }) : time;
}

/** What computes first, then what copies or fills; each in the order in which it ran. */
export function computeFirst({ kernels }: KernelList): { computes: KernelInfo[]; moves: KernelInfo[] } {
  return { computes: kernels.filter(({ moves }) => !moves), moves: kernels.filter(({ moves }) => moves) };
}

/** How much more or less: `2.5×`; nothing where there is nothing to compare with. */
export function formatRatio(part: number, whole: number): string {
  if (!(part > 0) || !(whole > 0)) return "";
  const ratio = part / whole;
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1).replace(/\.0$/, "")}×`;
}

/** The nodes on stage that a kernel computes a part of. */
export function nodesOf(kernel: KernelInfo): Set<number> {
  return new Set(kernel.nodes.flatMap(({ node }) => (node === null ? [] : [node])));
}

/** The kernels that compute a part of a node. */
export function kernelsOf(list: KernelList, node: number | null): Set<number> {
  const holds = (kernel: KernelInfo) => kernel.nodes.some((each) => each.node === node);
  return new Set(node === null ? [] : list.kernels.filter(holds).map((kernel) => kernel.number));
}

/** A chip as a screen reader says it. */
export function chipName({ symbol, name, backward, steps }: KernelNode): string {
  const what = name && name !== symbol ? `${symbol}, ${name}` : symbol;
  const part = backward ? t("gradient of {name}", { name: what }) : what;
  return steps > 1 ? t("{name}, {n} steps", { name: part, n: steps }) : part;
}

/** The nodes that are drawn: one that stands alone is no part of any computation. */
export function connected(graph: StageGraph): GraphNode[] {
  const ends = new Set(graph.edges.flatMap(({ from, to }) => [from, to]));
  return graph.nodes.filter(({ id }) => ends.has(id));
}

/** The way of an edge between the centres of its nodes. */
export function way(edge: GraphEdge, places: ReadonlyMap<number, GraphNode>): string {
  const [from, to] = [places.get(edge.from), places.get(edge.to)];
  if (!from || !to) return "";
  return `M${[[from.x, from.y], ...edge.points, [to.x, to.y]].map(([x, y]) => `${x} ${y}`).join("L")}`;
}

/** Half of an op's width on the map: room for its symbol. */
export function halfWidth({ symbol }: GraphNode): number {
  return Math.min(42, Math.max(25, 4.5 * [...symbol].length + 6));
}

/** How much shorter than a node the thick stroke is on which it lies, at either end. */
const INSET = 13;

/** Half of the thick stroke's width. */
const RIM = 26;
/** What a node takes: on either side for a leaf's name, over it for its kernel's number, under it for a name. */
const [ASIDE, OVER, UNDER] = [52, 44, 32];

/** What the map shows: nodes, the ways of edges, the outlines around both, and numbers, of which it gets the right ends. */
export function frameOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[], ends: readonly number[]) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (x: number, y: number, aside: number, over: number, under: number) => {
    [left, right] = [Math.min(left, x - aside), Math.max(right, x + aside)];
    [top, bottom] = [Math.min(top, y - over), Math.max(bottom, y + under)];
  };
  for (const node of nodes) take(node.x, node.y, Math.max(ASIDE, halfWidth(node) - INSET + RIM), OVER, UNDER);
  for (const { points } of edges) for (const [x, y] of points) take(x, y, RIM, RIM, RIM);
  right = Math.max(right, ...ends);
  return { left, top, width: right - left, height: bottom - top };
}

/** The path of a thick stroke around nodes: each of them, and the edges between them. */
export function outline(
  ids: ReadonlySet<number>,
  edges: readonly GraphEdge[],
  places: ReadonlyMap<number, GraphNode>,
): string {
  const nodes = [...ids].map((id) => places.get(id)).filter((node) => node !== undefined);
  const inside = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  return [
    ...nodes.map((node) => {
      const reach = halfWidth(node) - INSET;
      return `M${node.x - reach} ${node.y}h${2 * reach}`;
    }),
    ...inside.map((edge) => way(edge, places)),
  ].join("");
}

/** A line of source, cut into code and the comment that begins with `mark`. */
export function cutComment(text: string, mark: string): [code: string, comment: string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

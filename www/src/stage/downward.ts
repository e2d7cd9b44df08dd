// The layout turned on its side for narrow stages: rows from top to bottom, with room to the right of
// each node for the text beside it.
//
// Invariant: rows and the order within a row are the engine's; only distances are chosen here. Two
// nodes of a row, labels included, never overlap, and passing edges keep clear of them. The method is
// that of crates/session/src/layout.rs: least-squares places by pooling adjacent violators.
import { COORDINATE_ROUNDS, STRAIGHTNESS } from "../protocol/generated/drawing";
import type { StageGraph } from "../protocol/generated/StageGraph";
import type { Point } from "./curve";

/** How far a node and its labels reach from its centre. */
export interface Extent {
  left: number;
  right: number;
}

export interface Downward {
  centres: Map<number, Point>;
  /** Way points of each edge. */
  points: Point[][];
}

const ROW_PITCH = 78;
const GAP = 24;
/** A passing edge keeps this free on either side. */
const EDGE_ROOM = 2;

interface Slot extends Extent {
  /** Place along the engine's cross axis, which gives the order. */
  order: number;
  row: number;
  /** Whether it is a way point of a passing edge. */
  passing: boolean;
  before: number[];
  after: number[];
}

/** Places the nodes of a graph in rows, top to bottom. */
export function downward(graph: StageGraph, extents: ReadonlyMap<number, Extent>): Downward {
  const rowOf = rowsBy([
    ...graph.nodes.map((node) => node.x),
    ...graph.edges.flatMap((edge) => edge.points.map(([x]) => x)),
  ]);
  const slots: Slot[] = [];
  const add = (x: number, y: number, extent: Extent, passing: boolean): number => {
    slots.push({ ...extent, order: y, row: rowOf(x), passing, before: [], after: [] });
    return slots.length - 1;
  };
  const slotOf = new Map(
    graph.nodes.map((node) => [
      node.id,
      add(node.x, node.y, extents.get(node.id) ?? { left: 0, right: 0 }, false),
    ]),
  );
  const chains = graph.edges.map((edge) => {
    const chain = edge.points.map(([x, y]) => add(x, y, { left: EDGE_ROOM, right: EDGE_ROOM }, true));
    const ends = [slotOf.get(edge.from), ...chain, slotOf.get(edge.to)];
    for (let at = 1; at < ends.length; at++) {
      const [from, to] = [ends[at - 1], ends[at]];
      if (from === undefined || to === undefined) continue;
      slots[from]?.after.push(to);
      slots[to]?.before.push(from);
    }
    return chain;
  });
  const across = settle(slots);
  const point = (slot: number): Point => [across[slot] ?? 0, (slots[slot]?.row ?? 0) * ROW_PITCH];
  return {
    centres: new Map([...slotOf].map(([id, slot]) => [id, point(slot)])),
    points: chains.map((chain) => chain.map(point)),
  };
}

/** Which row a place along the engine's main axis is in; nodes of a layer share theirs. */
function rowsBy(places: number[]): (x: number) => number {
  const rows = new Map<number, number>();
  let row = -1;
  let before = -Infinity;
  for (const x of places.sort((a, b) => a - b)) {
    if (x - before > 1) row++;
    before = x;
    rows.set(x, row);
  }
  return (x) => rows.get(x) ?? 0;
}

function settle(slots: Slot[]): number[] {
  const full: number[][] = [];
  slots.forEach(({ row }, at) => {
    full[row] ??= [];
    full[row].push(at);
  });
  for (const row of full) row.sort((a, b) => (slots[a]?.order ?? 0) - (slots[b]?.order ?? 0));
  const places = slots.map(() => 0);
  for (const row of full)
    spread(
      slots,
      row,
      row.map(() => 0),
      row.map(() => 1),
      places,
    );
  const turned = [...full].reverse();
  for (let round = 0; round < COORDINATE_ROUNDS; round++) {
    for (const row of round % 2 === 0 ? full : turned) {
      const wanted: number[] = [];
      const weights: number[] = [];
      for (const at of row) {
        const [place, weight] = pull(slots, at, places);
        wanted.push(place);
        weights.push(weight);
      }
      spread(slots, row, wanted, weights, places);
    }
  }
  return places;
}

/** Where a slot's neighbours want it, and how strongly. */
function pull(slots: Slot[], at: number, places: number[]): [number, number] {
  const slot = slots[at];
  if (!slot) return [0, 0.01];
  let [sum, weight] = [0, 0];
  for (const side of [slot.before, slot.after]) {
    for (const other of side) {
      const strength = slot.passing || slots[other]?.passing ? STRAIGHTNESS : 1;
      sum += (places[other] ?? 0) * strength;
      weight += strength;
    }
  }
  return weight > 0 ? [sum / weight, weight] : [places[at] ?? 0, 0.01];
}

/** The places nearest to those wanted that keep order and gaps. */
function spread(slots: Slot[], row: number[], wanted: number[], weights: number[], places: number[]): void {
  let offset = 0;
  const offsets = row.map((at, index) => {
    const previous = slots[row[index - 1] ?? -1];
    if (previous) offset += previous.right + GAP + (slots[at]?.left ?? 0);
    return offset;
  });
  const blocks: { mean: number; weight: number; count: number }[] = [];
  row.forEach((_, index) => {
    let block = { mean: (wanted[index] ?? 0) - (offsets[index] ?? 0), weight: weights[index] ?? 1, count: 1 };
    for (let last = blocks.at(-1); last && last.mean > block.mean; last = blocks.at(-1)) {
      blocks.pop();
      const weight = last.weight + block.weight;
      const mean = (last.mean * last.weight + block.mean * block.weight) / weight;
      block = { mean, weight, count: last.count + block.count };
    }
    blocks.push(block);
  });
  let index = 0;
  for (const { mean, count } of blocks) {
    for (const end = index + count; index < end; index++) {
      places[row[index] ?? 0] = mean + (offsets[index] ?? 0);
    }
  }
}

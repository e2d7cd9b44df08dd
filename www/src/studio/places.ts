// Where the nodes of a graph are drawn: where they were put by hand, beside what they belong to, or laid out.
//
// Invariant: pure; once one node has been put somewhere, nothing moves that was not moved.
import type { Card, Wiring } from "./cards";
import { type Layout, layOut, type Point } from "./layout";

const GAP = 70;

export interface Places {
  places: Map<string, Point>;
  bends: Map<string, Point[]>;
  /** Of wires that go from row to row. */
  corners: Map<string, Point[]>;
  /** Wires lead from left to right, or from top to bottom. */
  across: boolean;
}

export interface Screen {
  /** How long a row may be. */
  room: number;
  /** Too narrow for rows: everything goes down. */
  isNarrow: boolean;
  /** Which way the graph has gone so far; null where that is to be found. */
  across: boolean | null;
}

/** Room for a wire's label, in pixels; labels stand beside wires that go down. */
function labelOf(wire: Wiring, across: boolean): number {
  return across ? wire.shape.length * 6.62 : 0;
}

export function placesOf(
  cards: readonly Card[],
  wires: readonly Wiring[],
  put: ReadonlyMap<string, Point>,
  screen: Screen,
): Places {
  if (put.size > 0) {
    const places = beside(cards, wires, put);
    return { places, bends: new Map(), corners: new Map(), across: leadsAcross(wires, places) };
  }
  const inDirection = (across: boolean) =>
    layOut(
      cards,
      wires.map((wire) => ({ source: wire.source, target: wire.target, label: labelOf(wire, across) })),
      { across, room: across ? screen.room : Number.POSITIVE_INFINITY },
    );
  const byWire = (all: Map<number, Point[]>) =>
    new Map([...all].map(([at, points]) => [wires[at]?.id ?? "", points]));
  const shown = ({ places, bends, corners }: Layout, across: boolean) => ({
    places,
    bends: byWire(bends),
    corners: byWire(corners),
    across,
  });
  if (screen.isNarrow) return shown(inDirection(false), false);
  // A change of the graph turns nothing around.
  if (screen.across !== null) return shown(inDirection(screen.across), screen.across);
  const rows = inDirection(true);
  // Where rows would cut a way around something, that is seen better from top to bottom.
  const isTorn = rows.rows > 1 && rows.corners.size > rows.rows - 1;
  return isTorn ? shown(inDirection(false), false) : shown(rows, true);
}

/** Which way most wires go between places that were chosen by hand. */
function leadsAcross(wires: readonly Wiring[], places: ReadonlyMap<string, Point>): boolean {
  let [across, down] = [0, 0];
  for (const { source, target } of wires) {
    const [from, to] = [places.get(source), places.get(target)];
    if (!from || !to) continue;
    across += Math.abs(to.x - from.x);
    down += Math.abs(to.y - from.y);
  }
  return across >= down;
}

/** What has no place stands right of its source, left of what it feeds, or below everything. */
function beside(
  cards: readonly Card[],
  wires: readonly Wiring[],
  put: ReadonlyMap<string, Point>,
): Map<string, Point> {
  const places = new Map<string, Point>();
  const byId = new Map(cards.map((card) => [card.id, card]));
  for (const { id } of cards) {
    const point = put.get(id);
    if (point) places.set(id, point);
  }
  const sources = new Map<string, string[]>();
  const targets = new Map<string, string[]>();
  for (const { source, target } of wires) {
    sources.set(target, [...(sources.get(target) ?? []), source]);
    targets.set(source, [...(targets.get(source) ?? []), target]);
  }
  const isFree = (card: Card, { x, y }: Point) =>
    [...places].every(([id, other]) => {
      const box = byId.get(id);
      if (!box) return true;
      const right = x + card.width + 16 <= other.x || other.x + box.width + 16 <= x;
      return right || y + card.height + 14 <= other.y || other.y + box.height + 14 <= y;
    });
  const stand = (card: Card, point: Point) => {
    let at = point;
    for (let tries = 0; tries < 200 && !isFree(card, at); tries++) at = { x: at.x, y: at.y + 30 };
    places.set(card.id, at);
  };
  let waiting = cards.filter(({ id }) => !places.has(id));
  while (waiting.length > 0) {
    const left: Card[] = [];
    for (const card of waiting) {
      const source = sources.get(card.id)?.find((id) => places.has(id));
      const from = source === undefined ? undefined : places.get(source);
      const target = targets.get(card.id)?.find((id) => places.has(id));
      const to = target === undefined ? undefined : places.get(target);
      if (from && source !== undefined)
        stand(card, { x: from.x + (byId.get(source)?.width ?? 0) + GAP, y: from.y });
      else if (to) stand(card, { x: to.x - card.width - GAP, y: to.y });
      else left.push(card);
    }
    if (left.length === waiting.length) {
      const lowest = Math.max(0, ...[...places].map(([id, { y }]) => y + (byId.get(id)?.height ?? 0)));
      const leftmost = Math.min(...[...places.values()].map(({ x }) => x));
      const [first, ...others] = left;
      if (first) stand(first, { x: Number.isFinite(leftmost) ? leftmost : 0, y: lowest + 50 });
      waiting = others;
    } else waiting = left;
  }
  return places;
}

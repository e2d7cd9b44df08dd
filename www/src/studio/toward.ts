// Where an arrow key leads on the canvas: along a wire, or to the nearest node aside.
//
// Invariant: pure.
import type { Card, Wiring } from "./cards";
import { neighbours } from "./cards";
import type { Point } from "./layout";

interface Picture {
  cards: readonly Card[];
  wires: readonly Wiring[];
}

/** `key` is left, right, up, down, home or end. Wires lead to the right, or down where they do not go `across`. */
export function toward(
  key: string,
  from: string,
  { cards, wires }: Picture,
  places: ReadonlyMap<string, Point>,
  across: boolean,
): string | null {
  if (key === "home") return cards[0]?.id ?? null;
  if (key === "end") return cards.at(-1)?.id ?? null;
  const [onward, back] = across ? ["right", "left"] : ["down", "up"];
  const { before, after } = neighbours(wires, from);
  if (key === onward) return nearest(from, after, places);
  if (key === back) return nearest(from, before, places);
  return aside(key, from, cards, places);
}

function middle(id: string, places: ReadonlyMap<string, Point>): Point {
  return places.get(id) ?? { x: 0, y: 0 };
}

/** The first of the wires' ends; of several the one that is closest. */
function nearest(from: string, ids: readonly string[], places: ReadonlyMap<string, Point>): string | null {
  const start = middle(from, places);
  const far = (id: string) => {
    const { x, y } = middle(id, places);
    return Math.hypot(x - start.x, y - start.y);
  };
  return [...ids].sort((a, b) => far(a) - far(b))[0] ?? null;
}

function aside(
  key: string,
  from: string,
  cards: readonly Card[],
  places: ReadonlyMap<string, Point>,
): string | null {
  const start = middle(from, places);
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const { id } of cards) {
    if (id === from) continue;
    const { x, y } = middle(id, places);
    const ahead = { up: start.y - y, down: y - start.y, left: start.x - x, right: x - start.x }[key] ?? 0;
    if (ahead < 12) continue;
    const beside = key === "up" || key === "down" ? Math.abs(x - start.x) : Math.abs(y - start.y);
    const cost = ahead + 2 * beside;
    if (cost < least) [best, least] = [id, cost];
  }
  return best;
}

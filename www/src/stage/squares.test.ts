import { describe, expect, it } from "vitest";
import type { Rect } from "./labels";
import { Squares } from "./squares";

/** A seeded sequence of numbers below a bound. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * below;
  };
}

describe("squares", () => {
  it("give each room that meets another, once, as a look at all of them does", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const next = random(seed);
      const room = (largest: number): Rect => {
        const [left, top] = [next(800) - 400, next(800) - 400];
        return { left, top, right: left + next(largest), bottom: top + next(largest) };
      };
      const rooms = Array.from({ length: 120 }, (_, at) => room(at % 3 ? 30 : 300));
      const squares = new Squares(48, rooms);
      for (let turn = 0; turn < 60; turn++) {
        const area = room(turn % 2 ? 0 : 200);
        const found: Rect[] = [];
        squares.near(area, (each) => found.push(each));
        const all = rooms.filter(
          ({ left, right, top, bottom }) =>
            left <= area.right && right >= area.left && top <= area.bottom && bottom >= area.top,
        );
        expect(new Set(found)).toEqual(new Set(all));
        expect(found).toHaveLength(all.length);
      }
    }
  });

  it("have rooms that meet on an edge, and points", () => {
    const room = { left: 0, right: 48, top: 0, bottom: 48 };
    const squares = new Squares(48, [room]);
    const at = (x: number, y: number) => {
      let count = 0;
      squares.near({ left: x, right: x, top: y, bottom: y }, () => count++);
      return count;
    };
    expect([at(48, 48), at(0, 0), at(24, 0), at(-0.1, 24), at(48.1, 24)]).toEqual([1, 1, 1, 0, 0]);
  });
});

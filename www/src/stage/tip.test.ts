import { describe, expect, it } from "vitest";
import { type TipSide, tipSide, tipTop } from "./tip";

const MARGIN = 10;

/** The edges of a tip on its side. */
function edges(side: TipSide, top: number, tip: number): [number, number] {
  const from = side === "under" ? top : side === "over" ? top - tip : top - tip / 2;
  return [from, from + tip];
}

describe("a tip", () => {
  it("lies on the table wherever its node is, if it fits there", () => {
    for (const table of [200, 420, 900]) {
      for (const tip of [80, 180, table - 2 * MARGIN]) {
        for (let y = -20; y <= table + 20; y += 7) {
          const preferred = y > table * 0.55 ? "over" : "under";
          const beside = tipSide(preferred, y, 30, tip, table);
          for (const side of [beside, "right", "left"] as TipSide[]) {
            const wanted = side === "under" ? y + 30 : side === "over" ? y - 30 : y;
            const [top, bottom] = edges(side, tipTop(side, wanted, tip, table, MARGIN), tip);
            expect(top).toBeGreaterThanOrEqual(MARGIN);
            expect(bottom).toBeLessThanOrEqual(table - MARGIN);
          }
        }
      }
    }
  });

  it("goes to the other side of its node where only that has room", () => {
    expect(tipSide("under", 200, 30, 190, 400)).toBe("under");
    expect(tipSide("under", 240, 30, 190, 400)).toBe("over");
    expect(tipSide("over", 100, 30, 190, 400)).toBe("under");
    expect(tipSide("over", 200, 30, 300, 400)).toBe("over");
  });

  it("keeps its top where it is taller than the table", () => {
    for (const side of ["under", "over", "right"] as const) {
      expect(edges(side, tipTop(side, 150, 500, 300, MARGIN), 500)[0]).toBe(MARGIN);
    }
  });
});

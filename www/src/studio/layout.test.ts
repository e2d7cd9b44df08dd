import { describe, expect, it } from "vitest";
import { type Box, layOut, type Wire } from "./layout";

const box = (id: string): Box => ({ id, width: 120, height: 46 });
const wire = (source: string, target: string): Wire => ({ source, target, label: 60 });
const row = { across: true, room: Number.POSITIVE_INFINITY };

function chain(n: number): { boxes: Box[]; wires: Wire[] } {
  const boxes = Array.from({ length: n }, (_, i) => box(`n${i}`));
  return { boxes, wires: boxes.slice(1).map(({ id }, i) => wire(`n${i}`, id)) };
}

function overlaps(boxes: Box[], places: Map<string, { x: number; y: number }>): string[] {
  const found: string[] = [];
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(i + 1)) {
      const [p, q] = [places.get(a.id), places.get(b.id)];
      if (!p || !q) continue;
      const apart =
        p.x + a.width <= q.x || q.x + b.width <= p.x || p.y + a.height <= q.y || q.y + b.height <= p.y;
      if (!apart) found.push(`${a.id} ${b.id}`);
    }
  });
  return found;
}

describe("the layout of a network", () => {
  it("puts a chain into a straight row, with room for what its wires say", () => {
    const { boxes, wires } = chain(5);
    const { places } = layOut(boxes, wires, row);
    const all = boxes.map(({ id }) => places.get(id) as { x: number; y: number });
    expect(new Set(all.map(({ y }) => y)).size).toBe(1);
    all.slice(1).forEach(({ x }, i) => {
      expect(x - (all[i]?.x ?? 0)).toBe(120 + 82);
    });
  });

  it("goes on in a row below where one is too long", () => {
    const { boxes, wires } = chain(12);
    const { places, width } = layOut(boxes, wires, { across: true, room: 900 });
    expect(width).toBeLessThanOrEqual(900);
    expect(new Set([...places.values()].map(({ y }) => y)).size).toBe(3);
    expect(overlaps(boxes, places)).toEqual([]);
  });

  it("keeps the chain straight beside a residual, which passes in a lane of its own", () => {
    const { boxes, wires } = chain(4);
    const { places, bends } = layOut(boxes, [...wires, wire("n0", "n3")], row);
    const ys = ["n0", "n1", "n2", "n3"].map((id) => places.get(id)?.y ?? 0);
    expect(Math.max(...ys) - Math.min(...ys)).toBeLessThan(20);
    const lane = bends.get(3);
    expect(lane).toHaveLength(2);
    for (const point of lane ?? []) expect(Math.abs(point.y - ((ys[1] ?? 0) + 23))).toBeGreaterThan(25);
  });

  it("overlaps nothing in networks made by chance", () => {
    let seed = 7;
    const random = (n: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % n;
    };
    for (let run = 0; run < 30; run++) {
      const boxes = Array.from({ length: 3 + random(30) }, (_, i) => box(`n${i}`));
      const wires = boxes.slice(1).flatMap(({ id }, i) => {
        const more = random(3) === 0 ? [wire(`n${random(i + 1)}`, id)] : [];
        return [wire(`n${random(i + 1)}`, id), ...more];
      });
      for (const across of [true, false]) {
        const { places } = layOut(boxes, wires, {
          across,
          room: run % 2 === 0 ? 800 : Number.POSITIVE_INFINITY,
        });
        expect(overlaps(boxes, places)).toEqual([]);
      }
    }
  });

  it("stands a circle and a wire from nowhere", () => {
    const { boxes, wires } = chain(3);
    const { places } = layOut(boxes, [...wires, wire("n2", "n0"), wire("gone", "n1")], row);
    expect(places.size).toBe(3);
  });

  it("takes a moment for 2,000 nodes", () => {
    const { boxes, wires } = chain(2000);
    const skips = boxes.slice(4).map(({ id }, i) => wire(`n${i}`, id));
    const start = performance.now();
    layOut(boxes, [...wires, ...skips], { across: true, room: 1200 });
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

import { describe, expect, it } from "vitest";
import type { Flow } from "../protocol/generated/Flow";
import { resnet18 } from "./fixtures/resnet";
import { fold } from "./fold";
import { foldAll, foldsAtFirst } from "./folds";
import { layOut } from "./geometry";
import { nodeAt } from "./hit";
import { layOutLarge } from "./large";
import { inLayers, place, withPlaces } from "./places";

const resnet = resnet18();
const whole = inLayers(fold(resnet, new Set()));

describe("a painted graph", () => {
  const large = layOutLarge(whole);

  it("has the boxes and bounds that the SVG has", () => {
    const small = inLayers(fold(resnet, foldsAtFirst(resnet)));
    const { layout } = layOutLarge(small);
    const drawn = layOut(small);
    expect([...layout.boxes]).toEqual([...drawn.boxes]);
    expect(layout.bounds).toEqual(drawn.bounds);
    small.edges.forEach((_, index) => {
      expect(layOutLarge(small).curve(index)).toEqual(drawn.curves[index]);
    });
  });

  it("finds each node at its centre and inside its edge, as a search through all does", () => {
    for (const [id, box] of large.layout.boxes) {
      expect(nodeAt(large, box.x, box.y)).toBe(id);
      expect(nodeAt(large, box.x + box.halfWidth - 0.1, box.y)).toBe(id);
    }
    let found = 0;
    const around = [...large.layout.boxes.values()].flatMap((box, index) =>
      [0.6, 0.95, 1.3].map((part) => ({
        x: box.x + box.halfWidth * part * (index % 2 ? 1 : -1),
        y: box.y + box.halfHeight * part * (index % 3 ? 1 : -1),
      })),
    );
    for (const { x, y } of around) {
      const under = [...large.layout.boxes].filter(
        ([, box]) => Math.abs(x - box.x) <= box.halfWidth && Math.abs(y - box.y) <= box.halfHeight,
      );
      const at = nodeAt(large, x, y);
      expect(at === null ? [] : [at]).toEqual(under.map(([id]) => id));
      found += under.length;
    }
    expect(found).toBeGreaterThan(20);
  });

  it("counts a point near a node as on it, across the lines of the grid", () => {
    const [first] = large.layout.boxes;
    if (!first) throw new Error("no node");
    const [id, box] = first;
    expect(nodeAt(large, box.x - box.halfWidth - 3, box.y)).toBeNull();
    expect(nodeAt(large, box.x - box.halfWidth - 3, box.y, 4)).toBe(id);
  });
});

describe("places", () => {
  it("come back from plain numbers, points with their edges", () => {
    const drawn = fold(resnet, foldAll(resnet));
    const numbers = [300, 200];
    drawn.nodes.forEach((_, at) => {
      numbers.push(at * 100, 50);
    });
    drawn.edges.forEach((_, at) => {
      if (at === 0) numbers.push(2, 10, 11, 12, 13);
      else numbers.push(0);
    });
    const flow: Flow = { direction: "down", row: 0 };
    const placed = withPlaces(drawn, flow, Float32Array.from(numbers));
    expect(placed).toMatchObject({ width: 300, height: 200, placed: true, flow });
    expect(placed.nodes.map(({ x, y }) => [x, y])).toEqual(drawn.nodes.map((_, at) => [at * 100, 50]));
    expect(placed.edges[0]?.points).toEqual([
      [10, 11],
      [12, 13],
    ]);
    expect(placed.edges.slice(1).every((edge) => edge.points.length === 0)).toBe(true);
    expect(placed.edges.map(({ from, to, operand }) => [from, to, operand])).toEqual(
      drawn.edges.map(({ from, to, operand }) => [from, to, operand]),
    );
  });

  it("are plain layers where no worker can be had, with every edge one way", async () => {
    const { graph, notice } = await place(
      fold(resnet, foldAll(resnet)),
      { direction: "down", row: 0 },
      new AbortController().signal,
    );
    expect(notice).toBe("");
    expect(graph.placed).toBe(true);
    const at = new Map(whole.nodes.map((node) => [node.id, node]));
    for (const { from, to } of whole.edges) expect(at.get(from)?.x).toBeLessThan(at.get(to)?.x ?? 0);
    expect(new Set(whole.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(whole.nodes.length);
  });
});

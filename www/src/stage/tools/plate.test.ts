import fc from "fast-check";
import { expect, it } from "vitest";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import mlpJson from "../fixtures/mlp.json";
import neuronJson from "../fixtures/neuron.json";
import { type Layout, layOut, roomTaken } from "../geometry";
import { overlap, type Rect } from "../labels";
import { PLATE_HEIGHT, platePlace } from "./plate";

const graphs = [neuronJson, mlpJson].map((graph) => graph as unknown as StageGraph);
const RING = 9;

/** How many square pixels of nodes and texts the plate of each node covers. */
function covered(graph: StageGraph, layout: Layout, scale: number, plateWidth: number): number[] {
  const taken = roomTaken(graph, layout.boxes, layout.direction);
  const view = { x: 4000, y: 4000, scale };
  return [...layout.boxes.values()].map((box) => {
    const { x, y } = platePlace(plateWidth, RING, box, taken, view, 20_000, 20_000);
    const [atX, atY] = [box.x * scale + view.x + x, box.y * scale + view.y + y];
    const plate: Rect = {
      left: atX - plateWidth / 2,
      right: atX + plateWidth / 2,
      top: atY - PLATE_HEIGHT / 2,
      bottom: atY + PLATE_HEIGHT / 2,
    };
    return taken.reduce((sum, { left, top, right, bottom }) => {
      const room = {
        left: left * scale + view.x,
        right: right * scale + view.x,
        top: top * scale + view.y,
        bottom: bottom * scale + view.y,
      };
      return sum + overlap(plate, room);
    }, 0);
  });
}

it("covers no node, name, shape or badge at any scale at which labels are read", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...graphs),
      fc.double({ min: 1, max: 4, noNaN: true }),
      fc.constantFrom(67, 100),
      (graph, scale, plateWidth) => {
        expect(covered(graph, layOut(graph), scale, plateWidth).filter((area) => area > 0)).toEqual([]);
      },
    ),
  );
});

it("stays on the stage, and off its buttons", () => {
  const box = { x: 0, y: 0, halfWidth: 20, halfHeight: 20, symbol: "", symbolSize: 12, name: "" };
  const own = { left: -20, right: 20, top: -20, bottom: 20 };
  const place = (x: number, y: number) => platePlace(60, RING, box, [own], { x, y, scale: 1 }, 900, 500);
  expect(place(450, 250).y).toBeLessThan(-20);
  expect(place(450, 30).y).toBeGreaterThan(20);
  expect(place(60, 80).y).toBeGreaterThan(20);
  expect(place(840, 80).y).toBeGreaterThan(20);
});

it("keeps off an edge where there is room beside it", () => {
  const box = { x: 0, y: 0, halfWidth: 20, halfHeight: 20, symbol: "", symbolSize: 12, name: "" };
  const taken = [
    { left: -30, right: 30, top: -60, bottom: -20 },
    { left: -30, right: 30, top: 20, bottom: 60 },
    ...Array.from({ length: 100 }, (_, x) => ({ left: 20 + x, right: 21 + x, top: -0.5, bottom: 0.5 })),
  ];
  const { x, y } = platePlace(60, RING, box, taken, { x: 40, y: 250, scale: 1 }, 900, 500);
  expect(x).toBeGreaterThan(20);
  expect(Math.abs(y)).toBeGreaterThan(PLATE_HEIGHT / 2);
});

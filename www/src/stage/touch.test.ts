// Which node a fingertip means.
import { expect, test } from "vitest";
import type { Box } from "./geometry";
import { nearest } from "./touch";

const box = (x: number, y: number): Box => ({
  x,
  y,
  halfWidth: 10,
  halfHeight: 10,
  symbol: "",
  symbolSize: 13,
  name: "",
});
const boxes = new Map([
  [1, box(0, 0)],
  [2, box(100, 0)],
]);

test("a tap within 22 px of a node is that node's, at any scale", () => {
  const view = { x: 50, y: 50, scale: 0.5 };
  expect(nearest(boxes, view, 50, 50)).toBe(1);
  expect(nearest(boxes, view, 50, 76)).toBe(1);
  expect(nearest(boxes, view, 50, 78)).toBe(null);
  expect(nearest(boxes, { ...view, scale: 2 }, 50, 78)).toBe(1);
});

test("between two it is the nearer one's", () => {
  const view = { x: 0, y: 0, scale: 0.4 };
  expect(nearest(boxes, view, 18, 0)).toBe(1);
  expect(nearest(boxes, view, 24, 0)).toBe(2);
});

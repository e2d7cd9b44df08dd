import { expect, test } from "vitest";
import {
  blank,
  bridged,
  COLUMNS,
  distance,
  heightsOf,
  keptAs,
  moved,
  pointsOf,
  stroked,
  ticks,
} from "./curve";

/** What store/file.ts takes as one text. */
const LONGEST = 200;
const axis = { from: 0, to: 2 };
const rising = Array.from({ length: COLUMNS }, (_, column) => Math.round((100 * column) / (COLUMNS - 1)));

test("a stroke fills the columns that it passes, in both directions, and stays on the axes", () => {
  expect(stroked(blank, [0, 0], [1, 1])).toEqual(rising);
  expect(stroked(blank, [1, 1], [0, 0])).toEqual(rising);
  const outside = stroked(blank, [-0.3, 1.4], [0.02, 1.4]);
  expect(outside[0]).toBe(100);
  expect(outside.filter((height) => height !== null)).toHaveLength(1);
});

test("between two strokes the curve is straight; beyond them it is missing", () => {
  const ends = stroked(stroked(blank, [0, 0], [0, 0]), [1, 1], [1, 1]);
  expect(bridged(ends)).toEqual(rising);
  const middle = stroked(blank, [0.25, 0.5], [0.75, 0.5]);
  expect(bridged(middle)).toEqual(middle);
  expect(keptAs(middle)).toBeNull();
});

test("a key makes a whole curve of what is there", () => {
  const first = moved(blank, 3, 5);
  expect(first[3]).toBe(55);
  expect(first.filter((height) => height === 50)).toHaveLength(COLUMNS - 1);
  expect(moved(first, 3, 500)[3]).toBe(100);
  const middle = stroked(blank, [0.25, 0.2], [0.75, 0.8]);
  const whole = moved(middle, 0, -5);
  expect([whole[0], whole[1], whole.at(-1)]).toEqual([15, 20, 80]);
});

test("a curve is kept as a text that a progress file takes", () => {
  const kept = keptAs(rising) ?? "";
  expect(heightsOf(kept)).toEqual(rising);
  expect(keptAs(rising.map(() => 100))?.length).toBeLessThanOrEqual(LONGEST);
  for (const text of ["", "1 2 3", kept.replace("100", "101"), kept.replace("100", "up")])
    expect(heightsOf(text)).toBeNull();
});

test("a run's curve is a list of pairs, or heights that lie evenly", () => {
  const points = [
    [0, 1],
    [1, -0.5],
    [2, 0.001],
  ];
  for (const printed of [
    "[1.0, -0.5, 0.001]",
    "tensor([ 1.0000e+00, -5.0000e-01,\n         1.0000e-03], grad_fn=<MulBackward0>)",
    "[(2, 0.001), (0, 1.0), (1, -0.5)]",
    "tensor([[0., 1.],\n        [1., -0.5],\n        [2., 0.001]])",
  ])
    expect(pointsOf(printed, axis)).toEqual(points);
  for (const printed of [
    "",
    "up",
    "]1[",
    "[1.0]",
    "[1.0, nan]",
    "[1, inf]",
    "[(0, 1, 2), (1, 2, 3)]",
    "[0., ..., 2.]",
  ])
    expect(pointsOf(printed, axis)).toBeNull();
});

test("curves are compared at the drawn columns, as a share of the height", () => {
  const y = { from: -1, to: 1 };
  const straight = [
    [0, -1],
    [2, 1],
  ] as const;
  expect(distance(rising, straight, axis, y)).toBeLessThan(0.005);
  expect(distance(rising.toReversed(), straight, axis, y)).toBeCloseTo(0.52, 2);
});

test("an axis has round numbers on it", () => {
  expect(ticks({ from: -4, to: 4 })).toEqual([-4, -2, 0, 2, 4]);
  expect(ticks({ from: 0, to: 2.5 })).toEqual([0, 0.5, 1, 1.5, 2, 2.5]);
  expect(ticks({ from: -1, to: 0 })).toEqual([-1, -0.8, -0.6, -0.4, -0.2, 0]);
  expect(ticks({ from: 0.2, to: 4 })).toEqual([1, 2, 3, 4]);
});

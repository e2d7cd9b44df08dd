import { expect, it } from "vitest";
import { Series } from "./series";

it("puts series on one axis, with gaps where one has no point", () => {
  const series = new Series();
  series.add("loss", 0, 2);
  series.add("loss", 1, 1);
  series.add("accuracy", 1, 0.5);
  expect(series.aligned()).toEqual([
    [0, 1],
    [2, 1],
    [null, 0.5],
  ]);
});

it("draws no NaN and no infinity, and says them", () => {
  const series = new Series();
  series.add("loss", 0, 1);
  series.add("loss", 1, Number.NaN);
  series.add("loss", 2, Number.POSITIVE_INFINITY);
  expect(series.aligned()).toEqual([
    [0, 1, 2],
    [1, null, null],
  ]);
  expect(series.describe()).toBe("loss went from 1 to Infinity at 2.");
});

it("stays drawable, keeping the first and the last point", () => {
  const series = new Series();
  for (let step = 0; step < 100_001; step++) series.add("loss", step, 1 / (step + 1));
  const [xs, ys] = series.aligned();
  expect(xs.length).toBeLessThanOrEqual(4097);
  expect(xs[0]).toBe(0);
  expect(xs.at(-1)).toBe(100_000);
  expect(ys?.length).toBe(xs.length);
  expect(ys?.at(-1)).toBe(1 / 100_001);
  expect(series.size).toBe(100_001);
});

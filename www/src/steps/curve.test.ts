import { describe, expect, test } from "vitest";
import { curve, stepAt, xOf } from "./curve";

const at = (values: readonly (number | null)[]) => values.map((value, index) => ({ step: index + 1, value }));
const numbers = (path: string) => (path.match(/-?[\d.]+/g) ?? []).map(Number);

describe("a curve over the steps of a run", () => {
  test("begins at the left, ends at the right, and the largest number is on top", () => {
    const { path, y } = curve(at([4, 3, 2, 1]), 4, 100, 20);
    const all = numbers(path);
    expect(all[0]).toBe(0);
    expect(all.at(-2)).toBe(100);
    expect(y(4)).toBe(2);
    expect(y(1)).toBe(18);
  });

  test("of a thousand steps it keeps the spike", () => {
    const values = Array.from({ length: 10_000 }, (_, index) => (index === 5_003 ? 30 : 1));
    const { path, y } = curve(at(values), values.length, 100, 20);
    expect(numbers(path)).toContain(y(30));
    expect(path.length).toBeLessThan(8_000);
  });

  test("is finite and inside the box whatever the numbers are", () => {
    for (const values of [
      [],
      [1],
      [0, 0],
      [Number.NaN, 1],
      [1, Infinity, -Infinity, null],
      [1e-300, 1e300],
      [-1e308, 1e308],
    ]) {
      const { path, broken } = curve(at(values), values.length, 100, 20);
      for (const [index, number] of numbers(path).entries()) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThanOrEqual(index % 2 === 0 ? 100 : 20);
      }
      expect(path).not.toMatch(/NaN|Infinity/);
      expect(broken.every(Number.isFinite)).toBe(true);
    }
    expect(curve(at([1, Number.NaN]), 2, 100, 20).broken).toEqual([100]);
  });

  test("is marked as broken to its end, and marks do not lie over each other", () => {
    const values = Array.from({ length: 600 }, (_, index) => (index < 20 ? 1 : Number.NaN));
    const { broken } = curve(at(values), values.length, 500, 20);
    expect(broken[0]).toBeLessThan(20);
    expect(broken.at(-1)).toBeGreaterThan(490);
    expect(broken.every((x, index) => index === 0 || x - (broken[index - 1] ?? 0) >= 6)).toBe(true);
  });

  test("a place of the box is a step, and a step a place", () => {
    for (const step of [1, 2, 500, 999, 1000]) expect(stepAt(xOf(step, 1000, 640), 1000, 640)).toBe(step);
    expect(stepAt(-50, 10, 100)).toBe(1);
    expect(stepAt(500, 10, 100)).toBe(10);
    expect(stepAt(0, 0, 0)).toBe(1);
  });
});

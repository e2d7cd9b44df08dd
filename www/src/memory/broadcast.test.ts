import { expect, test } from "vitest";
import { broadcast } from "./broadcast";
import { contiguous, count, expand, indexOf, positions } from "./layout";
import { numbers } from "./random";

test("shapes are aligned from the right", () => {
  const { columns, shape, problem } = broadcast([3, 1], [2, 1, 4]);
  expect(problem).toBeNull();
  expect(shape).toEqual([2, 3, 4]);
  expect(columns).toEqual([
    { a: null, b: 2, size: 2, strideA: 0, strideB: 4 },
    { a: 3, b: 1, size: 3, strideA: 1, strideB: 0 },
    { a: 1, b: 4, size: 4, strideA: 0, strideB: 1 },
  ]);
});

test("two sizes that differ do not fit unless one is 1", () => {
  const { columns, shape, problem } = broadcast([2, 3], [2, 4]);
  expect(shape).toBeNull();
  expect(columns.map(({ size }) => size)).toEqual([2, null]);
  expect(problem).toBe("Dimension -1 does not fit: 3 against 4. Two sizes must be equal, or one of them 1.");
});

test.each([
  [[], [], []],
  [[], [3], [3]],
  [[0], [1], [0]],
  [[5, 0], [1], [5, 0]],
  [[1], [1, 1], [1, 1]],
])("%j with %j is %j", (a, b, shape) => expect(broadcast(a, b).shape).toEqual(shape));

test("a size of 0 does not meet a size of 2", () => {
  expect(broadcast([0], [2]).problem).toContain("0 against 2");
});

test("the strides read what indexing with the stretched dimensions left at 0 reads", () => {
  const random = numbers(4);
  let fits = 0;
  for (let i = 0; i < 500; i++) {
    const shapes = [0, 1].map(() =>
      Array.from({ length: Math.floor(random() * 4) }, () => [1, 2, 3][Math.floor(random() * 3)] as number),
    ) as [number[], number[]];
    const { shape, columns } = broadcast(...shapes);
    if (!shape) continue;
    fits += 1;
    for (const [own, side] of [
      [shapes[0], "strideA"],
      [shapes[1], "strideB"],
    ] as const) {
      const strides = columns.map((column) => column[side]);
      const read = positions({ shape, strides, offset: 0 });
      expect(read).toEqual(positions(expand(contiguous(own), shape)));
      for (let flat = 0; flat < count(shape); flat++) {
        const index = indexOf(shape, flat).slice(shape.length - own.length);
        const cell = index.reduce((sum, at, d) => sum * (own[d] as number) + (own[d] === 1 ? 0 : at), 0);
        expect(read[flat]).toBe(cell);
      }
    }
  }
  expect(fits).toBeGreaterThan(100);
});

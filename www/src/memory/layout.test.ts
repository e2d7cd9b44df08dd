import { describe, expect, test } from "vitest";
import {
  contiguous,
  count,
  expand,
  flatOf,
  indexOf,
  infer,
  isContiguous,
  type Layout,
  overlaps,
  parseSizes,
  permute,
  position,
  positions,
  problem,
  reach,
  readers,
  reshape,
  slice,
  whyCopied,
} from "./layout";
import { chain, type Model, numbers } from "./random";

function whole(shape: number[]): { layout: Layout; model: Model } {
  const cells = Array.from({ length: count(shape) }, (_, i) => i);
  return { layout: contiguous(shape), model: { shape, cells } };
}

/** Whether a layout with strides of any kind reads these cells: tried, not computed. */
function someStridesRead(shape: number[], cells: number[]): boolean {
  const first = cells[0] as number;
  const strides = shape.map((size, d) => {
    if (size === 1) return 0;
    const index = shape.map((_, each) => (each === d ? 1 : 0));
    return (cells[flatOf(shape, index)] as number) - first;
  });
  const read = positions({ shape, strides, offset: first });
  return read.every((cell, i) => cell === cells[i]);
}

describe("random chains of views", () => {
  test("read the cells that the model without strides reads", () => {
    const random = numbers(1);
    let steps = 0;
    for (let i = 0; i < 400; i++) {
      const shape = Array.from({ length: Math.floor(random() * 4) }, () => 1 + Math.floor(random() * 5));
      const start = whole(shape);
      for (const { python, layout, model } of chain(random, start.layout, start.model, 6)) {
        steps += 1;
        expect(layout.shape, python).toEqual(model.shape);
        expect(positions(layout), python).toEqual(model.cells);
        expect(problem(layout, count(shape)), python).toBeNull();
        const range = reach(layout);
        expect(range?.first ?? 0).toBe(model.cells.length ? Math.min(...model.cells) : 0);
        expect(range?.last ?? 0).toBe(model.cells.length ? Math.max(...model.cells) : 0);
        expect(overlaps(layout)).toBe(new Set(model.cells).size < model.cells.length);
        const isWhole = model.cells.every((cell, at) => cell === (model.cells[0] as number) + at);
        expect(isContiguous(layout), `${python} ${JSON.stringify(layout)}`).toBe(isWhole);
        const naive = new Map<number, number[]>();
        model.cells.forEach((cell, flat) => {
          naive.set(cell, [...(naive.get(cell) ?? []), flat]);
        });
        expect(readers(layout)).toEqual(naive);
        const indices = model.cells.map((_, flat) => indexOf(layout.shape, flat));
        expect(indices.map((index) => position(layout, index))).toEqual(model.cells);
        expect(indices.map((index) => flatOf(layout.shape, index))).toEqual([...model.cells.keys()]);
      }
    }
    expect(steps).toBeGreaterThan(1000);
  });

  test("are reshaped without a copy exactly where some strides read the same cells", () => {
    const random = numbers(2);
    let [fits, copies] = [0, 0];
    for (let i = 0; i < 600; i++) {
      const shape = Array.from({ length: 1 + Math.floor(random() * 3) }, () => 1 + Math.floor(random() * 4));
      const start = whole(shape);
      const last = chain(random, start.layout, start.model, 4).at(-1) ?? start;
      const total = count(last.model.shape);
      if (total === 0) continue;
      for (let a = 1; a <= total; a++) {
        if (total % a) continue;
        for (const target of [
          [a, total / a],
          [a, 1, total / a],
        ]) {
          const result = reshape(last.layout, target);
          expect(result.fits, JSON.stringify([last.layout, target])).toBe(
            someStridesRead(target, last.model.cells),
          );
          if (result.fits) {
            fits += 1;
            expect(positions(result.layout)).toEqual(last.model.cells);
          } else {
            copies += 1;
            expect(result.stride).toBe(last.layout.strides[result.dim]);
            expect(result.stride).not.toBe(result.wanted);
          }
        }
      }
    }
    expect(fits).toBeGreaterThan(300);
    expect(copies).toBeGreaterThan(100);
  });

  test("two chains of one seed are the same", () => {
    const start = whole([3, 4]);
    const once = () => chain(numbers(7), start.layout, start.model, 8).map(({ python }) => python);
    expect(once()).toEqual(once());
  });
});

describe("why a copy is needed", () => {
  test("names the stride that does not fit", () => {
    const transposed = permute(contiguous([3, 4]), [1, 0]);
    const result = reshape(transposed, [12]);
    expect(result).toEqual({ fits: false, dim: 0, stride: 1, wanted: 12 });
    if (!result.fits) {
      expect(whyCopied(transposed, result)).toBe(
        "It needs a copy. Reading on from dimension 1 into dimension 0 with one stride would take a stride of 12 in dimension 0; it is 1.",
      );
    }
  });

  test("a stretched tensor repeats cells", () => {
    const wide = expand(contiguous([3, 1]), [3, 4]);
    const result = reshape(wide, [12]);
    expect(result.fits).toBe(false);
    if (!result.fits) expect(whyCopied(wide, result)).toContain("A stride of 0 repeats cells");
  });

  test("a slice of rows is still one run, a slice of columns is not", () => {
    const x = contiguous([3, 4]);
    expect(reshape(slice(x, 0, 1, 2), [8])).toEqual({ fits: true, layout: contiguous([8], 4) });
    expect(reshape(slice(x, 1, 0, 2), [6]).fits).toBe(false);
  });
});

describe("layouts that cannot be", () => {
  const of = (shape: number[], strides: number[], offset = 0) => problem({ shape, strides, offset }, 12);
  test.each([
    [[3, 4], [4, 1], 0, null],
    [
      [3, 4],
      [4, 1],
      1,
      "Out of range: the last element, [2, 3], would be in cell 1 + 2 × 4 + 3 × 1 = 12. The storage has 12 cells, 0 to 11.",
    ],
    [[3], [4, 1], 0, "The shape has 1 size and there are 2 strides. Every dimension needs one of each."],
    [[3, 4], [4], 0, "The shape has 2 sizes and there is 1 stride. Every dimension needs one of each."],
    [
      [12],
      [-1],
      11,
      "The stride of dimension 0 is -1. PyTorch has no strides below 0; flip() copies instead.",
    ],
    [[-2], [1], 0, "A size of -2 is no size. Sizes are 0 or more."],
    [[2], [1], -1, "An offset of -1 is before the first cell. The offset is 0 or more."],
    [[0, 100], [4, 1], 99, null],
    [[], [], 11, null],
    [
      [],
      [],
      12,
      "Out of range: the last element, [], would be in cell 12 = 12. The storage has 12 cells, 0 to 11.",
    ],
    [[5, 5], [0, 0], 11, null],
  ])("%j %j from %i", (shape, strides, offset, expected) => {
    expect(of(shape, strides, offset)).toBe(expected);
  });
  test("too many dimensions", () => {
    const nine = new Array(9).fill(1);
    expect(of(nine, nine)).toContain("9 dimensions");
  });
});

describe("what is typed", () => {
  test.each([
    ["3, 4", [3, 4]],
    ["(3, 4)", [3, 4]],
    ["[2,]", [2]],
    ["3 4", [3, 4]],
    ["", []],
    ["()", []],
    ["-1", [-1]],
    ["−1, 2", [-1, 2]],
    ["3,,4", null],
    ["a", null],
    ["1.5", null],
    ["99999999999", null],
  ])("%s", (text, expected) => expect(parseSizes(text)).toEqual(expected));

  test("−1 is filled in", () => {
    expect(infer([-1], 12)).toEqual([12]);
    expect(infer([3, -1], 12)).toEqual([3, 4]);
    expect(infer([5, -1], 12)).toBe("12 elements do not divide by 5, so −1 has no size.");
    expect(infer([-1, -1], 12)).toBe("Only one size can be −1.");
    expect(infer([5], 12)).toBe("The shape [5] has 5 elements; the tensor has 12.");
    expect(infer([0, -1], 0)).toContain("do not divide");
  });
});

import { describe, expect, it } from "vitest";
import type { Preview } from "../protocol/generated/Preview";
import { heatMap, numberGrid } from "./grid";
import { formatNumber, formatShape, formatTensor } from "./numbers";

describe("formatNumber", () => {
  it.each([
    [0, "0"],
    [1, "1"],
    [0.42, "0.42"],
    [-0.3, "−0.3"],
    [0.89999998, "0.9"],
    [1500.5, "1500.5"],
    [0.00001234, "1.2340e-05"],
    [-2.5e7, "−2.5000e+07"],
    [-0.00000001, "−1.0000e-08"],
    [Number.NaN, "NaN"],
    [Infinity, "inf"],
    [-Infinity, "−inf"],
    [null, "NaN"],
  ])("%s is %s", (value, text) => expect(formatNumber(value)).toBe(text));
});

describe("formatTensor", () => {
  // What PyTorch prints for torch.tensor(...) of these values.
  it("prints integers with a point", () =>
    expect(formatTensor([1, -2, 10], "float32")).toEqual([" 1.", "-2.", "10."]));
  it("prints four decimals", () =>
    expect(formatTensor([0.5, -1.25], "float32")).toEqual([" 0.5000", "-1.2500"]));
  it("turns scientific for a wide range", () =>
    expect(formatTensor([0.001, 100.5], "float32")).toEqual(["1.0000e-03", "1.0050e+02"]));
  it("turns scientific for the very small", () =>
    expect(formatTensor([0.00002], "float32")).toEqual(["2.0000e-05"]));
  it("keeps what is not finite", () =>
    expect(formatTensor([1.5, Number.NaN, null, -Infinity], "float32")).toEqual([
      "1.5000",
      "   nan",
      "   nan",
      "  -inf",
    ]));
  it("knows integers and booleans", () => {
    expect(formatTensor([3, 12], "int64")).toEqual([" 3", "12"]);
    expect(formatTensor([1, 0], "bool")).toEqual([" True", "False"]);
  });
  it("prints shapes as Python does", () => expect(formatShape([2, 3])).toBe("[2, 3]"));
});

function preview(shape: number[], values: number[]): Preview {
  return {
    id: 0,
    shape,
    dtype: "float32",
    norm: 0,
    min: 0,
    max: 0,
    mean: 0,
    read: values.length,
    nonFinite: 0,
    values,
  };
}

describe("numberGrid", () => {
  it("keeps a small matrix whole", () => {
    const grid = numberGrid(preview([2, 2], [1, -2, 3, 4]));
    expect(grid.rows.map((row) => row.map((cell) => cell?.text))).toEqual([
      [" 1.", "-2."],
      [" 3.", " 4."],
    ]);
    expect(grid.rows[0]?.[1]?.weight).toBe(-0.5);
    expect(grid.moreRows).toBe(0);
  });
  it("leaves out the middle columns and says how many rows are missing", () => {
    const grid = numberGrid(
      preview(
        [10, 8],
        Array.from({ length: 80 }, (_, at) => at),
      ),
    );
    expect(grid.rows[1]?.map((cell) => cell?.flat ?? null)).toEqual([8, 9, 10, null, 15]);
    expect(grid.rows.length + grid.moreRows).toBe(10);
  });
  it("shows only what the preview holds", () => {
    const grid = numberGrid(
      preview(
        [100, 30],
        Array.from({ length: 64 }, (_, at) => at),
      ),
    );
    expect(grid.rows).toHaveLength(2);
    expect(grid.moreRows).toBe(98);
  });
  it("wraps a vector, names the matrix of a higher rank, survives an empty tensor", () => {
    expect(numberGrid(preview([7], [1, 2, 3, 4, 5, 6, 7])).rows.map((row) => row.length)).toEqual([5, 2]);
    expect(
      numberGrid(
        preview(
          [3, 2, 2],
          Array.from({ length: 12 }, () => 1),
        ),
      ).note,
    ).toContain("first of 3 matrices");
    expect(numberGrid(preview([0, 4], [])).note).toBe("It holds no element.");
  });
  it("tints by the largest size and marks what is not finite", () => {
    const heat = heatMap(preview([2, 2], [1, -4, Number.NaN, 0]));
    expect(heat.cells.map((cell) => cell.weight)).toEqual([0.25, -1, Number.NaN, 0]);
  });
});

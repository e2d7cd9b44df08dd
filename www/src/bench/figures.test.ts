import { describe, expect, test } from "vitest";
import { digits, figuresOf, limitOf, percent, range, rateOf, spreadOf, time } from "./figures";
import { GROUPS, ROWS, type Row } from "./rows";

const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  title: () => id,
  code: "x",
  unit: "GB/s",
  amount: 8e6,
  ...more,
});

describe("the spread of measured times", () => {
  test("is the median and the quartiles, whatever the order", () => {
    expect(spreadOf([5, 1, 3, 2, 4])).toEqual({ low: 2, median: 3, high: 4 });
    expect(spreadOf([4, 1, 2, 3])).toEqual({ low: 1.75, median: 2.5, high: 3.25 });
  });

  test("of one time is that time, of none is none", () => {
    expect(spreadOf([7])).toEqual({ low: 7, median: 7, high: 7 });
    expect(spreadOf([])).toBeNull();
  });

  test("one slow moment moves the median by at most a place", () => {
    expect(spreadOf([1, 1.1, 1.2, 1.3, 500])?.median).toBe(1.2);
  });
});

describe("rates and limits", () => {
  test("a rate is in thousands of millions a second", () => {
    expect(rateOf({ amount: 8e6 }, 1)).toBe(8);
    expect(rateOf({ amount: 2 * 512 ** 3 }, 10)).toBeCloseTo(26.84, 2);
  });

  test("the limit is the fastest plain row of the same unit on the same device", () => {
    const rows = [
      row("pass", { isLimit: true }),
      row("add", { isLimit: true, amount: 12e6 }),
      row("exp"),
      row("product", { isLimit: true, unit: "GFLOP/s", amount: 1e9 }),
    ];
    const millis: Record<string, number[]> = {
      "pass cpu": [1, 2, 3],
      "add cpu": [1],
      "exp cpu": [0.1],
      "pass webgpu": [0.5],
    };
    const measured = ({ id }: Row, device: string) => millis[`${id} ${device}`] ?? [];
    expect(limitOf(rows, measured, "cpu", "GB/s")).toBe(12);
    expect(limitOf(rows, measured, "webgpu", "GB/s")).toBe(16);
    expect(limitOf(rows, measured, "cpu", "GFLOP/s")).toBeNull();

    const figures = figuresOf(rows, ["cpu", "webgpu"], measured);
    expect(figures.map(({ row, device, rate, share }) => [row.id, device, rate, share])).toEqual([
      ["pass", "cpu", 4, 4 / 12],
      ["pass", "webgpu", 16, 1],
      ["add", "cpu", 12, 1],
      ["exp", "cpu", 80, 80 / 12],
    ]);
  });
});

describe("figures as text", () => {
  test("have three digits", () => {
    expect([0.05123, 5.1234, 51.23, 512.3, 1234.5].map(digits)).toEqual([
      "0.0512",
      "5.12",
      "51.2",
      "512",
      "1,235",
    ]);
  });

  test("are milliseconds or seconds, and a range has its unit once", () => {
    expect([0.5, 12.62, 999.4, 1430].map(time)).toEqual(["0.500 ms", "12.6 ms", "999 ms", "1.43 s"]);
    expect(range({ low: 12.1, median: 13, high: 14.9 })).toBe("12.1 to 14.9 ms");
    expect(range({ low: 900, median: 1000, high: 1200 })).toBe("900 ms to 1.20 s");
  });

  test("a percentage that is small is still told", () => {
    expect([1, 0.794, 0.004].map(percent)).toEqual(["100 %", "79 %", "0.4 %"]);
  });
});

describe("the rows", () => {
  test("have names of their own, and each unit has a limit", () => {
    expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
    for (const { unit } of ROWS) expect(ROWS.some((row) => row.isLimit && row.unit === unit)).toBe(true);
    expect(GROUPS.flatMap(({ rows }) => rows)).toEqual(ROWS);
  });

  test("a row that another decides about comes after it", () => {
    for (const [at, { unless }] of ROWS.entries()) {
      if (unless) expect(ROWS.slice(0, at).some(({ id }) => id === unless.row)).toBe(true);
    }
  });

  test("count the work of a training step in its products", () => {
    const amount = (id: string) => ROWS.find((row) => row.id === id)?.amount;
    expect(amount("mlp")).toBe(128_909_312);
    expect(amount("cnn")).toBe(33_761_280);
  });
});

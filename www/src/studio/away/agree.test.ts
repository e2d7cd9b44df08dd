// What is said of an agreement, and how values stand in Python.
import { describe, expect, it } from "vitest";
import { told } from "./agree";
import { call, literal } from "./asking";

describe("an agreement in words", () => {
  const layer = (
    name: string,
    given: number | null,
    read: (number | null)[] = [0],
    functions: string[] = [],
  ) => ({
    name,
    given,
    read,
    functions,
  });
  const layers = [layer("fc1", 0), layer("fc2", 0.25)];
  const functions = [[]];
  it("tells small differences from large ones", () => {
    const small = told("Net", {
      outputs: [2e-7],
      counts: [1, 1],
      largest: 3,
      layers: [layer("fc1", 0)],
      functions,
    });
    expect(small.agrees).toBe(true);
    expect(small.text).toContain("2e-7");
    const large = told("Net", { outputs: [0.5], counts: [1, 1], largest: 3, layers, functions });
    expect(large.agrees).toBe(false);
    expect(large.text).toContain("The first layer that differs is fc2, by 0.25.");
  });
  it("says other shapes and other numbers of results", () => {
    const shapes = told("Net", {
      outputs: [null],
      counts: [1, 1],
      largest: 3,
      layers: [layer("fc1", null)],
      functions,
    });
    expect(shapes).toEqual({
      agrees: false,
      text: "The results have different shapes. The first layer that differs is fc1, in its shape.",
    });
    expect(told("Net", { outputs: null, counts: [2, 1], largest: 3, layers: [], functions: [] }).text).toBe(
      "The Python gives 2 results, and the drawing 1.",
    );
  });
  it("names functions between layers, and behind them", () => {
    const apart = { outputs: [0.5], counts: [1, 1] as [number, number], largest: 3 };
    const between = [layer("fc1", 0), layer("fc2", 0.25, [0.5], ["relu"])];
    expect(told("Net", { ...apart, layers: between, functions }).text).toContain(
      "The first difference is in the function relu, before fc2.",
    );
    const several = [layer("fc2", 0.25, [null], ["relu", "h (add)"])];
    expect(told("Net", { ...apart, layers: several, functions }).text).toContain(
      "is in one of the functions relu and h (add), before fc2.",
    );
    const wired = [layer("fc1", 0), layer("fc2", 0.25, [0.5])];
    expect(told("Net", { ...apart, layers: wired, functions }).text).toContain("is in what fc2 reads.");
    const behind = { ...apart, layers: [layer("fc1", 0)], functions: [["view (reshape)"]] };
    expect(told("Net", behind).text).toContain("is in the function view (reshape), before the result.");
  });
  it("takes no number for agreement where there is none", () => {
    expect(
      told("Net", { outputs: [Number.NaN], counts: [1, 1], largest: 3, layers: [], functions }).agrees,
    ).toBe(false);
  });
});

it("writes texts so that Python reads them back, whatever is in them", () => {
  expect(literal('a"b\n\\')).toBe('"a\\"b\\n\\\\"');
  expect(literal("\u2028é")).toBe('"\\u2028\\u00e9"');
  expect(call("f", "x", [["N", 1]])).toBe('f("x", [["N",1]])\n');
});

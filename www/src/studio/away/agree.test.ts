// What is said of an agreement, and how values stand in Python.
import { describe, expect, it } from "vitest";
import { told } from "./agree";
import { call, literal } from "./asking";

describe("an agreement in words", () => {
  const layers: [string, number | null][] = [
    ["fc1", 0],
    ["fc2", 0.25],
  ];
  it("tells small differences from large ones", () => {
    const small = told("Net", { outputs: [2e-7], counts: [1, 1], largest: 3, layers: [["fc1", 0]] });
    expect(small.agrees).toBe(true);
    expect(small.text).toContain("2e-7");
    const large = told("Net", { outputs: [0.5], counts: [1, 1], largest: 3, layers });
    expect(large.agrees).toBe(false);
    expect(large.text).toContain("The first layer that differs is fc2, by 0.25.");
  });
  it("says other shapes and other numbers of results", () => {
    const shapes = told("Net", { outputs: [null], counts: [1, 1], largest: 3, layers: [["fc1", null]] });
    expect(shapes).toEqual({
      agrees: false,
      text: "The results have different shapes. The first layer that differs is fc1, in its shape.",
    });
    expect(told("Net", { outputs: null, counts: [2, 1], largest: 3, layers: [] }).text).toBe(
      "The Python gives 2 results, and the drawing 1.",
    );
  });
  it("takes no number for agreement where there is none", () => {
    expect(told("Net", { outputs: [Number.NaN], counts: [1, 1], largest: 3, layers: [] }).agrees).toBe(false);
  });
});

it("writes texts so that Python reads them back, whatever is in them", () => {
  expect(literal('a"b\n\\')).toBe('"a\\"b\\n\\\\"');
  expect(literal("\u2028é")).toBe('"\\u2028\\u00e9"');
  expect(call("f", "x", [["N", 1]])).toBe('f("x", [["N",1]])\n');
});

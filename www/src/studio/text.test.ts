// @vitest-environment happy-dom
// Texts of fields, of JSON and of links, and the keys.
import { describe, expect, it } from "vitest";
import { jsonText, lineOf } from "./jsonText";
import { actionOf, KEYS } from "./keys";
import { addressOf, decodeNetwork, VERSION } from "./link";
import type { Argument, Net } from "./model";
import { readShape, readValue, valueText } from "./values";

const argument = (more: Partial<Argument> = {}): Argument => ({
  name: "size",
  type: "sizes",
  choices: [],
  required: true,
  default: null,
  ...more,
});

describe("a field", () => {
  it.each([
    ["3", 3],
    ["3, 5", [3, 5]],
    ["(3, 5)", [3, 5]],
    ["2 × 4", [2, 4]],
    ["-1", -1],
    ["0.5", 0.5],
    ["true", true],
    ["", undefined],
  ])("reads %s", (text, value) => {
    expect(readValue(text, argument(), false)).toEqual({ value });
  });

  it("reads what it writes", () => {
    for (const value of [3, 0.5, [1, 2], true]) {
      expect(readValue(valueText(value), argument(), false)).toEqual({ value });
    }
  });

  it("knows choices, none, and expressions of a block", () => {
    expect(readValue("same", argument({ choices: ["same"] }), false)).toEqual({ value: "same" });
    expect(readValue("none", argument({ none: true }), false)).toEqual({ value: null });
    expect(readValue("none", argument(), false)).toHaveProperty("problem");
    expect(readValue("=4 * width", argument(), true)).toEqual({ value: "=4 * width" });
    expect(readValue("=4 * width", argument(), false)).toHaveProperty("problem");
    expect(readValue("wide", argument(), false)).toHaveProperty("problem");
  });

  it("reads the shape of an input", () => {
    expect(readShape("N, 1, 28, 28")).toEqual({ shape: ["N", 1, 28, 28] });
    expect(readShape("[N, 3]")).toEqual({ shape: ["N", 3] });
    expect(readShape("N, 3!")).toHaveProperty("problem");
    expect(readShape("")).toHaveProperty("problem");
  });
});

const net: Net = {
  name: "Net",
  format: "glowgrad.architecture",
  version: 1,
  outputs: ["fc"],
  nodes: [{ inputs: ["x"], args: { out_features: 2, in_features: 64 }, type: "Linear", id: "fc" }],
  inputs: [{ shape: ["N", 64], name: "x" }],
};

describe("the JSON of a network", () => {
  it("is a node a line, in one order, and the same value", () => {
    const text = jsonText(net);
    expect(JSON.parse(text)).toEqual(net);
    expect(text.indexOf('"format"')).toBeLessThan(text.indexOf('"nodes"'));
    expect(text).toContain(
      '{"id": "fc", "type": "Linear", "args": {"in_features": 64, "out_features": 2}, "inputs": ["x"]}',
    );
    expect(text.split("\n")[(lineOf(text, "fc") ?? 0) - 1]).toContain('"fc"');
    expect(lineOf(text, "gone")).toBeNull();
  });
});

describe("the link of a network", () => {
  it("brings it back", () => {
    const made = addressOf(net);
    if (!("address" in made)) throw new Error(made.problem);
    const text = made.address.split("/").at(-1) ?? "";
    expect(decodeNetwork(VERSION, text)).toEqual({ net });
  });

  it("is a sentence where it is damaged, of another version, or too long", () => {
    for (const [version, text] of [
      [VERSION, "AAAAAAAA"],
      ["2", "AAAAAAAA"],
      ["x", "AAAAAAAA"],
      [VERSION, "A".repeat(30_000)],
    ] as const) {
      const read = decodeNetwork(version, text);
      expect("problem" in read && read.problem).toMatch(/^This link .*\.$/);
    }
  });

  it("is refused where the network is too long for an address", () => {
    const nodes = Array.from({ length: 4000 }, (_, i) => ({
      id: `n${(i * 7919) % 100_003}`,
      type: `T${(i * 104_729) % 9973}`,
    }));
    expect(addressOf({ ...net, nodes })).toHaveProperty("problem");
  });
});

describe("the keys", () => {
  const pressed = (key: string, more = {}) =>
    actionOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

  it("do what the list says", () => {
    for (const { keys, ctrl = false, shift = false, action } of KEYS) {
      for (const key of keys) expect(pressed(key, { ctrlKey: ctrl, shiftKey: shift })).toBe(action);
    }
  });

  it("are left to others with Alt, and letters differ from letters with Ctrl", () => {
    expect(pressed("a", { altKey: true })).toBeNull();
    expect(pressed("c")).toBe("connect");
    expect(pressed("C", { metaKey: true })).toBe("copy");
    expect(pressed("q")).toBeNull();
  });
});

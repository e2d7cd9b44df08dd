import { describe, expect, it } from "vitest";
import sampleJson from "./fixtures/sample.json";
import { allOps, type Reference } from "./reference";
import { distance, filterFamilies, nearest } from "./search";

const sample = sampleJson as Reference;
const found = (query: string) =>
  filterFamilies(sample.families, query).flatMap(({ ops }) => ops.map(({ name }) => name));

describe("filterFamilies", () => {
  it("keeps everything in its order while nothing is typed", () => {
    expect(filterFamilies(sample.families, "  ")).toBe(sample.families);
  });

  it("puts the op of that name before those that hold it", () => {
    expect(found("exp")).toEqual(["exp", "sigmoid", "logsumexp"]);
    expect(found("sum")[0]).toBe("sum");
    expect(found("max")[0]).toBe("maximum");
    expect(new Set(found("max"))).toEqual(new Set(["maximum", "argmax", "softmax"]));
  });

  it("finds by alias, by what an op does and by grad_fn", () => {
    expect(found("expit")).toEqual(["sigmoid"]);
    expect(found("probabilities")).toEqual(["softmax"]);
    expect(found("TanhBackward0")).toEqual(["tanh"]);
    expect(found("<MmBackward0>")).toEqual(["matmul"]);
  });

  it("wants every word, and takes names as code writes them", () => {
    expect(found("largest whole")).toEqual(["floor"]);
    expect(found("largest nonsense")).toEqual([]);
    expect(found("torch.tanh(")).toEqual(["tanh"]);
    expect(found("exp_")).toEqual(["exp"]);
  });

  it("leaves out families in which nothing fits, and changes none", () => {
    const before = JSON.stringify(sample);
    expect(filterFamilies(sample.families, "matmul").map(({ slug }) => slug)).toEqual(["linalg"]);
    expect(JSON.stringify(sample)).toBe(before);
  });

  it("is not a pattern language", () => {
    for (const query of [".*", "(", "[a", "\\", "+"]) expect(() => found(query)).not.toThrow();
    expect(found(".*")).toEqual([]);
  });
});

describe("nearest", () => {
  const names = (wanted: string) => nearest(sample, wanted).map(({ name }) => name);

  it.each([
    ["sofmax", "softmax"],
    ["tnah", "tanh"],
    ["crossentropy", "cross_entropy"],
    ["absolut", "abs"],
    ["logsumexpp", "logsumexp"],
    ["log_softmax", "softmax"],
    ["torch.maxmum", "maximum"],
  ])("takes %s for %s", (wanted, name) => {
    expect(names(wanted)[0]).toBe(name);
  });

  it("offers no op that has nothing to do with it", () => {
    expect(names("sofmax")).toEqual(["softmax"]);
    expect(names("zzzzzzzz")).toEqual([]);
    expect(names("")).toEqual([]);
  });

  it("offers few", () => {
    expect(nearest(sample, "a", 2).length).toBeLessThanOrEqual(2);
    for (const op of allOps(sample)) expect(names(op.name)[0]).toBe(op.name);
  });
});

describe("distance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["abc", "abc", 0],
    ["abc", "ab", 1],
    ["abc", "axc", 1],
    ["tanh", "tnah", 1],
    ["kitten", "sitting", 3],
  ])("from “%s” to “%s” is %i", (a, b, steps) => {
    expect(distance(a, b)).toBe(steps);
    expect(distance(b, a)).toBe(steps);
  });
});

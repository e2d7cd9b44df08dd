import { describe, expect, it } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import mlpJson from "./fixtures/mlp.json";
import neuronJson from "./fixtures/neuron.json";
import nonFiniteJson from "./fixtures/non-finite.json";
import sumJson from "./fixtures/sum.json";
import { broadcastIndex, fillRules, ruleText, unravel, vjpAt } from "./rules";

const [sum, neuron, mlp, nonFinite] = [sumJson, neuronJson, mlpJson, nonFiniteJson] as StageGraph[] as [
  StageGraph,
  StageGraph,
  StageGraph,
  StageGraph,
];

function node(graph: StageGraph, name: string) {
  const found = graph.nodes.find((each) => each.name === name || each.op === name);
  if (!found) throw new Error(`no node named ${name}`);
  return found;
}
function filled(graph: StageGraph, name: string, t = graph.events.length, element: number | null = null) {
  const at = node(graph, name);
  return fillRules(graph, at, vjpAt(graph, at.id, t), element);
}

describe("fillRules", () => {
  it("puts one element's numbers into an elementwise rule", () => {
    const rules = filled(neuron, "tanh", neuron.events.length, 0);
    const [line] = rules.lines;
    expect(line?.target).toBe("gx");
    expect(line?.to).toBe("a");
    expect(ruleText(line?.symbolic ?? [])).toBe("gy · (1 − y²)");
    const y = neuron.previews.find((preview) => preview.id === node(neuron, "tanh").id)?.values[0] ?? 0;
    const text = y.toFixed(4).replace(/0+$/, "");
    expect(ruleText(line?.filled ?? [])).toBe(`1 · (1 − ${y < 0 ? `(−${text.slice(1)})` : text}²)`);
    expect(Number(line?.result)).toBeCloseTo(1 - y * y, 3);
    expect(rules.element).toEqual([0, 0]);
  });

  it("encloses a negative number", () => {
    const y = neuron.previews.find((preview) => preview.id === node(neuron, "tanh").id)?.values ?? [];
    const negative = y.findIndex((value) => value < 0);
    expect(negative).toBeGreaterThanOrEqual(0);
    expect(ruleText(filled(neuron, "tanh", 99, negative).lines[0]?.filled ?? [])).toMatch(
      /\(1 − \(−0\.\d+\)²\)/,
    );
  });

  it("reads broadcast operands at the right place and says what was summed", () => {
    const rules = filled(neuron, "mul", neuron.events.length, 3);
    const [toW, toX] = rules.lines;
    const x = neuron.previews.find((preview) => preview.id === node(neuron, "x").id);
    const w = neuron.previews.find((preview) => preview.id === node(neuron, "w").id);
    expect(toX).toBeUndefined();
    expect(ruleText(toW?.filled ?? [])).toMatch(new RegExp(` · ${x?.values[3]?.toFixed(1)}$`));
    expect(toW?.note).toBe("summed over the 4 elements that share it by broadcasting");
    expect(w?.shape).toEqual([2]);
    const gradient = neuron.previews.find((preview) => preview.id === toW?.gradient);
    expect(Number(toW?.result?.replace("−", "-"))).toBeCloseTo(gradient?.values[1] ?? Number.NaN, 3);
    const bias = filled(neuron, "add").lines[1];
    expect(bias?.note).toBe("summed over all 8 elements, because it was broadcast");
  });

  it("shows whole tensors by shape and the result by norm", () => {
    const lines = filled(mlp, "matmul").lines;
    expect(lines.map((line) => line.target)).toEqual(["gb"]);
    expect(ruleText(lines[0]?.filled ?? [])).toBe("[8, 6]ᵀ @ [8, 12]");
    expect(lines[0]?.result).toMatch(/^\[6, 12\], norm 0\.\d+$/);
    // A rule that goes on in words: what came in, then what came out.
    expect(filled(sum, "sum").lines[0]).toMatchObject({ filled: [{ text: "1" }], leads: true });
  });

  it("leaves out operands that want no gradient", () => {
    expect(filled(mlp, "cross_entropy").lines.map((line) => line.operand)).toEqual([0]);
  });

  it("knows no gradient before it arrives", () => {
    const rules = filled(neuron, "tanh", 3);
    expect(rules.lines[0]?.result).toBeNull();
    expect(ruleText(rules.lines[0]?.filled ?? [])).toMatch(/^gy · \(1 − /);
    const [first] = neuron.events.flatMap((event, index) =>
      event.type === "vjp" && event.node === node(neuron, "tanh").id ? [index] : [],
    );
    expect(vjpAt(neuron, node(neuron, "tanh").id, first ?? 0)).toBeNull();
    expect(vjpAt(neuron, node(neuron, "tanh").id, (first ?? 0) + 0.1)).not.toBeNull();
  });

  it("picks the element that is not finite, and prints it", () => {
    const rules = filled(nonFinite, "u");
    expect(rules.flat).toBe(1);
    expect(ruleText(rules.lines[0]?.filled ?? [])).toBe("1 / (2 · 0)");
    expect(rules.lines[0]?.result).toBe("NaN");
  });

  it("has no rule for a leaf", () => {
    expect(filled(neuron, "w").lines).toEqual([]);
  });
});

describe("indices", () => {
  it("broadcasts as NumPy does", () => {
    expect([0, 1, 2, 3, 4, 5].map((flat) => broadcastIndex(flat, [2, 3], [3]))).toEqual([0, 1, 2, 0, 1, 2]);
    expect([0, 1, 2, 3, 4, 5].map((flat) => broadcastIndex(flat, [2, 3], [2, 1]))).toEqual([
      0, 0, 0, 1, 1, 1,
    ]);
    expect(broadcastIndex(5, [2, 3], [])).toBe(0);
  });
  it("unravels in row-major order", () => {
    expect(unravel(5, [2, 3])).toEqual([1, 2]);
    expect(unravel(0, [])).toEqual([]);
  });
});

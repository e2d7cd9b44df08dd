import { describe, expect, it } from "vitest";
import type { NonFinite } from "../../protocol/generated/NonFinite";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import mlpJson from "../fixtures/mlp.json";
import neuronJson from "../fixtures/neuron.json";
import { randomGraph } from "../fixtures/random";
import { fold, fromWhole, pathsOf } from "../fold";
import { foldAll, openTo } from "../folds";
import { outline } from "../outline";
import { firstBroken } from "./broken";
import { compare, match } from "./compare";
import { MOST_GRAPHS, MOST_PINS, MOST_POINTS, StepHistory } from "./history.svelte";
import { identify } from "./identity";
import { keyHelp } from "./keys";
import { matchesIn, search } from "./search";
import { SHORTCUTS } from "./shortcuts";
import { sparkline } from "./spark";
import { spread } from "./spread";
import { stopAt, sumsOf } from "./stop";

const [mlp, neuron] = [mlpJson, neuronJson] as StageGraph[] as [StageGraph, StageGraph];
const seeds = Array.from({ length: 40 }, (_, seed) => seed + 1);

function named(graph: StageGraph, name: string) {
  const node = graph.nodes.find((each) => each.name === name || each.op === name);
  if (!node) throw new Error(`no node ${name}`);
  return node;
}
/** The graph as another run of the same code sends it: other ids. */
function renumbered(graph: StageGraph, by: number): StageGraph {
  const text = JSON.stringify(graph, (key, value) => {
    const ids = ["id", "node", "root", "from", "to", "gradient", "added", "sum", "value"];
    if (ids.includes(key) && typeof value === "number") return value + by;
    if (key === "src" || key === "grads")
      return value.map((id: number | null) => (id === null ? null : id + by));
    return value;
  });
  return JSON.parse(text) as StageGraph;
}

/** A [2, 3] matrix times another, and its rule's results worked out by hand. */
function product(op: string): { graph: StageGraph; expected: string[] } {
  const base = named(mlp, "model.0.weight");
  const node = (id: number, src: number[], shape: number[]) => ({
    ...base,
    id,
    src,
    shape,
    name: src.length === 0 ? ("ab"[id] ?? null) : null,
    op: src.length === 0 ? "leaf" : op,
    rules:
      src.length === 0
        ? []
        : op === "linear"
          ? ["{gy} @ {b}", "{gy}ᵀ @ {a}"]
          : ["{gy} @ {b}ᵀ", "{a}ᵀ @ {gy}"],
  });
  const preview = (id: number, shape: number[], values: number[]) => ({
    id,
    shape,
    dtype: "float32",
    norm: Math.hypot(...values),
    min: 0,
    max: 0,
    mean: 0,
    read: values.length,
    nonFinite: 0,
    values,
  });
  const linear = op === "linear";
  // a is [2, 3]; the other is [3, 2], or [2, 3] where it is turned over.
  const graph: StageGraph = {
    step: 1,
    dropped: 0,
    nodes: [node(0, [], [2, 3]), node(1, [], linear ? [2, 3] : [3, 2]), node(2, [0, 1], [2, 2])],
    edges: [],
    events: [
      { type: "backward", root: 2, gradient: 10 },
      { type: "vjp", node: 2, gradient: 10, grads: [11, 12] },
    ],
    previews: [
      preview(0, [2, 3], [1, 2, 3, 4, 5, 6]),
      preview(1, linear ? [2, 3] : [3, 2], linear ? [1, 3, 5, 2, 4, 6] : [1, 2, 3, 4, 5, 6]),
      preview(10, [2, 2], [1, -1, 0, 2]),
      preview(11, [2, 3], [-1, -1, -1, 4, 8, 12]),
      linear ? preview(12, [2, 3], [1, 2, 3, 7, 8, 9]) : preview(12, [3, 2], [1, 7, 2, 8, 3, 9]),
    ],
    width: 0,
    height: 0,
  };
  return linear
    ? { graph, expected: ["ga[1, 2] = 0 · 5 + 2 · 6 = 12", "gb[1, 2] = (−1) · 3 + 2 · 6 = 9"] }
    : { graph, expected: ["ga[1, 2] = 0 · 5 + 2 · 6 = 12", "gb[2, 1] = 3 · (−1) + 6 · 2 = 9"] };
}

describe("search", () => {
  const titles = (query: string) => search(mlp, query).map((node) => node.name ?? node.op);

  it("finds by op, name, shape, dtype, module, kind and line", () => {
    const weight = named(mlp, "model.0.weight");
    const shape = `[${weight.shape.join(", ")}]`;
    expect(titles("weight")).toContain("model.0.weight");
    expect(titles(shape)).toContain("model.0.weight");
    expect(titles(weight.shape.join("x"))).toContain("model.0.weight");
    expect(titles("PARAMETER").length).toBe(mlp.nodes.filter((node) => node.kind === "parameter").length);
    expect(titles("float32")).toHaveLength(mlp.nodes.filter((node) => node.dtype === "float32").length);
    const line = mlp.nodes.find((node) => node.line !== null)?.line;
    expect(search(mlp, `line ${line}`)).toEqual(mlp.nodes.filter((node) => node.line === line));
    expect(search(mlp, `line: ${line}`)).toEqual(search(mlp, `line ${line}`));
  });

  it("wants every word, puts whole words first, and finds nothing for nothing", () => {
    expect(titles("weight model.2")).toEqual(["model.2.weight"]);
    expect(titles("name:target")).toEqual(["target"]);
    expect(titles("")).toEqual([]);
    expect(titles("   ")).toEqual([]);
    expect(titles("weight nothing")).toEqual([]);
    const first = search(mlp, "x")[0];
    expect(first?.name?.toLowerCase()).toBe("x");
  });

  it("finds every node by its own words and survives any text", () => {
    for (const seed of seeds) {
      const graph = randomGraph(seed);
      for (const node of graph.nodes) {
        const words = [`op:${node.op}`, `shape:[${node.shape.join(", ")}]`, `line:${node.line}`];
        expect(search(graph, words.join(" ")), `seed ${seed} node ${node.id}`).toContainEqual(node);
      }
    }
    for (const odd of ["[", ":", "::", "line:", "op: ", "\\", "(*", "𝒙", "[ 2 ,3 ]"]) {
      expect(() => search(mlp, odd)).not.toThrow();
    }
  });
});

describe("search in a graph with folded modules", () => {
  const inner = named(mlp, "relu");
  const weight = named(mlp, "model.0.weight");

  it("finds what is drawn and what a module hides, with the module, each once", () => {
    const drawn = fold(mlp, foldAll(mlp));
    const module = drawn.nodes.find((node) => node.module);
    const inside = { module: "model", id: module?.id };
    expect(matchesIn(drawn, "relu")).toEqual([{ node: inner, inside }]);
    expect(matchesIn(drawn, "name:model.0.weight")).toEqual([{ node: weight, inside }]);
    expect(matchesIn(drawn, "target")).toEqual([{ node: named(mlp, "target"), inside: null }]);
    // The folded node itself and the last node inside it have one id; both are found.
    const found = matchesIn(drawn, "module:model");
    expect(found[0]).toEqual({ node: module, inside: null });
    const ids = found.slice(1).map(({ node }) => node.id);
    expect(ids).toContain(module?.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(mlp.nodes.filter((node) => node.scope?.startsWith("model")).map((node) => node.id));
  });

  it("finds the same nodes however the graph is folded, drawn ones first among equals", () => {
    const folds = [new Set<string>(), foldAll(mlp), new Set(["model.0"]), new Set(["model.2"])];
    for (const query of ["relu", "float32", "weight", "line 5", "[8, 12]", "parameter"]) {
      const whole = search(mlp, query).map((node) => node.id);
      for (const each of folds) {
        const found = matchesIn(fold(mlp, each), query).filter(({ node }) => !node.module);
        expect(found.map(({ node }) => node.id).sort((a, b) => a - b)).toEqual(whole.sort((a, b) => a - b));
      }
    }
    const ops = matchesIn(fold(mlp, new Set(["model.0"])), "op:matmul");
    expect(ops.map(({ inside }) => inside?.module ?? null)).toEqual([null, "model.0"]);
  });

  it("opens only what hides a node", () => {
    for (const folds of [foldAll(mlp), new Set(["model.0", "model.2"])]) {
      for (const node of mlp.nodes) {
        const drawn = fold(mlp, openTo(mlp, folds, node.id));
        expect(drawn.nodes.find((each) => each.id === node.id)?.module).toBeUndefined();
        expect(drawn.nodes.map(({ id }) => id)).toContain(node.id);
      }
    }
    const folds = new Set(["model.0", "model.2"]);
    expect([...openTo(mlp, folds, weight.id)]).toEqual(["model.2"]);
    expect(openTo(mlp, folds, named(mlp, "target").id)).toBe(folds);
  });
});

describe("keys", () => {
  it("are written down, each once", () => {
    const listed = keyHelp().flatMap(({ keys }) => keys.flatMap((each) => each.keys));
    for (const key of Object.keys(SHORTCUTS)) expect(listed.filter((each) => each === key)).toHaveLength(1);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe("a spread", () => {
  it("has every finite number in one bar, and counts the rest", () => {
    const values = [...Array.from({ length: 100 }, (_, at) => at), Number.NaN, Infinity, -Infinity];
    const found = spread(values);
    expect(found).toMatchObject({ low: 0, high: 99, left: 3 });
    expect(found?.counts).toEqual(new Array(10).fill(10));
  });
  it("puts numbers that are all alike in the middle, and is nothing where none is finite", () => {
    expect(spread([2, 2, 2])?.counts).toEqual([0, 0, 0, 0, 3, 0, 0, 0]);
    expect(spread([Number.NaN])).toBeNull();
    expect(spread([])).toBeNull();
  });
});

describe("identity", () => {
  it("gives each node a key of its own, which another run gives again", () => {
    for (const graph of [mlp, neuron, ...seeds.map(randomGraph)]) {
      const keys = identify(graph).keys;
      expect(new Set(keys.values()).size).toBe(graph.nodes.length);
      expect([...identify(renumbered(graph, 1000)).keys.values()]).toEqual([...keys.values()]);
    }
  });
});

describe("comparison", () => {
  it("finds nothing between a run and itself", () => {
    for (const graph of [mlp, neuron, ...seeds.map(randomGraph)]) {
      const { differences, same } = compare(graph, renumbered(graph, 500));
      expect(differences).toEqual([]);
      expect(same).toBe(graph.nodes.length);
    }
  });

  it("matches nodes although a line was typed above them", () => {
    const moved = renumbered(mlp, 300);
    for (const node of moved.nodes) if (node.line !== null) node.line += 2;
    const pairs = match(mlp, moved);
    for (const node of moved.nodes) expect(pairs.get(node)?.id).toBe(node.id - 300);
  });

  it("names what is new, gone and changed, with both numbers", () => {
    const after = structuredClone(mlp);
    const op = (id: number) => after.nodes.find((node) => node.id === id)?.kind === "op";
    const value = after.previews.find((preview) => op(preview.id));
    const tanh = after.nodes.find((node) => node.id === value?.id);
    if (!tanh || !value) throw new Error("the fixture has no op with a value");
    const old = value.norm;
    value.norm = 123;
    value.values = value.values.map(() => 123);
    after.nodes.push({ ...tanh, id: 9999, op: "gelu", name: "extra", src: [tanh.id] });
    const found = compare(mlp, after);
    expect(found.differences.map((each) => each.kind).sort()).toEqual(["changed", "new"]);
    const change = found.byId.get(tanh.id)?.changes[0];
    expect(change).toMatchObject({ what: "value", after: expect.stringContaining("123") });
    expect(change?.before).toContain(String(Math.floor(old)));
    const back = compare(after, mlp);
    expect(back.differences.find((each) => each.kind === "gone")?.node.name).toBe("extra");
  });

  it("tells gradients and elements apart whose norms are equal", () => {
    const after = structuredClone(mlp);
    const weight = named(after, "model.0.weight");
    const value = after.previews.find((preview) => preview.id === weight.id);
    value?.values.reverse();
    expect(compare(mlp, after).byId.get(weight.id)?.changes[0]?.after).toContain("other elements");
    const fill = after.events.find((event) => event.type === "grad" && event.node === weight.id);
    const gradient = after.previews.find((preview) => fill?.type === "grad" && preview.id === fill.gradient);
    if (gradient) gradient.norm *= 2;
    expect(
      compare(mlp, after)
        .byId.get(weight.id)
        ?.changes.map((each) => each.what),
    ).toEqual(["value", "gradient"]);
  });

  it("pairs each node once, whatever is compared with whatever", () => {
    for (const seed of seeds) {
      const [before, after] = [randomGraph(seed), randomGraph(seed + 500)];
      const pairs = match(before, after);
      expect(new Set(pairs.values()).size).toBe(pairs.size);
      const { differences, same } = compare(before, after);
      const kinds = (kind: string) => differences.filter((each) => each.kind === kind).length;
      expect(same + kinds("changed") + kinds("new")).toBe(after.nodes.length);
      expect(kinds("gone")).toBe(before.nodes.length - pairs.size);
    }
  });
});

describe("history", () => {
  it("follows a pinned node over steps, by what it is", () => {
    const history = new StepHistory();
    const graphs = [1, 2, 3].map((step) => ({ ...renumbered(mlp, step * 100), step }));
    const [first, ...others] = graphs as [StageGraph, ...StageGraph[]];
    history.take(first);
    const weight = named(first, "model.0.weight");
    expect(history.toggle(first, weight.id)).toBe(true);
    for (const graph of others) history.take(graph);
    const [pin] = history.pins;
    expect(pin?.title).toBe("model.0.weight");
    expect(pin?.points.map((point) => point.step)).toEqual([1, 2, 3]);
    expect(pin?.points.every((point) => point.value !== null && point.gradient !== null)).toBe(true);
    history.toggle(first, weight.id);
    expect(history.pins).toEqual([]);
  });

  it("takes in the graphs it still has when a node is pinned late, and says when one is away", () => {
    const history = new StepHistory();
    const second = { ...mlp, step: 2 };
    history.take(mlp);
    history.take(second);
    history.toggle(second, named(mlp, "target").id);
    expect(history.pins[0]?.points).toHaveLength(2);
    history.take(neuron);
    expect(history.pins[0]).toMatchObject({ present: false });
    expect(history.pins[0]?.points).toHaveLength(2);
  });

  it("is bounded, and says what it dropped", () => {
    const history = new StepHistory();
    const weight = named(mlp, "model.0.weight").id;
    history.take({ ...mlp, step: 1 });
    history.toggle(history.graphs[0] as StageGraph, weight);
    for (let step = 2; step <= 200; step++) history.take({ ...mlp, step });
    expect(history.graphs).toHaveLength(MOST_GRAPHS);
    expect(history.pins[0]?.points).toHaveLength(200);
    expect(history.note).toBe(
      "200 steps, 64 graphs kept (at most 64 graphs or 20,000 nodes); pinned nodes keep all their numbers.",
    );
    const key = history.pins[0]?.key ?? "";
    for (let step = 201; step <= MOST_POINTS + 7; step++) history.add(key, { step, value: 1, gradient: 1 });
    expect(history.pins[0]?.points).toHaveLength(MOST_POINTS);
    expect(history.note).toContain("7 older numbers dropped");
    for (const node of mlp.nodes.slice(0, MOST_PINS + 3)) {
      if (!history.isPinned(mlp, node.id)) history.toggle(mlp, node.id);
    }
    expect(history.pins).toHaveLength(MOST_PINS);
    const large = { ...mlp, nodes: Array.from({ length: 15_000 }, (_, id) => ({ ...mlp.nodes[0], id })) };
    for (let count = 0; count < 3; count++) history.take({ ...large, step: 300 + count } as StageGraph);
    expect(history.graphs).toHaveLength(1);
  });
});

describe("what broke first", () => {
  /** The finding of the engine at an event. */
  const finding = (event: number, node: number, backward = false): NonFinite["findings"][number] => ({
    kind: "nan",
    backward,
    node,
    event,
    element: [2],
    text: "tanh: element [2] is NaN: tanh(NaN)",
    made: [],
  });
  const made = (graph: StageGraph, node: number) =>
    graph.events.findIndex((event) => event.type === "made" && event.node === node);

  it("is nothing where all is finite", () => {
    expect(firstBroken(mlp)).toEqual([]);
  });

  it("is what the engine found, at its line and its place in the trace", () => {
    const tanh = named(neuron, "tanh");
    const event = made(neuron, tanh.id);
    const broken = { ...neuron, nonFinite: { findings: [finding(event, tanh.id)], meant: [] } };
    const [first, ...others] = firstBroken(broken);
    expect(first).toMatchObject({
      label: "NaN",
      node: tanh.id,
      line: tanh.line,
      cell: tanh.cell,
      t: event + 1,
    });
    expect(others).toEqual([]);
  });

  it("is shown at the module that hides it, once the trace of the drawn graph has come there", () => {
    const inner = mlp.nodes.find((node) => node.scope && node.src.length > 0 && node.kind === "op");
    if (!inner) throw new Error("no module");
    const nonFinite = { findings: [finding(made(mlp, inner.id), inner.id)], meant: [] };
    const drawn = fold({ ...mlp, nonFinite }, new Set(pathsOf(inner.scope).slice(0, 1)));
    const [first] = firstBroken(drawn);
    expect(first?.node).toBe(drawn.standsFor(inner.id));
    expect(first?.t).toBe(fromWhole(drawn, made(mlp, inner.id) + 1));
    expect(first?.line).toBe(inner.line);
  });
});

describe("a stop", () => {
  it("has the incoming gradient, each rule with its result, and the node that gets it", () => {
    const index = mlp.events.findIndex((event) => event.type === "vjp");
    const stop = stopAt(mlp, index);
    expect(stop?.incoming).not.toBe("");
    expect(stop?.lines.length).toBeGreaterThan(0);
    expect(stop?.lines.every((line) => line.result !== null)).toBe(true);
  });

  it("adds before and added to the sum, with the engine's numbers", () => {
    const adds = mlp.events.flatMap((event, index) => (event.type === "accumulate" ? [index] : []));
    expect(adds.length).toBeGreaterThan(0);
    for (const index of adds) {
      const { sum } = stopAt(mlp, index) ?? {};
      const number = (text = "") => Number(text.replace("−", "-"));
      expect(number(sum?.before) + number(sum?.added)).toBeCloseTo(number(sum?.sum), 3);
      const event = mlp.events[index];
      if (event?.type !== "accumulate") continue;
      expect(sumsOf(mlp, event.node, mlp.events.length).length).toBeGreaterThan(0);
      expect(sumsOf(mlp, event.node, index)).not.toContainEqual(sum);
      expect(outline(mlp)[index]?.detail).toMatch(/ \+ .* = | and .* make /);
    }
  });

  it("writes one element of a matrix product as the sum that made it", () => {
    for (const op of ["matmul", "linear"]) {
      const { graph, expected } = product(op);
      const lines = stopAt(graph, 1)?.lines.map((line) => line.terms);
      expect(lines).toEqual(expected);
    }
  });

  it("writes no sum of products of a rule that is none", () => {
    const { graph } = product("matmul");
    const rules = ["{gy} · 2 · {a}", "{gy}"];
    const other = {
      ...graph,
      nodes: graph.nodes.map((node) => (node.src.length > 0 ? { ...node, rules } : node)),
    };
    expect(stopAt(other, 1)?.lines.map((line) => line.terms)).toEqual(["", ""]);
  });

  it("is none where no gradient moves, and never throws", () => {
    expect(stopAt(mlp, null)).toBeNull();
    for (const graph of seeds.map(randomGraph)) {
      for (let index = -1; index <= graph.events.length; index++)
        expect(() => stopAt(graph, index)).not.toThrow();
    }
  });
});

describe("a line of numbers", () => {
  it("stays in its box, leaves gaps and marks what is not finite", () => {
    for (const values of [
      [],
      [1],
      [1, 1, 1],
      [1e-300, 1e300],
      [0, -1, 5],
      [Number.NaN],
      [null, 2, Infinity, 3],
    ]) {
      const line = sparkline(values, 80, 20);
      const numbers = [...line.path.matchAll(/-?[\d.]+/g)].map(Number);
      expect(numbers.every((each) => Number.isFinite(each) && each >= 0 && each <= 80)).toBe(true);
    }
    expect(sparkline([1, null, 2], 80, 20).path.match(/M/g)).toHaveLength(2);
    expect(sparkline([1, Number.NaN, 2], 80, 20).broken).toHaveLength(1);
  });
});

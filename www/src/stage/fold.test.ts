import { describe, expect, it } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { eventIndex } from "./eventIndex";
import { record } from "./fixtures/large";
import mlpJson from "./fixtures/mlp.json";
import { resnet18 } from "./fixtures/resnet";
import { type DrawnGraph, drawnCount, fold, fromWhole, toWhole } from "./fold";
import { foldAll, foldAround, foldsAtFirst, foldUp, LARGE_GRAPH, modulesOf, unfold } from "./folds";
import { outline } from "./outline";
import { picture } from "./picture";

const mlp = mlpJson as StageGraph;
const resnet = resnet18();

/** A seeded sequence of numbers below a bound. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A graph of calls in nested modules, some called again, with shared parameters. */
function randomGraph(seed: number): StageGraph {
  const next = random(seed);
  const scopes = [null, "a", "a.0", "a.1", "a.1.x", "b", "b.0"];
  const graph: StageGraph = structuredClone({ ...mlp, nodes: [], edges: [], events: [], previews: [] });
  const template = mlp.nodes[0];
  if (!template) throw new Error("no template");
  let scope: string | null = null;
  for (let id = 0; id < 40; id++) {
    if (next(3) === 0) scope = scopes[next(scopes.length)] ?? null;
    const leaf = id < 2 || next(4) === 0;
    const src = leaf ? [] : Array.from({ length: 1 + next(3) }, () => next(id));
    graph.nodes.push({
      ...template,
      id,
      kind: leaf ? (next(2) ? "parameter" : "input") : "op",
      op: leaf ? "leaf" : "add",
      symbol: leaf ? "" : "+",
      name: leaf ? `${scope ? `${scope}.` : ""}w${id}` : null,
      scope: leaf ? null : scope,
      src,
    });
    src.forEach((from, operand) => {
      graph.edges.push({ from, to: id, operand, points: [] });
    });
  }
  const loss = graph.nodes.findLast((node) => node.src.length > 0);
  if (!loss) return graph;
  loss.kind = "loss";
  record(graph, loss.id);
  return graph;
}

/** Some choice of paths, none inside another. */
function someFolds(graph: StageGraph, seed: number): Set<string> {
  const next = random(seed);
  let folds: ReadonlySet<string> = new Set();
  for (const path of modulesOf(graph).keys()) {
    const covered = [...folds].some((each) => path.startsWith(`${each}.`));
    if (!covered && next(2) === 0) folds = foldUp(folds, path);
  }
  return new Set(folds);
}

/** The rules of every graph that a drawn one breaks. */
function faults(graph: DrawnGraph): string[] {
  const found: string[] = [];
  const must = (holds: boolean, text: string) => {
    if (!holds) found.push(text);
  };
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  must(byId.size === graph.nodes.length, "two nodes have one id");
  // Sources before users, in the nodes and in the trace.
  const seen = new Set<number>();
  for (const node of graph.nodes) {
    for (const source of node.src) must(seen.has(source), `node ${node.id} stands before ${source}`);
    seen.add(node.id);
  }
  const made = new Set<number>();
  for (const event of graph.events) {
    const id = "root" in event ? event.root : event.node;
    const node = byId.get(id);
    must(node !== undefined, `${event.type} of ${id}, which is not drawn`);
    if (event.type === "vjp")
      must(event.grads.length === node?.src.length, `a rule of ${id} misses gradients`);
    if (event.type !== "made") continue;
    must(!made.has(id), `${id} is made twice`);
    for (const source of node?.src ?? []) must(made.has(source), `${id} is made before ${source}`);
    made.add(id);
  }
  must(made.size === byId.size, "a node is never made");
  for (const { id } of graph.whole.nodes) must(byId.has(graph.standsFor(id)), `nothing stands for ${id}`);
  must(graph.from.length === graph.events.length, "an event comes from nowhere");
  must(
    graph.from.every((from, at) => at === 0 || from >= (graph.from[at - 1] ?? 0)),
    "time falls",
  );
  return found;
}

describe("fold", () => {
  it("changes nothing where nothing is folded", () => {
    for (const graph of [mlp, resnet]) {
      const { nodes, edges, events, from } = fold(graph, new Set());
      expect(nodes).toEqual(graph.nodes);
      expect(edges).toEqual(graph.edges);
      expect(events).toEqual(graph.events);
      expect(from).toEqual(graph.events.map((_, index) => index));
    }
  });

  it("gives the same graph again after everything was folded and opened", () => {
    for (const graph of [mlp, resnet]) {
      let folds = foldAll(graph);
      expect(fold(graph, folds).nodes.length).toBeLessThan(graph.nodes.length);
      for (let path = [...folds][0]; path !== undefined; path = [...folds][0]) {
        folds = unfold(graph, folds, path);
      }
      expect(fold(graph, folds).nodes).toEqual(graph.nodes);
      expect(fold(graph, folds).events).toEqual(graph.events);
    }
  });

  it("keeps every order and every node on 200 random graphs", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const graph = randomGraph(seed);
      expect(faults(fold(graph, someFolds(graph, seed + 1000))), `seed ${seed}`).toEqual([]);
      expect(faults(fold(graph, foldAll(graph))), `seed ${seed}, all`).toEqual([]);
      const some = someFolds(graph, seed);
      expect(drawnCount(graph, some)).toBe(fold(graph, some).nodes.length);
    }
    for (const folds of [foldAll(resnet), foldsAtFirst(resnet)])
      expect(faults(fold(resnet, folds))).toEqual([]);
  });

  it("is a pure function", () => {
    const frozen = structuredClone(resnet);
    const once = fold(resnet, foldsAtFirst(resnet));
    const again = fold(structuredClone(resnet), foldsAtFirst(frozen));
    expect(again.nodes).toEqual(once.nodes);
    expect(again.events).toEqual(once.events);
    expect(resnet).toEqual(frozen);
  });

  it("folds a model to one node with its count, its parameters inside, and leaves data and loss", () => {
    const drawn = fold(resnet, foldAll(resnet));
    const model = drawn.nodes.find((node) => node.module);
    expect(drawn.nodes.filter((node) => node.module)).toHaveLength(1);
    expect(model?.name).toBe("model");
    expect(model?.module?.parameters).toBe(resnet.nodes.filter((node) => node.kind === "parameter").length);
    expect(model?.module?.members.length).toBe(resnet.nodes.length - drawn.nodes.length + 1);
    expect(drawn.nodes.some((node) => node.kind === "loss")).toBe(true);
    expect(drawn.nodes.filter((node) => node.kind === "input")).toHaveLength(2);
    expect(model?.src.map((id) => drawn.nodes.find((node) => node.id === id)?.kind)).toEqual(["input"]);
  });

  it("gives each call of a module a node of its own where something stands between the calls", () => {
    const graph = randomGraph(3);
    const op = (id: number, scope: string | null, src: number[]) => ({
      ...(graph.nodes[0] as StageGraph["nodes"][number]),
      id,
      kind: (src.length > 0 ? "op" : "parameter") as "op" | "parameter",
      name: src.length > 0 ? null : `cell.w${id}`,
      scope,
      src,
    });
    graph.nodes = [
      op(0, null, []),
      op(1, "cell", [0]),
      op(2, "cell", [1]),
      op(3, null, [2]),
      op(4, "cell", [3, 0]),
      op(5, "cell", [4]),
    ];
    graph.events = graph.nodes.map(({ id }) => ({ type: "made", node: id }));
    const drawn = fold(graph, new Set(["cell"]));
    expect(faults(drawn)).toEqual([]);
    // The shared parameter stays outside and feeds both.
    expect(drawn.nodes.map((node) => [node.id, node.src])).toEqual([
      [0, []],
      [2, [0]],
      [3, [2]],
      [5, [3, 0]],
    ]);
  });

  it("maps positions to and fro, never falling", () => {
    const drawn = fold(resnet, foldsAtFirst(resnet));
    let before = 0;
    for (let t = 0; t <= resnet.events.length; t += 0.5) {
      const at = fromWhole(drawn, t);
      expect(at).toBeGreaterThanOrEqual(before);
      before = at;
    }
    expect(before).toBe(drawn.events.length);
    let whole = 0;
    for (let t = 0; t <= drawn.events.length; t += 0.5) {
      const at = toWhole(drawn, t);
      expect(at).toBeGreaterThanOrEqual(whole);
      expect(fromWhole(drawn, at)).toBeGreaterThanOrEqual(Math.floor(t));
      whole = at;
    }
    expect(toWhole(drawn, 0)).toBe(0);
  });
});

describe("what happens on a folded graph", () => {
  it("sends over each edge the gradient that the engine recorded", () => {
    // Two nodes inside read x, which held nothing: the edge carries their sum.
    const drawn = fold(resnet, new Set(["model.layer1.0"]));
    const module = drawn.nodes.find((node) => node.module);
    const rule = drawn.events.find((event) => event.type === "vjp" && event.node === module?.id);
    const source = module?.src[0] ?? -1;
    const additions = resnet.events.filter((event) => event.type === "accumulate" && event.node === source);
    const [last] = additions.slice(-1);
    expect(additions.length).toBeGreaterThan(0);
    expect(rule?.type === "vjp" && rule.grads[0]).toBe(last?.type === "accumulate" && last.sum);
    expect(drawn.events.some((event) => event.type === "accumulate" && event.node === source)).toBe(false);
  });

  it("lights the module while its rule runs, and nothing before its gradient has come", () => {
    const drawn = fold(mlp, foldAll(mlp));
    const at = drawn.nodes.findIndex((node) => node.module);
    const index = drawn.events.findIndex(
      (event) => event.type === "vjp" && event.node === drawn.nodes[at]?.id,
    );
    expect(index).toBeGreaterThan(0);
    const root = drawn.events.findIndex((event) => event.type === "backward");
    expect(picture(drawn, root).nodes[at]).toMatchObject({ glow: 0, warm: 0, drawn: 1 });
    expect(picture(drawn, index + 1).nodes[at]).toMatchObject({ glow: 1, warm: 1 });
    for (let t = 0; t <= drawn.events.length; t++) expect(picture(drawn, t)).toEqual(picture(drawn, t));
    expect(picture(drawn, drawn.events.length).edges.every((edge) => edge.drawn === 1)).toBe(true);
  });

  it("says it in words", () => {
    const drawn = fold(mlp, foldAll(mlp));
    const lines = outline(drawn).map((entry) => entry.text);
    const name = drawn.nodes.find((node) => node.module)?.name;
    const count = drawn.nodes.find((node) => node.module)?.module?.members.length;
    expect(lines.some((line) => line.includes(`${name} runs, ${count} nodes`))).toBe(true);
    expect(eventIndex(drawn).nodes).toHaveLength(drawn.nodes.length);
  });
});

describe("folds", () => {
  it("begin with a large graph folded and a small one whole", () => {
    expect(foldsAtFirst(mlp).size).toBe(0);
    expect(resnet.nodes.length).toBeGreaterThan(LARGE_GRAPH);
    const drawn = fold(resnet, foldsAtFirst(resnet));
    expect(drawn.nodes.length).toBeLessThanOrEqual(18);
    expect(drawn.nodes.filter((node) => node.module).length).toBeGreaterThan(4);
  });

  it("open one level and close to the nearest module that holds more than the node", () => {
    const all = foldAll(resnet);
    const opened = unfold(resnet, all, "model");
    expect([...opened]).toContain("model.layer1");
    expect([...opened]).not.toContain("model.layer1.0");
    const block = unfold(resnet, unfold(resnet, opened, "model.layer1"), "model.layer1.0");
    const drawn = fold(resnet, block);
    const relu = drawn.nodes.find((node) => node.op === "relu" && node.scope === "model.layer1.0");
    expect(relu && foldAround(resnet, block, relu)).toBe("model.layer1.0");
    const folded = foldUp(block, "model.layer1");
    expect([...folded].sort()).toEqual([...opened].sort());
  });

  it("open a module that holds nothing but a list of modules to what is in the list", () => {
    const pair = resnet18(2);
    for (const node of pair.nodes) if (node.scope) node.scope = `net.members.${node.scope}`;
    const opened = unfold(pair, foldAll(pair), "net");
    expect([...opened].sort()).toEqual(["net.members.model0", "net.members.model1"]);
    // Two blocks that run one after another are a level of their own.
    expect([...unfold(pair, opened, "net.members.model0")]).toContain("net.members.model0.layer1");
    expect([...unfold(pair, new Set(["net.members.model0.fc"]), "net.members.model0.fc")]).toEqual([]);
  });
});

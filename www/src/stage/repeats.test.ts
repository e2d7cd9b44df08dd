import { describe, expect, it } from "vitest";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { eventIndex } from "./eventIndex";
import { record } from "./fixtures/large";
import { type DrawnGraph, fold } from "./fold";
import { foldAll, foldAround, foldsAtFirst, openTo, openTurn, unfoldNode } from "./folds";
import { outline } from "./outline";
import { picture } from "./picture";
import { readKey, repeatsOf } from "./repeats";

/** A graph that is made call by call. */
class Tape {
  readonly nodes: GraphNode[] = [];

  leaf(name: string, kind: "input" | "parameter" = "input", shape = [4]): number {
    return this.#push({ kind, op: "leaf", symbol: "", name, src: [], shape });
  }

  call(op: string, src: number[], shape = [4], scope: string | null = null): number {
    return this.#push({ kind: "op", op, symbol: op, name: null, src, shape, scope });
  }

  /** The graph with this result as its loss. */
  ends(loss: number): StageGraph {
    const root = this.nodes[loss];
    if (root) root.kind = "loss";
    const graph: StageGraph = {
      step: 1,
      nodes: this.nodes,
      edges: this.nodes.flatMap(({ id, src }) =>
        src.map((from, operand) => ({ from, to: id, operand, points: [] })),
      ),
      events: [],
      previews: [],
      dropped: 0,
      width: 0,
      height: 0,
    };
    record(graph, loss);
    return graph;
  }

  #push(
    part: Pick<GraphNode, "kind" | "op" | "symbol" | "name" | "src" | "shape"> & Partial<GraphNode>,
  ): number {
    const id = this.nodes.length;
    this.nodes.push({
      id,
      gradFn: null,
      dtype: "float32",
      requiresGrad: part.kind !== "input",
      cell: "cell 1",
      line: 1,
      scope: null,
      formula: "",
      rules: [],
      elementwise: false,
      saved: [],
      x: 0,
      y: 0,
      ...part,
    });
    return id;
  }
}

/** h = tanh(x[t] @ W + h @ U), `turns` times, then a loss. */
function recurrent(turns: number): StageGraph {
  const tape = new Tape();
  const [w, u] = [tape.leaf("W", "parameter"), tape.leaf("U", "parameter")];
  let h = tape.leaf("h0");
  for (let turn = 0; turn < turns; turn++) {
    const x = tape.leaf(`x${turn}`);
    const sum = tape.call("add", [tape.call("@", [x, w]), tape.call("@", [h, u])]);
    h = tape.call("tanh", [sum]);
  }
  return tape.ends(tape.call("mean", [tape.call("square", [h])], []));
}

function titles(graph: DrawnGraph): string[] {
  return graph.nodes.map((node) => (node.module ? `${node.symbol} (${node.name})` : (node.name ?? node.op)));
}

const rnn = recurrent(60);

describe("repeats", () => {
  it("are the turns of a loop, whatever the first of them reads", () => {
    const [repeat, ...others] = repeatsOf(fold(rnn, new Set()).nodes);
    expect(others).toEqual([]);
    expect(repeat?.turns).toHaveLength(60);
    for (const turn of repeat?.turns ?? [])
      expect(turn.map((node) => node.op)).toEqual(["@", "@", "add", "tanh"]);
  });

  it("fold to one node: what the turns share stays outside, what is a turn's own goes in", () => {
    const folds = foldsAtFirst(rnn);
    const drawn = fold(rnn, folds);
    expect(titles(drawn)).toEqual(["W", "U", "h0", "× 60 (60 turns)", "square", "mean"]);
    const stack = drawn.nodes.find((node) => node.module);
    expect(stack?.module).toMatchObject({
      parameters: 0,
      turns: { first: 0, count: 60, total: 60, calls: 4 },
    });
    expect(stack?.module?.members).toHaveLength(5 * 60);
    expect(stack?.src.map((id) => rnn.nodes[id]?.name)).toEqual(["W", "h0", "U"]);
  });

  it("open at any turn", () => {
    const key = [...foldsAtFirst(rnn)][0] ?? "";
    const at = (turn: number) => titles(fold(rnn, openTurn(new Set([key]), key, turn)));
    const body = ["@", "@", "add", "tanh"];
    const ends = ["square", "mean"];
    expect(at(7)).toEqual([
      "W",
      "U",
      "h0",
      "× 7 (turns 1 to 7 of 60)",
      "x7",
      ...body,
      "× 52 (turns 9 to 60 of 60)",
      ...ends,
    ]);
    expect(at(0)).toEqual(["W", "U", "h0", "x0", ...body, "× 59 (turns 2 to 60 of 60)", ...ends]);
    // One turn alone is drawn as it is.
    expect(at(58).filter((title) => title.startsWith("×"))).toEqual(["× 58 (turns 1 to 58 of 60)"]);
    expect(at(58)).toContain("x59");
  });

  it("go on to the next turn from either side, and close", () => {
    const key = [...foldsAtFirst(rnn)][0] ?? "";
    const stacks = (folds: ReadonlySet<string>) =>
      fold(rnn, folds).nodes.flatMap((node) => node.module ?? []);
    const turnOf = (folds: ReadonlySet<string>) => [...folds].map((path) => readKey(path)?.turn);
    const folds = openTurn(new Set([key]), key, 7);
    const [before, after] = stacks(folds);
    if (!before || !after) throw new Error("no stacks");
    expect(turnOf(unfoldNode(rnn, folds, before))).toEqual([6]);
    expect(turnOf(unfoldNode(rnn, folds, after))).toEqual([8]);
    const open = fold(rnn, folds).nodes.find((node) => node.op === "tanh");
    expect(open && foldAround(rnn, folds, open)).toBe(key);
    // What is hidden in a turn opens that turn.
    const x40 = rnn.nodes.findIndex((node) => node.name === "x40");
    expect(turnOf(openTo(rnn, folds, x40))).toEqual([40]);
  });

  it("stand whole for a turn that is not there, as a link may name one, and what cannot be opened stays closed", () => {
    const key = [...foldsAtFirst(rnn)][0] ?? "";
    for (const turn of [60, -1, 0.5, Number.NaN]) {
      expect(titles(fold(rnn, openTurn(new Set(), key, turn)))).toContain("× 60 (60 turns)");
    }
    const folds = new Set([key]);
    expect(openTo(rnn, folds, 1_000_000)).toBe(folds);
  });

  it("keep every number: what passes between turns is the engine's", () => {
    const key = [...foldsAtFirst(rnn)][0] ?? "";
    const drawn = fold(rnn, openTurn(new Set([key]), key, 7));
    expect(eventIndex(drawn).nodes).toHaveLength(drawn.nodes.length);
    const open = drawn.nodes.find((node) => node.op === "tanh");
    const vjp = (graph: StageGraph) =>
      graph.events.find((event) => event.type === "vjp" && event.node === open?.id);
    expect(vjp(drawn)).toEqual(vjp(rnn));
    expect(picture(drawn, drawn.events.length).nodes.every((node) => node.drawn === 1)).toBe(true);
    expect(
      outline(drawn).some(({ text }) => text.includes("turns 1 to 7 of 60 of the same 4 calls run")),
    ).toBe(true);
  });

  it("are blocks of one kind as well, with parameters of their own", () => {
    const tape = new Tape();
    let x = tape.leaf("x");
    for (let block = 0; block < 6; block++) {
      const scope = `net.${block}`;
      const w = tape.leaf(`${scope}.weight`, "parameter");
      x = tape.call("relu", [tape.call("linear", [x, w], [4], scope)], [4], scope);
    }
    const graph = tape.ends(tape.call("sum", [x], []));
    const [repeat] = repeatsOf(fold(graph, new Set()).nodes);
    expect(repeat?.turns.map((turn) => turn.length)).toEqual([2, 2, 2, 2, 2, 2]);
    const modules = new Set(["net.0", "net.1", "net.2", "net.3", "net.4", "net.5"]);
    const [folded] = repeatsOf(fold(graph, modules).nodes);
    expect(folded?.turns).toHaveLength(6);
    const drawn = fold(graph, new Set([...modules, folded?.key ?? ""]));
    expect(titles(drawn)).toEqual(["x", "× 6 (6 turns)", "sum"]);
    expect(drawn.nodes[1]?.module?.parameters).toBe(6);
  });

  it("stand in place of a module that ran turn after turn, where each turn reads a leaf of its own", () => {
    const graph = recurrent(60);
    for (const node of graph.nodes) if (["@", "add", "tanh"].includes(node.op)) node.scope = "cell";
    for (const folds of [foldsAtFirst(graph), foldAll(graph)]) {
      expect(titles(fold(graph, folds))).toEqual(["W", "U", "h0", "× 60 (60 turns)", "square", "mean"]);
    }
    // One that is folded by hand stays so, and opens to the repeat.
    const folds = new Set(["cell"]);
    const cell = fold(graph, folds).nodes.find((node) => node.module)?.module;
    const opened = cell ? unfoldNode(graph, folds, cell) : folds;
    expect(titles(fold(graph, opened))).toEqual(["W", "U", "h0", "× 60 (60 turns)", "square", "mean"]);
  });

  it("end in the loss where the last turn does: the node of all turns is the loss then", () => {
    const tape = new Tape();
    const [w, x] = [tape.leaf("w", "parameter"), tape.leaf("x")];
    let total = tape.leaf("zero");
    for (let turn = 0; turn < 60; turn++) {
      total = tape.call("add", [total, tape.call("square", [tape.call("mul", [w, x])])]);
    }
    const graph = tape.ends(total);
    const folds = foldsAtFirst(graph);
    const drawn = fold(graph, folds);
    expect(titles(drawn)).toEqual(["w", "x", "zero", "× 60 (60 turns)"]);
    expect(drawn.nodes.at(-1)).toMatchObject({ id: total, kind: "loss" });
    const root = drawn.events.find((event) => event.type === "backward");
    expect(root).toMatchObject({ root: total });
    expect(picture(drawn, drawn.events.length).nodes.every((node) => node.drawn === 1)).toBe(true);
    const key = [...folds][0] ?? "";
    // The last turn, and the turns after another one.
    const last = fold(graph, openTurn(folds, key, 59));
    expect(titles(last)).toEqual(["w", "x", "zero", "× 59 (turns 1 to 59 of 60)", "mul", "square", "add"]);
    expect(last.nodes.at(-1)?.kind).toBe("loss");
    const open = fold(graph, openTurn(folds, key, 30));
    expect(open.nodes.filter(({ kind }) => kind === "loss").map(({ name }) => name)).toEqual([
      "turns 32 to 60 of 60",
    ]);
  });

  it("hold no loss before their end: what comes after it may read it", () => {
    const tape = new Tape();
    let x = tape.leaf("x");
    for (let turn = 0; turn < 20; turn++) x = tape.call("mul", [x, x]);
    const graph = tape.ends(x);
    const middle = graph.nodes[12];
    if (middle) middle.kind = "loss";
    const losses = (nodes: readonly GraphNode[]) =>
      nodes.filter(({ kind }) => kind === "loss").map(({ id }) => id);
    expect(losses(fold(graph, foldAll(graph)).nodes)).toEqual([12, x]);
    expect(repeatsOf(fold(graph, new Set()).nodes).map(({ turns }) => turns.length)).toEqual([12, 8]);
  });

  it("are not what differs in shape or in wiring", () => {
    const shapes = new Tape();
    let x = shapes.leaf("x", "input", [1]);
    for (let n = 2; n < 12; n++) x = shapes.call("cat", [x], [n]);
    expect(repeatsOf(fold(shapes.ends(x), new Set()).nodes)).toEqual([]);
    const wiring = new Tape();
    const made = [wiring.leaf("x"), wiring.leaf("y")];
    // Every call reads another distance back.
    for (let n = 2; n < 24; n++) made.push(wiring.call("add", [made[n - 1] ?? 0, made[n >> 1] ?? 0]));
    for (const { turns } of repeatsOf(fold(wiring.ends(made.at(-1) ?? 0), new Set()).nodes)) {
      expect(turns.length * (turns[0]?.length ?? 0)).toBeLessThan(8);
    }
  });

  it("are found among ten thousand calls, and the picture is small", () => {
    const long = recurrent(2500);
    const drawn = fold(long, foldAll(long));
    expect(long.nodes.length).toBeGreaterThan(10_000);
    expect(titles(drawn)).toEqual(["W", "U", "h0", "× 2500 (2500 turns)", "square", "mean"]);
  });
});

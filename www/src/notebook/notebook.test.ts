// A notebook against a worker that the test plays: which variables it sees, what it keeps, and what a lost worker costs.
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Command, Event, GraphNode, StageGraph } from "../protocol";

const wire = vi.hoisted(() => ({
  commands: [] as Command[],
  say: (_message: unknown): void => {},
}));

vi.mock("../engine/engines.svelte", async () => {
  const { EngineClient } = await import("../engine/client");
  const spawn = () => {
    const port = {
      onmessage: null as ((message: { data: never }) => void) | null,
      onerror: null,
      terminate() {},
      postMessage(message: { kind: string; command?: Command }) {
        if (message.kind === "load") wire.say({ kind: "ready", suspends: true });
        if (message.command) wire.commands.push(message.command);
      },
    };
    wire.say = (message) => port.onmessage?.({ data: message as never });
    return port;
  };
  return { python: { client: new EngineClient("python", spawn as never) } };
});

const { brokenAt } = await import("./marks");
const { Notebook } = await import("./notebook.svelte");
const { keep } = await import("./keeper.svelte");
const { store } = await import("../store/store");

const node: GraphNode = {
  id: 0,
  kind: "parameter",
  op: "leaf",
  symbol: "",
  name: null,
  gradFn: null,
  src: [],
  shape: [1],
  dtype: "float32",
  requiresGrad: true,
  cell: "cell-1",
  line: 1,
  scope: null,
  formula: "",
  rules: [],
  elementwise: false,
  saved: [],
  x: 0,
  y: 0,
};
const memory = { liveBytes: 0, peakBytes: 0 };
const event = (value: Event) => wire.say({ kind: "event", event: value });
const finish = (ok = true) => {
  const id = (wire.commands.at(-1) as { id: number }).id;
  event({ type: "done", id, ok, millis: 2, memory });
};
const last = () => wire.commands.at(-1) as Extract<Command, { id: number }>;
const settle = () => new Promise((resolve) => setTimeout(resolve));

function opened(lesson: string) {
  const notebook = new Notebook(lesson);
  keep(notebook);
  return { notebook, one: notebook.add("cell-1", "x = 1"), two: notebook.add("cell-2", "x += 1") };
}

beforeEach(() => {
  wire.commands.length = 0;
});

describe("a notebook", () => {
  it("keeps its variables, and clears those of another before its first command", async () => {
    const first = opened("one");
    let run = first.notebook.run(first.one);
    finish();
    await run;
    run = first.notebook.run(first.two);
    finish();
    await run;
    const second = opened("two");
    run = second.notebook.run(second.one);
    expect(last().type).toBe("reset");
    finish();
    await settle();
    finish();
    await run;
    const types = wire.commands.map((command) => command.type).slice(-4);
    expect(types).toEqual(["runCell", "runCell", "reset", "runCell"]);
  });

  it("keeps what was done and written, and finds it again", async () => {
    const { notebook, one, two } = opened("kept");
    notebook.edit(two, "x += 100");
    let run = notebook.run(one);
    await settle();
    if (last().type === "reset") finish();
    await settle();
    finish();
    await run;
    run = notebook.run(two);
    event({
      type: "error",
      id: last().id,
      error: { kind: "NameError", message: "y", traceback: "", cell: "cell-2", line: 1 },
    });
    finish(false);
    await run;
    expect(two.result).toBe("error");
    expect(two.output.error?.kind).toBe("NameError");

    const again = opened("kept");
    await again.notebook.keeper?.restore();
    expect(again.notebook.progress.cells).toEqual(["cell-1"]);
    expect(again.two.source).toBe("x += 100");
    expect(again.two.edited).toBe(true);
    again.notebook.edit(again.two, again.two.original);
    expect((await store.texts("kept")).size).toBe(0);
  });

  it("counts an exercise as passed only when its checks hold", async () => {
    const { notebook, one } = opened("exercise");
    for (const passed of [false, true]) {
      const check = notebook.check(one, "def check_it(): ...");
      await settle();
      if (last().type === "reset") finish();
      await settle();
      expect(last()).toMatchObject({ type: "check", exercise: "cell-1", source: "x = 1" });
      event({ type: "checked", id: last().id, report: { exercise: "cell-1", passed, checks: [] } });
      finish();
      await check;
      expect(notebook.progress.exercises).toEqual(passed ? ["cell-1"] : []);
      expect(one.result).toBe(passed ? "ok" : "error");
    }
    // The start as it came is no try; a changed one is, whatever the checks say.
    expect(notebook.progress.tried).toBeUndefined();
    notebook.edit(one, "x = 2");
    const run = notebook.check(one, "checks");
    const id = (last() as { id: number }).id;
    event({ type: "checked", id, report: { exercise: "cell-1", passed: false, checks: [] } });
    finish();
    await run;
    expect(notebook.progress.tried).toEqual(["cell-1"]);
    expect(notebook.progress.last?.block).toBe("cell-1");
  });

  it("loses variables with its worker, and neither text, output nor progress", async () => {
    const { notebook, one, two } = opened("lost");
    const first = notebook.run(one);
    await settle();
    if (last().type === "reset") finish();
    await settle();
    event({ type: "stdout", id: last().id, text: "1\n" });
    finish();
    await first;
    const second = notebook.run(two);
    await settle();
    event({ type: "stdout", id: last().id, text: "so far\n" });
    wire.say({ kind: "failed", message: "out of memory", loading: false });
    await second;
    notebook.forget();
    expect(two.output.notice).toContain("Run these again: cell-1");
    expect(two.output.text).toBe("so far\n");
    expect(two.state).toBe("idle");
    expect(one.output.text).toBe("1\n");
    expect(one.stale).toBe(true);
    expect(notebook.progress.cells).toEqual(["cell-1"]);
    await expect(notebook.inspect(1)).rejects.toThrow("before Python was restarted");
  });

  it("gives a widget the function's values, or the reason there are none", async () => {
    const { notebook } = opened("widget");
    const call = notebook.call("classify", [1, 2], [1, 2]);
    await settle();
    if (last().type === "reset") finish();
    await settle();
    event({ type: "called", id: last().id, values: [0.25, 0.75], shape: [1, 2] });
    finish();
    expect(await call).toEqual([0.25, 0.75]);
    const missing = notebook.call("classify", [1], [1]);
    event({
      type: "error",
      id: last().id,
      error: {
        kind: "NameError",
        message: "name 'classify' is not defined",
        traceback: "",
        cell: null,
        line: null,
      },
    });
    finish(false);
    await expect(missing).rejects.toThrow("NameError: name 'classify' is not defined");
  });

  it("has the engine follow what is pinned, and keeps each step's norms by what the node is", {
    timeout: 40_000,
  }, async () => {
    const { notebook, one } = opened("follow");
    let run = notebook.run(one);
    if (last().type === "reset") finish();
    await settle();
    const { id } = last();
    const leaf = { ...node, id: 4, name: "w" };
    const graph = {
      step: 1,
      nodes: [leaf],
      edges: [],
      events: [],
      previews: [],
      width: 0,
      height: 0,
      dropped: 0,
    };
    event({ type: "graph", id, graph });
    finish();
    await run;
    expect(last()).not.toHaveProperty("nodes");

    await vi.waitFor(() => expect(notebook.history?.graphs).toHaveLength(1), 20_000);
    notebook.history?.toggle(graph, 4);
    await settle();
    expect(last()).toMatchObject({ type: "pin", nodes: [4] });
    finish();
    await settle();
    run = notebook.run(one);
    await settle();
    const points = [1, 2, 3].map((step) => ({
      pin: 0,
      step,
      value: step / 2,
      gradient: step === 2 ? null : 1,
    }));
    event({
      type: "probePoints",
      id: last().id,
      points: [...points, { pin: 7, step: 1, value: 0, gradient: null }],
    });
    finish();
    await run;
    expect(notebook.history?.pins[0]?.points.slice(-2)).toEqual([
      { step: 2, value: 1, gradient: null },
      { step: 3, value: 1.5, gradient: 1 },
    ]);
    notebook.history?.toggle(graph, 4);
    await settle();
    expect(last()).toMatchObject({ type: "pin", nodes: [] });
    finish();
    await settle();
  });
});

/** Starts a run, once what another notebook left is cleared. */
async function begin(notebook: InstanceType<typeof Notebook>, cell: Parameters<typeof notebook.run>[0]) {
  const ended = notebook.run(cell);
  if (last().type === "reset") finish();
  await settle();
  return { ended };
}

describe("what a lesson opens with", () => {
  const graph = (step: number, failure?: string): StageGraph => ({
    step,
    nodes: [node],
    edges: [],
    events: [{ type: "made", node: 0 }],
    previews: [],
    dropped: 0,
    width: 1,
    height: 1,
    ...(failure ? { failure } : {}),
  });
  const opening = {
    cell: "cell-2",
    own: false,
    graph: graph(9),
    memory: {
      views: [],
      buffers: [],
      leftOut: 0,
      usage: { before: 0, points: [], peak: null, alive: [], others: 0, dropped: 0 },
    },
    kernels: { fusion: true, dropped: 0, kernels: [] },
  };
  const draw = (drawn: StageGraph) => event({ type: "graph", id: last().id, graph: drawn });

  it("is on stage at its end, until a graph of the learner's is", async () => {
    const { notebook, one } = opened("opening");
    notebook.openWith(opening);
    expect(notebook.staged?.step).toBe(9);
    expect(notebook.stage.wanted).toEqual({ position: 1, folds: [] });
    expect(notebook.downTo(opening.cell)).toEqual(["cell-1", "cell-2"]);
    expect(notebook.graph).toBeNull();
    const run = await begin(notebook, one);
    draw(graph(1));
    finish();
    await run.ended;
    expect(notebook.staged?.step).toBe(1);
  });

  it("leaves a graph of the learner's where it is", async () => {
    const { notebook, one } = opened("opened late");
    const run = await begin(notebook, one);
    draw(graph(1));
    finish();
    await run.ended;
    notebook.openWith(opening);
    expect(notebook.staged?.step).toBe(1);
    expect(notebook.stage.wanted).toBeNull();
  });

  it("is no matter of a call that failed: the next run takes that off the stage", async () => {
    const { notebook, one, two } = opened("failing");
    let run = await begin(notebook, one);
    draw(graph(1));
    finish();
    await run.ended;
    run = await begin(notebook, two);
    draw(graph(2, "matmul: sizes differ"));
    finish(false);
    await run.ended;
    expect(notebook.graph?.step).toBe(2);
    run = await begin(notebook, two);
    finish();
    await run.ended;
    expect(notebook.graph?.step).toBe(1);
    expect(notebook.resting).toBe(true);
  });

  it("leaves the stage with its cell, and its mark with the next run of it", async () => {
    const { notebook, one, two } = opened("deleted");
    const finding = { kind: "nan", backward: false, node: 0, event: 0, text: "w" } as const;
    const broken: StageGraph = {
      ...graph(1),
      nonFinite: { findings: [{ ...finding, element: [0], made: [] }], meant: [] },
    };
    let run = await begin(notebook, one);
    draw(broken);
    finish();
    await run.ended;
    await vi.waitFor(() => expect(brokenAt(notebook, one)?.line).toBe(1));
    run = await begin(notebook, one);
    expect(brokenAt(notebook, one)).toBeNull();
    finish();
    await run.ended;
    expect(brokenAt(notebook, one)).toBeNull();
    notebook.clear(two);
    expect(notebook.graph).toBe(broken);
    notebook.clear(one);
    expect(notebook.graph).toBeNull();
    expect(notebook.graphs.size).toBe(0);
  });
});

describe("times of kernels", () => {
  const kernels = (nanos: number) => ({
    fusion: true,
    dropped: 0,
    kernels: [
      {
        number: 0,
        name: "fused",
        nodes: [],
        reasons: [],
        bytesRead: 1,
        bytesWritten: 1,
        moves: false,
        nanos,
        runs: 1,
        shape: [],
        dtype: "float32",
        sources: [],
      },
    ],
  });

  it("are asked for once, for the cell that ran last, and replace those of the run", async () => {
    const { notebook, one, two } = opened("times");
    const run = await begin(notebook, one);
    finish();
    await run.ended;
    const plain = kernels(0);
    notebook.kernels = { "cell-1": plain };
    await notebook.timeKernels(two, plain);
    expect(last().type).toBe("runCell");
    const timing = notebook.timeKernels(one, plain);
    expect(last().type).toBe("timeKernels");
    event({ type: "kernels", id: last().id, list: kernels(3100) });
    finish();
    await timing;
    expect(notebook.kernels["cell-1"]?.kernels[0]?.nanos).toBe(3100);
    const sent = wire.commands.length;
    const timed = notebook.kernels["cell-1"];
    if (timed) await notebook.timeKernels(one, timed);
    await notebook.timeKernels(one, plain);
    expect(wire.commands).toHaveLength(sent);
  });
});

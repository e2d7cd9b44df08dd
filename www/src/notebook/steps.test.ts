import { describe, expect, test, vi } from "vitest";
import type { Done } from "../engine/client";
import type { CommandBody } from "../engine/wire";
import type { Event, StageGraph } from "../protocol";
import type { StepPoint } from "../protocol/generated/StepPoint";
import { firstDifference, type Send, Steps, type Twin } from "./steps.svelte";

const done = { type: "done", id: 0, ok: true, millis: 0, memory: { liveBytes: 0, peakBytes: 0 } } as Done;
const graph = (step: number, ...types: string[]) =>
  ({ step, nodes: [], events: types.map((type) => ({ type })) }) as unknown as StageGraph;
const point = (step: number, loss: number | null, gradient: number | null = null): StepPoint => ({
  step,
  loss,
  gradient,
});

/** An engine that answers each kind of command with these events. */
function engine(answer: (body: CommandBody) => object[]): { send: Send; sent: CommandBody[] } {
  const sent: CommandBody[] = [];
  const send: Send = async (body, onEvent) => {
    sent.push(body);
    for (const event of answer(body)) onEvent?.({ id: 0, ...event } as Event);
    return done;
  };
  return { send, sent };
}

const run = (steps: number, kept: number[]) => ({
  type: "runSteps",
  run: { steps, kept: kept.map((step) => ({ step, reason: "spaced" })), every: 2, bytes: 1, budget: 2 },
});
const points = (...losses: (number | null)[]) => ({
  type: "stepPoints",
  points: losses.map((loss, at) => point(at + 1, loss)),
});
const open = (body: CommandBody): object[] =>
  body.type === "openStep" ? [{ type: "graph", graph: graph(body.step) }] : [];

function made(answer = open, twin: () => Twin = () => ({ run: engine(() => []).send, close: () => {} })) {
  const { send, sent } = engine(answer);
  const put = vi.fn();
  return { steps: new Steps(send, put, twin), put, sent };
}

/** A run of cell-1 that the engine told of. */
function ran(steps: Steps, ...losses: number[]): void {
  steps.begin({ type: "runCell", cell: "cell-1", source: "train()" });
  steps.take({ id: 0, ...points(...losses) } as Event, "cell-1");
  steps.take({ id: 0, ...run(losses.length, [1, 3, losses.length]) } as Event, "cell-1");
  steps.drew("cell-1", graph(losses.length, "made", "backward", "backwardEnd"));
}

describe("the steps of a run", () => {
  test("the last one is on stage when the run has ended, and can be opened when another cell drew", async () => {
    const { steps, sent } = made();
    ran(steps, 4, 3, 2, 1, 0);
    expect([steps.count, steps.shown, steps.isKept(3), steps.isKept(4), steps.nearest(4)]).toEqual([
      5,
      5,
      true,
      false,
      3,
    ]);
    expect(steps.away).toBe(null);
    steps.begin({ type: "runCell", cell: "cell-2", source: "print(1)" });
    expect([steps.shown, steps.away]).toEqual([5, null]);
    steps.drew("cell-2", graph(1));
    expect([steps.cell, steps.shown, steps.away, steps.isThere, steps.isPast]).toEqual([
      "cell-1",
      null,
      "cell-2",
      true,
      false,
    ]);
    await steps.open(3);
    expect(sent).toEqual([{ type: "openStep", step: 3 }]);
    expect([steps.shown, steps.away]).toEqual([3, null]);
    // The same cell again, and no run of several steps: the engine keeps those of the run before.
    ran(steps, 4, 3);
    steps.begin({ type: "runCell", cell: "cell-1", source: "once()" });
    steps.drew("cell-1", graph(1));
    expect([steps.count, steps.shown, steps.away]).toEqual([2, null, "cell-1"]);
  });

  test("they are there while the run goes on, and until Python begins anew", () => {
    const { steps } = made();
    steps.begin({ type: "runCell", cell: "cell-1", source: "train()" });
    expect([steps.isThere, steps.isGoing]).toEqual([false, false]);
    steps.take({ id: 0, ...points(4, 3) } as Event, "cell-1");
    expect([steps.isThere, steps.isGoing]).toEqual([true, true]);
    steps.take({ id: 0, ...run(2, [1, 2]) } as Event, "cell-1");
    const end = graph(2, "backward");
    steps.drew("cell-1", end);
    expect([steps.isThere, steps.isGoing]).toEqual([true, false]);
    // A call that fails stands there, and is taken off the stage: the run's picture is back.
    steps.begin({ type: "runCell", cell: "cell-2", source: "a @ b" });
    steps.drew("cell-2", graph(3));
    expect([steps.shown, steps.away]).toEqual([null, "cell-2"]);
    steps.stands("cell-1", end);
    expect([steps.shown, steps.away]).toEqual([2, null]);
    steps.stands("", null);
    expect([steps.shown, steps.away]).toEqual([null, ""]);
    steps.forget();
    expect([steps.isThere, steps.away]).toEqual([false, null]);
  });

  test("what ran after the last step is none of them, and the last one can be opened", async () => {
    const { steps, sent } = made();
    ran(steps, 4, 3, 2);
    expect([steps.shown, steps.isPast]).toEqual([3, false]);
    // The loop ended with a forward pass.
    steps.drew("cell-1", graph(4, "made"));
    expect([steps.shown, steps.isPast]).toEqual([null, true]);
    await steps.open(3);
    expect(sent).toEqual([{ type: "openStep", step: 3 }]);
    expect([steps.shown, steps.isPast]).toEqual([3, false]);
  });

  test("the step on stage, asked for while another is being opened, is there in the end", async () => {
    const { steps } = made();
    ran(steps, 4, 3, 2, 1, 0);
    const opened = steps.open(1);
    void steps.open(5);
    expect(steps.isOpening).toBe(true);
    await opened;
    expect([steps.shown, steps.isOpening]).toEqual([5, false]);
  });

  test("of several that are asked for at once the last one comes", async () => {
    const { steps, put, sent } = made();
    ran(steps, 4, 3, 2, 1, 0);
    await Promise.all([steps.open(1), steps.open(3), steps.open(1), steps.open(3)]);
    expect(sent.map((body) => body.type === "openStep" && body.step)).toEqual([1, 3]);
    expect(put).toHaveBeenCalledTimes(2);
    expect(steps.shown).toBe(3);
  });

  test("what the engine refuses is told, and the step on stage stays", async () => {
    const { steps } = made(() => [{ type: "error", error: { message: "step 3 of 5 is not kept" } }]);
    ran(steps, 4, 3, 2, 1, 0);
    await steps.open(3);
    expect([steps.shown, steps.problem]).toEqual([5, "step 3 of 5 is not kept"]);
  });

  test("a step is computed again by all that ran, and the run up to it", async () => {
    const again = engine((body) =>
      body.type === "runCell" && body.until ? [points(4, 3), { type: "graph", graph: graph(2) }] : [],
    );
    const close = vi.fn();
    const session = { run: again.send, close };
    const { steps, put } = made(open, () => session);
    steps.begin({ type: "runCell", cell: "cell-0", source: "x = 1" });
    steps.drew("cell-0", graph(1));
    ran(steps, 4, 3, 2, 1, 0);
    // What runs later is not part of it.
    steps.begin({ type: "runCell", cell: "cell-2", source: "print(1)" });
    await steps.compute(2);
    expect(again.sent).toEqual([
      { type: "runCell", cell: "cell-0", source: "x = 1" },
      { type: "runCell", cell: "cell-1", source: "train()", until: 2 },
    ]);
    expect(put).toHaveBeenCalledWith(graph(2), session);
    expect([steps.shown, steps.isAgain, steps.again, steps.problem]).toEqual([2, true, null, ""]);
    expect(close).not.toHaveBeenCalled();
    await steps.open(3);
    expect(close).toHaveBeenCalledOnce();
    expect([steps.shown, steps.isAgain]).toEqual([3, false]);
  });

  test("one that came out otherwise is not shown", async () => {
    const again = engine(() => [points(4, 3.5), { type: "graph", graph: graph(2) }]);
    const { steps, put } = made(open, () => ({ run: again.send, close: () => {} }));
    ran(steps, 4, 3, 2, 1, 0);
    await steps.compute(2);
    expect(put).not.toHaveBeenCalled();
    expect(steps.problem).toMatch(/Step 2 cannot be had again: step 2 came out otherwise.*manual_seed/);
    expect(steps.shown).toBe(5);
  });

  test("those of an exercise are not: it is checked as a whole", async () => {
    const twin = vi.fn();
    const { steps } = made(open, twin);
    steps.begin({ type: "check", exercise: "exercise-1", source: "", checks: "" });
    steps.take({ id: 0, ...points(4, 3) } as Event, "exercise-1");
    steps.take({ id: 0, ...run(2, [1, 2]) } as Event, "exercise-1");
    expect(steps.isRepeatable).toBe(false);
    await steps.compute(2);
    expect(twin).not.toHaveBeenCalled();
  });

  test("differences are found to the bit", () => {
    expect(
      firstDifference([point(1, 1), point(2, Number.NaN)], [point(1, 1), point(2, Number.NaN)]),
    ).toBeNull();
    expect(firstDifference([point(1, 0)], [point(1, -0)])).toBe(1);
    expect(firstDifference([point(1, 1), point(2, 2)], [point(1, 1)])).toBe(2);
    expect(firstDifference([point(1, 1, 5)], [point(1, 1, 6)])).toBe(1);
    // A step that ran by itself has no norm.
    expect(firstDifference([point(1, 1, 5)], [point(1, 1, null)])).toBeNull();
  });
});

import { expect, it } from "vitest";
import type { StageGraph } from "../protocol";
import { spoiledBy, stepLine } from "./spoiled";

const through = (...values: [number, number | null, (number | null)?][]) =>
  values.map(([step, value, gradient = null]) => ({ step, value, gradient }));
const run = (...gradients: (number | null)[]) =>
  gradients.map((gradient, at) => ({ step: at + 1, loss: 1, gradient }));

it("is the step before the first that reads it broken", () => {
  expect(spoiledBy(through([1, 2], [2, 2], [3, Number.NaN], [4, Number.NaN]), [])).toEqual({
    first: 2,
    last: 2,
    gradient: null,
  });
});

it("is one of the steps in between where not every step is kept", () => {
  expect(spoiledBy(through([9, Number.NaN], [1, 2], [5, 3]), run(1, 1, 1, 1, 1, 1, 1, 1, 1))).toEqual({
    first: 5,
    last: 8,
    gradient: null,
  });
});

it("is the step whose gradient was not finite: the parameter's own, or that of all", () => {
  const kept = through([1, 2, 1], [5, 3, 1], [9, Number.NaN, Number.NaN]);
  expect(spoiledBy(kept, run(1, 1, 1, 1, 1, 1, Number.NaN, Number.NaN, Number.NaN))).toEqual({
    first: 7,
    last: 7,
    gradient: "NaN",
  });
  const own = through([1, 2, 1], [2, 2, Number.POSITIVE_INFINITY], [3, Number.NaN, Number.NaN]);
  expect(spoiledBy(own, [])).toEqual({ first: 2, last: 2, gradient: "inf" });
});

it("is not told where no kept step has it finite, or none has it broken", () => {
  expect(spoiledBy(through([1, Number.NaN], [2, Number.NaN]), [])).toBeNull();
  expect(spoiledBy(through([1, 1], [2, 2]), run(Number.NaN))).toBeNull();
  expect(spoiledBy(through([1, null], [2, Number.NaN]), [])).toBeNull();
  expect(spoiledBy([], [])).toBeNull();
});

it("is marked where the optimizer steps, or where the loss is", () => {
  const nodes = [{ id: 4, cell: "cell-2", line: 7 }];
  const graph = { nodes, events: [{ type: "backward", root: 4, gradient: 5 }] } as unknown as StageGraph;
  const loop = "m = nn.Linear(8, 1)\nfor i in range(60):\n  loss.backward(); opt.step()";
  expect(stepLine(graph, "cell-1", loop)).toEqual({ line: 3, cell: "cell-1" });
  expect(stepLine(graph, "cell-1", `${loop}\n  schedule.step()  # opt.step()`).line).toBe(3);
  expect(stepLine(graph, "cell-1", "train(m)")).toEqual({ line: 7, cell: "cell-2" });
  expect(stepLine({ ...graph, events: [] }, "cell-1", "")).toEqual({ line: null, cell: null });
});

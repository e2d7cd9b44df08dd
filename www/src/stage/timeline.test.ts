import { describe, expect, it } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { largeGraph } from "./fixtures/large";
import mlp from "./fixtures/mlp.json";
import neuron from "./fixtures/neuron.json";
import {
  backwardStart,
  EVENT_MILLIS,
  eventAt,
  LONGEST_PLAY_MILLIS,
  millisAt,
  positionAt,
  stepBack,
  stepForward,
  timeline,
} from "./timeline";

const graphs = { neuron: neuron as StageGraph, mlp: mlp as StageGraph, large: largeGraph(320) };

describe("timeline", () => {
  it("gives every event its own time, in order", () => {
    const { starts, millis } = timeline(graphs.neuron);
    expect(starts).toHaveLength(graphs.neuron.events.length + 1);
    graphs.neuron.events.forEach((event, index) => {
      expect((starts[index + 1] ?? 0) - (starts[index] ?? 0)).toBeCloseTo(EVENT_MILLIS[event.type]);
    });
    expect(starts.at(-1)).toBe(millis);
  });

  it("compresses a long trace to the longest play and keeps the proportions", () => {
    const { starts, millis } = timeline(graphs.large);
    expect(millis).toBeCloseTo(LONGEST_PLAY_MILLIS, 3);
    const [made, vjp] = (["made", "vjp"] as const).map((kind) => {
      const index = graphs.large.events.findIndex((event) => event.type === kind);
      return (starts[index + 1] ?? 0) - (starts[index] ?? 0);
    });
    expect((vjp ?? 0) / (made ?? 1)).toBeCloseTo(EVENT_MILLIS.vjp / EVENT_MILLIS.made);
  });

  it("maps milliseconds to positions and back", () => {
    for (const graph of Object.values(graphs)) {
      const line = timeline(graph);
      for (let t = 0; t <= graph.events.length; t += 0.37) {
        expect(positionAt(line, millisAt(line, t))).toBeCloseTo(t, 6);
      }
      expect(positionAt(line, -5)).toBe(0);
      expect(positionAt(line, Number.NaN)).toBe(0);
      expect(positionAt(line, line.millis + 1)).toBe(graph.events.length);
    }
  });

  it("survives a graph without events", () => {
    const empty: StageGraph = {
      step: 1,
      nodes: [],
      edges: [],
      events: [],
      previews: [],
      dropped: 0,
      width: 0,
      height: 0,
    };
    expect(positionAt(timeline(empty), 10)).toBe(0);
    expect(millisAt(timeline(empty), 3)).toBe(0);
    expect(eventAt(empty, 1)).toBeNull();
  });

  it("steps to the ends of events, forwards and backwards", () => {
    expect(stepForward(0, 9)).toBe(1);
    expect(stepForward(3.2, 9)).toBe(4);
    expect(stepForward(9, 9)).toBe(9);
    expect(stepBack(4)).toBe(3);
    expect(stepBack(3.2)).toBe(3);
    expect(stepBack(0)).toBe(0);
    expect(eventAt(graphs.neuron, 0)).toBeNull();
    expect(eventAt(graphs.neuron, 0.01)).toBe(0);
    expect(eventAt(graphs.neuron, 4)).toBe(3);
    expect(eventAt(graphs.neuron, 4.5)).toBe(4);
  });

  it("finds where the graph is drawn and still dark", () => {
    expect(graphs.neuron.events[backwardStart(graphs.neuron)]?.type).toBe("backward");
  });
});

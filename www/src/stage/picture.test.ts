import { describe, expect, it } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { eventIndex, level } from "./eventIndex";
import { largeGraph } from "./fixtures/large";
import mlpJson from "./fixtures/mlp.json";
import neuronJson from "./fixtures/neuron.json";
import nonFiniteJson from "./fixtures/non-finite.json";
import sumJson from "./fixtures/sum.json";
import { picture, settle } from "./picture";

const [sum, neuron, mlp, nonFinite] = [sumJson, neuronJson, mlpJson, nonFiniteJson] as StageGraph[] as [
  StageGraph,
  StageGraph,
  StageGraph,
  StageGraph,
];
const large = largeGraph(200);

function indexOf(graph: StageGraph, kind: string, name: string): number {
  const index = graph.events.findIndex((event) => {
    const node = graph.nodes.find((each) => each.id === ("root" in event ? event.root : event.node));
    return event.type === kind && (node?.name === name || node?.op === name);
  });
  expect(index, `${kind} of ${name}`).toBeGreaterThanOrEqual(0);
  return index;
}

function nodeLook(graph: StageGraph, t: number, name: string) {
  const index = graph.nodes.findIndex((node) => node.name === name || node.op === name);
  const look = picture(graph, t).nodes[index];
  if (!look) throw new Error(`no node named ${name}`);
  return look;
}

describe("picture", () => {
  it("is a pure function of graph and position", () => {
    for (const graph of [sum, neuron, mlp, nonFinite]) {
      const frozen = structuredClone(graph);
      const positions = Array.from({ length: 60 }, (_, at) => (at / 59) * graph.events.length);
      const first = positions.map((t) => picture(graph, t));
      const again = [...positions].reverse().map((t) => picture(structuredClone(graph), t));
      expect(again.reverse()).toEqual(first);
      expect(graph).toEqual(frozen);
    }
  });

  it("steps on and back to the same picture", () => {
    for (let t = 1; t < mlp.events.length; t++) {
      const before = picture(mlp, t);
      picture(mlp, t + 1);
      picture(mlp, t + 0.4);
      expect(picture(mlp, t)).toEqual(before);
    }
  });

  it("clamps the position to the trace", () => {
    expect(picture(sum, -3)).toEqual(picture(sum, 0));
    expect(picture(sum, Number.NaN)).toEqual(picture(sum, 0));
    expect(picture(sum, 1e9)).toEqual(picture(sum, sum.events.length));
    expect(picture(sum, 0).event).toBeNull();
  });

  it("draws nodes and edges in the order of the lines", () => {
    const t = indexOf(sum, "made", "z") + 0.5;
    expect(nodeLook(sum, t, "x").drawn).toBe(1);
    expect(nodeLook(sum, t, "z").drawn).toBeGreaterThan(0);
    expect(nodeLook(sum, t, "z").drawn).toBeLessThan(1);
    expect(nodeLook(sum, t, "s").drawn).toBe(0);
    const drawn = picture(sum, t).edges.map((edge) => edge.drawn);
    expect(drawn[0]).toBeGreaterThan(0);
    expect(drawn[2]).toBe(0);
  });

  it("keeps every number a fraction and every rest free of motion", () => {
    for (const graph of [sum, neuron, mlp, nonFinite, large]) {
      for (let t = 0; t <= graph.events.length; t += graph === large ? 2.5 : 0.25) {
        const now = picture(graph, t);
        const fractions = now.nodes.flatMap(({ drawn, fresh, glow, warm, level, gauge, badge, adding }) => [
          ...[drawn, fresh, glow, warm, level, gauge, badge, adding],
        ]);
        expect(fractions.every((value) => value >= 0 && value <= 1)).toBe(true);
        if (Number.isInteger(t)) expect(now.edges.every((edge) => edge.pulse === null)).toBe(true);
      }
    }
  });

  it("sends the wave from the loss to the leaves: nothing is warm before a pulse has reached it", () => {
    for (const graph of [sum, neuron, mlp, large]) {
      const root = graph.events.find((event) => event.type === "backward")?.root;
      for (let t = 0; t <= graph.events.length; t += graph === large ? 5.3 : 0.2) {
        const now = picture(graph, t);
        graph.nodes.forEach((node, index) => {
          const look = now.nodes[index];
          if (!look || look.warm === 0 || node.id === root) return;
          const reached = graph.edges.some(
            (edge, at) => edge.from === node.id && (now.edges[at]?.trace ?? 0) > 0.5,
          );
          expect(reached, `node ${node.id} at ${t}`).toBe(true);
        });
        graph.edges.forEach((edge, at) => {
          const consumer = now.nodes[graph.nodes.findIndex((node) => node.id === edge.to)];
          if ((now.edges[at]?.trace ?? 0) > 0) expect(consumer?.gradient).not.toBeNull();
        });
      }
    }
  });

  it("lights a node while its rule runs, then sends a pulse back along each edge", () => {
    const event = indexOf(neuron, "vjp", "tanh");
    const edge = neuron.edges.findIndex(
      (each) => neuron.nodes.find((node) => node.id === each.to)?.op === "tanh",
    );
    expect(nodeLook(neuron, event, "tanh").glow).toBe(0);
    expect(nodeLook(neuron, event + 1, "tanh").glow).toBe(1);
    const places = [0.35, 0.5, 0.7, 0.95].map(
      (part) => picture(neuron, event + part).edges[edge]?.pulse?.position ?? -1,
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(picture(neuron, event + 0.2).edges[edge]?.pulse).toBeNull();
    expect(picture(neuron, event + 1).edges[edge]).toMatchObject({ trace: 1, pulse: null });
  });

  it("adds at a fan-out and fills the gauge once the whole gradient is there", () => {
    const weight = "model.2.weight";
    const adds = mlp.events.flatMap((event, index) => (event.type === "accumulate" ? [index] : []));
    const filled = indexOf(mlp, "grad", weight);
    expect(adds).toHaveLength(2);
    const [first = 0, second = 0] = adds;
    expect(nodeLook(mlp, first, weight).badge).toBe(0);
    expect(nodeLook(mlp, first + 1, weight)).toMatchObject({ badge: 1, adding: 1 });
    expect(nodeLook(mlp, second + 1, weight).gauge).toBe(0);
    const sumOf = mlp.events[second];
    expect(nodeLook(mlp, second + 1, weight).gradient).toBe(sumOf?.type === "accumulate" ? sumOf.sum : null);
    expect(nodeLook(mlp, filled + 1, weight).gauge).toBe(1);
    expect(nodeLook(mlp, mlp.events.length, "target")).toMatchObject({ warm: 0, gauge: 0, gradient: null });
  });

  it("starts anew at a second backward() and keeps a full gauge full", () => {
    const events = neuron.events;
    const start = events.findIndex((event) => event.type === "backward");
    const again = events
      .slice(start)
      .map((event) => (event.type === "grad" ? { ...event, accumulated: true } : event));
    const twice: StageGraph = { ...neuron, events: [...events, ...again] };
    const second = events.length;
    expect(nodeLook(twice, second, "tanh").warm).toBe(1);
    expect(nodeLook(twice, second + 1, "tanh")).toMatchObject({ warm: 0, gradient: null });
    expect(picture(twice, second + 1).edges.every((edge) => edge.trace === 0)).toBe(true);
    expect(nodeLook(twice, second + 1, "w").gauge).toBe(1);
    expect(nodeLook(twice, twice.events.length, "w")).toMatchObject({ gauge: 1, badge: 1 });
    expect(nodeLook(twice, twice.events.length, "tanh").warm).toBe(1);
  });

  it("shows a .grad from before this trace as full from the beginning", () => {
    const events = sum.events.map((event) =>
      event.type === "grad" ? { ...event, accumulated: true } : event,
    );
    expect(nodeLook({ ...sum, events }, 0, "x").gauge).toBe(1);
  });

  it("marks what is not finite and finds no pulse for it that is not a number", () => {
    const broken = picture(nonFinite, nonFinite.events.length);
    expect(broken.edges.filter((edge) => edge.broken).length).toBeGreaterThan(0);
    for (let t = 0; t <= nonFinite.events.length; t += 0.1) {
      for (const edge of picture(nonFinite, t).edges) {
        if (edge.pulse) expect(Object.values(edge.pulse).every(Number.isFinite)).toBe(true);
      }
    }
    const live = structuredClone(nonFinite);
    for (const preview of live.previews) if (preview.nonFinite > 0) preview.values = [Number.NaN];
    expect(picture(live, live.events.length).edges.find((edge) => edge.broken)?.label).toBe("NaN");
  });

  it("shares the parts that did not change", () => {
    const before = picture(mlp, 20);
    expect(settle(before, picture(mlp, 20)).nodes.every((node, index) => node === before.nodes[index])).toBe(
      true,
    );
    const next = settle(before, picture(mlp, 20.5));
    expect(next).toEqual(picture(mlp, 20.5));
    const changed = next.nodes.filter((node, index) => node !== before.nodes[index]).length;
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeLessThan(mlp.nodes.length / 2);
  });
});

describe("loudness", () => {
  it("rises with the logarithm of the norm", () => {
    const levels = [1e-9, 1e-3, 1e-2, 0.1, 0.5, 1].map((norm) => level(norm, 1));
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
    expect(level(0.1, 1) - level(0.01, 1)).toBeCloseTo(level(1, 1) - level(0.1, 1));
    expect(levels[0]).toBe(0);
    expect(levels.at(-1)).toBe(1);
  });

  it("has an answer for every norm", () => {
    for (const norm of [0, -1, Number.NaN, Infinity, 1e-320]) {
      for (const loudest of [0, 1, 1e300]) {
        expect(level(norm, loudest)).toBeGreaterThanOrEqual(0);
        expect(level(norm, loudest)).toBeLessThanOrEqual(1);
      }
    }
  });

  it("makes pulses brighter and wider with the norm", () => {
    const pulses = mlp.events
      .flatMap((event, index) => (event.type === "vjp" ? picture(mlp, index + 0.6).edges : []))
      .flatMap((edge) => (edge.pulse && edge.label ? [{ ...edge.pulse, norm: Number(edge.label) }] : []))
      .sort((a, b) => a.norm - b.norm);
    expect(pulses.length).toBeGreaterThan(8);
    expect(pulses.map((pulse) => pulse.brightness)).toEqual(
      pulses.map((pulse) => pulse.brightness).sort((a, b) => a - b),
    );
    expect(pulses.map((pulse) => pulse.width)).toEqual(
      pulses.map((pulse) => pulse.width).sort((a, b) => a - b),
    );
    expect(pulses.at(-1)?.brightness).toBeGreaterThan(pulses[0]?.brightness ?? 1);
  });

  it("measures gradients only, so that a large value dims nothing", () => {
    const loud = structuredClone(neuron);
    const value = loud.previews.find((preview) => preview.id === loud.nodes[1]?.id);
    if (value) value.norm = 1e30;
    expect([...eventIndex(loud).loudness.values()]).toEqual([...eventIndex(neuron).loudness.values()]);
  });
});

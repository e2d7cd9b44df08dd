// On random graphs: the picture is a pure function of the graph, its events and the position.
import { flushSync } from "svelte";
import { describe, expect, it } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { randomGraph, randomNumbers } from "./fixtures/random";
import { Frame } from "./frame.svelte";
import { outline } from "./outline";
import { type Picture, picture } from "./picture";

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed + 1);

/** The picture that the cells of a frame make together. */
function shown(frame: Frame): Picture {
  return {
    t: frame.t,
    event: frame.event,
    nodes: frame.nodes.map((cell) => cell.now),
    edges: frame.edges.map((cell) => cell.now),
  };
}

/** A copy in which nothing that was computed for the graph is known. */
function fresh(graph: StageGraph): StageGraph {
  return structuredClone(graph);
}

describe("the picture of a random graph", { timeout: 60_000 }, () => {
  it("depends on graph, events and position alone, in whatever order positions are asked for", () => {
    for (const seed of SEEDS) {
      const graph = randomGraph(seed);
      const before = structuredClone(graph);
      const random = randomNumbers(seed + 1000);
      const positions = Array.from({ length: 12 }, () => random() * (graph.events.length + 1));
      const first = positions.map((t) => picture(graph, t));
      const again = [...positions].reverse().map((t) => picture(fresh(graph), t));
      expect(again.reverse(), `seed ${seed}`).toEqual(first);
      expect(graph, `seed ${seed} was changed`).toEqual(before);
    }
  });

  it("is the same after scrubbing there as when it is drawn anew", () => {
    for (const seed of SEEDS) {
      const graph = randomGraph(seed);
      const random = randomNumbers(seed + 2000);
      const frame = new Frame(graph);
      for (let at = 0; at < 8; at++) {
        const t =
          random() < 0.5 ? Math.floor(random() * (graph.events.length + 1)) : random() * graph.events.length;
        frame.show(t);
        flushSync();
        const anew = new Frame(fresh(graph));
        anew.show(t);
        expect(shown(frame), `seed ${seed} at ${t}`).toEqual(shown(anew));
        expect(shown(frame)).toEqual(picture(graph, t));
      }
    }
  });

  it("does not know what comes after its position", () => {
    for (const seed of SEEDS.slice(0, 25)) {
      const graph = randomGraph(seed);
      for (let t = 0; t <= graph.events.length; t += 3) {
        const cut = { ...fresh(graph), events: graph.events.slice(0, t) };
        const [now, then] = [picture(graph, t), picture(cut, t)];
        now.nodes.forEach((node, index) => {
          const same = then.nodes[index];
          // A `.grad` from before is known from the beginning, and loudness from the loudest of all.
          expect(node.gradient, `seed ${seed}, node ${node.id} at ${t}`).toBe(same?.gradient);
          // A node that this trace has not made yet is a ghost; a trace without it has it drawn.
          const made = graph.events.findIndex((event) => event.type === "made" && event.node === node.id);
          if (made < t) expect(node.drawn).toBe(same?.drawn);
        });
      }
    }
  });

  it("steps through every event and back over the same pictures", () => {
    for (const seed of SEEDS.slice(0, 25)) {
      const graph = randomGraph(seed);
      const frame = new Frame(graph);
      const forward = Array.from({ length: graph.events.length + 1 }, (_, t) => {
        frame.show(t);
        return structuredClone(shown(frame));
      });
      for (let t = graph.events.length; t >= 0; t--) {
        frame.show(t);
        expect(shown(frame), `seed ${seed} back at ${t}`).toEqual(forward[t]);
      }
      expect(outline(graph)).toHaveLength(graph.events.length);
    }
  });
});

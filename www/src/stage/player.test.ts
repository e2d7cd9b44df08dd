import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { largeGraph } from "./fixtures/large";
import neuron from "./fixtures/neuron.json";
import { Player } from "./player.svelte";
import { timeline } from "./timeline";

const graphs = { neuron: neuron as StageGraph, large: largeGraph(320) };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("requestAnimationFrame", (frame: FrameRequestCallback) =>
    setTimeout(() => frame(performance.now()), 16),
  );
  vi.stubGlobal("cancelAnimationFrame", clearTimeout);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The positions after each frame, to the end. */
function played(player: Player): number[] {
  const seen = [player.t];
  while (player.playing) {
    vi.advanceTimersToNextTimer();
    seen.push(player.t);
  }
  return seen;
}

it("takes every event in turn with reduced motion, and asks for no frame between two", () => {
  const player = new Player(() => true);
  player.load(graphs.neuron, true);
  const began = performance.now();
  expect(played(player)).toEqual(Array.from({ length: player.count + 1 }, (_, at) => at));
  expect(performance.now() - began).toBeCloseTo(timeline(graphs.neuron).millis, -2);
});

it("passes over states that would follow in less than a frame", () => {
  const player = new Player(() => true);
  player.load(graphs.large, true);
  const seen = played(player);
  expect(seen.every(Number.isInteger)).toBe(true);
  expect(seen.at(-1)).toBe(player.count);
  expect(seen.length).toBeLessThan(timeline(graphs.large).millis / 16 + 2);
});

it("moves between states without, and takes as long", () => {
  const player = new Player(() => false);
  player.load(graphs.neuron, true);
  const began = performance.now();
  const seen = played(player);
  expect(seen.some((t) => !Number.isInteger(t))).toBe(true);
  expect(seen.at(-1)).toBe(player.count);
  expect(performance.now() - began).toBeCloseTo(timeline(graphs.neuron).millis, -2);
});

it.each([true, false])(
  "stays where it was paused, and where the end is reached (reduced motion: %s)",
  (still) => {
    const player = new Player(() => still);
    player.load(graphs.neuron, true);
    for (let frame = 0; frame < 3; frame += 1) vi.advanceTimersToNextTimer();
    player.pause();
    const at = player.t;
    expect(vi.getTimerCount()).toBe(0);
    player.play();
    played(player);
    expect(at).toBeLessThan(player.count);
    expect(vi.getTimerCount()).toBe(0);
  },
);

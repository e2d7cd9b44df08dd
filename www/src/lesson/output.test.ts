import { expect, it, vi } from "vitest";
import { Output } from "./output.svelte";

const memory = { liveBytes: 0, peakBytes: 0 };

it("shows text in order, in steps, and all of it at the end", () => {
  vi.useFakeTimers();
  const output = new Output();
  output.take({ type: "stdout", id: 1, text: "one\n" });
  output.take({ type: "stdout", id: 1, text: "two\n" });
  expect(output.text).toBe("");
  vi.advanceTimersByTime(50);
  expect(output.text).toBe("one\ntwo\n");
  output.take({ type: "stdout", id: 1, text: "three\n" });
  output.take({ type: "done", id: 1, ok: true, millis: 5, memory });
  expect(output.text).toBe("one\ntwo\nthree\n");
  expect(output.millis).toBe(5);
  vi.useRealTimers();
});

it("stays bounded, keeps the beginning and the end, and counts what is left out", () => {
  const output = new Output();
  const lines = 400_000;
  for (let line = 0; line < lines; line++) output.take({ type: "stdout", id: 1, text: `${line}\n` });
  output.flush();
  expect(output.text.length).toBeLessThanOrEqual(200_000);
  expect(output.text.startsWith("0\n1\n2\n")).toBe(true);
  expect(output.text.endsWith(`${lines - 2}\n${lines - 1}\n`)).toBe(true);
  const printed = Array.from({ length: lines }, (_, line) => `${line}\n`.length).reduce((a, b) => a + b);
  expect(output.text.length + output.omitted).toBe(printed);
});

it("gathers points of a plot", () => {
  const output = new Output();
  output.take({ type: "metric", id: 1, series: "loss", x: 0, y: 2 });
  output.take({ type: "metric", id: 1, series: "loss", x: 1, y: 1 });
  output.flush();
  expect(output.points).toBe(2);
  expect(output.empty).toBe(false);
});

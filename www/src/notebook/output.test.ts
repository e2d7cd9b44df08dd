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

it("shows how far something has come until it is over", () => {
  const output = new Output();
  output.take({ type: "progress", id: 1, label: "compiling 9 shaders", done: 0, total: 9 });
  expect(output.progress).toEqual({ label: "compiling 9 shaders", done: 0, total: 9 });
  expect(output.empty).toBe(false);
  output.take({ type: "progress", id: 1, label: "compiling 9 shaders", done: 9, total: 9 });
  expect(output.progress).toBe(null);
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

it("keeps whole lines, and a line that never ends", () => {
  const output = new Output();
  for (let line = 0; line < 10_000; line++) {
    output.take({ type: "stdout", id: 1, text: `line ${line}\n` });
    if (line % 700 === 0) output.flush();
  }
  output.flush();
  const shown = output.text.trimEnd().split("\n");
  expect(shown).toHaveLength(3000);
  expect(shown.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, line) => `line ${line}`));
  expect(shown.slice(1000)).toEqual(Array.from({ length: 2000 }, (_, line) => `line ${line + 8000}`));

  const endless = new Output();
  for (let part = 0; part < 50; part++) endless.take({ type: "stdout", id: 1, text: "x".repeat(10_000) });
  endless.flush();
  expect(endless.text.length).toBeLessThanOrEqual(200_000);
  expect(endless.text.length + endless.omitted).toBe(500_000);
});

it("gathers points of a plot", () => {
  const output = new Output();
  output.take({ type: "metric", id: 1, series: "loss", x: 0, y: 2 });
  output.take({ type: "metric", id: 1, series: "loss", x: 1, y: 1 });
  output.flush();
  expect(output.points).toBe(2);
  expect(output.empty).toBe(false);
});

it("holds the charts of a run by their places, the later one of a place in the other's stead", () => {
  const output = new Output();
  const take = (place: number, text: string) => output.take({ type: "chart", id: 1, chart: { place, text } });
  take(2, "second");
  take(1, "first");
  output.flush();
  take(2, "later");
  output.flush();
  expect(output.empty).toBe(false);
  expect(output.charts.map(({ text }) => text)).toEqual(["first", "later"]);
});

it("knows how much was printed before a drawing came, the first time", () => {
  const output = new Output();
  const take = (place: number) => output.take({ type: "chart", id: 1, chart: { place, text: "" } });
  const print = (text: string) => output.take({ type: "stdout", id: 1, text });
  print("one\n");
  take(0);
  print("two\n");
  take(1);
  take(0);
  output.flush();
  expect(output.before).toEqual({ "chart 0": 4, "chart 1": 8 });
  expect(output.lead).toBe("one\n");
});

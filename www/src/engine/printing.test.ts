import { expect, it, vi } from "vitest";
import type { Event } from "../protocol";
import { joinPrints } from "./printing";

const print = (text: string, id = 1): Event => ({ type: "stdout", id, text });

it("sends the first print at once and joins those that follow within a frame", () => {
  vi.useFakeTimers();
  let clock = 0;
  const sent: Event[] = [];
  const emit = joinPrints(
    (event) => sent.push(event),
    () => clock,
  );
  emit(print("a"));
  expect(sent).toEqual([print("a")]);
  for (let at = 0; at < 1000; at++) emit(print("x"));
  expect(sent).toHaveLength(1);
  clock = 20;
  emit(print("b"));
  expect(sent.slice(1)).toEqual([print(`${"x".repeat(1000)}b`)]);
  emit(print("rest"));
  vi.advanceTimersByTime(20);
  expect(sent.at(-1)).toEqual(print("rest"));
  vi.useRealTimers();
});

it("keeps the order with other events and between commands", () => {
  const sent: Event[] = [];
  const emit = joinPrints(
    (event) => sent.push(event),
    () => 0,
  );
  const metric: Event = { type: "metric", id: 1, series: "loss", x: 0, y: 1 };
  for (const event of [print("a"), print("b"), metric, print("c"), print("d", 2), metric]) emit(event);
  expect(sent).toEqual([print("a"), print("b"), metric, print("c"), print("d", 2), metric]);
});

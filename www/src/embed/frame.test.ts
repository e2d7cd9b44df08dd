import fc from "fast-check";
import { expect, it } from "vitest";
import { MOST_CODE } from "../link/state";
import { Conversation, frameOptions, readAsked, type Said } from "./frame";

const asked = (message: object) => readAsked({ target: "glowgrad", ...message });

it("reads what the protocol has, and nothing of other pages' messages", () => {
  expect(asked({ type: "run" })).toEqual({ type: "run", id: null, code: null });
  expect(asked({ type: "run", id: 7, code: "1 + 1" })).toEqual({ type: "run", id: 7, code: "1 + 1" });
  expect(asked({ type: "code", code: "x" })).toEqual({ type: "code", code: "x" });
  expect(asked({ type: "theme", theme: "light" })).toEqual({ type: "theme", theme: "light" });
  expect(asked({ type: "stop" })).toEqual({ type: "stop" });
  expect([null, "run", 3, {}, { type: "run" }, { target: "other", type: "run" }].map(readAsked)).toEqual(
    Array(6).fill(null),
  );
});

it("says what was expected of a message that is not understood", () => {
  expect(asked({ type: "eval" })).toEqual({
    problem: 'type: expected "run", "code", "theme" or "stop", and "eval" came',
  });
  expect(asked({})).toEqual({ problem: 'type: expected "run", "code", "theme" or "stop", and nothing came' });
  expect(asked({ type: "run", code: 3 })).toEqual({ problem: "code: expected a text, and number came" });
  expect(asked({ type: "run", id: {} })).toEqual({
    problem: "id: expected a number or a short text, and object came",
  });
  expect(asked({ type: "code" })).toEqual({ problem: "code: expected a text, and none came" });
  expect(asked({ type: "theme", theme: "blue" })).toMatchObject({
    problem: expect.stringContaining('"blue"'),
  });
  expect(asked({ type: "run", code: "x".repeat(MOST_CODE + 1) })).toMatchObject({
    problem: expect.stringContaining(`at most ${MOST_CODE}`),
  });
});

it("throws at no message", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      readAsked(value);
      readAsked({ target: "glowgrad", type: "run", code: value, id: value });
    }),
  );
});

it("reads the address's options, and names no origin for one that cannot be read", () => {
  expect(frameOptions("#/embed/1/abc")).toEqual({ theme: null, drawn: true, origin: null });
  expect(frameOptions("#/embed/1/abc?theme=light&graph=none&origin=https%3A%2F%2Fa.example%2Fpost")).toEqual({
    theme: "light",
    drawn: false,
    origin: "https://a.example",
  });
  for (const bad of ["nonsense", "file:///x", ""]) {
    expect(frameOptions(`#/embed/1/abc?origin=${bad}`).origin).toBe("https://invalid.invalid");
  }
});

const result = { ok: true, text: "secret", error: null, series: {}, millis: 1 };
const told: Said[] = [
  { type: "ready", protocol: 1 },
  { type: "height", height: 3 },
  { type: "result", id: null, result },
];

it("gives a result to the origin that asked, and to none before", () => {
  const posted: [string, string][] = [];
  const open = new Conversation(null, (message, origin) => posted.push([(message as Said).type, origin]));
  for (const each of told) open.say(each);
  expect(posted).toEqual([
    ["ready", "*"],
    ["height", "*"],
  ]);
  expect(["https://a.example", "null", ""].map((origin) => open.hears(origin))).toEqual([true, false, false]);
  open.asked("https://a.example");
  open.say({ type: "result", id: 1, result });
  expect(posted.at(-1)).toEqual(["result", "https://a.example"]);
});

it("hears and answers only the origin that the address names", () => {
  const posted: string[] = [];
  const named = new Conversation("https://a.example", (_message, origin) => posted.push(origin));
  expect(named.hears("https://b.example")).toBe(false);
  expect(named.hears("https://a.example")).toBe(true);
  for (const each of told) named.say(each);
  expect(posted).toEqual(Array(3).fill("https://a.example"));
});

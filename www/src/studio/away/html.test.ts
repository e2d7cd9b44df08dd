// @vitest-environment happy-dom
// A page holds what it was given as text, whatever stands in a network's names and notes.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { About } from "../../player/about";
import { readOnnx } from "../../player/onnx";
import type { Net } from "../model";
import { fieldOf, page, shownOf } from "./html";

const hostile = `</script><script>window.hacked = 1</script><img src=x onerror="hacked()">&amp;\u2028]]>`;

test("names and notes are text in the page, and scripts are its own alone", async () => {
  const [first] = JSON.parse(readFileSync("tests/player/cases.json", "utf8")) as { model: string }[];
  const model = readOnnx(Uint8Array.from(Buffer.from(first?.model ?? "", "base64")));
  const net: Net = {
    format: "glowgrad.architecture",
    version: 1,
    name: hostile,
    note: hostile,
    inputs: [{ name: "x", shape: ["N", 5] }],
    nodes: [],
    outputs: [],
  };
  const about = {
    name: hostile,
    note: hostile,
    parameters: 24,
    isTrained: true,
    inputs: [{ name: hostile, kind: "numbers", n: 5, isWhole: false }],
    outputs: [{ name: hostile, kind: "classes", names: [hostile] }],
  } satisfies About;
  const text = await page(net, about, model, 32);
  const document = new DOMParser().parseFromString(text, "text/html");
  const scripts = [...document.querySelectorAll("script")];
  expect(scripts.map(({ id, type }) => id || type)).toEqual(["about", "network", "graph", "elements", ""]);
  expect(document.querySelectorAll("img")).toHaveLength(0);
  expect(JSON.parse(document.getElementById("about")?.textContent ?? "")).toEqual(about);
  expect(JSON.parse(document.getElementById("network")?.textContent ?? "").note).toBe(hostile);
  expect(document.title).toContain("</script>");
  const policy = document.querySelector("meta[http-equiv]")?.getAttribute("content") ?? "";
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-/);
  expect(text).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
});

test.each([
  // Data, loss, an input, a result, and what the page has for both.
  ["digits", "CrossEntropyLoss", [1, 64], [1, 10], "draw 8", "classes 0–9"],
  ["mnist", "CrossEntropyLoss", [1, 1, 28, 28], [1, 10], "draw 28", "classes 0–9"],
  ["mnist", "MSELoss", [1, 784], [1, 784], "draw 28", "picture 28"],
  ["digits", "MSELoss", [1, 1, 8, 8], [1, 1, 8, 8], "draw 8", "picture 8"],
  ["cifar10", "CrossEntropyLoss", [1, 3, 32, 32], [1, 10], "picture 32", "classes airplane–truck"],
  ["noise", "CrossEntropyLoss", [1, 1, 20, 30], [1, 3], "picture 30", "classes class 0–class 2"],
  ["moons", "CrossEntropyLoss", [1, 2], [1, 2], "point", "classes class 0–class 1"],
  ["moons", "MSELoss", [1, 2], [1, 1], "numbers 2", "numbers"],
  ["noise", "MSELoss", [1, 16], [1, 1, 8, 8], "numbers 16", "picture 8"],
  ["noise", "BCELoss", [1, 1, 8, 8], [1, 1], "draw 8", "numbers"],
  ["noise", "MSELoss", [1, 5, 7, 7], [1, 4], "numbers 245", "numbers"],
] as const)("%s with %s: %j gives %j", (data, loss, given, result, reads, shows) => {
  const sample = {
    inputs: [],
    outputs: [{ values: [], shape: [...result] }],
    vocabulary: null,
    draws: false,
  };
  const field = fieldOf([...given], "float32", { data, loss }, sample, 1);
  const size = "side" in field && field.kind === "draw" ? field.side : "width" in field ? field.width : 0;
  const n = field.kind === "numbers" ? field.n : size;
  expect(`${field.kind} ${n || ""}`.trim()).toBe(reads);
  const shown = shownOf([...result], { data, loss }, field, 1);
  const told =
    shown.kind === "classes"
      ? `classes ${shown.names[0]}–${shown.names.at(-1)}`
      : shown.kind === "picture"
        ? `picture ${shown.width}`
        : shown.kind;
  expect(told).toBe(shows);
});

test.each([
  [[1, 64], [1, 64, 65], "shakespeare", "abc", "text abc", "next each"],
  [[1, 64], [1, 65], "shakespeare", "abc", "text abc", "next last"],
  [[1, 64], [1, 64, 65], "noise", "abc", "text", "next each"],
] as const)("tokens %j that give %j of %s", (given, result, data, vocabulary, reads, shows) => {
  const sample = { inputs: [], outputs: [{ values: [], shape: [...result] }], vocabulary, draws: false };
  const field = fieldOf([...given], "int64", { data, loss: "CrossEntropyLoss" }, sample, 1);
  expect(field.kind === "text" ? `text ${field.vocabulary ?? ""}`.trim() : field.kind).toBe(reads);
  const shown = shownOf([...result], { data, loss: "CrossEntropyLoss" }, field, 1);
  expect(shown.kind === "next" ? `next ${shown.isLast ? "last" : "each"}` : shown.kind).toBe(shows);
});

// A page holds what it was given as text, whatever stands in a network's names and notes.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readOnnx } from "../../player/onnx";
import type { Net } from "../model";
import { page } from "./html";

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
    input: { kind: "numbers", names: [hostile] },
    output: { kind: "classes", names: [hostile] },
  } as const;
  const text = await page(net, about as never, model, 32);
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

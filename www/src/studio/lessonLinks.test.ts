// Networks that lessons link to: each is read as one.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { decodeNetwork } from "./link";
import type { Net } from "./model";

const lessons = readdirSync("lessons").filter((name) => /^\d/.test(name));
const links = lessons.flatMap((name) => {
  const text = readFileSync(`lessons/${name}/lesson.md`, "utf8");
  return [...text.matchAll(/#\/studio\/(\d+)\/([\w-]+)/g)].map(([, version, packed]) => ({
    name,
    version,
    packed,
  }));
});

it("three lessons end with their network", () => {
  expect(new Set(links.map(({ name }) => name)).size).toBeGreaterThanOrEqual(3);
});

it.each(links)("the network of $name is read", ({ version = "", packed = "" }) => {
  const read = decodeNetwork(version, packed);
  expect(read).toHaveProperty("net.format", "glowgrad.architecture");
  const net = (read as { net: Net }).net;
  expect(net.outputs.length).toBe(1);
  expect(net.nodes.map(({ id }) => id)).toContain(net.outputs[0]);
});

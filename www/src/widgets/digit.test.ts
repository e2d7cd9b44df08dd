// The reduction against the set it imitates, and against twenty recorded drawings.
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { bitmap, counts, type Point, reduce, type Stroke } from "./digit";

const drawings = readdirSync(resolve("tests/drawings"))
  .filter((name) => name.endsWith(".json"))
  .map((name) => {
    const { digit, width, height, strokes } = JSON.parse(
      readFileSync(resolve("tests/drawings", name), "utf8"),
    ) as { digit: number; width: number; height: number; strokes: number[][][] };
    const point = ([x = 0, y = 0]: number[]): Point => ({ x: x / width, y: y / height });
    return { digit, strokes: strokes.map((stroke) => stroke.map(point)) };
  });

const sum = (values: ArrayLike<number>) => Array.from(values).reduce((total, value) => total + value, 0);
const moved = (strokes: Stroke[], scale: number, dx: number, dy: number): Stroke[] =>
  strokes.map((stroke) => stroke.map(({ x, y }) => ({ x: x * scale + dx, y: y * scale + dy })));

describe("counts", () => {
  it("counts the dots of each 4×4 block", () => {
    const dots = new Uint8Array(1024);
    dots[0] = dots[33] = dots[3 * 32 + 3] = 1; // in the first block
    dots[4] = 1; // in the second
    dots[1023] = 1; // in the last
    const result = counts(dots);
    expect(result[0]).toBe(3);
    expect(result[1]).toBe(1);
    expect(result[63]).toBe(1);
    expect(sum(result)).toBe(5);
    expect(counts(new Uint8Array(1024).fill(1))).toEqual(new Array(64).fill(16));
  });
});

describe("reduce", () => {
  it("is all paper where nothing was drawn", () => {
    expect(reduce([])).toEqual(new Array(64).fill(0));
    expect(reduce([[]])).toEqual(new Array(64).fill(0));
  });

  it("puts a single dot in the middle", () => {
    const result = reduce([[{ x: 0.9, y: 0.1 }]]);
    const middle = [27, 28, 35, 36].map((index) => result[index] ?? 0);
    expect(sum(middle)).toBeGreaterThan(0.7 * sum(result));
    expect(new Set(middle).size).toBe(1);
  });

  it("does not care where or how large the digit was drawn", () => {
    for (const { strokes } of drawings) {
      const there = reduce(moved(strokes, 0.37, 0.05, 0.55));
      const difference = reduce(strokes).map((value, index) => Math.abs(value - (there[index] ?? 0)));
      // A dot on the very edge of the pen may fall either way.
      expect(Math.max(...difference)).toBeLessThanOrEqual(2);
    }
  });

  it("fills the height, stays in the middle columns, and holds as much ink as the set's digits", () => {
    for (const { digit, strokes } of drawings) {
      const dots = bitmap(strokes);
      const row = (index: number) => sum(dots.slice(index * 32, index * 32 + 32));
      const column = (index: number) =>
        sum(Array.from({ length: 32 }, (_, at) => dots[at * 32 + index] ?? 0));
      expect(row(0) + row(1), `top of ${digit}`).toBeGreaterThan(0);
      expect(row(30) + row(31), `bottom of ${digit}`).toBeGreaterThan(0);
      expect(sum([0, 1, 2, 3, 4, 27, 28, 29, 30, 31].map(column)), `sides of ${digit}`).toBe(0);
      expect(sum(dots), `ink of ${digit}`).toBeGreaterThan(200);
      expect(sum(dots), `ink of ${digit}`).toBeLessThan(345);
    }
  });

  it("keeps a bare 1 narrow", () => {
    const result = reduce([
      [
        { x: 0.5, y: 0.1 },
        { x: 0.5, y: 0.9 },
      ],
    ]);
    for (let row = 0; row < 8; row++) {
      expect(sum([0, 1, 6, 7].map((column) => result[row * 8 + column] ?? 0))).toBe(0);
    }
  });
});

it("makes drawings that stand nearest to the set's digits of their kind: at least 18 of 20", () => {
  const rows = readFileSync(resolve("crates/data/digits/digits.bin"));
  const guess = (image: number[]) => {
    const ranked: { label: number; distance: number }[] = [];
    for (let at = 0; at < rows.length; at += 65) {
      const distance = image.reduce(
        (total, value, index) => total + (value - (rows[at + index] ?? 0)) ** 2,
        0,
      );
      ranked.push({ label: rows[at + 64] ?? -1, distance });
    }
    ranked.sort((a, b) => a.distance - b.distance);
    const votes = new Array<number>(10).fill(0);
    for (const { label } of ranked.slice(0, 5)) votes[label] = (votes[label] ?? 0) + 1;
    return votes.indexOf(Math.max(...votes));
  };
  const wrong = drawings
    .map(({ digit, strokes }) => ({ digit, guess: guess(reduce(strokes)) }))
    .filter(({ digit, guess }) => digit !== guess);
  expect(drawings).toHaveLength(20);
  expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(2);
});

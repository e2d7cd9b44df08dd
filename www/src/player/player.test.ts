// Exported networks give here what they give in the engine (tests/player/make.py wrote both).
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { run, unknownOperators } from "./model";
import { readOnnx } from "./onnx";
import { erf } from "./operators";
import { fromHalf, pack, toHalf, unpack } from "./pack";
import { empty, FLOAT, INT64 } from "./tensor";

interface Case {
  name: string;
  model: string;
  input: { shape: number[]; values: number[] };
  output: { shape: number[]; values: number[] };
}

const cases = JSON.parse(readFileSync("tests/player/cases.json", "utf8")) as Case[];
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

/** The largest difference of two lists, to the size of what is expected. */
function difference(found: ArrayLike<number>, expected: number[]): number {
  const size = Math.max(1, ...expected.map(Math.abs));
  return Math.max(0, ...expected.map((value, i) => Math.abs(value - (found[i] ?? Number.NaN)) / size));
}

describe("operators", () => {
  test.each(cases)("$name", ({ model: stored, input, output }) => {
    const model = readOnnx(bytesOf(stored));
    expect(unknownOperators(model)).toEqual([]);
    const dtype = model.inputs[0]?.dtype === INT64 ? INT64 : FLOAT;
    const x = empty(dtype, input.shape);
    x.data.set(input.values);
    const [y] = run(model, [x]);
    expect(y?.shape).toEqual(output.shape);
    expect(difference(y?.data ?? [], output.values)).toBeLessThan(2e-6);

    const { graph, elements } = pack(model, 32);
    const [again] = run(unpack(JSON.parse(JSON.stringify(graph)), elements), [x]);
    expect(again?.data).toEqual(y?.data);
  });
});

test("half floats are rounded to the nearest, ties to even", () => {
  for (let bits = 0; bits < 0x7c00; bits++) {
    expect(toHalf(fromHalf(bits))).toBe(bits);
    const middle = (fromHalf(bits) + fromHalf(bits + 1)) / 2;
    if (Number.isFinite(middle)) expect(toHalf(middle)).toBe(bits + (bits % 2));
  }
  expect([toHalf(-1.5), toHalf(1e9), fromHalf(0xfc00)]).toEqual([0xbe00, 0x7c00, Number.NEGATIVE_INFINITY]);
  expect(fromHalf(toHalf(Number.NaN))).toBeNaN();
});

test("the error function has its digits", () => {
  for (const [x, expected] of [
    [0.5, 0.5204998778130465],
    [1, 0.8427007929497149],
    [2.5, 0.999593047982555],
    [-3, -0.9999779095030014],
  ] as const)
    expect(Math.abs(erf(x) - expected)).toBeLessThan(1e-14);
});

test("a file that is none, or is cut off, is an error in words", () => {
  const [first] = cases;
  const bytes = bytesOf((first as Case).model);
  for (let end = 0; end < bytes.length; end += 7) {
    try {
      readOnnx(bytes.subarray(0, end));
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).message).toMatch(/[a-z]{3}/);
    }
  }
  expect(() => readOnnx(new TextEncoder().encode("<!doctype html>"))).toThrow();
});

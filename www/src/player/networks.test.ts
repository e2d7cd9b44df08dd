// The random networks of the studio give here what they gave under PyTorch (tests/golden/networks.json); their ONNX is that
// of tests/player/make_onnx.py.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { run, unknownOperators } from "./model";
import { readOnnx } from "./onnx";
import { empty, INT64, sizeOf } from "./tensor";

interface Case {
  net: { name: string; inputs: { shape: (number | string)[]; dtype?: string }[] };
  shape: number[];
  output: number[];
}

const { cases } = JSON.parse(readFileSync("tests/golden/networks.json", "utf8")) as { cases: Case[] };
const models = split(gunzipSync(readFileSync("tests/player/networks.bin.gz")));

function split(bytes: Buffer): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    parts.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return parts;
}

/** As `filled` of tests/golden/make_networks.py, which multiplies whole numbers. */
function filled(n: number, k: number): number[] {
  return Array.from({ length: n }, (_, i) => {
    return Math.fround(((i * 7919 + 104729 * (k + 1)) % 1009) / 1009 - 0.5);
  });
}

test("as many models as networks", () => {
  expect(models).toHaveLength(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(100);
});

test.each(cases.map((one, i) => ({ ...one, name: one.net.name, i })))(
  "$name",
  ({ net, shape, output, i }) => {
    const model = readOnnx(models[i] as Uint8Array);
    expect(unknownOperators(model)).toEqual([]);
    const [given] = net.inputs as [Case["net"]["inputs"][0]];
    const sizes = given.shape.map((size) => (typeof size === "number" ? size : 2));
    const values = filled(sizeOf(sizes), 1000);
    const isWhole = given.dtype === "int64";
    const x = empty(isWhole ? INT64 : 1, sizes);
    x.data.set(isWhole ? values.map((value) => Math.min(10, Math.trunc((value + 0.5) * 11))) : values);
    const [y] = run(model, [x]);
    expect(y?.shape).toEqual(shape);
    const largest = Math.max(1, ...output.map(Math.abs));
    output.forEach((value, at) => {
      expect(Math.abs((y?.data[at] ?? Number.NaN) - value) / largest, `element ${at}`).toBeLessThan(2e-6);
    });
  },
);

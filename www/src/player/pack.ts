// A model as it stands in a page: its calls as JSON, and the elements of its constants as one text of base64.
//
// Invariant: what is packed at 32 bits comes back to the bit; at 16 bits, floats are rounded to them.
import type { Call, Model } from "./model";
import { empty, FLOAT, sizeOf, type Tensor } from "./tensor";

export interface Packed {
  inputs: Model["inputs"];
  outputs: string[];
  calls: Call[];
  /** Name, dtype and shape of each constant, in the order of their elements. */
  constants: [string, number, number[]][];
  /** Bits of a float's element. */
  bits: 16 | 32;
}

export function pack(model: Model, bits: 16 | 32): { graph: Packed; elements: string } {
  const constants = [...model.constants];
  const size = (tensor: Tensor) => tensor.data.length * bytesOf(tensor.dtype, bits);
  const bytes = new Uint8Array(constants.reduce((sum, [, tensor]) => sum + size(tensor), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [, { dtype, data }] of constants) {
    for (const value of data) {
      if (dtype !== FLOAT) view.setFloat64(at, value, true);
      else if (bits === 32) view.setFloat32(at, value, true);
      else view.setUint16(at, toHalf(value), true);
      at += bytesOf(dtype, bits);
    }
  }
  const { inputs } = model;
  const short = names(model);
  const calls = model.calls.map((call) => ({
    ...call,
    inputs: call.inputs.map(short),
    outputs: call.outputs.map(short),
  }));
  const listed = constants.map(([name, { dtype, shape }]): Packed["constants"][number] => [
    short(name),
    dtype,
    shape,
  ]);
  const graph = { inputs, outputs: model.outputs.map(short), calls, constants: listed, bits };
  return { graph, elements: base64(bytes) };
}

/** Short names: a graph may have thousands. Those of inputs stay, and none stays none. */
function names({ inputs }: Model): (name: string) => string {
  const taken = new Set(inputs.map(({ name }) => name));
  const short = new Map([...taken, ""].map((name) => [name, name]));
  let n = 0;
  return (name) => {
    const found = short.get(name);
    if (found !== undefined) return found;
    let made: string;
    do made = (n++).toString(36);
    while (taken.has(made));
    short.set(name, made);
    return made;
  };
}

export function unpack(graph: Packed, elements: string): Model {
  const bytes = Uint8Array.from(atob(elements), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const constants = new Map<string, Tensor>();
  let at = 0;
  for (const [name, dtype, shape] of graph.constants) {
    const made = empty(dtype, shape);
    for (let i = 0; i < sizeOf(shape); i++) {
      if (dtype !== FLOAT) made.data[i] = view.getFloat64(at, true);
      else made.data[i] = graph.bits === 32 ? view.getFloat32(at, true) : fromHalf(view.getUint16(at, true));
      at += bytesOf(dtype, graph.bits);
    }
    constants.set(name, made);
  }
  const { inputs, outputs, calls } = graph;
  return { inputs, outputs, calls, constants };
}

function bytesOf(dtype: number, bits: 16 | 32): number {
  return dtype === FLOAT ? bits / 8 : 8;
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 0x8000)
    parts.push(String.fromCharCode(...bytes.subarray(i, i + 0x8000)));
  return btoa(parts.join(""));
}

/** The nearest float16, ties to the even one. */
export function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const power = Math.max(-14, Math.floor(Math.log2(size || 1e-30)));
  // The logarithm may round up at a power of two.
  const exponent = 2 ** power > size && power > -14 ? power - 1 : power;
  const steps = size / 2 ** (exponent - 10);
  const floor = Math.floor(steps);
  const rest = steps - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  // Beyond 1023 steps a subnormal number becomes a normal one, and 2048 of a normal one carry into the exponent.
  return sign | (rounded < 1024 ? rounded : ((exponent + 15) << 10) + rounded - 1024);
}

export function fromHalf(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

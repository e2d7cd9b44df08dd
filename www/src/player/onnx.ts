// Reads an ONNX file: the messages of its protobuf that a model has.
//
// Invariant: what the file claims is held to its bytes; a field that is not known is skipped.
import type { Call, Model } from "./model";
import type { Attribute } from "./operator";
import { empty, FLOAT, type Tensor } from "./tensor";

interface Field {
  id: number;
  /** How it is stored: 0 a whole number, 1 and 5 a float, 2 bytes. */
  wire: number;
  bytes: Uint8Array;
  number: number;
}

class Reader {
  at = 0;
  private readonly view: DataView;
  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): number {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || shift > 63n) throw new Error("the ONNX file is cut off");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
      shift += 7n;
    }
  }

  taken(length: number): Uint8Array {
    if (!(length >= 0 && this.at + length <= this.bytes.length)) throw new Error("the ONNX file is cut off");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  field(): Field {
    const key = this.varint();
    const [id, wire] = [Math.floor(key / 8), key % 8];
    const nothing = this.bytes.subarray(0, 0);
    if (wire === 0) return { id, wire, number: this.varint(), bytes: nothing };
    if (wire === 2) return { id, wire, number: 0, bytes: this.taken(this.varint()) };
    const { at } = this;
    if (wire === 5) return { id, wire, bytes: this.taken(4), number: this.view.getFloat32(at, true) };
    if (wire === 1) return { id, wire, bytes: this.taken(8), number: this.view.getFloat64(at, true) };
    throw new Error("the file is no ONNX model");
  }
}

/** The fields of a message. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const reader = new Reader(bytes);
  const found: Field[] = [];
  while (!reader.isAtEnd) found.push(reader.field());
  return found;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const first = (fields: Field[], id: number) => fields.find((field) => field.id === id);
const all = (fields: Field[], id: number) => fields.filter((field) => field.id === id);

/** Whole numbers of a repeated field, packed or one by one. */
function numbers(fields: Field[], id: number): number[] {
  return all(fields, id).flatMap(({ wire, bytes, number }) => {
    if (wire !== 2) return [number];
    const reader = new Reader(bytes);
    const found: number[] = [];
    while (!reader.isAtEnd) found.push(reader.varint());
    return found;
  });
}

/** How ONNX stores the dtypes that are read here: bytes of an element, and how one is read. */
const STORED: Record<number, [number, (view: DataView, at: number) => number]> = {
  1: [4, (view, at) => view.getFloat32(at, true)],
  2: [1, (view, at) => view.getUint8(at)],
  3: [1, (view, at) => view.getInt8(at)],
  6: [4, (view, at) => view.getInt32(at, true)],
  7: [8, (view, at) => Number(view.getBigInt64(at, true))],
  9: [1, (view, at) => view.getUint8(at)],
  11: [8, (view, at) => view.getFloat64(at, true)],
};

function tensorOf(bytes: Uint8Array): Tensor {
  const fields = fieldsOf(bytes);
  const dtype = first(fields, 2)?.number ?? FLOAT;
  const stored = STORED[dtype];
  if (!stored) throw new Error(`constants of ONNX's dtype ${dtype} are not read here`);
  const made = empty(dtype, numbers(fields, 1));
  const raw = first(fields, 9)?.bytes;
  if (raw) {
    const [size, read] = stored;
    if (raw.length !== made.data.length * size) throw new Error("a constant has other bytes than its shape");
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    for (let i = 0; i < made.data.length; i++) made.data[i] = read(view, i * size);
    return made;
  }
  const values = dtype === FLOAT ? floats(fields, 4) : numbers(fields, dtype === 7 ? 7 : 5);
  if (values.length !== made.data.length) throw new Error("a constant has other elements than its shape");
  made.data.set(values);
  return made;
}

function floats(fields: Field[], id: number): number[] {
  return all(fields, id).flatMap(({ wire, bytes, number }) => {
    if (wire !== 2) return [number];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(i * 4, true));
  });
}

/** An attribute's value by its kind: a float, an int, a text, a tensor, floats, or ints. */
function attributeOf(bytes: Uint8Array): [string, Attribute] {
  const fields = fieldsOf(bytes);
  const name = text(first(fields, 1)?.bytes ?? new Uint8Array());
  const kind = first(fields, 20)?.number;
  const value = (id: number) => first(fields, id);
  switch (kind) {
    case 1:
      return [name, value(2)?.number ?? 0];
    case 2:
      return [name, value(3)?.number ?? 0];
    case 3:
      return [name, text(value(4)?.bytes ?? new Uint8Array())];
    case 4:
      return [name, tensorOf(value(5)?.bytes ?? new Uint8Array())];
    case 6:
      return [name, floats(fields, 7)];
    case 7:
      return [name, numbers(fields, 8)];
    default:
      throw new Error(`the attribute ${name} has a kind that is not read here`);
  }
}

function callOf(bytes: Uint8Array): Call {
  const fields = fieldsOf(bytes);
  const names = (id: number) => all(fields, id).map((field) => text(field.bytes));
  return {
    operator: names(4)[0] ?? "",
    inputs: names(1),
    outputs: names(2),
    attributes: Object.fromEntries(all(fields, 5).map((field) => attributeOf(field.bytes))),
  };
}

function inputOf(bytes: Uint8Array): Model["inputs"][number] {
  const fields = fieldsOf(bytes);
  const type = fieldsOf(first(fields, 2)?.bytes ?? new Uint8Array());
  const tensor = fieldsOf(first(type, 1)?.bytes ?? new Uint8Array());
  const sizes = fieldsOf(first(tensor, 2)?.bytes ?? new Uint8Array());
  return {
    name: text(first(fields, 1)?.bytes ?? new Uint8Array()),
    dtype: first(tensor, 1)?.number ?? FLOAT,
    // An open size is 1 here.
    shape: all(sizes, 1).map((size) => first(fieldsOf(size.bytes), 1)?.number ?? 1),
  };
}

/** The model of an ONNX file. */
export function readOnnx(bytes: Uint8Array): Model {
  const graph = first(fieldsOf(bytes), 7);
  if (!graph) throw new Error("the file is no ONNX model: it has no graph");
  const fields = fieldsOf(graph.bytes);
  const constants = new Map<string, Tensor>();
  for (const { bytes: stored } of all(fields, 5)) {
    const name = text(first(fieldsOf(stored), 8)?.bytes ?? new Uint8Array());
    constants.set(name, tensorOf(stored));
  }
  const calls: Call[] = [];
  for (const call of all(fields, 1).map(({ bytes: node }) => callOf(node))) {
    const [value, name] = [call.attributes.value, call.outputs[0]];
    if (
      call.operator === "Constant" &&
      typeof value === "object" &&
      !Array.isArray(value) &&
      name !== undefined
    )
      constants.set(name, value);
    else calls.push(call);
  }
  return {
    inputs: all(fields, 11)
      .map(({ bytes: input }) => inputOf(input))
      .filter(({ name }) => !constants.has(name)),
    outputs: all(fields, 12).map(({ bytes: output }) =>
      text(first(fieldsOf(output), 1)?.bytes ?? new Uint8Array()),
    ),
    calls,
    constants,
  };
}

// The network's document in the ONNX file that is written of it, from which the studio reads blocks and recurrent layers as they
// were drawn: `crates/onnx/src/network/written.rs` says what the entries mean.
//
// Invariant: the model's bytes stay as they are. Entries of metadata stand behind them, which a message of Protocol Buffers
// takes as if they stood inside.
import { sum } from "../../link/packed";
import type { Net } from "../model";

type Bytes = Uint8Array<ArrayBuffer>;

/** The field `metadata_props` of a model, and key and value of an entry, each a text or message with its length. */
const METADATA = 14;
const [KEY, VALUE] = [1, 2];

export function withDocument(model: Bytes, net: Net, weights: readonly string[]): Bytes {
  return joined([
    model,
    entry("glowgrad.architecture", JSON.stringify(net)),
    entry("glowgrad.weights", JSON.stringify(weights)),
    entry("glowgrad.model", `${model.length} ${sum(model).toString(16).padStart(8, "0")}`),
  ]);
}

function entry(key: string, value: string): Bytes {
  const text = (text: string) => new TextEncoder().encode(text);
  return field(METADATA, joined([field(KEY, text(key)), field(VALUE, text(value))]));
}

function field(number: number, bytes: Bytes): Bytes {
  return joined([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(n: number): Bytes {
  const bytes: number[] = [];
  for (; n > 127; n >>>= 7) bytes.push((n & 127) | 128);
  return Uint8Array.of(...bytes, n);
}

function joined(parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// Files read and written while Python waits, by a wasm module of its own: `crates/files_web` says how it is called.
//
// Invariant: the module is fetched and compiled when a file is first read, and each call has an instance of its own, so
// that what a large file took is free again.
import type { Codec } from "virtual:builds";

/** What the module exports. */
interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  answer(requestLength: number): number;
  text(): number;
  text_length(): number;
  bytes(): number;
  bytes_length(): number;
}

export function codec(fetchModule: () => ArrayBuffer): Codec {
  let module: WebAssembly.Module | null = null;
  return (request, bytes) => {
    module ??= new WebAssembly.Module(fetchModule());
    const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    const head = new TextEncoder().encode(request);
    const start = exports.reserve(head.length + bytes.length);
    const input = new Uint8Array(exports.memory.buffer, start, head.length + bytes.length);
    input.set(head);
    input.set(bytes, head.length);
    const isAnswered = exports.answer(head.length);
    const part = (at: number, length: number) => new Uint8Array(exports.memory.buffer, at, length);
    const text = new TextDecoder().decode(part(exports.text(), exports.text_length()));
    if (!isAnswered) throw new Error(text);
    return { text, bytes: part(exports.bytes(), exports.bytes_length()) };
  };
}

// Files and models read and written while Python waits, by two wasm modules: `crates/files_web` says how they are called.
//
// Invariant: a module is fetched and compiled when it is first asked, and each call has an instance of its own, so that
// what a large file took is free again.
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

/** The module of file formats, and that of ONNX models. */
export type Answering = "files" | "onnx";

export function codec(fetchModule: (name: Answering) => ArrayBuffer): Codec {
  const modules = new Map<Answering, WebAssembly.Module>();
  return (request, bytes) => {
    const name = request.startsWith("onnx-") ? "onnx" : "files";
    const module = modules.get(name) ?? new WebAssembly.Module(fetchModule(name));
    modules.set(name, module);
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

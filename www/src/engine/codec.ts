// Files and models read and written while Python waits, by two wasm modules: `crates/files_web` says how they are called.
//
// Invariant: a module is fetched and compiled when it is first asked, and each call has an instance of its own, so that
// what a large file took is free again.
import type { Codec } from "virtual:builds";
import { ask, instanceOf } from "./answering";

/** The module of file formats, and that of ONNX models. */
export type Answering = "files" | "onnx";

export function codec(fetchModule: (name: Answering) => ArrayBuffer): Codec {
  const modules = new Map<Answering, WebAssembly.Module>();
  return (request, bytes) => {
    const name = request.startsWith("onnx-") ? "onnx" : "files";
    const module = modules.get(name) ?? new WebAssembly.Module(fetchModule(name));
    modules.set(name, module);
    const { isAnswered, text, bytes: answered } = ask(instanceOf(module), request, bytes);
    if (!isAnswered) throw new Error(text);
    return { text, bytes: answered };
  };
}

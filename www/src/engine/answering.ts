// A wasm module without glue that answers requests: `crates/files_web` says how it is called.

/** What such a module exports. */
export interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  answer(requestLength: number): number;
  text(): number;
  text_length(): number;
  bytes(): number;
  bytes_length(): number;
}

export interface Answer {
  isAnswered: boolean;
  /** The answer's, or the sentence that says why there is none. */
  text: string;
  /** In the module's memory: they are those of the answer until the next one. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** An instance of its own, with memory of its own. */
export function instanceOf(module: WebAssembly.Module): Exports {
  return new WebAssembly.Instance(module).exports as unknown as Exports;
}

export function ask(exports: Exports, request: string, bytes: Uint8Array = new Uint8Array()): Answer {
  const head = new TextEncoder().encode(request);
  const start = exports.reserve(head.length + bytes.length);
  const part = (at: number, length: number) =>
    new Uint8Array(exports.memory.buffer as ArrayBuffer, at, length);
  const input = part(start, head.length + bytes.length);
  input.set(head);
  input.set(bytes, head.length);
  const isAnswered = exports.answer(head.length) !== 0;
  const text = new TextDecoder().decode(part(exports.text(), exports.text_length()));
  return { isAnswered, text, bytes: part(exports.bytes(), exports.bytes_length()) };
}

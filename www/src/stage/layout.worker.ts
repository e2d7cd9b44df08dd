// The worker that places nodes: the engine's own layout, off the page's main thread.
//
// Invariant: every request is answered once, with places or with why there are none; how long the last
// one took stands among the worker's measures. Its module is the layout alone, without an engine.
import { layout } from "virtual:builds";
import { ask, instanceOf } from "../engine/answering";
import type { Request, Response } from "./places";

let module: Promise<WebAssembly.Module> | null = null;

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  let response: Response;
  try {
    module ??= load().catch((error) => {
      // The next request tries again.
      module = null;
      throw error;
    });
    const exports = instanceOf(await module);
    const { counts, src, rooms, flow } = data;
    const start = performance.now();
    const request = `${flow.direction} ${flow.row} ${counts.length}`;
    const { isAnswered, text, bytes } = ask(exports, request, joined(counts, rooms, src));
    if (!isAnswered) throw new Error(text);
    performance.clearMeasures();
    performance.measure(`layout of ${counts.length} nodes`, { start });
    response = { id: data.id, places: new Float32Array(bytes.slice().buffer), problem: "" };
  } catch (error) {
    response = { id: data.id, places: null, problem: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(response);
};

async function load(): Promise<WebAssembly.Module> {
  if (!layout) throw new Error("this copy of the page was built without its layout");
  const response = await fetch(layout);
  if (!response.ok) throw new Error("the module that lays graphs out did not arrive");
  return WebAssembly.compile(await response.arrayBuffer());
}

function joined(...parts: (Uint32Array | Float32Array)[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, { byteLength }) => length + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    all.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return all;
}

// An ONNX model as a network and its weights, read by the module of models in a worker of its own.
import { python } from "virtual:builds";
import type { Net } from "../model";

type Bytes = Uint8Array<ArrayBuffer>;

interface Read {
  net: Net;
  /** As safetensors. */
  weights: Bytes;
}

/** Rejects with the sentence that says why not; with the signal's reason where it was given up. */
export function readModel(bytes: Bytes, signal: AbortSignal): Promise<Read> {
  const url = python?.onnx;
  if (!url)
    return Promise.reject(new Error("This copy of the page was built without the module that reads models."));
  const worker = new Worker(new URL("./onnx.worker.ts", import.meta.url), { type: "module" });
  return new Promise<Read>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.onmessage = ({ data }: MessageEvent<{ text: string; bytes: Bytes } | { error: string }>) => {
      if ("error" in data) reject(new Error(data.error));
      else resolve({ net: JSON.parse(data.text), weights: data.bytes });
    };
    worker.onerror = ({ message }) =>
      reject(new Error(message || "The module that reads models did not start."));
    worker.postMessage({ url: new URL(url, location.href).href, bytes }, [bytes.buffer]);
  }).finally(() => worker.terminate());
}

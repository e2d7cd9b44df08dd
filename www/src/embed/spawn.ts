// Starts the package's workers; stands in the place of www/src/engine/spawn.ts.
//
// Invariant: a module is compiled once a page: a worker that starts later gets it with its first message.

import type { BuildName, FromWorker, ToWorker } from "../engine/wire";
import workerAddress from "../engine/worker.ts?worker&url";
import { startWorker } from "./address";
import { packageFiles } from "./packageFiles";

const compiled = new Map<BuildName, WebAssembly.Module>();

export function spawnWorker(build: BuildName): Worker {
  const worker = startWorker(workerAddress, `glowgrad ${build}`, packageFiles());
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "compiled") compiled.set(build, data.module);
  });
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (message: ToWorker) => {
    const known = message.kind === "load" ? (message.module ?? compiled.get(build) ?? null) : null;
    post(known && message.kind === "load" ? { ...message, module: known } : message);
  };
  return worker;
}

// Starts the worker that places nodes; stands in the place of www/src/stage/layoutSpawn.ts.
import workerAddress from "../stage/layout.worker.ts?worker&url";
import { startWorker } from "./address";
import { packageFiles } from "./packageFiles";

export function spawnLayout(): Worker {
  return startWorker(workerAddress, "glowgrad layout", packageFiles());
}

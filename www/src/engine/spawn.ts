// Starts the page's workers with an engine in them.
//
// Invariant: the one place of the page that names the worker's file. The npm package has another in its place,
// www/src/embed/spawn.ts, because a page of another host may not start a worker by its address.
import type { BuildName } from "./wire";

export function spawnWorker(build: BuildName): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: `glowgrad ${build}` });
}

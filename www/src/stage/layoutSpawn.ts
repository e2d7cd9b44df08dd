// Starts the worker that places nodes.
//
// Invariant: the one place that names its file; the npm package has www/src/embed/layoutSpawn.ts in its place.
export function spawnLayout(): Worker {
  return new Worker(new URL("./layout.worker.ts", import.meta.url), {
    type: "module",
    name: "glowgrad layout",
  });
}

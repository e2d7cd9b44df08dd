// The worker that places nodes: the engine's own layout, off the page's main thread.
//
// Invariant: every request is answered once, with places or with why there are none; how long the last
// one took stands among the worker's measures. It has no session; the module is the small engine that
// the landing page loaded, from the browser's cache mostly.
import type { Glue } from "virtual:builds";
import type { Request, Response } from "./places";

let glue: Promise<Glue> | null = null;

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  let response: Response;
  try {
    glue ??= load();
    const { layout } = await glue;
    if (!layout) throw new Error("the engine of this page is older than its text: reload the page");
    const start = performance.now();
    const places = layout(data.counts, data.src, data.rooms, data.flow.direction === "down", data.flow.row);
    performance.clearMeasures();
    performance.measure(`layout of ${data.counts.length} nodes`, { start });
    response = { id: data.id, places, problem: "" };
  } catch (error) {
    response = { id: data.id, places: null, problem: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(response);
};

async function load(): Promise<Glue> {
  const { engine } = await import("virtual:builds");
  if (!engine) throw new Error("this copy of the page was built without its engine");
  const loaded = await engine.glue();
  await loaded.default({ module_or_path: engine.url });
  return loaded;
}

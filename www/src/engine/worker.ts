// The worker: loads one wasm build and hands it the page's commands.
//
// Invariant: every command ends in a `Done` event or in one `failed` message, after which this
// worker answers nothing and the page replaces it. Leaves queueing, stopping by force and
// replacement to client.ts.
import type { Glue } from "virtual:builds";
import type { Event } from "../protocol";
import { codec } from "./codec";
import { download, fetchNow } from "./download";
import { joinPrints } from "./printing";
import { canSuspend, standInForSuspension } from "./suspension";
import type { BuildName, FromWorker, ToWorker } from "./wire";

const suspends = canSuspend();
let glue: Glue | null = null;

function post(message: FromWorker): void {
  self.postMessage(message);
}

self.onmessage = async (message: MessageEvent<ToWorker>) => {
  const request = message.data;
  switch (request.kind) {
    case "load":
      hold(request.lock);
      try {
        glue = await load(request.build, request.module);
        post({ kind: "ready", suspends });
      } catch (error) {
        post({ kind: "failed", message: text(error), loading: true });
      }
      return;
    case "keep":
      // Not to be had: then a later worker says so.
      await keep(request.build).catch(() => {});
      self.close();
      return;
    case "command":
      try {
        if (!glue) throw new Error("a command came before the engine was loaded");
        if (suspends) await glue.handle(request.command);
        else glue.handle_sync(request.command);
      } catch (error) {
        glue = null;
        post({ kind: "failed", message: text(error), loading: false });
      }
      return;
    case "stop":
      glue?.stop();
  }
};

async function load(build: BuildName, known: WebAssembly.Module | null): Promise<Glue> {
  const found = (await import("virtual:builds"))[build];
  if (!found) {
    throw new Error(
      `this copy of the page was built without its ${build} module: run \`cargo lab\` and reload`,
    );
  }
  standInForSuspension();
  const bindings = found.glue();
  const module =
    known ??
    (await download(found.url, found.bytes, (done, total) => post({ kind: "loading", done, total })));
  if (!known) post({ kind: "compiled", module });
  const loaded = await bindings;
  await loaded.default({ module_or_path: module });
  const send = (event: Event) => post({ kind: "event", event });
  // A run that cannot suspend lets no timer in: each print is sent at once.
  loaded.start(
    suspends ? joinPrints(send) : send,
    suspends,
    () => fetchNow(found.library, "text"),
    codec((name) => fetchNow(found[name], "arraybuffer")),
  );
  return loaded;
}

/** Fetches the files that a later worker needs, for when the server is gone: the module for the page to hold, the
 * glue for the browser's cache. */
async function keep(build: BuildName): Promise<void> {
  const found = (await import("virtual:builds"))[build];
  if (!found) return;
  await found.glue();
  post({ kind: "compiled", module: await download(found.url, found.bytes, () => {}) });
}

/** The browser gives the lock back when the worker ends, however it ends: so the page learns of it. */
function hold(lock: string): void {
  const held = () => {
    post({ kind: "alive", lock });
    return new Promise<void>(() => {});
  };
  // A frame of another site may have none.
  navigator.locks?.request(lock, held).catch(() => {});
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// The messages between the page and a worker, around the session's own commands and events.
import type { Command, Event } from "../protocol";

export type BuildName = "engine" | "python";

/** A command without its id, which the client gives. */
export type CommandBody = Command extends infer One
  ? One extends { type: "stop" }
    ? never
    : One extends { id: number }
      ? Omit<One, "id">
      : never
  : never;

export type ToWorker =
  /** Sent first. `module` spares a replacement the download and the compilation. */
  | { kind: "load"; build: BuildName; module: WebAssembly.Module | null; lock: string }
  /** Sent instead: the worker fetches the files that a later one needs, sends `compiled`, and ends. */
  | { kind: "keep"; build: BuildName }
  | { kind: "command"; command: Exclude<Command, { type: "stop" }> }
  | { kind: "stop" };

export type FromWorker =
  /** The worker holds `lock` for as long as it lives. */
  | { kind: "alive"; lock: string }
  | { kind: "loading"; done: number; total: number }
  | { kind: "compiled"; module: WebAssembly.Module }
  /** `suspends`: commands can be stopped while they run (the browser has JSPI). */
  | { kind: "ready"; suspends: boolean }
  | { kind: "event"; event: Event }
  /** Nothing more will come: loading failed, or the module trapped. */
  | { kind: "failed"; message: string; loading: boolean };

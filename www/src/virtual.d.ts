// Types of what the build makes: see www/build/builds.ts and crates/web.

declare module "virtual:builds" {
  import type { Command, Event } from "./protocol";

  /** The glue that wasm-bindgen writes for `crates/web`. */
  export interface Glue {
    default(options: { module_or_path: WebAssembly.Module }): Promise<unknown>;
    start(emit: (event: Event) => void): void;
    handle(command: Command): Promise<void>;
    handle_sync(command: Command): void;
    stop(): void;
  }
  export interface Build {
    url: string;
    /** Uncompressed, which is what a stream of the body counts. */
    bytes: number;
    glue: () => Promise<Glue>;
  }
  /** Null when `cargo lab` has not made this build. */
  export const engine: Build | null;
  export const python: Build | null;
}

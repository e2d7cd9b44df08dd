// Types of what the build makes: see www/build/builds.ts, www/build/lessonIndex.ts and crates/web.

declare module "virtual:builds" {
  import type { Command, Event } from "./protocol";

  /** Reads or writes a file, as `glowgrad_files::codec` says; throws why it cannot. */
  export type Codec = (request: string, bytes: Uint8Array) => { text: string; bytes: Uint8Array };

  /** The glue that wasm-bindgen writes for `crates/web`. */
  export interface Glue {
    default(options: { module_or_path: WebAssembly.Module | string }): Promise<unknown>;
    start(emit: (event: Event) => void, canSuspend: boolean, library: () => string, codec: Codec): void;
    handle(command: Command): Promise<void>;
    handle_sync(command: Command): void;
    stop(): void;
  }
  export interface Build {
    url: string;
    /** Uncompressed, which is what a stream of the body counts. */
    bytes: number;
    /** Python's library, a text; null in a build without Python. */
    library: string | null;
    /** The module of file formats; null where there is no Python, which asks for it. */
    files: string | null;
    /** The module that writes and reads ONNX models; null where there is no Python. */
    onnx: string | null;
    glue: () => Promise<Glue>;
  }
  /** Null when `cargo lab` has not made this build. */
  export const engine: Build | null;
  export const python: Build | null;
  /** The module that knows the networks of the studio. */
  export const architecture: string | null;
  /** The module that places the nodes of a graph. */
  export const layout: string | null;
}

declare module "virtual:course-work" {
  /** By lesson. */
  const work: Record<string, import("./course/completion").Work>;
  export default work;
}

declare module "virtual:search-index" {
  const index: import("./search/search").SearchIndex;
  export default index;
}

declare module "virtual:names" {
  const names: import("./code/names").NamesData;
  export default names;
}

declare module "virtual:player" {
  /** The program of a page that holds one network, and its style sheet. */
  export const script: string;
  export const style: string;
}

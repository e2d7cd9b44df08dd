// The addresses of the package's files, as its bundler wrote them.
//
// Invariant: each is `new URL("…", import.meta.url)` in the built package, which the bundlers of its users know.
import engine from "../wasm/engine/glowgrad_web_bg.wasm?url&no-inline";
import files from "../wasm/python/files.wasm?url&no-inline";
import python from "../wasm/python/glowgrad_web_bg.wasm?url&no-inline";
import layout from "../wasm/python/layout.wasm?url&no-inline";
import library from "../wasm/python/library.txt?url&no-inline";
import onnx from "../wasm/python/onnx.wasm?url&no-inline";
import type { PackageFiles } from "./address";

const whole = (address: string) => new URL(address, location.href).href;

export function packageFiles(): PackageFiles {
  return {
    engine: whole(engine),
    python: whole(python),
    library: whole(library),
    files: whole(files),
    onnx: whole(onnx),
    layout: whole(layout),
  };
}

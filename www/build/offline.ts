// Builds the service worker and its list: every file of the site with its hash, in `dist/offline.js`.
//
// Invariant: the version is a hash over all that is listed, so that two builds of the same sources
// are one version, and any change is another. Leaves what the worker does to
// www/src/offline/serviceWorker.ts.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { type Plugin, transformWithOxc } from "vite";
import type { Listed } from "../src/offline/serviceWorker.ts";

/** In the site's root: a worker sees the pages beside it and below. */
export const WORKER = "offline.js";

export function offline(): Plugin {
  let [root, dist] = ["", ""];
  return {
    name: "glowgrad-offline",
    apply: "build",
    configResolved(config) {
      root = config.root;
      dist = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      order: "post",
      sequential: true,
      async handler() {
        const source = resolve(root, "www/src/offline/serviceWorker.ts");
        const { code } = await transformWithOxc(readFileSync(source, "utf8"), source, { sourcemap: false });
        const files = list(dist, later(root));
        writeFileSync(resolve(dist, WORKER), filled(code, files));
      },
    },
  };
}

/** The worker's code with version and list in it. A classic script: nothing is imported or exported. */
export function filled(code: string, files: Listed[]): string {
  const rows = JSON.stringify(files);
  const version = createHash("sha256").update(rows).digest("hex").slice(0, 12);
  return code
    .replace(/^export\s*\{\s*\};?\s*$/m, "")
    .replaceAll("__GLOWGRAD_VERSION__", JSON.stringify(version))
    .replaceAll("__GLOWGRAD_FILES__", rows);
}

/** Every file below a folder but the worker; those whose hash is in `large` wait until they are asked for. */
export function list(folder: string, large: Set<string>): Listed[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): Listed => {
      const hash = integrity(readFileSync(path));
      return [relative(folder, path).split(sep).join("/"), hash, large.has(hash) ? 1 : 0];
    })
    .filter(([path]) => path !== WORKER)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function later(root: string): Set<string> {
  const names = ["glowgrad_web_bg.wasm", "library.txt", "files.wasm", "onnx.wasm", "architecture.wasm"];
  const files = names.map((name) => resolve(root, "www/src/wasm/python", name));
  return new Set(files.filter(existsSync).map((file) => integrity(readFileSync(file))));
}

function integrity(bytes: Uint8Array): string {
  return `sha256-${createHash("sha256").update(bytes).digest("base64")}`;
}

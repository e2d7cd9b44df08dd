// The module `virtual:builds`: which wasm builds this site has, where they are, and their bytes.
//
// Invariant: a build that `cargo lab` has not made yet is null, so the front end type-checks, tests
// and bundles without any wasm, and says at run time what is missing.
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Plugin } from "vite";

const NAME = "virtual:builds";
const RESOLVED = `\0${NAME}`;

export function builds(): Plugin {
  let root = process.cwd();
  return {
    name: "glowgrad-builds",
    configResolved(config) {
      root = config.root;
    },
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      const both = ["engine", "python"].map((build) => declaration(root, build));
      return [...both, module(root, "architecture"), module(root, "layout")].join("\n");
    },
  };
}

/** The same module for the npm package, whose workers are told by their page where the files are. */
export function packageBuilds(): Plugin {
  let root = process.cwd();
  return {
    name: "glowgrad-package-builds",
    configResolved(config) {
      root = config.root;
    },
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      const build = (name: string, files: string) => {
        const folder = `www/src/wasm/${name}`;
        const { size } = statSync(resolve(root, folder, "glowgrad_web_bg.wasm"));
        const glue = `() => import("/${folder}/glowgrad_web.js")`;
        return `export const ${name} = { url: named.${name}, bytes: ${size}, ${files}, glue: ${glue} };`;
      };
      return [
        'import { namedFiles } from "/www/src/embed/address.ts";',
        "const named = namedFiles();",
        build("engine", "library: null, files: null, onnx: null"),
        build("python", "library: named.library, files: named.files, onnx: named.onnx"),
        "export const architecture = null;",
        "export const layout = named.layout;",
      ].join("\n");
    },
  };
}

function module(root: string, name: string): string {
  const path = `www/src/wasm/python/${name}.wasm`;
  if (!existsSync(resolve(root, path))) return `export const ${name} = null;`;
  return `export { default as ${name} } from "/${path}?url&no-inline";`;
}

function declaration(root: string, build: string): string {
  const folder = resolve(root, "www/src/wasm", build);
  const module = `${folder}/glowgrad_web_bg.wasm`;
  if (!existsSync(module)) return `export const ${build} = null;`;
  const path = `/www/src/wasm/${build}`;
  const library = existsSync(`${folder}/library.txt`);
  const files = existsSync(`${folder}/files.wasm`);
  const onnx = existsSync(`${folder}/onnx.wasm`);
  return [
    `import ${build}Url from "${path}/glowgrad_web_bg.wasm?url";`,
    ...(library ? [`import ${build}Library from "${path}/library.txt?url&no-inline";`] : []),
    ...(files ? [`import ${build}Files from "${path}/files.wasm?url&no-inline";`] : []),
    ...(onnx ? [`import ${build}Onnx from "${path}/onnx.wasm?url&no-inline";`] : []),
    `export const ${build} = {`,
    `  url: ${build}Url,`,
    `  bytes: ${statSync(module).size},`,
    `  library: ${library ? `${build}Library` : "null"},`,
    `  files: ${files ? `${build}Files` : "null"},`,
    `  onnx: ${onnx ? `${build}Onnx` : "null"},`,
    `  glue: () => import("${path}/glowgrad_web.js"),`,
    "};",
  ].join("\n");
}

// Makes target/npm a package: package.json with the version of the workspace, types, README and licences.
//
// Invariant: the types are those of www/src/embed/api.ts and of the generated files that it names; a type that cannot be
// written fails the build.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import type { Plugin } from "vite";

const TYPES = "www/src/embed/api.ts";

export function packageFolder(): Plugin {
  let [root, out] = ["", ""];
  return {
    name: "glowgrad-package-folder",
    apply: "build",
    configResolved(config) {
      root = config.root;
      out = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const read = (path: string) => readFileSync(resolve(root, path), "utf8");
      const version = /\[workspace\.package\][^[]*?version = "([^"]+)"/.exec(read("Cargo.toml"))?.[1];
      if (!version) throw new Error("Cargo.toml names no version of the workspace");
      const made = { ...JSON.parse(read("www/embed/package.json")), version };
      writeFileSync(resolve(out, "package.json"), `${JSON.stringify(made, null, 2)}\n`);
      for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) {
        cpSync(resolve(root, name === "README.md" ? "www/embed/README.md" : name), resolve(out, name));
      }
      writeTypes(root, out);
    },
  };
}

function writeTypes(root: string, out: string): void {
  const compiler = resolve(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
  const options = ["--declaration", "--emitDeclarationOnly", "--strict", "--skipLibCheck"];
  const target = ["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];
  const place = ["--rootDir", "www/src", "--outDir", resolve(out, "types"), "--ignoreConfig"];
  execFileSync(process.execPath, [compiler, ...options, ...target, ...place, TYPES], {
    cwd: root,
    stdio: "inherit",
  });
}

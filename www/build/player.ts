// The module `virtual:player`: the program and the style sheet of a page that holds one network, each as a text.
//
// Invariant: one script without imports, so that it can stand in a file that works without any other.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build, type Plugin } from "vite";

const NAME = "virtual:player";
const RESOLVED = `\0${NAME}`;

export function player(): Plugin {
  let root = process.cwd();
  return {
    name: "glowgrad-player",
    configResolved(config) {
      root = config.root;
    },
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    async load(id) {
      if (id !== RESOLVED) return null;
      const made = await build({
        configFile: false,
        root,
        publicDir: false,
        logLevel: "warn",
        build: {
          target: "es2022",
          write: false,
          lib: { entry: resolve(root, "www/src/player/page.ts"), formats: ["iife"], name: "player" },
        },
      });
      const [first] = [made].flat();
      if (!first || !("output" in first)) throw new Error("the player was not bundled");
      const styles = ["www/src/style/tokens.css", "www/src/player/page.css"];
      const css = styles.map((file) => readFileSync(resolve(root, file), "utf8")).join("\n");
      return `export const script = ${JSON.stringify(first.output[0].code)};\nexport const style = ${JSON.stringify(css)};`;
    },
  };
}

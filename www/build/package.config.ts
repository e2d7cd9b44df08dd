// The npm package `glowgrad`: web components and functions for other people's pages, bundled into target/npm.
//
// Invariant: it is made of the page's own sources. What differs is put in place here: how workers are started, where
// their files are, and that style sheets belong to shadow trees. No file of it is needed before an element is seen but
// glowgrad.js.
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";
import { packageBuilds } from "./builds.ts";
import { fonts } from "./fonts.ts";
import { lessonIndex } from "./lessonIndex.ts";
import { packageFolder } from "./packageFolder.ts";
import { hostStyles, shadowStyles } from "./shadowStyles.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Files of the page, and what the package has in their place. */
const PLACES = new Map([
  ["www/src/engine/spawn.ts", "www/src/embed/spawn.ts"],
  ["www/src/stage/layoutSpawn.ts", "www/src/embed/layoutSpawn.ts"],
]);
/** What fetches the style sheets of a chunk before it: a package whose sheets are scripts has none. */
const PRELOADER = "\0vite/preload-helper.js";

function replaced(): Plugin {
  return {
    name: "glowgrad-replaced",
    enforce: "pre",
    async resolveId(source, importer, options) {
      if (!/\/(spawn|layoutSpawn)$/.test(source)) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      const place = found && PLACES.get(found.id.slice(root.length));
      return place ? root + place : found;
    },
    load: (id) => (id === PRELOADER ? "export const __vitePreload = (load) => load();" : null),
  };
}

export default defineConfig({
  root,
  base: "./",
  publicDir: false,
  plugins: [
    replaced(),
    hostStyles(),
    shadowStyles(),
    svelte(),
    packageBuilds(),
    fonts(),
    lessonIndex(),
    packageFolder(),
  ],
  worker: {
    format: "es",
    plugins: () => [packageBuilds()],
    // One file, so that a bundler may move it.
    rolldownOptions: { output: { codeSplitting: false, entryFileNames: "assets/[name]-[hash].js" } },
  },
  build: {
    target: "es2022",
    outDir: "target/npm",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: { glowgrad: "www/src/embed/index.ts", anywidget: "www/src/embed/anywidget.ts" },
      preserveEntrySignatures: "strict",
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
      },
    },
  },
});

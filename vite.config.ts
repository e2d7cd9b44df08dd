// The front end's build: the repository root is Vite's root, `dist/` a static site that works under
// any sub-path. What is ours beyond the defaults lives in www/build, one plugin a file.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { builds } from "./www/build/builds.ts";
import { contentSecurity } from "./www/build/contentSecurity.ts";
import { fonts } from "./www/build/fonts.ts";
import { lessonIndex } from "./www/build/lessonIndex.ts";
import { lessonMath } from "./www/build/lessonMath.ts";
import { offline } from "./www/build/offline.ts";
import { player } from "./www/build/player.ts";
import { preload } from "./www/build/preload.ts";

export default defineConfig({
  base: "./",
  publicDir: "www/public",
  plugins: [
    svelte(),
    builds(),
    fonts(),
    lessonMath(),
    lessonIndex(),
    player(),
    preload(),
    contentSecurity(),
    offline(),
  ],
  worker: { format: "es", plugins: () => [builds()] },
  optimizeDeps: { entries: ["index.html"] },
  server: {
    watch: { ignored: ["**/target/**", "**/crates/**", "**/dist/**"] },
  },
  build: {
    target: "es2022",
    outDir: "dist",
    assetsInlineLimit: 2048,
    // A browser that does not know `modulepreload` fetches the same files a little later.
    modulePreload: { polyfill: false },
    // KaTeX and CodeMirror are large, and loaded only where they are needed.
    chunkSizeWarningLimit: 700,
    // Small modules that every page shares are one file: compressed alone, each would be larger.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: "shared",
              test: /\/(svelte\/src\/|www\/src\/(language\/language\.svelte|engine\/engines\.svelte|stage\/numbers))/,
            },
          ],
        },
      },
    },
  },
  test: {
    // A document costs a file a second: those that want one begin with `// @vitest-environment happy-dom`.
    environment: "node",
    include: ["www/**/*.test.ts"],
    // A hang ends; a busy computer fails no test.
    testTimeout: 60_000,
  },
  // Tests mount components, which Svelte compiles for the browser only under this condition.
  ...(process.env.VITEST ? { resolve: { conditions: ["browser"] } } : {}),
});

import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

/** Runes everywhere; TypeScript in components. */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
};

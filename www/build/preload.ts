// Starts the downloads of first paint at once: the two faces it is set in and the small wasm build.
//
// Without it a browser learns of the faces when it has the style sheet, and of the module when the
// worker runs: two more round trips before the first glow.
import type { Plugin } from "vite";

const FONTS = [/source-serif-4-latin-wght-normal.*\.woff2$/, /jetbrains-mono-latin-wght-normal.*\.woff2$/];

export function preload(): Plugin {
  return {
    name: "glowgrad-preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, context) =>
        Object.keys(context.bundle ?? {})
          .filter((file) => FONTS.some((font) => font.test(file)))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", href: `./${file}`, crossorigin: true },
            injectTo: "head" as const,
          })),
    },
  };
}

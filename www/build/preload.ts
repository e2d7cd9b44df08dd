// Starts the downloads of first paint at once: the two faces it is set in.
//
// Without it a browser learns of the faces only when it has the style sheet and the text to set.
import type { Plugin } from "vite";

// Vite ends a file's name with a hash of eight.
const FONTS = [/\/source-serif-4-[\w-]{8}\.woff2$/, /\/jetbrains-mono-[\w-]{8}\.woff2$/];

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

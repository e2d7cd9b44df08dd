// The Content-Security-Policy of the built page: its own files and its own inline script, nothing
// else.
//
// Invariant: no script runs that this build did not write. From another host, or another server on this computer, comes only
// a file whose address the learner wrote, as bytes, or the answer of a language model that the learner names. Styles may be inline: KaTeX and CodeMirror position with style attributes.
import { createHash } from "node:crypto";
import type { Plugin } from "vite";

export function contentSecurity(): Plugin {
  return {
    name: "glowgrad-content-security",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html.replace(
          '<meta charset="utf-8" />',
          `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy(html)}" />`,
        ),
    },
  };
}

export function policy(html: string): string {
  const inline = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    (match) =>
      `'sha256-${createHash("sha256")
        .update(match[1] ?? "")
        .digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${inline.join(" ")}`.trim(),
    "worker-src 'self'",
    "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data: blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

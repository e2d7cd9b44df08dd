// Style sheets for the npm package: each `import "….css"`, and each component's own style, becomes a call of `addStyle`
// in www/src/embed/styles.ts, which gives them to shadow trees.
//
// Invariant: nothing of the package styles the page that it stands in. `:root` becomes `:host`, and the theme is the
// attribute `theme` of the element.
import { resolve } from "node:path";
import type { Plugin } from "vite";

const MARK = "\0shadow:";
const isSheet = (id: string) => /\.css$|[?&]lang\.css$/.test(id);

export function shadowStyles(): Plugin {
  let styles = "";
  return {
    name: "glowgrad-shadow-styles",
    enforce: "pre",
    configResolved(config) {
      styles = resolve(config.root, "www/src/embed/styles.ts");
    },
    async resolveId(source, importer, options) {
      if (!isSheet(source)) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      // What ends in `.css` would be taken for a sheet again.
      return found && `${MARK}${found.id}.js`;
    },
    load(id) {
      if (!id.startsWith(MARK)) return null;
      const sheet = id.slice(MARK.length, -3);
      const inline = `${sheet}${sheet.includes("?") ? "&" : "?"}inline`;
      return [
        `import text from ${JSON.stringify(inline)};`,
        `import { addStyle } from ${JSON.stringify(styles)};`,
        "addStyle(text);",
      ].join("\n");
    },
  };
}

/** A sheet of the page as a shadow tree reads it. */
export function forHost(text: string): string {
  return text
    .replaceAll("[data-theme=", "[theme=")
    .replace(/:root((?:\[[^\]]*\]|:not\([^)]*\))+)/g, ":host($1)")
    .replaceAll(":root", ":host");
}

/** Rewrites the page's sheets before they are made small. */
export function hostStyles(): Plugin {
  return {
    name: "glowgrad-host-styles",
    enforce: "pre",
    transform(code, id) {
      return /\/www\/src\/style\/[\w-]+\.css(\?|$)/.test(id) ? { code: forHost(code), map: null } : null;
    },
  };
}

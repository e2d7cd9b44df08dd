// Style sheets for the npm package: each `import "….css"`, and each component's own style, becomes a call of `addStyle`
// in www/src/embed/styles.ts, which gives them to shadow trees.
//
// Invariant: nothing of the package styles the page that it stands in. `:root` becomes `:host`, and the theme is the
// attribute `theme` of the element.
import { resolve } from "node:path";
import type { Plugin } from "vite";

const MARK = "\0shadow:";
/** A component's style, by the component's name without its ending: with it, it would be compiled again. */
const COMPONENT = "\0shadow-component:";
const isSheet = (id: string) => /\.css$|[?&]lang\.css$/.test(id);

export function shadowStyles(): Plugin {
  let [root, styles] = ["", ""];
  return {
    name: "glowgrad-shadow-styles",
    enforce: "pre",
    configResolved(config) {
      root = config.root;
      styles = resolve(config.root, "www/src/embed/styles.ts");
    },
    async resolveId(source, importer, options) {
      if (!isSheet(source)) return null;
      const [component = "", query] = source.split(".svelte?");
      if (query !== undefined) return `${COMPONENT}${component}.js`;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      // What ends in `.css` would be taken for a sheet again.
      return found && `${MARK}${found.id}.js`;
    },
    load(id) {
      const add = `import { addStyle } from ${JSON.stringify(styles)};`;
      if (id.startsWith(MARK)) {
        const sheet = JSON.stringify(`${id.slice(MARK.length, -3)}?inline`);
        return `import text from ${sheet};\n${add}\naddStyle(text);`;
      }
      if (!id.startsWith(COMPONENT)) return null;
      const path = id.slice(COMPONENT.length, -3);
      const file = `${path.startsWith(root) ? path : resolve(root, path.slice(1))}.svelte`;
      // The compiler left its style with the component.
      const code = this.getModuleInfo(file)?.meta.svelte?.css?.code;
      if (typeof code !== "string") throw new Error(`${file} has no compiled style`);
      return `${add}\naddStyle(${JSON.stringify(short(code))});`;
    },
  };
}

/** A style without comments and indentation. */
function short(style: string): string {
  return style
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n")
    .trim();
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

// A page that shows nothing but the stage, on a fixture: for developing and for the browser tests.
//
// Invariant: served by Vite's dev server only; the site's build starts at the root index.html and never
// sees it. `?graph=mlp&theme=light&autoplay=1` picks the graph and its look; `stage` on window drives it.
import { mount } from "svelte";
import "../../style/tokens.css";
import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "@fontsource-variable/source-serif-4";
import type { Preview } from "../../protocol/generated/Preview";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { largeGraph } from "../fixtures/large";
import { resnet18 } from "../fixtures/resnet";
import Stage from "../Stage.svelte";

const options = new URLSearchParams(location.search);
document.documentElement.dataset.theme = options.get("theme") ?? "dark";
const sheet = new CSSStyleSheet();
sheet.replaceSync(
  "html,body{margin:0;height:100%;background:var(--ground)}#harness{height:100%}@media(max-width:500px){#harness{height:52%}}",
);
document.adoptedStyleSheets = [sheet];

const fixtures = import.meta.glob<StageGraph>("../fixtures/*.json", { import: "default" });

async function load(name: string): Promise<StageGraph | null> {
  if (name === "none") return null;
  if (name === "large") return largeGraph(Number(options.get("nodes") ?? 320));
  if (name === "resnet") return resnet18(Number(options.get("copies") ?? 1));
  const fixture = fixtures[`../fixtures/${name}.json`];
  if (!fixture) throw new Error(`no fixture named ${name}`);
  return fixture();
}

const graph = await load(options.get("graph") ?? "mlp");
const target = document.getElementById("harness");
if (!target) throw new Error("the harness has no place to mount the stage");
const stage = mount(Stage, {
  target,
  props: {
    graph,
    autoplay: options.has("autoplay"),
    inspect: async (node: number): Promise<Preview> => {
      const preview = graph?.previews.find((each) => each.id === node);
      if (!preview) throw new Error("this node kept no value");
      return preview;
    },
  },
});
Object.assign(window, { stage });

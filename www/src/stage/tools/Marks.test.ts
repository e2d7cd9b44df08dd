import { flushSync, mount, unmount } from "svelte";
import { expect, it } from "vitest";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import neuronJson from "../fixtures/neuron.json";
import { layOut } from "../geometry";
import type { StageHandle } from "./handle";
import Marks from "./Marks.svelte";
import { Toolbox } from "./toolbox.svelte";

/** The neuron's graph, where tanh gives infinity and its rule NaN. */
function broken(): { graph: StageGraph; node: number } {
  const graph = structuredClone(neuronJson) as StageGraph;
  const node = graph.nodes.find((each) => each.op === "tanh")?.id ?? -1;
  const vjp = graph.events.find((event) => event.type === "vjp" && event.node === node);
  const gradient = vjp?.type === "vjp" ? vjp.grads[0] : null;
  for (const preview of graph.previews) {
    if (preview.id === node) Object.assign(preview, { norm: Infinity, max: Infinity, nonFinite: 1 });
    if (preview.id === gradient) Object.assign(preview, { norm: Number.NaN, min: Number.NaN, nonFinite: 1 });
  }
  return { graph, node };
}

it("draws one mark at a node whose value and gradient both broke first", () => {
  const { graph } = broken();
  const stage = {
    graph,
    whole: graph,
    layout: layOut(graph, "across"),
    view: { x: 0, y: 0, scale: 1 },
    frame: { t: graph.events.length },
    history: null,
    width: 4000,
    height: 4000,
  } as unknown as StageHandle;
  const tools = new Toolbox(stage);
  expect(tools.findings.map(({ node, label }) => [node, label])).toEqual([
    [broken().node, "inf"],
    [broken().node, "NaN"],
  ]);
  const marks = mount(Marks, { target: document.body, props: { tools } });
  flushSync();
  const signs = [...document.querySelectorAll(".marks .broken text")].map((text) => text.textContent);
  expect(signs).toEqual(["first inf, NaN"]);
  unmount(marks);
});

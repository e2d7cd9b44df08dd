// @vitest-environment happy-dom
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
  const at = (type: string) =>
    graph.events.findIndex((event) => event.type === type && "node" in event && event.node === node);
  const found = { node, element: [0], text: "", made: [] };
  graph.nonFinite = {
    findings: [
      { ...found, kind: "inf", backward: false, event: at("made") },
      { ...found, kind: "nan", backward: true, event: at("vjp") },
    ],
    meant: [],
  };
  return { graph, node };
}

it("draws one mark at a node whose value and gradient both broke first", () => {
  const { graph } = broken();
  const stage = {
    graph,
    whole: graph,
    layout: layOut(graph),
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

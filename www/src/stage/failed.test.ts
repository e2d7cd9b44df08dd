// @vitest-environment happy-dom
// A call that ended its cell, on the stage: in the picture, in words, and on its card.
import { flushSync, mount, unmount } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { outline } from "./outline";
import { picture } from "./picture";
import Stage from "./Stage.svelte";

/** How long a busy computer may take to load the tools. */
const LOADING = { timeout: 20_000 };

const WHY = "linear: cannot multiply [5, 8] by [9, 2]";

const node = (id: number, rest: Partial<GraphNode>): GraphNode => ({
  id,
  kind: "input",
  op: "leaf",
  symbol: "",
  name: null,
  gradFn: null,
  src: [],
  shape: [5, 8],
  dtype: "float32",
  requiresGrad: false,
  cell: "cell-1",
  line: 3,
  scope: null,
  formula: "",
  rules: [],
  elementwise: false,
  saved: [],
  x: 60 + 120 * id,
  y: 60,
  ...rest,
});

/** A product in a layer whose weight has another size; ids of gradients may lie between. */
const failed = (rest: Partial<GraphNode> = {}): StageGraph => ({
  step: 1,
  nodes: [
    node(0, { name: "x" }),
    node(1, { name: "weight", kind: "parameter", shape: [2, 9], requiresGrad: true }),
    node(7, {
      kind: "failed",
      op: "linear",
      symbol: "linear",
      name: "model.2",
      src: [0, 1],
      shape: [],
      dtype: "",
      line: 4,
      formula: "linear([5, 8], [2, 9])",
      ...rest,
    }),
  ],
  edges: [
    { from: 0, to: 7, operand: 0, points: [] },
    { from: 1, to: 7, operand: 1, points: [] },
  ],
  events: [
    { type: "made", node: 0 },
    { type: "made", node: 1 },
    { type: "made", node: 7 },
  ],
  previews: [],
  dropped: 0,
  failure: WHY,
  width: 1000,
  height: 120,
});

let mounted: ReturnType<typeof mount> | null = null;
function show(graph: StageGraph): { root: HTMLElement; seek: (t: number) => void } {
  const root = document.body.appendChild(document.createElement("div"));
  const stage = mount(Stage, { target: root, props: { graph } });
  mounted = stage;
  flushSync();
  return {
    root,
    seek: (t) => {
      (stage as unknown as { seek: (t: number) => void }).seek(t);
      flushSync();
    },
  };
}
afterEach(() => {
  if (mounted) unmount(mounted);
  mounted = null;
  document.body.replaceChildren();
});

describe("a call that failed", () => {
  it("is a node of its own kind, with the shapes that came and its module's name", () => {
    const { root } = show(failed());
    const drawn = root.querySelector('[data-node="7"]');
    expect(drawn?.classList.contains("failed")).toBe(true);
    expect(drawn?.textContent).toContain("linear([5, 8], [2, 9])");
    expect(drawn?.textContent).toContain("model.2");
    expect(drawn?.getAttribute("aria-label")).toContain(WHY);
    expect(root.querySelectorAll('[data-node="0"], [data-node="1"]')).toHaveLength(2);
  });

  it("is the last event, and the caption and the outline say why", async () => {
    const { root, seek } = show(failed());
    root.querySelector("section")?.dispatchEvent(new Event("pointerenter"));
    await vi.waitFor(() => {
      flushSync();
      expect(root.querySelector("[aria-label='Outline of the step']")).not.toBeNull();
    }, LOADING);
    seek(3);
    const sentence = "Line 4: linear fails in the module model.2: cannot multiply [5, 8] by [9, 2]";
    const [, , last] = outline(failed());
    expect(last).toMatchObject({ text: sentence, detail: "linear([5, 8], [2, 9])", broken: true });
    expect(root.querySelector(".caption")?.textContent).toContain(sentence);
    expect(root.querySelector("[aria-current=step]")?.textContent).toContain(sentence);
    expect(root.querySelector("[aria-live]")?.textContent).toContain(sentence);
  });

  it("names no module where it is in none", () => {
    const [, , last] = outline(failed({ name: null, op: "matmul", symbol: "@" }));
    expect(last?.text).toBe(`Line 4: matmul fails: ${WHY}`);
  });

  it("has come when the trace has, and not before", () => {
    const drawn = (t: number) => picture(failed(), t).nodes.map((each) => each.drawn);
    expect(drawn(2)).toEqual([1, 1, 0]);
    expect(drawn(3)).toEqual([1, 1, 1]);
  });

  it("says on its card why, and shows no value", async () => {
    const { root } = show(failed());
    root.querySelector('[data-node="7"]')?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await vi.waitFor(() => {
      flushSync();
      expect(root.querySelector("aside.pinned")).not.toBeNull();
    }, LOADING);
    const card = root.querySelector("aside.pinned");
    expect(card?.textContent).toContain(WHY);
    expect(card?.textContent).toContain("failed");
  });
});

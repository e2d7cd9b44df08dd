// @vitest-environment happy-dom
import { createRawSnippet, flushSync, mount, unmount } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Preview } from "../protocol/generated/Preview";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { largeGraph } from "./fixtures/large";
import mlpJson from "./fixtures/mlp.json";
import sumJson from "./fixtures/sum.json";
import { Frame } from "./frame.svelte";
import Stage from "./Stage.svelte";

/** How long a busy computer may take to load the tools. */
const LOADING = { timeout: 20_000 };

const [sum, mlp] = [sumJson, mlpJson] as StageGraph[] as [StageGraph, StageGraph];
let mounted: ReturnType<typeof mount> | null = null;

interface Drive {
  seek: (t: number) => void;
}
function show(props: Record<string, unknown>): { drive: Drive; root: HTMLElement } {
  const root = document.body.appendChild(document.createElement("div"));
  const stage = mount(Stage, { target: root, props: { graph: null, ...props } });
  mounted = stage;
  flushSync();
  return { drive: stage as unknown as Drive, root };
}
function node(root: HTMLElement, id: number): Element {
  const found = root.querySelector(`[data-node="${id}"]`);
  if (!found) throw new Error(`node ${id} is not drawn`);
  return found;
}

afterEach(() => {
  if (mounted) unmount(mounted);
  mounted = null;
  document.body.replaceChildren();
});

/** Waits for the tools, with which the outline comes. */
async function equipped(root: HTMLElement): Promise<void> {
  root.querySelector("section")?.dispatchEvent(new Event("pointerenter"));
  await vi.waitFor(() => {
    flushSync();
    expect(root.querySelector("[aria-label='Outline of the step']")).not.toBeNull();
  }, LOADING);
}

describe("Stage", () => {
  it("says what will appear while there is no graph", () => {
    const empty = createRawSnippet(() => ({ render: () => "<p>Your graph appears here.</p>" }));
    const { root } = show({ graph: null, empty });
    expect(root.textContent).toContain("Your graph appears here.");
    expect(root.querySelector("[role=slider]")).toBeNull();
  });

  it("rests before backward(), with the outline's current event marked", async () => {
    const { root, drive } = show({ graph: sum });
    await equipped(root);
    const slider = root.querySelector("[role=slider]");
    expect(slider?.getAttribute("aria-valuenow")).toBe("4");
    expect(slider?.getAttribute("aria-valuemax")).toBe(String(sum.events.length));
    expect(root.querySelectorAll("li")).toHaveLength(sum.events.length);
    drive.seek(6);
    flushSync();
    const current = root.querySelectorAll("[aria-current=step]");
    expect(current).toHaveLength(1);
    expect(current[0]?.textContent).toContain("sum: its local rule turns gy into gx.");
    expect(root.querySelector("[aria-live]")?.textContent).toContain("sum: its local rule");
  });

  it("names each node with its op, shape, value and, once it is there, its gradient", () => {
    const { root, drive } = show({ graph: sum });
    const z = sum.nodes.find((each) => each.name === "z")?.id ?? -1;
    expect(node(root, z).getAttribute("aria-label")).toMatch(
      /z \[3\], add, op, value norm .*no gradient yet/,
    );
    drive.seek(sum.events.length);
    flushSync();
    expect(node(root, z).getAttribute("aria-label")).toContain("gradient norm 1.7321");
    expect(root.querySelectorAll("[data-node][tabindex='0']")).toHaveLength(1);
  });

  it("draws the same after stepping on and back", () => {
    const { root, drive } = show({ graph: mlp });
    const at = (t: number) => {
      drive.seek(t);
      flushSync();
      return root.querySelector(".canvas > svg")?.innerHTML;
    };
    const first = at(20);
    expect(at(21)).not.toBe(first);
    expect(at(19.4)).not.toBe(first);
    expect(at(20)).toBe(first);
  });

  it("draws a graph that is folded where the trace stands, and nowhere before", async () => {
    const { root, drive } = show({ graph: mlp });
    drive.seek(mlp.events.length);
    flushSync();
    const shown = vi.spyOn(Frame.prototype, "show");
    for (const name of ["Fold all", "Unfold all"]) {
      root.querySelector<HTMLButtonElement>(`[aria-label="${name}"]`)?.click();
      await vi.waitFor(() => {
        flushSync();
        const count = root.querySelectorAll("[data-node]").length;
        expect(count === mlp.nodes.length).toBe(name === "Unfold all");
      }, LOADING);
    }
    const frames = shown.mock.contexts as Frame[];
    expect(frames[0]?.graph.events.length).toBeLessThan(mlp.events.length);
    frames.forEach(({ graph }, call) => {
      expect(shown.mock.calls[call]).toEqual([graph.events.length]);
    });
    shown.mockRestore();
    expect(root.querySelector("[role=slider]")?.getAttribute("aria-valuenow")).toBe(
      String(mlp.events.length),
    );
  });

  it("writes a part of a long outline, with the current event in it", async () => {
    const graph = largeGraph(600);
    const { root, drive } = show({ graph });
    await vi.waitFor(() => {
      flushSync();
      const unfold = root.querySelector<HTMLButtonElement>("[aria-label='Unfold all']");
      unfold?.click();
      expect(unfold?.disabled).toBe(true);
    }, LOADING);
    await equipped(root);
    for (const t of [1, graph.events.length / 2, graph.events.length]) {
      drive.seek(Math.floor(t));
      flushSync();
      expect(root.querySelectorAll("li").length).toBeLessThanOrEqual(600);
      expect(root.querySelectorAll("[aria-current=step]")).toHaveLength(1);
      expect(root.querySelector("[aria-label='Outline of the step'] p")?.textContent).toMatch(
        new RegExp(`Lines \\d+ to \\d+ of ${graph.events.length}`),
      );
    }
  });

  it("tells line and cell on selection, pins the card, and asks for a value it has only in part", async () => {
    const onselect = vi.fn();
    const weight = mlp.nodes.find((each) => each.name === "model.0.weight");
    const known = mlp.previews.find((each) => each.id === weight?.id) as Preview;
    const inspect = vi.fn(async () => ({ ...known, values: Array.from({ length: 72 }, () => 7) }));
    const { root } = show({ graph: mlp, onselect, inspect });
    node(root, weight?.id ?? -1).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    flushSync();
    expect(onselect).toHaveBeenLastCalledWith(3, "cell 1");
    await vi.waitFor(() => {
      flushSync();
      expect(root.querySelector("aside")?.textContent).toContain("requires_grad");
    }, LOADING);
    expect(inspect).toHaveBeenCalledWith(weight?.id);
    await vi.waitFor(() => {
      flushSync();
      expect(root.querySelector("aside td")?.textContent).toBe("7.");
    }, LOADING);
    node(root, weight?.id ?? -1).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    flushSync();
    expect(onselect).toHaveBeenLastCalledWith(null, null);
    expect(root.querySelector("aside")).toBeNull();
  });

  it("leads from a pinned op to the reference, in another tab", async () => {
    const { root } = show({ graph: mlp });
    const op = mlp.nodes.find((each) => each.op === "tanh" || each.op === "relu");
    node(root, op?.id ?? -1).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await vi.waitFor(() => {
      flushSync();
      expect(root.querySelector("aside")).not.toBeNull();
    }, LOADING);
    const link = root.querySelector("aside header a");
    expect(link?.textContent).toBe(op?.op);
    expect(link?.getAttribute("href")).toBe(`#/reference/${op?.op}`);
    expect(link?.getAttribute("target")).toBe("_blank");
    const leaf = mlp.nodes.find((each) => each.name === "model.0.weight");
    node(root, leaf?.id ?? -1).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    flushSync();
    expect(root.querySelector("aside header")?.textContent).toContain("model.0.weight");
    expect(root.querySelector("aside header a")).toBeNull();
  });
});

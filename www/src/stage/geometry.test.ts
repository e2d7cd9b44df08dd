// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { curveThrough, pointAt } from "./curve";
import mlpJson from "./fixtures/mlp.json";
import { mlpIn } from "./fixtures/placed";
import {
  atStart,
  fitBelowButtons,
  fitView,
  flowFor,
  flowsSo,
  hexagon,
  hexagonFilled,
  layOut,
  overviewMap,
} from "./geometry";
import { boxRect } from "./labels";
import { linesAt, outline, PAGE } from "./outline";
import { Viewport } from "./view.svelte";
import { walk } from "./walk";

const mlp = mlpJson as StageGraph;

describe("curve", () => {
  it("runs from the consumer back to the source at even distances", () => {
    const curve = curveThrough(
      [0, 0],
      [
        [60, 40],
        [120, 0],
      ],
      "across",
    );
    expect(pointAt(curve, 0)).toEqual([120, 0]);
    expect(pointAt(curve, 1)[0]).toBeCloseTo(0);
    const gaps = curve.samples.slice(1).map((point, index) => {
      const before = curve.samples[index] ?? [0, 0];
      return Math.hypot(point[0] - before[0], point[1] - before[1]);
    });
    expect(Math.max(...gaps) / Math.min(...gaps)).toBeLessThan(1.02);
    expect(curve.length).toBeCloseTo(
      gaps.reduce((total, gap) => total + gap, 0),
      0,
    );
    expect(pointAt(curve, 0.5)[1]).toBeCloseTo(40, 0);
  });
  it("survives a curve of no length", () => {
    expect(pointAt(curveThrough([3, 4], [], "down"), 0.7)).toEqual([3, 4]);
  });
});

describe("layout", () => {
  it.each(["across", "down"] as const)(
    "%s: operands enter in order, and everything lies in the bounds",
    (direction) => {
      const mlp = mlpIn({ direction, row: 0 });
      const layout = layOut(mlp);
      const axis = direction === "across" ? 1 : 0;
      mlp.nodes.forEach((node) => {
        const ends = mlp.edges.flatMap((edge, index) =>
          edge.to === node.id
            ? [pointAt(layout.curves[index] ?? curveThrough([0, 0], [], direction), 0)[axis]]
            : [],
        );
        expect(ends).toEqual([...ends].sort((a, b) => a - b));
      });
      const { x, y, width, height } = layout.bounds;
      for (const box of layout.boxes.values()) {
        expect(box.x - box.halfWidth).toBeGreaterThan(x);
        expect(box.x + box.halfWidth).toBeLessThan(x + width);
        expect(box.y - box.halfHeight).toBeGreaterThan(y);
        expect(box.y + box.halfHeight).toBeLessThan(y + height);
      }
    },
  );
  it("runs down where the stage is narrow, else in rows as long as it is wide, or in columns as long as it is high", () => {
    expect(flowFor(390, 400, null)).toEqual({ direction: "down", row: 0 });
    expect(flowFor(390, 400, "across").direction).toBe("across");
    const columns = flowFor(1200, 700, "down");
    expect(columns.direction).toBe("down");
    expect(columns.row).toBeLessThan(700);
    expect(columns.row).toBeGreaterThan(450);
    expect(flowFor(1200, 100, "down").row).toBeGreaterThan(300);
    const { direction, row } = flowFor(800, 600, null);
    expect(direction).toBe("across");
    expect(row).toBeLessThanOrEqual(800);
    expect(row).toBeGreaterThan(650);
    // A little more room moves nothing.
    expect(flowFor(804, 640, null)).toEqual({ direction, row });
    expect(flowFor(0, 0, null)).toEqual({ direction: "across", row: 0 });
  });
  it("takes a layout that is not broken for every longer row", () => {
    const across = mlpIn({ direction: "across", row: 0 });
    expect(flowsSo(across, { direction: "across", row: 0 })).toBe(true);
    expect(flowsSo(across, { direction: "across", row: across.width + 1 })).toBe(true);
    expect(flowsSo(across, { direction: "across", row: across.width - 1 })).toBe(false);
    expect(flowsSo(across, { direction: "down", row: 0 })).toBe(false);
    const down = mlpIn({ direction: "down", row: 0 });
    expect(flowsSo(down, { direction: "down", row: down.height })).toBe(true);
    expect(flowsSo(down, { direction: "down", row: down.height - 1 })).toBe(false);
    const broken = mlpIn({ direction: "across", row: 640 });
    expect(flowsSo(broken, { direction: "across", row: 640 })).toBe(true);
    expect(flowsSo(broken, { direction: "across", row: 4000 })).toBe(false);
  });
  it("of a graph that is larger than the stage, the beginning is shown at reading size", () => {
    const layout = layOut(mlpIn({ direction: "across", row: 0 }));
    const view = atStart(layout, 600, 400, 44);
    expect(view.scale).toBe(1);
    expect(layout.bounds.x + view.x).toBe(0);
    const first = Math.min(...[...layout.boxes.values()].map((box) => box.x - box.halfWidth));
    expect(first + view.x).toBeGreaterThan(0);
  });
  it("opens where playback is, moves on with it, and draws nothing under the buttons", () => {
    const layout = layOut(mlpIn({ direction: "down", row: 0 }));
    const room = (node: "first" | "last") => {
      const at = [...layout.boxes.values()].sort((a, b) => a.y - b.y).at(node === "first" ? 0 : -1);
      if (!at) throw new Error("the graph has no nodes");
      return boxRect(at);
    };
    const height = 300;
    const seen = ({ view: { y, scale } }: Viewport, { top, bottom }: ReturnType<typeof room>) =>
      [top * scale + y, bottom * scale + y] as const;
    for (const bare of [true, false]) {
      const viewport = new Viewport();
      viewport.bare = bare;
      viewport.frame(layout, 320, height, null, room("last"));
      expect(viewport.view.scale).toBe(1);
      expect(seen(viewport, room("last"))[1]).toBeLessThan(height);
      expect(viewport.clear).toBe(bare ? 0 : 44);
      viewport.follow(room("first"), true);
      expect(seen(viewport, room("first"))[0]).toBeGreaterThan(bare ? 0 : 44);
      // Of a graph that fits, all is drawn.
      viewport.frame(layout, 4000, 4000);
      expect(viewport.clear).toBe(0);
    }
  });
  it("leaves no side of a larger stage empty, and keeps the middle of a view that was moved", () => {
    const layout = layOut(mlpIn({ direction: "down", row: 0 }));
    const { y, height } = layout.bounds;
    const last = [...layout.boxes.values()].sort((a, b) => b.y - a.y)[0];
    if (!last) throw new Error("the graph has no nodes");
    const viewport = new Viewport();
    viewport.bare = true;
    viewport.frame(layout, 320, 200, null, boxRect(last));
    viewport.frame(layout, 320, height - 40);
    expect(viewport.roomy).toBe(false);
    // Its lower end stands at the lower edge; nothing is cut but at the top.
    expect(y + height + viewport.view.y).toBe(height - 40);
    viewport.centre(last.x, last.y, 2);
    viewport.frame(layout, 320, 200);
    expect(last.y * 2 + viewport.view.y).toBe(100);
    expect(viewport.view.scale).toBe(2);
  });
  it("keeps the node that playback has come to off the overview map", () => {
    const layout = layOut(mlpIn({ direction: "across", row: 640 }));
    for (const bare of [false, true]) {
      for (const height of [300, layout.bounds.height + 60]) {
        const width = 320;
        const map = overviewMap(layout.bounds, width, height)?.onStage;
        if (!map) throw new Error("the stage has no map");
        const viewport = new Viewport();
        viewport.bare = bare;
        viewport.frame(layout, width, height);
        expect(viewport.roomy).toBe(false);
        for (const box of layout.boxes.values()) {
          viewport.follow(boxRect(box), true);
          const { x, y, scale } = viewport.view;
          const [right, bottom] = [(box.x + box.halfWidth) * scale + x, (box.y + box.halfHeight) * scale + y];
          expect(right <= width - map.width || bottom <= height - map.height).toBe(true);
          expect((box.y - box.halfHeight) * scale + y).toBeGreaterThan(bare ? 0 : 44);
        }
      }
    }
    expect(overviewMap(layout.bounds, 320, 200)).toBe(null);
  });
  it("brings what was unfolded at an edge into sight, and where it is too much its beginning", () => {
    const layout = layOut(mlpIn({ direction: "across", row: 0 }));
    const inOrder = [...layout.boxes.values()].sort((a, b) => a.x - b.x);
    const [width, height] = [400, 600];
    const opened = (from: number, to: number) => {
      const boxes = inOrder.slice(from, to);
      const first = boxes[0];
      if (!first) throw new Error("the graph has too few nodes");
      const viewport = new Viewport();
      viewport.frame(layout, width, height, {
        x: first.x,
        y: first.y,
        onStage: [width - 10, height / 2],
        opened: boxes.map(boxRect),
      });
      const { x, scale } = viewport.view;
      expect(scale).toBe(1);
      return [
        Math.min(...boxes.map((box) => box.x - box.halfWidth)) + x,
        Math.max(...boxes.map((box) => box.x + box.halfWidth)) + x,
      ] as const;
    };
    const [left, right] = opened(4, 6);
    expect(left).toBeGreaterThan(0);
    expect(right).toBeLessThan(width);
    const [start, end] = opened(2, inOrder.length);
    expect(start).toBeGreaterThan(0);
    expect(start).toBeLessThan(width / 2);
    expect(end).toBeGreaterThan(width);
  });
  it("fits and centres", () => {
    const view = fitView({ x: 10, y: 20, width: 100, height: 50 }, 50, 50);
    expect(view).toEqual({ scale: 0.5, x: -5, y: 2.5 });
    expect(fitView({ x: 0, y: 0, width: 0, height: 0 }, 0, 0).scale).toBeGreaterThan(0);
  });
  it("keeps nodes clear of the buttons in the upper corners, and does not give way without need", () => {
    for (const [width, height] of [
      [375, 170],
      [500, 300],
      [1200, 600],
    ] as const) {
      const layout = layOut(
        mlpIn(
          flowFor(width, height, null).direction === "down"
            ? { direction: "down", row: 0 }
            : { direction: "across", row: 0 },
        ),
      );
      const view = fitBelowButtons(layout, width, height);
      for (const box of layout.boxes.values()) {
        const top = (box.y - box.halfHeight) * view.scale + view.y;
        const left = (box.x - box.halfWidth) * view.scale + view.x;
        const right = (box.x + box.halfWidth) * view.scale + view.x;
        expect(top > 40 || (left >= 116 && right <= width - 258)).toBe(true);
        expect((box.y + box.halfHeight) * view.scale + view.y).toBeLessThan(height);
      }
    }
    const roomy = layOut(mlp);
    const height = roomy.bounds.height + 200;
    const width = roomy.bounds.width;
    expect(fitBelowButtons(roomy, width, height)).toEqual(fitView(roomy.bounds, width, height));
  });
  it("fills a hexagon from below", () => {
    const height = (points: string) =>
      Math.min(...points.split(" ").map((point) => Number(point.split(",")[1])));
    expect(height(hexagonFilled(20, 0.25))).toBeCloseTo(20 * Math.sqrt(3) * 0.25);
    expect(height(hexagonFilled(20, 1))).toBeCloseTo(height(hexagon(20)));
  });
});

describe("walk", () => {
  it("follows operands back, consumers on, neighbours across", () => {
    const layout = layOut(mlp);
    const id = (name: string) => mlp.nodes.find((node) => node.name === name)?.id ?? -1;
    expect(walk(mlp, layout, id("loss"), "ArrowLeft")).toBe(id("nll"));
    expect(walk(mlp, layout, id("nll"), "ArrowRight")).toBe(id("loss"));
    expect(walk(mlp, layout, id("X"), "ArrowDown")).toBe(id("model.0.weight"));
    expect(walk(mlp, layout, id("X"), "ArrowLeft")).toBeNull();
    expect(walk(mlp, layout, id("X"), "Enter")).toBeNull();
  });
});

describe("outline", () => {
  it("writes a long trace out in pages around the event that is on", () => {
    expect(linesAt(600, 10)).toEqual([0, 600]);
    const count = 8123;
    for (const event of [null, 0, 199, 200, 4321, 8000, 8122]) {
      const [from, to] = linesAt(count, event);
      const at = event ?? 0;
      expect(at).toBeGreaterThanOrEqual(from);
      expect(at).toBeLessThan(to);
      expect(to - from).toBeLessThanOrEqual(3 * PAGE);
      // A reader has a page before and after.
      expect(at - from >= PAGE || from === 0).toBe(true);
      expect(to - at > PAGE || to === count).toBe(true);
      expect(linesAt(count, event, [99, 99])).toEqual([0, count]);
    }
    expect(linesAt(count, 4321, [1, 2])).toEqual([linesAt(count, 4121)[0], linesAt(count, 4721)[1]]);
  });
  it("has a sentence for every event", () => {
    const lines = outline(mlp);
    expect(lines.map((line) => line.index)).toEqual(mlp.events.map((_, index) => index));
    expect(lines.every((line) => line.text.endsWith("."))).toBe(true);
    const text = lines.map((line) => line.text).join("\n");
    expect(text).toContain("relu: its local rule turns gy into gx.");
    expect(text).toContain("matmul: its local rule turns gy into ga and gb.");
    expect(text).toContain("model.2.weight.grad is filled.");
    expect(text).toContain("Line 5: h is made by relu.");
  });
});

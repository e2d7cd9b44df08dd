// That nothing written on the stage lies on anything else, on graphs that the engine made for the
// landing page and the lessons (taken from the page, previews cut short) and on the made-up ones.
import { describe, expect, it } from "vitest";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { curveThrough } from "./curve";
import { placed } from "./fixtures/placed";
import { fitView, type Layout, layOut, normTexts } from "./geometry";
import {
  boxRect,
  labelRects,
  labelsOf,
  normRect,
  overlap,
  placeCallout,
  placeNorms,
  type Rect,
} from "./labels";

const cases = placed.map(({ name, graph }) => ({
  name,
  graph,
  direction: graph.flow.direction,
  row: graph.flow.row,
}));

interface Thing {
  what: string;
  room: Rect;
}

function things(graph: StageGraph, layout: Layout): { nodes: Thing[]; labels: Thing[]; norms: Thing[] } {
  const nodes: Thing[] = [];
  const labels: Thing[] = [];
  for (const node of graph.nodes) {
    const box = layout.boxes.get(node.id);
    if (!box) continue;
    const what = node.name ?? node.symbol;
    nodes.push({ what, room: boxRect(box) });
    const texts = labelsOf(node, box, layout.direction);
    labelRects(node, box, layout.direction).forEach((room, index) => {
      labels.push({ what: `${texts[index]?.text} of ${what}`, room });
    });
  }
  const norms = normTexts(graph).flatMap((text, index) => {
    const spot = layout.norms[index];
    return text && spot ? [{ what: `norm ${text} of edge ${index}`, room: normRect(text, spot) }] : [];
  });
  return { nodes, labels, norms };
}

function collisions(texts: Thing[], others: Thing[]): string[] {
  return texts.flatMap((text) =>
    others.flatMap((other) =>
      other !== text && overlap(text.room, other.room) > 0 ? [`${text.what} on ${other.what}`] : [],
    ),
  );
}

describe.each(cases)("$name, $direction in rows of $row", ({ graph }) => {
  it("no text lies on a text or a node", () => {
    const { nodes, labels, norms } = things(graph, layOut(graph));
    expect(labels.length).toBeGreaterThanOrEqual(graph.nodes.length);
    expect(collisions(labels, [...labels, ...nodes])).toEqual([]);
    expect(collisions(nodes, nodes)).toEqual([]);
    expect(collisions(norms, [...norms, ...labels, ...nodes])).toEqual([]);
  });
});

describe("norms of a large graph", () => {
  /** How often a room is looked at while the norms of `rows` like graphs, one under another, find theirs. */
  function looks(rows: number): number {
    let count = 0;
    const curves = [];
    const taken: Rect[] = [];
    for (let row = 0; row < rows; row++) {
      for (let at = 0; at < 12; at++) {
        const [x, y] = [at * 120, row * 90];
        curves.push(curveThrough([x, y], [[x + 80, y + (at % 3) * 9]], "across"));
        const room = { left: x - 20, right: x + 20, top: y - 17, bottom: y + 17 };
        taken.push(
          new Proxy(room, {
            get(target, side: keyof Rect) {
              count++;
              return target[side];
            },
          }),
        );
      }
    }
    placeNorms(
      curves,
      curves.map(() => "0.0317"),
      taken,
    );
    return count;
  }

  it("look only at what is near: twice the graph is twice the work", () => {
    expect(looks(40) / looks(20)).toBeLessThan(2.2);
  });
});

describe("the label of one node of a graph too small for labels", () => {
  const digits = placed.find(({ name, graph }) => name === "digits" && graph.flow.row === 0)
    ?.graph as StageGraph;
  it("stays on the stage and hides no node", () => {
    const layout = layOut(digits);
    const [width, height] = [layout.bounds.width * 0.48, layout.bounds.height * 0.48];
    const view = fitView(layout.bounds, width, height);
    const rooms = [...layout.boxes.values()].map((box) => ({
      left: (box.x - box.halfWidth) * view.scale + view.x,
      right: (box.x + box.halfWidth) * view.scale + view.x,
      top: (box.y - box.halfHeight) * view.scale + view.y,
      bottom: (box.y + box.halfHeight) * view.scale + view.y,
    }));
    for (const box of layout.boxes.values()) {
      const { x, y, half } = placeCallout("logits [4, 10]", box, layout, view, width, height);
      expect(x - half).toBeGreaterThanOrEqual(0);
      expect(x + half).toBeLessThanOrEqual(width);
      const room = { left: x - half, right: x + half, top: y - 9, bottom: y + 9 };
      // Where a column is full, a corner of a neighbour may go under it, never its middle.
      for (const other of rooms) {
        const size = (other.right - other.left) * (other.bottom - other.top);
        expect(overlap(room, other)).toBeLessThan(size * 0.34);
      }
    }
  });
});

// The layout of a graph that is painted: the same boxes and curves as geometry.ts gives, without what
// only a drawing of a few hundred nodes can afford (places for norms, measured curves).
//
// Invariant: pure; derived from the placed graph alone. A curve is measured when a gradient first
// travels it.
import { type Cubic, type Curve, cubicsThrough, curveThrough, type Point } from "./curve";
import type { DrawnGraph } from "./fold";
import { type Box, boundsOf, box, directionOf, entering, type Layout, leaving } from "./geometry";
import { boxRect, type Rect } from "./labels";
import { Squares } from "./squares";

export interface LargeLayout {
  layout: Layout;
  /** The pieces of each edge, from source to consumer. */
  edges: Cubic[][];
  /** Left, top, right and bottom of each edge, in fours. */
  extents: Float32Array;
  /** The rooms of nodes, found by place. */
  rooms: Squares<NodeRoom>;
  /** An edge's curve, measured. */
  curve: (edge: number) => Curve;
}

export interface NodeRoom extends Rect {
  id: number;
}

/** The side of a square of the grid by which nodes are found. */
const SQUARE = 160;

export function layOutLarge(graph: DrawnGraph): LargeLayout {
  const direction = directionOf(graph);
  const boxes = new Map<number, Box>();
  for (const node of graph.nodes) boxes.set(node.id, { ...box(node), x: node.x, y: node.y });
  const nodeById = new Map(graph.nodes.map((node) => [node.id, node]));
  const points = graph.edges.map((edge) => edge.points);
  const ends = graph.edges.map((edge, index): [Point, Point[]] => {
    const [from, to, user] = [boxes.get(edge.from), boxes.get(edge.to), nodeById.get(edge.to)];
    if (!from || !to || !user) return [[0, 0], []];
    return [
      leaving(from, direction),
      [...(points[index] ?? []), entering(to, user, edge.operand, direction)],
    ];
  });
  const edges = ends.map(([start, rest]) => cubicsThrough(start, rest, direction));
  const curves = new Map<number, Curve>();
  return {
    layout: {
      direction,
      boxes,
      curves: [],
      norms: [],
      bounds: boundsOf(graph, boxes, points, direction),
    },
    edges,
    extents: extentsOf(edges),
    rooms: new Squares(
      SQUARE,
      [...boxes].map(([id, at]) => ({ id, ...boxRect(at) })),
    ),
    curve(edge) {
      let known = curves.get(edge);
      if (!known) {
        const [start, rest] = ends[edge] ?? [[0, 0], []];
        known = curveThrough(start, rest, direction);
        curves.set(edge, known);
      }
      return known;
    },
  };
}

function extentsOf(edges: Cubic[][]): Float32Array {
  const extents = new Float32Array(4 * edges.length);
  edges.forEach((cubics, index) => {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const cubic of cubics) {
      for (const [x, y] of cubic) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
      }
    }
    extents.set([left, top, right, bottom], 4 * index);
  });
  return extents;
}

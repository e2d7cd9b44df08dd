// What the nodes on the canvas share with it.

export const CANVAS = Symbol("canvas");

export interface CanvasState {
  /** The node that Tab leads to. */
  readonly current: string | null;
  focused(id: string): void;
  /** A node was opened: its form, or the graph of its block. */
  opened(id: string): void;
}

/** A wire's way through the places between layers: straight in lanes, bent between them. */
export function throughLanes(points: readonly { x: number; y: number }[], across: boolean): string {
  const [first] = points;
  if (!first) return "";
  let path = `M${first.x} ${first.y}`;
  points.slice(1).forEach((to, i) => {
    const from = points[i] ?? first;
    if (across) {
      const bend = (to.x - from.x) / 2;
      path += `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
    } else {
      const bend = (to.y - from.y) / 2;
      path += `C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
    }
  });
  return path;
}

// Which node the keyboard reaches next: against the graph's direction to what a node reads, along it
// to what reads it, across it to the nearest neighbour.
//
// Invariant: a pure function; an answer is always another node of the graph, or none.
import type { StageGraph } from "../protocol/generated/StageGraph";
import type { Layout } from "./geometry";

/** The node that `key` (an arrow) leads to from node `from`. */
export function walk(graph: StageGraph, layout: Layout, from: number, key: string): number | null {
  const start = layout.boxes.get(from);
  if (!start) return null;
  const across = layout.direction === "across";
  const [back, on, before, after] = across
    ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
    : ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
  if (key === back)
    return (
      graph.edges.filter((edge) => edge.to === from).sort((a, b) => a.operand - b.operand)[0]?.from ?? null
    );
  if (key === on) return graph.edges.find((edge) => edge.from === from)?.to ?? null;
  if (key !== before && key !== after) return null;
  const sign = key === after ? 1 : -1;
  let best: number | null = null;
  let least = Infinity;
  for (const [id, box] of layout.boxes) {
    const aside = (across ? box.y - start.y : box.x - start.x) * sign;
    const along = Math.abs(across ? box.x - start.x : box.y - start.y);
    if (id === from || aside <= 1) continue;
    const distance = aside + along * 2;
    if (distance < least) [best, least] = [id, distance];
  }
  return best;
}

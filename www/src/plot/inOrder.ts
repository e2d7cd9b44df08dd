// What a cell printed and drew, in the order in which it came.
//
// Invariant: text before the first drawing is not among it, and where text is left out for its length all of it comes before.
import type { Output } from "../notebook/output.svelte";
import type { Chart, Figure } from "../protocol";

export type Part =
  | { kind: "text"; text: string }
  | { kind: "figure"; figure: Figure }
  | { kind: "chart"; chart: Chart };

type Told = Pick<Output, "text" | "omitted" | "figures" | "charts" | "before">;

export function inOrder({ text, omitted, figures, charts, before }: Told): Part[] {
  const at = (key: string) => (omitted ? text.length : Math.min(before[key] ?? text.length, text.length));
  const drawn: { at: number; part: Part }[] = [
    ...figures.map((figure) => ({
      at: at(`figure ${figure.place}`),
      part: { kind: "figure", figure } as const,
    })),
    ...charts.map((chart) => ({ at: at(`chart ${chart.place}`), part: { kind: "chart", chart } as const })),
  ].sort((one, other) => one.at - other.at);
  const parts: Part[] = [];
  let shown = drawn[0]?.at ?? text.length;
  const print = (to: number) => {
    if (to > shown) parts.push({ kind: "text", text: text.slice(shown, to) });
    shown = to;
  };
  for (const each of drawn) {
    print(each.at);
    parts.push(each.part);
  }
  print(text.length);
  return parts;
}

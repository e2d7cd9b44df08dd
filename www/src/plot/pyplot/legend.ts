// The box with the names of what is drawn: how large it is, where it stands, its shapes.
import { outline, type Palette, shown } from "./colours";
import { isStroke, markerPath } from "./markers";
import { type Box, cut, dashes, LABEL_SIZE, type Measure, POINT, rectangle, type Shape } from "./scene";
import type { Entry, Legend } from "./schema";
import { plain } from "./words";

const SAMPLE = 22;
const GAP = 7;
const ROW = 18;
const PAD = 7;
const APART = 14;
/** From the frame. */
const INSET = 8;

export interface LegendBox {
  legend: Legend;
  width: number;
  height: number;
  /** Of each column. */
  widths: number[];
  rows: number;
}

/** A legend no wider than `most`, in so many columns as fit. */
export function sized(legend: Legend, most: number, measure: Measure, columns = legend.columns): LegendBox {
  const text = (label: string) => measure(plain(label), LABEL_SIZE, {});
  for (let tried = Math.min(columns, legend.entries.length); tried >= 1; tried--) {
    const rows = Math.ceil(legend.entries.length / tried);
    const widths: number[] = [];
    for (const [index, { label }] of legend.entries.entries()) {
      const column = Math.floor(index / rows);
      widths[column] = Math.max(widths[column] ?? 0, SAMPLE + GAP + text(label));
    }
    let width = widths.reduce((sum, each) => sum + each, 0) + APART * (widths.length - 1) + 2 * PAD;
    if (width > most && tried > 1) continue;
    if (tried === 1) {
      width = Math.min(width, most);
      widths[0] = width - 2 * PAD;
    }
    width = Math.max(width, legend.title ? Math.min(text(legend.title) + 2 * PAD, most) : 0);
    const height = (rows + (legend.title ? 1 : 0)) * ROW + PAD;
    return { legend, width, height, widths, rows };
  }
  return { legend, width: 0, height: 0, widths: [], rows: 0 };
}

const CORNERS = [
  "upper right",
  "upper left",
  "lower left",
  "lower right",
  "center right",
  "center left",
  "lower center",
  "upper center",
];

/** Where it stands in a frame; the place called best covers the fewest marks. */
export function placed(
  { legend, width, height }: LegendBox,
  frame: Box,
  spots: () => readonly (readonly [number, number])[],
): Box & { covered: number } {
  const stand = (name: string): Box => {
    const across = name.includes("left") ? 0 : name.includes("right") ? 1 : 0.5;
    const down = name.includes("upper") ? 0 : name.includes("lower") ? 1 : 0.5;
    return {
      x: frame.x + INSET + (frame.width - width - 2 * INSET) * across,
      y: frame.y + INSET + (frame.height - height - 2 * INSET) * down,
      width,
      height,
    };
  };
  if (/^(?:upper|lower|center)(?: (?:left|right|center))?$|^right$/.test(legend.place))
    return { ...stand(legend.place), covered: 0 };
  const marks = spots();
  let best = stand("upper right");
  let fewest = Number.POSITIVE_INFINITY;
  for (const name of CORNERS) {
    const box = stand(name);
    let covered = 0;
    for (const [x, y] of marks) {
      const inside =
        x > box.x - 3 && x < box.x + box.width + 3 && y > box.y - 3 && y < box.y + box.height + 3;
      if (inside) covered++;
    }
    if (covered < fewest) [best, fewest] = [box, covered];
    if (covered === 0) break;
  }
  return { ...best, covered: fewest };
}

export function drawLegend(
  { legend, widths, rows }: LegendBox,
  box: Box,
  framed: boolean,
  palette: Palette,
  measure: Measure,
  shapes: Shape[],
): void {
  if (framed)
    shapes.push({
      kind: "path",
      d: rectangle(box),
      fill: `${palette.ground}e0`,
      stroke: palette.line,
      width: 1,
    });
  const text = (label: string) => measure(label, LABEL_SIZE, {});
  const down = box.y + PAD / 2;
  if (legend.title)
    shapes.push({
      kind: "text",
      x: box.x + PAD,
      y: down + ROW / 2 + LABEL_SIZE * 0.35,
      text: cut(plain(legend.title), box.width - 2 * PAD, text),
      size: LABEL_SIZE,
      color: palette.quiet,
      anchor: "start",
    });
  for (const [index, entry] of legend.entries.entries()) {
    const column = Math.floor(index / rows);
    const left = widths.slice(0, column).reduce((sum, each) => sum + each + APART, box.x + PAD);
    const middle = down + ((index % rows) + (legend.title ? 1 : 0) + 0.5) * ROW;
    sample(entry, left, middle, palette, shapes);
    shapes.push({
      kind: "text",
      x: left + SAMPLE + GAP,
      y: middle + LABEL_SIZE * 0.35,
      text: cut(plain(entry.label), (widths[column] ?? 0) - SAMPLE - GAP + 1, text),
      size: LABEL_SIZE,
      color: palette.ink,
      anchor: "start",
    });
  }
}

function sample(entry: Entry, x: number, y: number, palette: Palette, shapes: Shape[]): void {
  const colour = shown(entry.color, palette);
  const edge = outline(entry.edge, entry.color, { palette });
  const lined = ["line", "segments", "rule"].includes(entry.kind);
  if (!lined && entry.kind !== "points") {
    const d = rectangle({ x, y: y - 5, width: SAMPLE, height: 10 });
    shapes.push({ kind: "path", d, fill: colour, stroke: edge, width: edge ? 1 : 0 });
    return;
  }
  if (lined && entry.dash && colour) {
    const width = Math.max(entry.width * POINT, 0.6);
    const d = `M${x} ${y}h${SAMPLE}`;
    shapes.push({ kind: "path", d, stroke: colour, width, dash: dashes(entry.dash, width) });
  }
  const marker = entry.marker ?? (entry.kind === "points" ? "o" : null);
  if (!marker) return;
  const d = markerPath(marker, [[x + SAMPLE / 2, y]], 8);
  if (isStroke(marker)) shapes.push({ kind: "path", d, stroke: colour, width: 1.4, round: true });
  else
    shapes.push({
      kind: "path",
      d,
      fill: colour,
      stroke: entry.edge === entry.color ? null : edge,
      width: 1,
    });
}

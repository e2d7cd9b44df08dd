// What is drawn in a frame: lines, points, bars, areas, texts and images, as shapes.
//
// Invariant: one path for each line, and for each group of points or bars that look alike, so that thousands of points
// stay quick.
import { outline } from "./colours";
import { isStroke, markerPath } from "./markers";
import { barBox, colourOf, type DrawnAxes, isThere, near, places, type Spot } from "./place";
import { at, type Box, dashes, POINT, rectangle, type Shape } from "./scene";
import type {
  AreaMark,
  BarsMark,
  Colour,
  ImageMark,
  LineMark,
  Mark,
  PointsMark,
  PolygonMark,
  RuleMark,
  SegmentsMark,
} from "./schema";
import { drawText } from "./texts";

/** Points that overlap show it: those of one colour that is not opaque lie in so many paths. */
const LAYERS = 16;

export function drawMark(mark: Mark, place: DrawnAxes, shapes: Shape[]): void {
  switch (mark.kind) {
    case "line":
      line(mark, place, shapes);
      break;
    case "points":
      points(mark, place, shapes);
      break;
    case "bars":
      bars(mark, place, shapes);
      break;
    case "area":
      area(mark, place, shapes);
      break;
    case "polygon":
      polygon(mark, place, shapes);
      break;
    case "segments":
      segments(mark, place, shapes);
      break;
    case "rule":
      rule(mark, place, shapes);
      break;
    case "text":
      drawText(mark, place, shapes);
      break;
    case "image":
      image(mark, place, shapes);
  }
}

function filled(d: string, fill: Colour, stroke: Colour, { clip }: DrawnAxes): Shape {
  return { kind: "path", d, fill, stroke, width: stroke ? 1 : 0, clip };
}

/** Lines from point to point, broken at gaps. */
function joined(spots: readonly Spot[]): string {
  let path = "";
  let open = false;
  for (const [place, spot] of spots.entries()) {
    if (!isThere(spot)) {
      open = false;
      continue;
    }
    const [x, y] = [at(spot[0]), at(spot[1])];
    const next = spots[place + 1];
    // A single point between two gaps is a dot.
    if (open) path += `L${x} ${y}`;
    else path += next && isThere(next) ? `M${x} ${y}` : `M${x} ${y}h0`;
    open = true;
  }
  return path;
}

function corners(xs: readonly number[], ys: readonly number[], place: DrawnAxes): string {
  const spots = places(xs, ys, place).filter(isThere);
  return spots.length ? `M${spots.map(([x, y]) => `${at(x)} ${at(y)}`).join("L")}` : "";
}

function line(mark: LineMark, place: DrawnAxes, shapes: Shape[]): void {
  const spots = places(mark.x, mark.y, place);
  const stroke = colourOf(mark.color, place);
  if (mark.dash && mark.width > 0 && stroke) {
    const width = Math.max(mark.width * POINT, 0.6);
    const dash = dashes(mark.dash, width);
    shapes.push({ kind: "path", d: joined(spots), stroke, width, dash, round: true, clip: place.clip });
  }
  if (mark.marker === null) return;
  const seen = spots.filter((spot) => isThere(spot) && near(place.frame, spot));
  const diameter = mark.size * POINT;
  pushMarkers(mark.marker, seen, diameter, mark.face, mark.edge ?? mark.color, place, shapes);
}

function points(mark: PointsMark, place: DrawnAxes, shapes: Shape[]): void {
  const groups = new Map<string, { spots: Spot[]; colour: Colour; size: number }>();
  for (const [index, spot] of places(mark.x, mark.y, place).entries()) {
    if (!isThere(spot) || !near(place.frame, spot)) continue;
    const colour = mark.color[index % mark.color.length] ?? null;
    const raw = mark.size.length ? (mark.size[index % mark.size.length] ?? 6) : 6;
    const size = Math.round((Number.isFinite(raw) ? raw : 6) * 2) / 2 || 0.5;
    const key = `${colour} ${size}`;
    const group = groups.get(key);
    if (group) group.spots.push(spot);
    else groups.set(key, { spots: [spot], colour, size });
  }
  for (const { spots, colour, size } of groups.values()) {
    const layers = colour?.length === 9 ? Math.min(LAYERS, Math.ceil(spots.length / 2)) : 1;
    for (let layer = 0; layer < layers; layer++) {
      const own = layers === 1 ? spots : spots.filter((_, index) => index % layers === layer);
      pushMarkers(mark.marker, own, size * POINT, colour, mark.edge, place, shapes);
    }
  }
}

function pushMarkers(
  marker: string,
  spots: readonly Spot[],
  diameter: number,
  face: Colour,
  edge: Colour,
  place: DrawnAxes,
  shapes: Shape[],
): void {
  if (!spots.length) return;
  const d = markerPath(marker, spots, diameter);
  const fill = colourOf(face, place);
  if (isStroke(marker)) {
    shapes.push({ kind: "path", d, stroke: fill ?? colourOf(edge, place), width: 1.4, round: true });
    return;
  }
  const stroke = edge === face ? null : outline(edge, face, place);
  shapes.push({ kind: "path", d, fill, stroke, width: stroke ? 1 : 0 });
}

function bars(mark: BarsMark, place: DrawnAxes, shapes: Shape[]): void {
  const groups = new Map<string, { d: string; color: Colour; edge: Colour }>();
  const { frame } = place;
  const touching = touch(mark);
  for (let index = 0; index < mark.x.length; index++) {
    const box = barBox(mark, index, place);
    if (!box) continue;
    const color = mark.color[index % mark.color.length] ?? null;
    const edge = mark.edge[index % mark.edge.length] ?? null;
    // A hairline of the ground parts bars that touch.
    if (touching && edge === null) {
      const side = touching === "x" ? "width" : "height";
      if (box[side] > 4) box[side] -= 1;
    }
    const key = `${color} ${edge}`;
    const group = groups.get(key) ?? { d: "", color, edge };
    group.d += rectangle(box);
    groups.set(key, group);
  }
  for (const { d, color, edge } of groups.values()) {
    const wide = frame.width / Math.max(mark.x.length, 1) > 4;
    shapes.push(filled(d, colourOf(color, place), wide ? outline(edge, color, place) : null, place));
  }
}

/** Along which axis each bar begins where another ends. */
function touch({ x, y, width, height }: BarsMark): "x" | "y" | null {
  if (x.length < 2) return null;
  const close = (a = Number.NaN, b = Number.NaN, size = 1) => Math.abs(a - b) < Math.abs(size) * 0.02;
  if (close((x[0] ?? 0) + (width[0] ?? 0), x[1], width[0])) return "x";
  return close((y[0] ?? 0) + (height[0] ?? 0), y[1], height[0]) && x[0] === x[1] ? "y" : null;
}

function area(mark: AreaMark, place: DrawnAxes, shapes: Shape[]): void {
  const { x: along, low, high, flat } = mark;
  const { frame } = place;
  let d = "";
  let run: number[] = [];
  const spot = (index: number, ends: readonly number[]): Spot => {
    const end = ends[index] ?? Number.NaN;
    const main = along[index] ?? Number.NaN;
    const [px, py] = flat ? [place.x(end), place.y(main)] : [place.x(main), place.y(end)];
    // On a log scale an area that reaches down to zero ends at the frame.
    return [
      Number.isNaN(px) && !Number.isNaN(end) && flat ? frame.x : px,
      Number.isNaN(py) && !Number.isNaN(end) && !flat ? frame.y + frame.height : py,
    ];
  };
  const close = () => {
    const round = [
      ...run.map((index) => spot(index, low)),
      ...run.toReversed().map((index) => spot(index, high)),
    ];
    if (run.length > 1) d += `M${round.map(([x, y]) => `${at(x)} ${at(y)}`).join("L")}z`;
    run = [];
  };
  for (let index = 0; index < along.length; index++) {
    if (isThere(spot(index, low)) && isThere(spot(index, high))) run.push(index);
    else close();
  }
  close();
  if (d) shapes.push(filled(d, colourOf(mark.color, place), outline(mark.edge, mark.color, place), place));
}

function polygon(mark: PolygonMark, place: DrawnAxes, shapes: Shape[]): void {
  const d = corners(mark.x, mark.y, place);
  const edge = outline(mark.edge, mark.color, place);
  if (d) shapes.push(filled(`${d}z`, colourOf(mark.color, place), edge, place));
}

function segments(mark: SegmentsMark, place: DrawnAxes, shapes: Shape[]): void {
  const from = places(mark.x0, mark.y0, place);
  const to = places(mark.x1, mark.y1, place);
  let d = "";
  let end = "";
  for (const [index, spot] of from.entries()) {
    const other = to[index];
    if (!other || !isThere(spot) || !isThere(other)) continue;
    const start = `${at(spot[0])} ${at(spot[1])}`;
    if (start !== end) d += `M${start}`;
    end = `${at(other[0])} ${at(other[1])}`;
    d += `L${end}`;
  }
  const width = Math.max(mark.width * POINT * 0.9, 0.6);
  const stroke = colourOf(mark.color, place);
  if (!d || !stroke) return;
  const dash = dashes(mark.dash, width);
  if (!mark.head) {
    shapes.push({ kind: "path", d, stroke, width, dash, round: true, clip: place.clip });
    return;
  }
  const { shafts, tips } = arrows(from, to, place.labels);
  shapes.push({ kind: "path", d: shafts, stroke, width: Math.min(width, 1.4), dash, clip: place.clip });
  shapes.push({ kind: "path", d: tips, fill: stroke, clip: place.clip });
}

/** Arrows; one that begins at a text begins at the side of its box. */
function arrows(from: readonly Spot[], to: readonly Spot[], labels: readonly Box[]) {
  let [shafts, tips] = ["", ""];
  for (const [index, spot] of from.entries()) {
    const [x1, y1] = to[index] ?? [Number.NaN, Number.NaN];
    let [x0, y0] = spot;
    if (![x0, y0, x1, y1].every(Number.isFinite)) continue;
    const label = labels.find(
      (box) =>
        x0 >= box.x - 3 && x0 <= box.x + box.width + 3 && y0 >= box.y - 3 && y0 <= box.y + box.height + 3,
    );
    if (label) {
      const [cx, cy] = [label.x + label.width / 2, label.y + label.height / 2];
      const out = Math.min(
        (label.width / 2 + 4) / Math.abs(x1 - cx),
        (label.height / 2 + 3) / Math.abs(y1 - cy),
      );
      if (out >= 1) continue;
      [x0, y0] = [cx + (x1 - cx) * out, cy + (y1 - cy) * out];
    }
    const long = Math.hypot(x1 - x0, y1 - y0);
    if (long < 1) continue;
    const tip = Math.min(8, long * 0.5);
    const [ux, uy] = [(x1 - x0) / long, (y1 - y0) / long];
    const [bx, by] = [x1 - ux * tip, y1 - uy * tip];
    const half = tip * 0.38;
    shafts += `M${at(x0)} ${at(y0)}L${at(bx)} ${at(by)}`;
    const corner = (side: number) => `L${at(bx - uy * side)} ${at(by + ux * side)}`;
    tips += `M${at(x1)} ${at(y1)}${corner(half)}${corner(-half)}z`;
  }
  return { shafts, tips };
}

function rule(mark: RuleMark, place: DrawnAxes, shapes: Shape[]): void {
  const { frame, x, y, clip } = place;
  const colour = colourOf(mark.color, place);
  if (!colour) return;
  const up = mark.axis === "x";
  const [from, to] = mark.ends;
  const [a, b] = up ? [x(mark.low), x(mark.high)] : [y(mark.low), y(mark.high)];
  if (Number.isNaN(a) || Number.isNaN(b)) return;
  const [start, end] = up
    ? [frame.y + frame.height * (1 - from), frame.y + frame.height * (1 - to)]
    : [frame.x + frame.width * from, frame.x + frame.width * to];
  if (mark.low !== mark.high) {
    const [near, far] = [Math.min(a, b), Math.abs(b - a)];
    const box = up
      ? { x: near, y: Math.min(start, end), width: far, height: Math.abs(end - start) }
      : { x: Math.min(start, end), y: near, width: Math.abs(end - start), height: far };
    shapes.push({ kind: "path", d: rectangle(box), fill: colour, clip });
    return;
  }
  const width = Math.max(mark.width * POINT * 0.9, 0.6);
  const d = up ? `M${at(a)} ${at(start)}V${at(end)}` : `M${at(start)} ${at(a)}H${at(end)}`;
  shapes.push({ kind: "path", d, stroke: colour, width, dash: dashes(mark.dash, width), clip });
}

function image(mark: ImageMark, { x, y, clip }: DrawnAxes, shapes: Shape[]): void {
  const [left, right, top, bottom] = [x(mark.left), x(mark.right), y(mark.top), y(mark.bottom)];
  if ([left, right, top, bottom].some(Number.isNaN)) return;
  const [width, height] = [Math.abs(right - left), Math.abs(bottom - top)];
  // Cells smaller than a pixel are averaged; larger ones keep their edges.
  const fine = width < mark.columns * 1.5 || height < mark.rows * 1.5;
  shapes.push({
    kind: "image",
    x: Math.min(left, right),
    y: Math.min(top, bottom),
    width,
    height,
    image: mark,
    flip: { x: left > right, y: top > bottom },
    smooth: mark.smooth || fine,
    clip,
  });
}

// A chart as shapes, for a width and a theme.
//
// Invariant: pure. What stands around a frame is drawn here, and what is in it by `marks`; where it all lies is told by
// `layout`.
import { type Palette, paletteOn } from "./colours";
import { barImage } from "./image";
import { layout, type Panel, SIZES, scalesOf } from "./layout";
import { drawLegend, placed } from "./legend";
import { drawMark } from "./marks";
import { type DrawnAxes, spots } from "./place";
import { makeScale, type Scale } from "./scale";
import {
  at,
  type Box,
  HEAD_SIZE,
  LABEL_SIZE,
  LINE,
  type Measure,
  rectangle,
  type Scene,
  type Shape,
  TICK_SIZE,
  TITLE_SIZE,
  wrapped,
} from "./scene";
import type { Axes, ChartData, Side } from "./schema";
import { sizeOf, textBox } from "./texts";
import { isNumber, SLANT_DEGREES, TICK_LENGTH, type TickPlan } from "./ticklabels";
import { plain } from "./words";

export function drawChart(chart: ChartData, room: number, page: Palette, measure: Measure): Scene {
  const palette = chart.background ? paletteOn(chart.background, page) : page;
  const pad = chart.background ? 12 : 0;
  const found = layout(chart, room - 2 * pad, measure);
  const shapes: Shape[] = [];
  const clips: Box[] = [];
  for (const panel of found.panels) {
    panel.frame.x += pad;
    panel.frame.y += pad;
    drawPanel(panel, palette, measure, shapes, clips);
  }
  const whole = { x: pad, y: pad, width: found.width, height: found.height };
  const middle = whole.x + whole.width / 2;
  for (const [index, line] of found.title.entries()) {
    const y = whole.y + HEAD_SIZE * (0.85 + LINE * index);
    shapes.push(word(line, middle, y, HEAD_SIZE, palette.ink, { bold: true }));
  }
  if (chart.xlabel)
    shapes.push(word(plain(chart.xlabel), middle, whole.y + whole.height - 5, LABEL_SIZE, palette.ink));
  if (chart.ylabel) {
    const y = whole.y + whole.height / 2;
    shapes.push(word(plain(chart.ylabel), whole.x + LABEL_SIZE, y, LABEL_SIZE, palette.ink, { turn: -90 }));
  }
  const none: Scale = () => Number.NaN;
  const place: DrawnAxes = {
    frame: whole,
    x: none,
    y: none,
    palette,
    clip: -1,
    onImage: false,
    marks: [],
    labels: [],
  };
  for (const mark of chart.texts) drawMark({ ...mark, place: "figure" }, place, shapes);
  return {
    width: found.width + 2 * pad,
    height: found.height + 2 * pad,
    background: chart.background,
    clips,
    shapes,
  };
}

function drawPanel(panel: Panel, page: Palette, measure: Measure, shapes: Shape[], clips: Box[]): void {
  const { axes, frame } = panel;
  const palette = axes.background ? paletteOn(axes.background, page) : page;
  const clip = clips.push(frame) - 1;
  const onImage = axes.marks.some(({ kind }) => kind === "image");
  const look = { frame, palette, clip, onImage };
  const placeOf = (own: Axes): DrawnAxes => {
    const scales = scalesOf(own, frame);
    const labels = own.marks.flatMap((mark) => {
      if (mark.kind !== "text" || mark.place !== "data" || mark.rotation) return [];
      const lines = plain(mark.text).split("\n");
      const widths = lines.map((line) => measure(line, sizeOf(mark), { bold: mark.bold }));
      return [textBox(mark, scales, Math.max(...widths))];
    });
    return { ...look, ...scales, marks: own.marks, labels };
  };
  const place = placeOf(axes);
  if (axes.background && axes.frame)
    shapes.push({ kind: "path", d: rectangle(frame), fill: axes.background });
  if (axes.frame) drawGrid(panel, place, shapes);
  for (const mark of axes.marks) drawMark(mark, place, shapes);
  const all = [{ axes, place }];
  for (const over of panel.over) {
    const own = placeOf(over);
    all.push({ axes: over, place: own });
    for (const mark of over.marks) drawMark(mark, own, shapes);
  }
  if (axes.frame) drawFrame(panel, onImage, page, measure, shapes);
  drawTitle(panel, page, shapes);
  drawBar(panel, page, shapes);
  let below = frame.y + frame.height + panel.bottom;
  for (const { box, where } of panel.legends) {
    const size = { width: box.width, height: box.height };
    if (where === "inside") {
      const stand = placed(box, frame, () => all.flatMap((each) => spots(each.axes.marks, each.place)));
      drawLegend(box, stand, true, palette, measure, shapes);
    } else if (where === "right") {
      const x = frame.x + frame.width + panel.right - box.width;
      const down = box.legend.place.includes("center") || box.legend.place === "best" ? 0.5 : 0;
      const y = frame.y + Math.max(frame.height - box.height, 0) * down;
      drawLegend(box, { x, y, ...size }, false, page, measure, shapes);
    } else {
      below -= box.height;
      const x = Math.max(frame.x + (frame.width - box.width) / 2, frame.x - panel.left);
      drawLegend(box, { x, y: below, ...size }, false, page, measure, shapes);
    }
  }
}

function drawGrid(
  { axes, x: across, y: beside, frame }: Panel,
  { x, y, palette }: DrawnAxes,
  shapes: Shape[],
): void {
  let d = "";
  const up = (value: number) => `M${crisp(x(value))} ${frame.y}v${frame.height}`;
  const along = (value: number) => `M${frame.x} ${crisp(y(value))}h${frame.width}`;
  if (axes.x.grid) for (const { value } of across.major) d += up(value);
  if (axes.y.grid) for (const { value } of beside.major) d += along(value);
  if (d) shapes.push({ kind: "path", d, stroke: palette.line, width: 1 });
}

const crisp = (value: number) => Math.round(value - 0.5) + 0.5;

/** The sides of a frame, its ticks, their numbers, and the names of the axes. */
function drawFrame(
  panel: Panel,
  onImage: boolean,
  palette: Palette,
  measure: Measure,
  shapes: Shape[],
): void {
  const { axes, over, frame } = panel;
  const { x, y, width, height } = frame;
  const [right, bottom] = [x + width, y + height];
  const sides: Record<Side, string> = {
    left: `M${x} ${y}v${height}`,
    right: `M${right} ${y}v${height}`,
    top: `M${x} ${y}h${width}`,
    bottom: `M${x} ${bottom}h${width}`,
  };
  const strong = new Set<Side>(onImage ? [] : ["left", "bottom"]);
  if (panel.farY) strong.add("right");
  if (panel.farX) strong.add("top");
  const path = (wanted: boolean) =>
    axes.sides
      .filter((side) => strong.has(side) === wanted)
      .map((side) => sides[side] ?? "")
      .join("");
  const faint = path(false);
  if (faint) shapes.push({ kind: "path", d: faint, stroke: palette.line, width: 1 });
  const edges = path(true);
  if (edges) shapes.push({ kind: "path", d: edges, stroke: palette.edge, width: 1 });

  const own = scalesOf(axes, frame);
  ticksAcross(panel.x, own.x, bottom, 1, palette, shapes);
  ticksBeside(panel.y, own.y, x, -1, palette, shapes);
  name(axes.xlabel, x + width / 2, bottom + panel.x.room + LABEL_SIZE + 2, width + panel.left, 0);
  name(axes.ylabel, x - panel.y.room - 7, y + height / 2, Math.max(height, 80), -90);
  for (const each of over) {
    const scales = scalesOf(each, frame);
    if (each.over?.shared === "x" && panel.farY) {
      ticksBeside(panel.farY, scales.y, right, 1, palette, shapes);
      name(each.ylabel, right + panel.farY.room + LABEL_SIZE + 3, y + height / 2, Math.max(height, 80), -90);
    } else if (each.over?.shared === "y" && panel.farX) {
      ticksAcross(panel.farX, scales.x, y, -1, palette, shapes);
      name(each.xlabel, x + width / 2, y - panel.farX.room - 5, width, 0);
    }
  }

  function name(text: string, left: number, down: number, most: number, turn: number): void {
    if (!text) return;
    const [line] = wrapped(plain(text).replaceAll("\n", " "), most, 1, (each) =>
      measure(each, LABEL_SIZE, {}),
    );
    shapes.push(word(line ?? "", left, down, LABEL_SIZE, palette.ink, { turn }));
  }
}

function ticksAcross(
  plan: TickPlan,
  scale: Scale,
  y: number,
  way: 1 | -1,
  palette: Palette,
  shapes: Shape[],
): void {
  let d = "";
  for (const value of plan.minor) d += `M${crisp(scale(value))} ${y}v${way * 2.5}`;
  for (const { value, lines } of plan.major) {
    const x = scale(value);
    d += `M${crisp(x)} ${y}v${way * TICK_LENGTH}`;
    for (const [index, line] of lines.entries()) {
      if (!line) continue;
      const down = TICK_LENGTH + 4 + TICK_SIZE * (0.75 + LINE * index);
      const above = TICK_LENGTH + 4 + TICK_SIZE * LINE * (lines.length - 1 - index);
      const shape = word(line, x, way > 0 ? y + down : y - above, TICK_SIZE, palette.quiet, {
        mono: isNumber(line),
      });
      if (plan.slanted) Object.assign(shape, { anchor: "end", turn: SLANT_DEGREES, x: x + 4 });
      shapes.push(shape);
    }
  }
  if (d) shapes.push({ kind: "path", d, stroke: palette.edge, width: 1 });
}

function ticksBeside(
  plan: TickPlan,
  scale: Scale,
  x: number,
  way: 1 | -1,
  palette: Palette,
  shapes: Shape[],
): void {
  let d = "";
  for (const value of plan.minor) d += `M${x} ${crisp(scale(value))}h${way * 2.5}`;
  for (const { value, lines } of plan.major) {
    const y = scale(value);
    d += `M${x} ${crisp(y)}h${way * TICK_LENGTH}`;
    for (const [index, line] of lines.entries()) {
      if (!line) continue;
      const down = TICK_SIZE * (0.36 + LINE * (index - (lines.length - 1) / 2));
      shapes.push({
        ...word(line, x + way * (TICK_LENGTH + 4), y + down, TICK_SIZE, palette.quiet, {
          mono: isNumber(line),
        }),
        anchor: way > 0 ? "start" : "end",
      });
    }
  }
  if (d) shapes.push({ kind: "path", d, stroke: palette.edge, width: 1 });
}

function drawTitle({ title, frame, farX, over }: Panel, palette: Palette, shapes: Shape[]): void {
  const named = farX && over.some((each) => each.over?.shared === "y" && each.xlabel);
  const above = frame.y - SIZES.titleGap - (farX?.room ?? 0) - (named ? SIZES.label : 0);
  for (const [index, line] of title.entries()) {
    const y = above - TITLE_SIZE * LINE * (title.length - 1 - index);
    shapes.push(word(line, frame.x + frame.width / 2, y, TITLE_SIZE, palette.ink, { bold: true }));
  }
}

function drawBar({ axes, bar, frame, farY, over, x, bare }: Panel, palette: Palette, shapes: Shape[]): void {
  const { colorbar } = axes;
  if (!colorbar || !bar) return;
  const { flat } = colorbar;
  const far = farY ? farY.room + (over.some((each) => each.ylabel) ? SIZES.label : 0) : 0;
  const under = bare && !axes.frame ? 0 : x.room + (axes.xlabel ? SIZES.label : 0);
  const box = flat
    ? { x: frame.x, y: frame.y + frame.height + under + SIZES.barGap, width: frame.width, height: SIZES.bar }
    : { x: frame.x + frame.width + far + SIZES.barGap, y: frame.y, width: SIZES.bar, height: frame.height };
  const image = barImage(colorbar, flat);
  shapes.push({ kind: "image", ...box, image, flip: { x: false, y: false }, smooth: false });
  shapes.push({ kind: "path", d: rectangle(box), stroke: palette.line, width: 1 });
  const axis = { ...colorbar, inverted: false, grid: false };
  const label = plain(colorbar.label);
  if (flat) {
    const end = box.y + box.height;
    ticksAcross(bar, makeScale(axis, box.x, box.x + box.width), end, 1, palette, shapes);
    const y = end + bar.room + LABEL_SIZE + 2;
    if (label) shapes.push(word(label, box.x + box.width / 2, y, LABEL_SIZE, palette.ink));
    return;
  }
  const end = box.x + box.width;
  ticksBeside(bar, makeScale(axis, box.y + box.height, box.y), end, 1, palette, shapes);
  const left = end + bar.room + LABEL_SIZE + 3;
  if (label) shapes.push(word(label, left, box.y + box.height / 2, LABEL_SIZE, palette.ink, { turn: -90 }));
}

function word(
  text: string,
  x: number,
  y: number,
  size: number,
  color: string,
  more: { bold?: boolean; mono?: boolean; turn?: number } = {},
): Shape & { kind: "text" } {
  return { kind: "text", text, x: at(x), y: at(y), size, color, anchor: "middle", ...more };
}

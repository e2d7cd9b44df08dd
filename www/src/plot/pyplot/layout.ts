// Where the frames of a chart lie, by the width that there is and what stands around each.
//
// Invariant: pure. No text shrinks: where columns would be too narrow, the grid gets fewer of them and more rows, and a
// legend that does not fit into its frame stands below it. Frames whose x and y have one unit keep their shape, and the
// chart is no larger than they need.
import { type LegendBox, placed, sized } from "./legend";
import { spots } from "./place";
import { makeScale, type Scale } from "./scale";
import { type Box, HEAD_SIZE, LABEL_SIZE, LINE, type Measure, TICK_SIZE, TITLE_SIZE, wrapped } from "./scene";
import type { Axes, ChartData } from "./schema";
import { sizeOf, textBox } from "./texts";
import { acrossTicks, besideTicks, type TickPlan } from "./ticklabels";
import { plain } from "./words";

export interface Panel {
  axes: Axes;
  /** Axes in the same frame. */
  over: Axes[];
  row: number;
  column: number;
  rows: number;
  columns: number;
  /** Nothing stands at its sides. */
  bare: boolean;
  frame: Box;
  /** The room around the frame. */
  left: number;
  right: number;
  top: number;
  bottom: number;
  title: string[];
  x: TickPlan;
  y: TickPlan;
  /** Of the axes that lie over it, on the far sides. */
  farX: TickPlan | null;
  farY: TickPlan | null;
  bar: TickPlan | null;
  legends: { box: LegendBox; where: "inside" | "right" | "below" }[];
}

export interface Layout {
  width: number;
  height: number;
  panels: Panel[];
  /** Lines of the title above all. */
  title: string[];
}

const PIXELS_PER_INCH = 96;
/** A frame with numbers around it needs so much, a picture so much. */
const FRAMED_LEAST = 168;
const BARE_LEAST = 40;
const LABEL_ROOM = LABEL_SIZE * LINE + 3;
const COLORBAR = 12;
const COLORBAR_GAP = 12;
const NONE: TickPlan = { major: [], minor: [], slanted: false, room: 0 };
export const SIZES = { label: LABEL_ROOM, bar: COLORBAR, barGap: COLORBAR_GAP, titleGap: 8 };

export function layout(chart: ChartData, room: number, measure: Measure): Layout {
  const panels = panelsOf(chart);
  const natural = chart.width * PIXELS_PER_INCH;
  const grid = reflow(panels, chart, Math.min(room, Math.max(natural, 240)), measure);
  const side = chart.ylabel ? LABEL_ROOM + 4 : 0;
  const most = Math.max(Math.min(room, Math.max(natural, 220 * Math.min(grid.columns, 2))), 60) - side;
  const cell = most / grid.columns;
  const ratio = chart.height / chart.rows / (chart.width / chart.columns);
  const tall = (chart.height * PIXELS_PER_INCH) / chart.rows;
  const allBare = panels.every(({ bare }) => bare);
  const gap = { x: allBare ? 8 : 16, y: allBare ? 8 : 18 };
  for (const panel of panels) {
    const wide = cell * panel.columns;
    around(panel, wide * 0.8, Math.max(wide * ratio * 0.75, 60), wide, measure);
  }
  // The ticks depend on the frames, and the frames on the ticks: the second round settles it.
  let widths: number[] = [];
  let heights: number[] = [];
  for (let round = 0; round < 2; round++) {
    widths = widthsOf(panels, grid.columns, most, gap.x);
    heights = heightsOf(
      panels,
      grid.rows,
      widths,
      Math.min(Math.max(cell * ratio, Math.min(tall, 210)), 900),
      gap,
    );
    for (const panel of panels) {
      const [wide, high] = spanned(panel, widths, heights, panels, gap);
      const shape = shaped(panel, wide, high);
      around(panel, shape.width, shape.height, wide + panel.left + panel.right, measure);
    }
  }
  widths = narrowed(panels, widthsOf(panels, grid.columns, most, gap.x), heights, measure);
  const title = chart.title
    ? wrapped(plain(chart.title), most + side, 3, (text) => measure(text, HEAD_SIZE, { bold: true }))
    : [];
  const above = title.length ? title.length * HEAD_SIZE * LINE + 10 : 0;
  const lefts = Array.from({ length: grid.columns }, (_, column) => leftOf(panels, column));
  const rights = Array.from({ length: grid.columns }, (_, column) => rightOf(panels, column));
  const tops = Array.from({ length: grid.rows }, (_, row) => topOf(panels, row));
  const bottoms = Array.from({ length: grid.rows }, (_, row) => bottomOf(panels, row));
  const x0: number[] = [];
  const y0: number[] = [];
  let [across, down] = [side, above];
  for (let column = 0; column < grid.columns; column++) {
    x0[column] = across + (lefts[column] ?? 0);
    across = (x0[column] ?? 0) + (widths[column] ?? 0) + (rights[column] ?? 0) + gap.x;
  }
  for (let row = 0; row < grid.rows; row++) {
    y0[row] = down + (tops[row] ?? 0);
    down = (y0[row] ?? 0) + (heights[row] ?? 0) + (bottoms[row] ?? 0) + gap.y;
  }
  for (const panel of panels) {
    const [wide, high] = spanned(panel, widths, heights, panels, gap);
    const { width, height } = shaped(panel, wide, high);
    panel.frame = {
      x: Math.round((x0[panel.column] ?? 0) + (wide - width) / 2) + 0.5,
      y: Math.round((y0[panel.row] ?? 0) + (high - height) / 2) + 0.5,
      width: Math.round(width),
      height: Math.round(height),
    };
  }
  return {
    width: Math.floor(Math.max(across - gap.x, 40)),
    height: Math.ceil(Math.max(down - gap.y + (chart.xlabel ? LABEL_ROOM + 4 : 0), 20)) + 1,
    panels,
    title,
  };
}

function panelsOf(chart: ChartData): Panel[] {
  const panels = new Map<number, Panel>();
  for (const [place, axes] of chart.axes.entries()) {
    const under = axes.over ? panels.get(axes.over.axes) : undefined;
    if (under) {
      under.over.push(axes);
      continue;
    }
    const { row, column, rows, columns, frame, x, y, xlabel, ylabel } = axes;
    const unmarked = x.ticks?.length === 0 && y.ticks?.length === 0 && !xlabel && !ylabel;
    const frameless = {
      row,
      column,
      rows,
      columns,
      bare: !frame || unmarked,
      over: [],
      legends: [],
      title: [],
    };
    const sides = {
      left: 0,
      right: 0,
      top: 0,
      bottom: 0,
      x: NONE,
      y: NONE,
      farX: null,
      farY: null,
      bar: null,
    };
    panels.set(place, { axes, ...frameless, ...sides, frame: { x: 0, y: 0, width: 0, height: 0 } });
  }
  return [...panels.values()];
}

/** How many columns and rows there is room for; cells get their new places. */
function reflow(
  panels: Panel[],
  chart: ChartData,
  room: number,
  measure: Measure,
): { rows: number; columns: number } {
  const columns = Math.max(chart.columns, ...panels.map((panel) => panel.column + panel.columns));
  const rows = Math.max(chart.rows, ...panels.map((panel) => panel.row + panel.rows));
  const least = (panel: Panel) => {
    const word = Math.max(
      0,
      ...plain(panel.axes.title)
        .split(/\s/)
        .map((each) => measure(each, TITLE_SIZE, {})),
    );
    const bar = panel.axes.colorbar && !panel.axes.colorbar.flat ? 60 : 0;
    return ((panel.bare ? Math.max(BARE_LEAST, Math.min(word, 110)) : FRAMED_LEAST) + bar) / panel.columns;
  };
  const need = Math.max(1, ...panels.map(least));
  const fit = Math.max(1, Math.floor(room / need));
  if (fit >= columns || !panels.length) return { rows, columns };
  const single = panels.every((panel) => panel.rows === 1 && panel.columns === 1);
  panels.sort((a, b) => a.row - b.row || a.column - b.column);
  const n = panels.length;
  let chosen = 1;
  if (single) {
    chosen = fit;
    for (let tried = fit; tried >= fit / 2; tried--) {
      if (n % tried === 0 || (columns % tried === 0 && tried > fit / 2)) {
        chosen = tried;
        break;
      }
    }
  }
  for (const [place, panel] of panels.entries()) {
    Object.assign(panel, { row: Math.floor(place / chosen), column: place % chosen, rows: 1, columns: 1 });
  }
  return { rows: Math.ceil(n / chosen), columns: chosen };
}

/** What stands around a frame of this size, and the room that it takes. */
function around(panel: Panel, width: number, height: number, cell: number, measure: Measure): void {
  const { axes, over } = panel;
  const farY = over.find((each) => each.over?.shared === "x");
  const farX = over.find((each) => each.over?.shared === "y");
  const { colorbar } = axes;
  panel.x = axes.frame ? acrossTicks(axes.x, width, measure) : NONE;
  panel.y = axes.frame ? besideTicks(axes.y, height, measure, Math.min(150, cell * 0.36)) : NONE;
  panel.farY = farY?.frame ? besideTicks(farY.y, height, measure) : null;
  panel.farX = farX?.frame ? acrossTicks(farX.x, width, measure) : null;
  const title = axes.title || over.find((each) => each.title)?.title || "";
  const wide = Math.max(width + (panel.bare ? 6 : panel.left), 60);
  panel.title = title
    ? wrapped(plain(title), wide, 3, (text) => measure(text, TITLE_SIZE, { bold: true }))
    : [];
  panel.left = panel.y.room + (axes.frame && axes.ylabel ? LABEL_ROOM : 0);
  panel.right = panel.farY ? panel.farY.room + (farY?.ylabel ? LABEL_ROOM : 0) : 0;
  panel.top = panel.title.length ? panel.title.length * TITLE_SIZE * LINE + SIZES.titleGap : 0;
  panel.top += panel.farX ? panel.farX.room + (farX?.xlabel ? LABEL_ROOM : 0) : 0;
  panel.bottom = panel.x.room + (axes.frame && axes.xlabel ? LABEL_ROOM : 0);
  panel.bar = null;
  if (colorbar) {
    const scale = { low: colorbar.low, high: colorbar.high, log: colorbar.log, ticks: colorbar.ticks };
    const label = colorbar.label ? LABEL_ROOM : 0;
    if (colorbar.flat) {
      panel.bar = acrossTicks({ ...scale, inverted: false, grid: false }, width, measure);
      panel.bottom += COLORBAR_GAP + COLORBAR + panel.bar.room + label;
    } else {
      panel.bar = besideTicks(scale, height, measure);
      panel.right += COLORBAR_GAP + COLORBAR + panel.bar.room + label;
    }
  }
  panel.legends = [axes, ...over].flatMap(({ legend }): Panel["legends"] => {
    if (!legend) return [];
    let box = sized(legend, cell - panel.left, measure);
    const apart = legend.outside && box.width < cell * 0.36;
    const inside = !legend.outside && box.width <= width * 0.85 && box.height <= height * 0.72;
    if (inside && !crowded(panel, box, width, height)) return [{ box, where: "inside" }];
    if (apart) return [{ box, where: "right" }];
    box = sized(legend, Math.max(width + panel.left / 2, 120), measure, 6);
    return [{ box, where: "below" }];
  });
  for (const { box, where } of panel.legends) {
    if (where === "right") panel.right += box.width + 4;
    if (where === "below") panel.bottom += box.height + 4;
  }
  widened(panel, width, height, measure);
  if (panel.bare) return;
  // The last number stands half beyond the frame, and lines have width.
  panel.top = Math.max(panel.top, 7);
  const last = axes.frame ? panel.x.major.at(-1)?.lines[0] : "";
  panel.right = Math.max(
    panel.right,
    4,
    last ? Math.min(measure(last, TICK_SIZE, { mono: true }) / 2 + 1, 24) : 0,
  );
  panel.left = Math.max(panel.left, 2);
}

/** Whether a legend would cover much of what is drawn wherever it stood. */
function crowded(panel: Panel, box: LegendBox, width: number, height: number): boolean {
  if (box.legend.place !== "best") return false;
  const frame = { x: 0, y: 0, width, height };
  const marks = [panel.axes, ...panel.over].flatMap((axes) =>
    spots(axes.marks, { frame, ...scalesOf(axes, frame) }),
  );
  const { covered } = placed(box, frame, () => marks);
  return covered > Math.max(8, marks.length * 0.04);
}

/** Texts at the border make room for themselves. */
function widened(panel: Panel, width: number, height: number, measure: Measure): void {
  const frame = { x: 0, y: 0, width, height };
  const scales = scalesOf(panel.axes, frame);
  const texts = panel.axes.marks.filter(
    (mark) => mark.kind === "text" && mark.place === "data" && !mark.rotation,
  );
  for (const mark of texts.slice(0, 200)) {
    if (mark.kind !== "text") continue;
    const lines = plain(mark.text).split("\n");
    const box = textBox(
      mark,
      scales,
      most(lines.map((line) => measure(line, sizeOf(mark), { bold: mark.bold }))),
    );
    const [x, y] = [scales.x(mark.x), scales.y(mark.y)];
    if (!(x >= -1 && x <= width + 1 && y >= -1 && y <= height + 1)) continue;
    panel.right = Math.max(panel.right, box.x + box.width - width);
    panel.left = Math.max(panel.left, -box.x);
    if (!panel.title.length) panel.top = Math.max(panel.top, 2 - box.y);
    if (panel.bare) panel.bottom = Math.max(panel.bottom, box.y + box.height - height);
  }
}

export function scalesOf(axes: Axes, { x, y, width, height }: Box): { x: Scale; y: Scale } {
  return { x: makeScale(axes.x, x, x + width), y: makeScale(axes.y, y + height, y) };
}

const first = (panel: Panel, column: number) => panel.column === column;
const last = (panel: Panel, column: number) => panel.column + panel.columns - 1 === column;
const most = (values: number[]) => Math.max(0, ...values);
const leftOf = (panels: Panel[], column: number) =>
  most(panels.filter((panel) => first(panel, column)).map(({ left }) => left));
const rightOf = (panels: Panel[], column: number) =>
  most(panels.filter((panel) => last(panel, column)).map(({ right }) => right));
const topOf = (panels: Panel[], row: number) =>
  most(panels.filter((panel) => panel.row === row).map(({ top }) => top));
const bottomOf = (panels: Panel[], row: number) =>
  most(panels.filter((panel) => panel.row + panel.rows - 1 === row).map(({ bottom }) => bottom));

function widthsOf(panels: Panel[], columns: number, room: number, gap: number): number[] {
  const taken = Array.from(
    { length: columns },
    (_, column) => leftOf(panels, column) + rightOf(panels, column),
  );
  const rest = room - taken.reduce((sum, each) => sum + each, 0) - gap * (columns - 1);
  return taken.map(() => Math.max(rest / columns, 36));
}

function heightsOf(
  panels: Panel[],
  rows: number,
  widths: number[],
  cell: number,
  gap: { x: number; y: number },
): number[] {
  return Array.from({ length: rows }, (_, row) => {
    const own = panels.filter((panel) => panel.row <= row && panel.row + panel.rows > row);
    const wide = (panel: Panel) => spanned(panel, widths, [], panels, gap)[0];
    let height = cell - topOf(panels, row) - bottomOf(panels, row);
    // Labels do not eat the frame up.
    height = Math.max(height, Math.min(0.58 * most(own.map(wide)), 170), 36);
    const equal = own.length > 0 && own.every((panel) => aspect(panel) && panel.rows === 1);
    if (!equal) return height;
    const needed = most(own.map((panel) => shaped(panel, wide(panel), 4000).height));
    return Math.min(Math.max(height, Math.min(needed, 1.15 * cell)), needed);
  });
}

/** Columns of pictures alone are no wider than they are. */
function narrowed(panels: Panel[], widths: number[], heights: number[], measure: Measure): number[] {
  return widths.map((width, column) => {
    const own = panels.filter((panel) => panel.column <= column && panel.column + panel.columns > column);
    if (!own.length || !own.every((panel) => aspect(panel) && panel.columns === 1)) return width;
    const needed = own.map((panel) => {
      const high = heights.slice(panel.row, panel.row + panel.rows).reduce((sum, each) => sum + each, 0);
      const words = panel.title.map((line) => measure(line, TITLE_SIZE, { bold: true }) - panel.left);
      return Math.max(shaped(panel, width, high).width, ...words);
    });
    return Math.min(width, most(needed));
  });
}

function spanned(
  panel: Panel,
  widths: number[],
  heights: number[],
  panels: Panel[],
  gap: { x: number; y: number },
): [number, number] {
  let [wide, high] = [0, 0];
  for (let column = panel.column; column < panel.column + panel.columns; column++) {
    wide += widths[column] ?? 0;
    if (column > panel.column) wide += leftOf(panels, column) + rightOf(panels, column - 1) + gap.x;
  }
  for (let row = panel.row; row < panel.row + panel.rows; row++) {
    high += heights[row] ?? 0;
    if (row > panel.row) high += topOf(panels, row) + bottomOf(panels, row - 1) + gap.y;
  }
  return [wide, high];
}

/** Height by width of a frame whose axes have one unit; 0 for others. */
function aspect({ axes: { equal, x, y } }: Panel): number {
  if (!equal || x.log || y.log) return 0;
  return Math.min(Math.max((y.high - y.low) / (x.high - x.low), 0.05), 20);
}

function shaped(panel: Panel, width: number, height: number): { width: number; height: number } {
  const ratio = aspect(panel);
  if (!ratio) return { width, height };
  return width * ratio <= height ? { width, height: width * ratio } : { width: height / ratio, height };
}

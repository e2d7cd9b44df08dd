// A chart as Python hands it over, read from its JSON text.
//
// Invariant: `parseChart` never throws, and what it returns has every field with the type that is written here: numbers
// are finite where the drawing needs them, and lists of coordinates hold NaN for gaps. What it does not know it leaves
// out. The schema is told in crates/python/src/lib/matplotlib/_host.py.

export type Dash = "solid" | "dashed" | "dashdot" | "dotted" | null;
/** "#rrggbb" or "#rrggbbaa"; null draws nothing. */
export type Colour = string | null;
export type Side = "left" | "right" | "top" | "bottom";

export interface ChartData {
  title: string;
  xlabel: string;
  ylabel: string;
  /** In inches. */
  width: number;
  height: number;
  rows: number;
  columns: number;
  background: Colour;
  axes: Axes[];
  texts: TextMark[];
}

export interface Axes {
  row: number;
  column: number;
  rows: number;
  columns: number;
  over: { axes: number; shared: "x" | "y" } | null;
  title: string;
  xlabel: string;
  ylabel: string;
  x: Axis;
  y: Axis;
  equal: boolean;
  frame: boolean;
  sides: Side[];
  background: Colour;
  legend: Legend | null;
  colorbar: Colorbar | null;
  marks: Mark[];
}

export interface Axis {
  low: number;
  high: number;
  log: boolean;
  inverted: boolean;
  grid: boolean;
  ticks: [number, string][] | null;
}

export interface Legend {
  place: string;
  title: string;
  columns: number;
  outside: boolean;
  entries: Entry[];
}

export interface Entry {
  label: string;
  kind: string;
  color: Colour;
  dash: Dash;
  width: number;
  marker: string | null;
  edge: Colour;
}

/** Colours that stand for numbers. */
export interface Ramp {
  colors: string[];
  low: number;
  high: number;
  log: boolean;
  /** Each colour is one step. */
  listed: boolean;
}

export interface Colorbar extends Ramp {
  label: string;
  ticks: [number, string][] | null;
  flat: boolean;
}

interface Named {
  label: string;
}
export interface LineMark extends Named {
  kind: "line";
  x: number[];
  y: number[];
  color: Colour;
  width: number;
  dash: Dash;
  marker: string | null;
  size: number;
  face: Colour;
  edge: Colour;
}
export interface PointsMark extends Named {
  kind: "points";
  x: number[];
  y: number[];
  size: number[];
  color: Colour[];
  marker: string;
  edge: Colour;
}
export interface BarsMark extends Named {
  kind: "bars";
  x: number[];
  y: number[];
  width: number[];
  height: number[];
  color: Colour[];
  edge: Colour[];
}
export interface AreaMark extends Named {
  kind: "area";
  x: number[];
  low: number[];
  high: number[];
  flat: boolean;
  color: Colour;
  edge: Colour;
}
export interface PolygonMark extends Named {
  kind: "polygon";
  x: number[];
  y: number[];
  color: Colour;
  edge: Colour;
}
export interface SegmentsMark extends Named {
  kind: "segments";
  x0: number[];
  y0: number[];
  x1: number[];
  y1: number[];
  color: Colour;
  width: number;
  dash: Dash;
  /** They end in an arrow's tip. */
  head: boolean;
}
export interface RuleMark extends Named {
  kind: "rule";
  axis: "x" | "y";
  low: number;
  high: number;
  ends: [number, number];
  color: Colour;
  width: number;
  dash: Dash;
}
export interface TextMark extends Named {
  kind: "text";
  x: number;
  y: number;
  place: "data" | "axes" | "figure";
  text: string;
  color: Colour;
  /** In points; null is the usual size. */
  size: number | null;
  rotation: number;
  across: "left" | "center" | "right";
  along: "baseline" | "bottom" | "center" | "top";
  bold: boolean;
}
export interface ImageMark extends Named, Ramp {
  kind: "image";
  left: number;
  right: number;
  bottom: number;
  top: number;
  rows: number;
  columns: number;
  channels: 1 | 3;
  values: number[];
  smooth: boolean;
  opacity: number;
}

export type Mark =
  | LineMark
  | PointsMark
  | BarsMark
  | AreaMark
  | PolygonMark
  | SegmentsMark
  | RuleMark
  | TextMark
  | ImageMark;

type Raw = Record<string, unknown>;

/** More cells than that, in a grid or an image's side, are a mistake. */
const MOST_CELLS = 64;
const MOST_SIDE = 1024;
const SIZES: Record<string, number> = {
  "xx-small": 6,
  "x-small": 7,
  small: 8.3,
  medium: 10,
  large: 12,
  "x-large": 14.4,
  "xx-large": 17.3,
};

export function parseChart(text: string): ChartData | null {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRaw(raw) || !Array.isArray(raw.axes)) return null;
  const axes = raw.axes.map((each) => readAxes(isRaw(each) ? each : {}));
  for (const [place, each] of axes.entries()) {
    const under = each.over ? axes[each.over.axes] : undefined;
    // Axes lie over such that stand before them and lie over nothing themselves.
    if (each.over && (!under || under.over || each.over.axes >= place)) each.over = null;
  }
  return {
    title: word(raw.title),
    xlabel: word(raw.xlabel),
    ylabel: word(raw.ylabel),
    width: within(raw.width, 0.5, 60, 6.4),
    height: within(raw.height, 0.5, 60, 4.8),
    rows: count(raw.rows, Math.max(1, ...axes.map((each) => each.row + each.rows))),
    columns: count(raw.columns, Math.max(1, ...axes.map((each) => each.column + each.columns))),
    background: colour(raw.background),
    axes,
    texts: list(raw.texts).map(readMark).filter(isText),
  };
}

function readAxes(raw: Raw): Axes {
  const over = isRaw(raw.over) ? raw.over : null;
  return {
    row: within(raw.row, 0, MOST_CELLS - 1, 0),
    column: within(raw.column, 0, MOST_CELLS - 1, 0),
    rows: count(raw.rows, 1),
    columns: count(raw.columns, 1),
    over: over ? { axes: number(over.axes, -1), shared: over.shared === "y" ? "y" : "x" } : null,
    title: word(raw.title),
    xlabel: word(raw.xlabel),
    ylabel: word(raw.ylabel),
    x: readAxis(raw.x),
    y: readAxis(raw.y),
    equal: raw.equal === true,
    frame: raw.frame !== false,
    sides: Array.isArray(raw.sides) ? (raw.sides as Side[]) : ["left", "right", "top", "bottom"],
    background: colour(raw.background),
    legend: readLegend(raw.legend),
    colorbar: isRaw(raw.colorbar)
      ? {
          ...readRamp(raw.colorbar),
          label: word(raw.colorbar.label),
          ticks: readTicks(raw.colorbar.ticks),
          flat: raw.colorbar.flat === true,
        }
      : null,
    marks: list(raw.marks)
      .map(readMark)
      .filter((mark) => mark !== null),
  };
}

function readAxis(value: unknown): Axis {
  const raw = isRaw(value) ? value : {};
  let [low, high] = [number(raw.low, 0), number(raw.high, 1)];
  if (low > high) [low, high] = [high, low];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  return {
    low,
    high,
    log: raw.scale === "log" && low > 0,
    inverted: raw.inverted === true,
    grid: raw.grid === true,
    ticks: readTicks(raw.ticks),
  };
}

function readTicks(value: unknown): [number, string][] | null {
  if (!Array.isArray(value)) return null;
  return value
    .filter((pair) => Array.isArray(pair) && Number.isFinite(pair[0]))
    .map((pair) => [pair[0] as number, word(pair[1])]);
}

function readLegend(value: unknown): Legend | null {
  if (!isRaw(value)) return null;
  const entries = list(value.entries)
    .filter(isRaw)
    .map((raw) => ({
      label: word(raw.label),
      kind: word(raw.kind) || "line",
      color: colour(raw.color),
      dash: dash(raw.dash),
      width: within(raw.width, 0, 40, 1.5),
      marker: typeof raw.marker === "string" ? raw.marker : null,
      edge: colour(raw.edge),
    }));
  if (!entries.length) return null;
  return {
    place: word(value.place),
    title: word(value.title),
    columns: within(value.columns, 1, 12, 1),
    outside: value.outside === true,
    entries,
  };
}

function readRamp(raw: Raw): Ramp {
  const low = number(raw.low, 0);
  const high = number(raw.high, 1);
  const colors = list(raw.colors).filter((each): each is string => colour(each) !== null);
  return {
    colors: colors.length ? colors : ["#000000", "#ffffff"],
    low,
    high: high > low ? high : low + 1,
    log: raw.scale === "log" && low > 0,
    listed: raw.listed === true,
  };
}

function readMark(value: unknown): Mark | null {
  if (!isRaw(value)) return null;
  const raw = value;
  const label = word(raw.label);
  const stroke = {
    label,
    color: colour(raw.color),
    width: within(raw.width, 0, 100, 1.5),
    dash: dash(raw.dash),
  };
  const [x, y] = [numbers(raw.x), numbers(raw.y)];
  const [color, edge] = [colour(raw.color), colour(raw.edge)];
  switch (raw.kind) {
    case "line": {
      const marker = typeof raw.marker === "string" ? raw.marker : null;
      const size = within(raw.size, 0, 400, 6);
      return { kind: "line", x, y, ...stroke, marker, size, face: colour(raw.face), edge };
    }
    case "points": {
      const marker = word(raw.marker) || "o";
      return {
        kind: "points",
        label,
        x,
        y,
        size: numbers(raw.size),
        color: colours(raw.color),
        marker,
        edge,
      };
    }
    case "bars": {
      const [width, height] = [numbers(raw.width), numbers(raw.height)];
      return {
        kind: "bars",
        label,
        x,
        y,
        width,
        height,
        color: colours(raw.color),
        edge: colours(raw.edge),
      };
    }
    case "area": {
      const [low, high] = [numbers(raw.low), numbers(raw.high)];
      return { kind: "area", label, x, low, high, flat: raw.flat === true, color, edge };
    }
    case "polygon":
      return { kind: "polygon", label, x, y, color, edge };
    case "segments": {
      const [x0, y0, x1, y1] = [numbers(raw.x0), numbers(raw.y0), numbers(raw.x1), numbers(raw.y1)];
      return { kind: "segments", x0, y0, x1, y1, ...stroke, head: raw.head === true };
    }
    case "rule": {
      const [from, to] = numbers(raw.ends);
      const low = number(raw.low, Number.NaN);
      if (Number.isNaN(low)) return null;
      return {
        kind: "rule",
        axis: raw.axis === "x" ? "x" : "y",
        low,
        high: number(raw.high, low),
        ends: [number(from, 0), number(to, 1)],
        ...stroke,
      };
    }
    case "text":
      return readText(raw, label);
    case "image":
      return readImage(raw, label);
    default:
      return null;
  }
}

function readText(raw: Raw, label: string): TextMark {
  const named = typeof raw.size === "string" ? (SIZES[raw.size] ?? null) : null;
  const turned = raw.rotation === "vertical" ? 90 : number(raw.rotation, 0);
  return {
    kind: "text",
    label,
    x: number(raw.x, Number.NaN),
    y: number(raw.y, Number.NaN),
    place: raw.place === "axes" || raw.place === "figure" ? raw.place : "data",
    text: word(raw.text),
    color: colour(raw.color),
    size: typeof raw.size === "number" ? within(raw.size, 1, 200, 10) : named,
    rotation: turned,
    across: raw.across === "center" || raw.across === "right" ? raw.across : "left",
    along:
      raw.along === "bottom" || raw.along === "center" || raw.along === "top"
        ? raw.along
        : raw.along === "center_baseline"
          ? "center"
          : "baseline",
    bold: raw.bold === true,
  };
}

function readImage(raw: Raw, label: string): ImageMark | null {
  const image: ImageMark = {
    kind: "image",
    label,
    left: number(raw.left, Number.NaN),
    right: number(raw.right, Number.NaN),
    bottom: number(raw.bottom, Number.NaN),
    top: number(raw.top, Number.NaN),
    rows: within(raw.rows, 0, MOST_SIDE, 0),
    columns: within(raw.columns, 0, MOST_SIDE, 0),
    channels: raw.channels === 3 ? 3 : 1,
    values: numbers(raw.values),
    smooth: raw.smooth === true,
    opacity: within(raw.opacity, 0, 1, 1),
    ...readRamp(raw),
  };
  const ends = image.left + image.right + image.bottom + image.top;
  return Number.isFinite(ends) && image.rows >= 1 && image.columns >= 1 ? image : null;
}

const isRaw = (value: unknown): value is Raw =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (mark: Mark | null): mark is TextMark => mark?.kind === "text";
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const word = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise;
const within = (value: unknown, low: number, high: number, otherwise: number): number =>
  Math.min(Math.max(number(value, otherwise), low), high);
const count = (value: unknown, otherwise: number): number =>
  Math.round(within(value, 1, MOST_CELLS, otherwise));

/** One number or many; what is none is NaN. */
function numbers(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return list(value).map((each) => number(each, Number.NaN));
}

function colour(value: unknown): Colour {
  return typeof value === "string" && /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value)
    ? value.toLowerCase()
    : null;
}

function colours(value: unknown): Colour[] {
  const found = Array.isArray(value) ? value.map(colour) : [colour(value)];
  return found.length ? found : [null];
}

function dash(value: unknown): Dash {
  if (value === undefined) return "solid";
  return value === "solid" || value === "dashed" || value === "dashdot" || value === "dotted" ? value : null;
}

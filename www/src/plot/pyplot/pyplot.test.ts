import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrast, type Palette, paletteOn, rgbOf, shown } from "./colours";
import { drawChart } from "./draw";
import { finer, pixels, stepOf } from "./image";
import { layout } from "./layout";
import { linearTicks, makeScale, named, ticksOf } from "./scale";
import type { Measure, Scene, TextShape } from "./scene";
import { type ImageMark, parseChart } from "./schema";
import { plain, describe as words } from "./words";

const DARK: Palette = {
  dark: true,
  ground: "#0e1116",
  ink: "#e8eaed",
  quiet: "#9aa4b2",
  line: "#2a323d",
  edge: "#667181",
};
const LIGHT: Palette = {
  dark: false,
  ground: "#fbfaf7",
  ink: "#1b1f24",
  quiet: "#59636f",
  line: "#ddd9d0",
  edge: "#8b8779",
};
const CYCLE = "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf".split(" ");
const measure: Measure = (text, size) => text.length * size * 0.56;

const axis = (low: number, high: number, more = {}) => ({
  low,
  high,
  scale: "linear",
  inverted: false,
  grid: false,
  ticks: null,
  ...more,
});
function axes(marks: unknown[], more = {}): object {
  const cell = { row: 0, column: 0, rows: 1, columns: 1, over: null };
  const names = { title: "", xlabel: "", ylabel: "" };
  const frame = { equal: false, frame: true, sides: ["left", "right", "top", "bottom"], background: null };
  return {
    ...cell,
    ...names,
    ...frame,
    x: axis(0, 10),
    y: axis(0, 10),
    legend: null,
    colorbar: null,
    marks,
    ...more,
  };
}
function chart(all: object[], more = {}): string {
  const size = { width: 6.4, height: 4.8, rows: 1, columns: 1 };
  return JSON.stringify({
    title: "",
    xlabel: "",
    ylabel: "",
    ...size,
    background: null,
    axes: all,
    texts: [],
    ...more,
  });
}
const line = (x: (number | null)[], y: (number | null)[], more = {}) => ({
  kind: "line",
  label: "",
  x,
  y,
  color: "#1f77b4",
  width: 1.5,
  dash: "solid",
  marker: null,
  size: 6,
  face: "#1f77b4",
  edge: "#1f77b4",
  ...more,
});
function drawn(text: string, room = 640, palette = DARK): Scene {
  const read = parseChart(text);
  if (!read) throw new Error("not read");
  return drawChart(read, room, palette, measure);
}
const texts = (scene: Scene) => scene.shapes.filter((shape): shape is TextShape => shape.kind === "text");
const paths = (scene: Scene) => scene.shapes.filter((shape) => shape.kind === "path");

describe("reading a chart", () => {
  it("says no to what is no chart", () => {
    for (const text of ["", "{", "null", "3", "[]", "{}", '{"axes": 3}']) expect(parseChart(text)).toBeNull();
  });
  it("leaves out what it does not know and mends what it can", () => {
    const read = parseChart(
      chart([axes([{ kind: "hologram" }, null, 3, line([1, null], [2, 3], { color: "red", dash: "wavy" })])]),
    );
    expect(read?.axes[0]?.marks).toHaveLength(1);
    expect(read?.axes[0]?.marks[0]).toMatchObject({ x: [1, Number.NaN], color: null, dash: null });
    expect(
      parseChart('{"axes": [{"x": {"low": 2, "high": 2}, "over": {"axes": 7}}]}')?.axes[0],
    ).toMatchObject({
      x: { low: 1.5, high: 2.5, log: false },
      over: null,
    });
  });
  it("draws whatever is in it without an error", () => {
    const value = fc.oneof(fc.double(), fc.string(), fc.constant(null), fc.array(fc.double()), fc.object());
    const kinds = ["line", "points", "bars", "area", "polygon", "segments", "rule", "text", "image"];
    const fields =
      "x y low high width height color size marker rows columns values text ends x0 left scale".split(" ");
    const mark = fc
      .dictionary(fc.constantFrom(...fields), value)
      .chain((rest) => fc.constantFrom(...kinds).map((kind) => ({ ...rest, kind })));
    const names = "row columns x y over title legend colorbar equal frame sides background".split(" ");
    const any = fc.tuple(fc.dictionary(fc.constantFrom(...names), value), fc.array(mark));
    fc.assert(
      fc.property(fc.array(any, { maxLength: 4 }), fc.integer({ min: 1, max: 2000 }), (all, room) => {
        const text = JSON.stringify({ axes: all.map(([rest, marks]) => ({ ...rest, marks })) });
        const scene = drawn(text, room);
        expect(Number.isFinite(scene.width + scene.height)).toBe(true);
        for (const shape of paths(scene)) if (shape.kind === "path") expect(shape.d).not.toContain("NaN");
      }),
      { numRuns: 300 },
    );
  });
});

describe("scales and ticks", () => {
  it("turns an axis round, and has no place for zero on a log scale", () => {
    const base = { low: 1, high: 100, log: true, inverted: false, grid: false, ticks: null };
    expect(makeScale(base, 0, 200)(10)).toBeCloseTo(100);
    expect(makeScale(base, 0, 200)(0)).toBeNaN();
    expect(makeScale({ ...base, log: false, low: 0, inverted: true }, 0, 200)(100)).toBe(0);
  });
  it("takes round numbers between the ends", () => {
    expect(linearTicks(-1.1, 1.1, 5)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(linearTicks(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
        fc.double({ noNaN: true, min: 1e-6, max: 1e9 }),
        (low, size) => {
          const span = Math.max(size, Math.abs(low) * 1e-6);
          const ticks = linearTicks(low, low + span, 6);
          expect(ticks.length).toBeLessThanOrEqual(7);
          for (const tick of ticks)
            expect(tick >= low - span * 1e-5 && tick <= low + span * 1.00001).toBe(true);
        },
      ),
    );
  });
  it("writes all labels of an axis in one form", () => {
    const labels = (...values: number[]) => named(values).map(({ label }) => label);
    expect(labels(-1, -0.5, 0, 0.5)).toEqual(["−1.0", "−0.5", "0.0", "0.5"]);
    expect(labels(0, 2e6, 4e6)).toEqual(["0", "2e6", "4e6"]);
    expect(labels(0, 5e-5)).toEqual(["0", "5e−5"]);
    expect(labels(0, 20000)).toEqual(["0", "20000"]);
    expect(labels(1000001, 1000002)).toEqual(["1000001", "1000002"]);
  });
  it("names powers of ten, with small ticks between", () => {
    const { major, minor } = ticksOf({ low: 0.5, high: 2000, log: true, ticks: null }, 6);
    expect(major.map(({ label }) => label)).toEqual(["1", "10", "100", "1000"]);
    expect(minor).toContain(20);
    const wide = ticksOf({ low: 1e-16, high: 1, log: true, ticks: null }, 5);
    expect(wide.major.length).toBeLessThanOrEqual(6);
    expect(wide.major[0]?.label).toBe("1e−16");
  });
});

describe("layout", () => {
  const grid = (rows: number, columns: number, more = {}) =>
    chart(
      Array.from({ length: rows * columns }, (_, place) =>
        axes([line([0, 10], [0, 10])], {
          row: Math.floor(place / columns),
          column: place % columns,
          title: `Run number ${place}`,
          xlabel: "step",
          ylabel: "loss",
          ...more,
        }),
      ),
      { rows, columns, width: 12, height: 7 },
    );
  const laid = (text: string, room: number) => {
    const read = parseChart(text);
    if (!read) throw new Error("not read");
    return layout(read, room, measure);
  };

  it("wraps a grid that is too wide, and keeps frames apart and inside", () => {
    for (const [room, columns] of [
      [1200, 3],
      [640, 3],
      [366, 2],
      [200, 1],
    ] as const) {
      const { panels, width } = laid(grid(2, 3), room);
      expect(new Set(panels.map(({ column }) => column)).size).toBe(columns);
      expect(width).toBeLessThanOrEqual(room + 1);
      for (const [index, a] of panels.entries()) {
        expect(a.frame.x - a.left).toBeGreaterThanOrEqual(-1);
        expect(a.frame.width).toBeGreaterThan(70);
        for (const b of panels.slice(index + 1)) {
          const beside =
            a.frame.x + a.frame.width + a.right <= b.frame.x - b.left + 1 ||
            b.frame.x + b.frame.width <= a.frame.x;
          const under =
            a.frame.y + a.frame.height + a.bottom <= b.frame.y - b.top + 1 ||
            b.frame.y + b.frame.height <= a.frame.y;
          expect(beside || under).toBe(true);
        }
      }
    }
  });
  it("keeps squares square, and is no larger than they are", () => {
    const { panels, width, height } = laid(grid(1, 2, { equal: true, frame: false, title: "" }), 640);
    for (const { frame } of panels) expect(Math.abs(frame.width - frame.height)).toBeLessThanOrEqual(1);
    expect(width).toBeLessThanOrEqual(640);
    expect(height).toBeLessThan(330);
  });
  it("writes nothing smaller than 11 pixels, on a phone too", () => {
    for (const room of [200, 366, 700])
      for (const { size } of texts(drawn(grid(2, 3), room))) expect(size).toBeGreaterThanOrEqual(11);
  });
  it("lets no two labels of an axis overlap", () => {
    const names = "airplane automobile bird cat deer dog frog horse ship truck".split(" ");
    const ticks = names.map((name, place) => [place + 0.5, name]);
    for (const room of [240, 366, 640]) {
      const found = texts(drawn(chart([axes([], { x: axis(0, 10, { ticks }) })]), room)).filter(({ text }) =>
        names.some((name) => name.startsWith(text.replace("…", ""))),
      );
      const level = found.filter(({ turn }) => !turn).sort((a, b) => a.x - b.x);
      for (const [index, a] of level.entries()) {
        const b = level[index + 1];
        if (b) expect(a.x + measure(a.text, 11, {}) / 2).toBeLessThan(b.x - measure(b.text, 11, {}) / 2);
      }
    }
  });
  it("puts a legend where the fewest marks are, and below where it covers much", () => {
    const entries = (n: number) =>
      Array.from({ length: n }, (_, place) => ({
        label: `run ${place}`,
        kind: "line",
        color: "#1f77b4",
        dash: "solid",
      }));
    const legend = (n: number) => ({
      place: "best",
      title: "",
      columns: 1,
      outside: false,
      entries: entries(n),
    });
    const falling = line([0, 5, 10], [10, 3, 0]);
    const rising = line([0, 5, 10], [0, 3, 10]);
    const where = (mark: object, n = 2) =>
      texts(drawn(chart([axes([mark], { legend: legend(n) })]))).find(({ text }) => text === "run 0");
    expect(where(falling)?.x).toBeGreaterThan(320);
    expect(where(rising)?.x).toBeLessThan(320);
    expect(where(falling, 40)?.y).toBeGreaterThan(300);
  });
});

describe("marks", () => {
  it("draws each line, and each group of points that look alike, as one path", () => {
    const many = Array.from({ length: 4000 }, (_, place) => (place % 100) / 10);
    const points = {
      kind: "points",
      label: "",
      x: many,
      y: many,
      size: [6],
      color: ["#2ca02c"],
      marker: "o",
      edge: null,
    };
    const few = paths(drawn(chart([axes([])]))).length;
    expect(paths(drawn(chart([axes([line(many, many), points])]))).length).toBe(few + 2);
  });
  it("breaks a line at a gap", () => {
    const scene = drawn(chart([axes([line([0, 1, null, 3, 4], [0, 1, 2, 3, 4])])]));
    const [path] = paths(scene).filter((shape) => shape.kind === "path" && shape.round);
    expect(path?.kind === "path" && path.d.match(/M/g)).toHaveLength(2);
  });
  it("writes a bar's number so that it can be read on it", () => {
    const bars = {
      kind: "bars",
      label: "",
      x: [1],
      y: [0],
      width: [8],
      height: [9],
      color: ["#1f77b4"],
      edge: [null],
    };
    const text = {
      kind: "text",
      label: "",
      x: 5,
      y: 5,
      place: "data",
      text: "9",
      color: "#000000",
      across: "center",
    };
    for (const palette of [DARK, LIGHT]) {
      const found = texts(drawn(chart([axes([bars, text])]), 640, palette)).find((each) => each.text === "9");
      expect(contrast(found?.color ?? "", shown("#1f77b4", palette) ?? "")).toBeGreaterThan(4.5);
    }
  });
});

describe("colours", () => {
  const hue = (hex: string) => {
    const [r, g, b] = rgbOf(hex);
    return ((Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180) / Math.PI + 360) % 360;
  };
  it("are seen in both themes, and none is the gradient's", () => {
    for (const [palette, glow] of [
      [DARK, "#ffb52e"],
      [LIGHT, "#c77700"],
    ] as const) {
      const found = CYCLE.map((colour) => shown(colour, palette) ?? "");
      expect(new Set(found).size).toBe(10);
      for (const colour of found) {
        expect(contrast(colour, palette.ground)).toBeGreaterThan(3);
        expect(Math.abs(hue(colour) - hue(glow))).toBeGreaterThan(9);
      }
    }
  });
  it("of the program are kept, but for what cannot be seen", () => {
    expect(shown("#ffa500", DARK)).toBe("#ffa500");
    expect(shown("#1f77b480", LIGHT)).toBe("#0072b280");
    expect(shown("#000000", DARK)).toBe(DARK.ink);
    expect(shown("#000000", DARK, true)).toBe("#000000");
    expect(contrast(shown("#000080", DARK) ?? "", DARK.ground)).toBeGreaterThan(2);
    expect(shown("#000080", paletteOn("#222222", DARK))).toBe("#000080");
  });
});

describe("images", () => {
  const image: ImageMark = {
    kind: "image",
    label: "",
    left: 0,
    right: 2,
    bottom: 2,
    top: 0,
    rows: 2,
    columns: 2,
    channels: 1,
    values: [0, 1, Number.NaN, 0.5],
    smooth: false,
    opacity: 1,
    colors: ["#000000", "#ffffff"],
    low: 0,
    high: 1,
    log: false,
    listed: false,
  };
  it("mix the colours of a ramp, flip, and leave NaN out", () => {
    const found = [...pixels(image, DARK, { x: false, y: false })];
    expect(found.slice(0, 8)).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
    expect(found[11]).toBe(0);
    expect(found[12]).toBeCloseTo(128, -1);
    expect(pixels(image, DARK, { x: true, y: false })[0]).toBe(255);
  });
  it("keep the colours of a list, whose edges may be finer than its cells", () => {
    const listed = {
      ...image,
      listed: true,
      smooth: true,
      colors: ["#000000", "#888888", "#ffffff"],
      low: 0,
      high: 2,
    };
    expect([0, 1, 2].map((value) => stepOf(value, listed, 3))).toEqual([0, 1, 2]);
    const fine = finer({ ...listed, values: [0, 2, 0, 2] });
    expect([fine.rows, fine.columns]).toEqual([12, 12]);
    expect(new Set(fine.values)).toEqual(new Set([0, 1, 2]));
  });
});

describe("words", () => {
  it("write mathematics with letters", () => {
    expect(plain("$\\alpha = 10^{-3}$")).toBe("α = 10⁻³");
    expect(plain("$O(h^2)$ and $x_{ij}$, $\\hat{y}$")).toBe("O(h²) and xᵢⱼ, y\u0302");
    expect(plain("costs \\$5")).toBe("costs \\$5".replace("\\", ""));
    expect(plain("$\\frac{1}{n}\\sum$")).toBe("1/nΣ");
  });
  it("say what a chart holds", () => {
    const text = chart([axes([line([1], [2], { label: "train" })], { title: "Loss", xlabel: "step" })]);
    const read = parseChart(text);
    expect(read && words(read)).toBe("Chart. Loss: 1 line; named train; x: step.");
  });
});

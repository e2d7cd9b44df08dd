import { describe, expect, it } from "vitest";
import { Output } from "../notebook/output.svelte";
import { KEPT, Runs } from "../notebook/runs.svelte";
import { Series } from "../notebook/series";
import type { Figure } from "../protocol";
import { csv } from "./csv";
import { readout, remarks, describe as words } from "./figure";
import { colourOf, drawing, seriesNames, tracks, unshown, valueAt } from "./overlay";
import { ends, heat, pixel } from "./paint";
import { smooth } from "./smooth";

function series(points: Record<string, number[]>): Series {
  const made = new Series();
  for (const [name, ys] of Object.entries(points)) for (const [x, y] of ys.entries()) made.add(name, x, y);
  return made;
}

describe("smoothing", () => {
  it("is an exponential moving average of what there is so far", () => {
    const { ys } = smooth({ xs: [0, 1, 2], ys: [4, 0, 0] }, 0.5);
    expect(ys[0]).toBe(4);
    // Weights 1/4 and 1/2, then 1/8, 1/4 and 1/2.
    expect(ys[1]).toBeCloseTo(4 / 3);
    expect(ys[2]).toBeCloseTo(4 / 7);
  });
  it("leaves a line as it is without weight, and a constant one with any", () => {
    const line = { xs: [0, 1, 2], ys: [3, 1, 2] };
    expect(smooth(line, 0).ys).toEqual([3, 1, 2]);
    for (const y of smooth({ xs: [0, 1, 2], ys: [5, 5, 5] }, 0.9).ys) expect(y).toBeCloseTo(5);
  });
  it("lets NaN stand and forgets nothing at it", () => {
    const { ys } = smooth({ xs: [0, 1, 2], ys: [4, Number.NaN, 0] }, 0.5);
    expect(ys[1]).toBeNaN();
    // Two steps have gone by: a quarter of the past is kept.
    expect(ys[2]).toBeCloseTo(4 / 7);
  });
  it("has the same reach when every second point was dropped", () => {
    const xs = Array.from({ length: 400 }, (_, x) => x);
    const whole = smooth({ xs, ys: xs.map((x) => x / 400) }, 0.95);
    const half = xs.filter((x) => x % 2 === 0);
    const thin = smooth({ xs: half, ys: half.map((x) => x / 400) }, 0.95);
    expect(thin.ys.at(-1)).toBeCloseTo(whole.ys[398] ?? 0, 2);
  });
});

describe("runs over each other", () => {
  const layers = [
    { name: "run 1", series: series({ loss: [4, 2, 1], rate: [0, 0, 1] }), number: 1 },
    { name: "run 2", series: series({ loss: [3, 1] }), number: 2 },
  ];
  const names = seriesNames(layers);
  const plain = { smoothing: 0, log: false, hidden: new Set<string>() };

  it("share an axis; a hue goes by series, a dash by run, the newest drawn through", () => {
    const { lines, data } = drawing(layers, names, plain);
    expect(names).toEqual(["loss", "rate"]);
    expect(data).toEqual([
      [0, 1, 2],
      [4, 2, 1],
      [0, 0, 1],
      [3, 1, null],
    ]);
    expect(lines.map((line) => line.colour)).toEqual(["--forward", "--parameter", "--forward"]);
    expect(lines.map((line) => line.dash)).toEqual([[6, 4], [6, 4], undefined]);
    expect(colourOf(names, "loss")).toBe("--forward");
  });
  it("have their raw lines faintly behind the smooth ones", () => {
    const { lines, data } = drawing(layers, names, { ...plain, smoothing: 0.5, hidden: new Set(["rate"]) });
    expect(lines.map((line) => line.faint)).toEqual([true, true, false, false]);
    expect(data[1]).toEqual([4, 2, 1]);
    expect(data[3]?.[1]).toBeCloseTo(8 / 3);
  });
  it("show no zero on a log scale, and count what is missing", () => {
    const { data } = drawing(layers, names, { ...plain, log: true });
    expect(data[2]).toEqual([null, null, 1]);
    expect(unshown(tracks(layers, plain))).toBe(2);
  });
  it("have a value at every step from their first on", () => {
    const line = { xs: [2, 4, 8], ys: [1, 2, 3] };
    expect([1, 2, 3, 4, 100].map((x) => valueAt(line, x))).toEqual([null, 1, 1, 2, 3]);
  });
});

describe("CSV", () => {
  it("has a row a point, raw, and quotes what must be quoted", () => {
    const made = series({ "a,b": [1, Number.NaN], "=x": [Number.POSITIVE_INFINITY] });
    expect(csv([{ name: 'my "run"', columns: made.list }])).toBe(
      'run,series,step,value\r\n"my ""run""","a,b",0,1\r\n"my ""run""","a,b",1,NaN\r\n"my ""run""",\'=x,0,Infinity\r\n',
    );
  });
  it("ends with the last point of a line that was thinned", () => {
    const long = series({ loss: Array.from({ length: 10_001 }, (_, x) => x) });
    expect(csv([{ name: "run 1", columns: long.list }])).toMatch(/run 1,loss,10000,10000\r\n$/);
  });
});

describe("the runs of a notebook", () => {
  const plotted = () => {
    const output = new Output();
    output.take({ type: "metric", id: 1, series: "loss", x: 0, y: 1 });
    output.flush();
    return output;
  };
  it("keep the newest of each cell, numbered, without those that plotted nothing", () => {
    const runs = new Runs();
    runs.begin("cell-1", new Output());
    for (let count = 0; count < KEPT + 2; count++) runs.begin("cell-1", plotted());
    runs.begin("cell-2", plotted());
    runs.begin("cell-3", new Output());
    expect(runs.of("cell-1").map((run) => run.name)).toEqual([3, 4, 5, 6, 7, 8].map((n) => `run ${n}`));
    expect(runs.cells).toEqual(["cell-1", "cell-2"]);
  });
});

describe("figures", () => {
  const figure: Figure = {
    kind: "heatmap",
    place: 0,
    name: "w",
    drawn: 1,
    shape: [2, 2],
    dtype: "float32",
    size: [1, 2, 2],
    every: 1,
    values: [-2, 0, 1, Number.NaN],
    low: -2,
    high: 1,
    mean: -0.25,
    nan: 1,
    outside: 0,
  };
  const black = [0, 0, 0] as const;
  const colours = {
    ground: black,
    ink: black,
    quiet: black,
    plus: [0, 0, 200] as const,
    minus: [200, 0, 0] as const,
    error: black,
  };

  it("have zero as ground and an even scale on both sides; NaN has no colour", () => {
    expect(figure.values.map((value) => heat(value, 2, colours))).toEqual([
      [200, 0, 0],
      [0, 0, 0],
      [0, 0, 100],
      null,
    ]);
    expect(heat(Number.NEGATIVE_INFINITY, 2, colours)).toEqual([200, 0, 0]);
    expect(heat(0, 0, colours)).toEqual([0, 0, 0]);
  });
  it("leave out the side of the scale on which no value is", () => {
    expect(ends(figure)).toEqual([-2, 2]);
    expect(ends({ ...figure, low: 0.25 })).toEqual([0, 1]);
    expect(ends({ ...figure, high: -0.5 })).toEqual([-2, 0]);
    expect(ends({ ...figure, low: 0, high: 0 })).toEqual([0, 0]);
  });
  it("clip an image's numbers to black and white", () => {
    expect([-1, 0, 0.5, 1, 9].map((value) => pixel([value], 0, 1)?.[0])).toEqual([0, 0, 128, 255, 255]);
    expect(pixel([1, 0, 0.5], 0, 1)).toEqual([255, 0, 128]);
    expect(pixel([1, Number.NaN, 0], 0, 1)).toBeNull();
  });
  it("say every value by its place in the tensor", () => {
    expect(readout(figure, 1)).toBe("[0, 1] = 0");
    expect(readout({ ...figure, every: 3, shape: [6, 6] }, 3)).toBe("[3, 3] = NaN");
    const colour: Figure = {
      ...figure,
      kind: "image",
      shape: [3, 1, 1],
      size: [3, 1, 1],
      values: [1, 0.5, 0],
    };
    expect(readout(colour, 0)).toBe("[:, 0, 0] = 1, 0.5, 0");
    const bars: Figure = {
      ...figure,
      kind: "histogram",
      size: [1, 1, 4],
      values: [1, 0, 2, 1],
      low: 0,
      high: 1,
    };
    expect(readout(bars, 2)).toBe("0.5 to 0.75: 2 of 4");
    expect(words(bars)).toContain("most often 0.5 to 0.75");
  });
  it("say what they leave out", () => {
    expect(remarks({ ...figure, every: 4, outside: 2, drawn: 5 })).toEqual([
      "One row and column of 4 is drawn.",
      "1 NaN, hatched.",
      "2 infinite, drawn as the nearer end.",
      "Drawn 5 times; this is the last.",
    ]);
    expect(words({ ...figure, shape: [0, 3], size: [1, 0, 3], values: [] })).toContain("it has no elements");
  });
});

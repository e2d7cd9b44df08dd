// What training keeps and shows, as pure functions: settings, names, pictures, norms, a grid, curves over each other.
import { describe, expect, it } from "vitest";
import { Series } from "../../notebook/series";
import type { Training } from "../model";
import { Keeping, Kept } from "./checkpoints";
import { looksOf, overlaid } from "./overlaid";
import { amount, bestOf, differing, duration, FORM, type Run, usualName, withSetting } from "./record";
import { guessesOf, madeOf, norms, picturesOf, pixels } from "./shown";
import { gridOf, scoreOf, valuesOf } from "./sweep.svelte";

const training: Training = {
  data: "digits",
  loss: "CrossEntropyLoss",
  optimizer: "Adam",
  optimizer_args: { lr: 0.001 },
  batch_size: 32,
  epochs: 5,
  seed: 0,
};
const net = { format: "glowgrad.architecture", version: 1, name: "Net", inputs: [], nodes: [], outputs: [] };

function runOf(change: Partial<Run>): Run {
  return {
    form: FORM,
    id: "",
    number: 1,
    name: "",
    when: 0,
    net,
    training,
    device: "cpu",
    state: "finished",
    problem: "",
    step: 0,
    steps: 0,
    seconds: 0,
    about: null,
    changes: [],
    columns: { loss: [], accuracy: [], "learning rate": [], "samples/s": [] },
    epochs: [],
    norms: [],
    confusion: [],
    guesses: [],
    pictures: null,
    copies: null,
    peakBytes: 0,
    place: null,
    ...change,
  };
}

const epochs = (...rows: [loss: number, accuracy: number | null][]) =>
  rows.map(([loss, accuracy], at) => ({ epoch: at + 1, step: at, loss, accuracy }));

describe("a run's record", () => {
  it("is best where its validation was, and not where that was no number", () => {
    const run = runOf({ epochs: epochs([Number.NaN, 0.1], [0.5, 0.9], [0.7, 0.8]) });
    expect(bestOf(run)).toEqual({ loss: 0.5, accuracy: 0.9 });
    expect(bestOf(runOf({}))).toEqual({ loss: null, accuracy: null });
    expect(scoreOf(runOf({ epochs: epochs([0.4, null]) }))).toBe(0.4);
  });

  it("tells in which settings runs differ, also where one leaves a setting to its default", () => {
    const other = { ...training, batch_size: 64, optimizer_args: {} };
    expect(differing([runOf({}), runOf({ training: other })])).toEqual([
      { name: "lr", texts: ["0.001", ""] },
      { name: "batch size", texts: ["32", "64"] },
    ]);
    expect(differing([runOf({})])).toEqual([]);
  });

  it("has a name that no other has", () => {
    expect(usualName(runOf({}), [])).toBe("Net Adam 0.001");
    expect(usualName(runOf({}), ["Net Adam 0.001", "Net Adam 0.001 (2)"])).toBe("Net Adam 0.001 (3)");
  });

  it("takes a setting by the name that the table has for it", () => {
    expect(withSetting(training, "batch size", "8").batch_size).toBe(8);
    expect(withSetting(training, "lr", "0.1").optimizer_args).toEqual({ lr: 0.1 });
    const args = { ...training, optimizer_args: { lr: 0.1, betas: [0.9, 0.99] } };
    expect(withSetting(args, "optimizer", "SGD").optimizer_args).toEqual({ lr: 0.1 });
    expect(withSetting(training, "schedule", "none").schedule).toBe("");
  });

  it("says amounts as one reads them", () => {
    expect([duration(3.21), duration(59.7), duration(600), duration(9000), duration(Number.NaN)]).toEqual([
      "3.2 s",
      "60 s",
      "10 min",
      "2.5 h",
      "–",
    ]);
    expect([amount(1650), amount(1_650_000), amount(1.22e9), amount(256e6)]).toEqual([
      "1.65 KB",
      "1.65 MB",
      "1.22 GB",
      "256 MB",
    ]);
  });
});

describe("what is shown of samples", () => {
  it("is a picture where a sample is one", () => {
    const values = Array.from({ length: 2 * 64 }, (_, at) => at);
    const square = picturesOf({ shape: [64] }, { values });
    expect(square).toMatchObject({ channels: 1, height: 8, width: 8 });
    expect([square?.bytes[0], square?.bytes.at(-1)]).toEqual([0, 255]);
    expect(picturesOf({ shape: [3, 2, 2] }, { values: values.slice(0, 12) })?.channels).toBe(3);
    expect(picturesOf({ shape: [2] }, { values: [1, 2] })).toBeNull();
    expect(picturesOf({ shape: [4, 5, 6] }, { values })).toBeNull();
    expect(picturesOf({ shape: [64] }, { values: [] })).toBeNull();
  });

  it("stays a picture where the network gave no numbers", () => {
    const broken = picturesOf({ shape: [64] }, { values: Array(64).fill(Number.NaN) });
    expect([...(broken?.bytes ?? [1])].every((byte) => byte === 0)).toBe(true);
  });

  it("has the channels of a pixel beside each other", () => {
    if (typeof ImageData === "undefined") return;
    const image = pixels({ channels: 3, height: 1, width: 2, bytes: new Uint8Array([1, 2, 3, 4, 5, 6]) }, 0);
    expect([...image.data]).toEqual([1, 3, 5, 255, 2, 4, 6, 255]);
  });

  it("reads guesses five numbers at a time", () => {
    expect(guessesOf([7, 1, 2, 0.25, 0.5, 9])).toEqual([
      { index: 7, target: 1, guess: 2, ofTarget: 0.25, ofGuess: 0.5 },
    ]);
  });

  it("keeps the past of a norm within bounds", () => {
    let all = [{ name: "w", gradient: 0, weight: 0, past: [] as number[] }];
    for (let at = 0; at < 1000; at++) all = norms(all, [at, 2]);
    expect(all[0]).toMatchObject({ gradient: 999, weight: 2 });
    expect(all[0]?.past.length).toBeLessThanOrEqual(121);
    expect(all[0]?.past.at(-1)).toBe(999);
  });
});

describe("a sweep", () => {
  it("reads values, and refuses what is none with an example", () => {
    expect(valuesOf({ setting: "lr", values: " 0.1, 1e-3,,0.1" }, null)).toEqual(["0.1", "1e-3"]);
    expect(valuesOf({ setting: "batch size", values: "16, 2.5" }, null)).toMatch(
      /“2.5” is no batch size.*16, 32/,
    );
    expect(valuesOf({ setting: "epochs", values: "0" }, null)).toMatch(/“0” is no epochs/);
    expect(valuesOf({ setting: "optimizer", values: "Adam, Adan" }, ["Adam", "SGD"])).toMatch(
      /“Adan” is no optimizer; expected are Adam, SGD/,
    );
    expect(valuesOf({ setting: "lr", values: " " }, null)).toMatch(/such as 0.1, 0.01/);
  });

  it("is a table of its newest runs, with gaps where none has begun", () => {
    const trial = (sweep: string, row: string, column: string) =>
      runOf({ place: { sweep, row: ["lr", row], column: ["epochs", column] } });
    const grid = gridOf([
      trial("a", "1", "1"),
      trial("b", "1", "2"),
      trial("b", "1", "3"),
      trial("b", "2", "2"),
    ]);
    expect(grid).toMatchObject({ row: "lr", column: "epochs", rows: ["1", "2"], columns: ["2", "3"] });
    expect(grid?.cells.map((row) => row.map((run) => run !== null))).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(gridOf([runOf({})])).toBeNull();
  });
});

describe("curves over each other", () => {
  const layer = (number: number) => {
    const series = new Series();
    series.add("training", 1, number);
    series.add("training", 2, 0);
    series.add("validation", 2, number);
    return { name: `run ${number}`, number, series };
  };
  const options = { smoothing: 0, log: false, hidden: new Set<string>() };

  it("tells a run by hue and dash, with training behind its validation", () => {
    const { lines, data } = overlaid([layer(1), layer(5)], ["training", "validation"], options);
    expect(lines.map(({ label, faint }) => [label, faint])).toEqual([
      ["training, run 1", true],
      ["training, run 5", true],
      ["validation, run 1", false],
      ["validation, run 5", false],
    ]);
    expect(looksOf(1).colour).toBe(looksOf(5).colour);
    expect(looksOf(1).dash).not.toEqual(looksOf(5).dash);
    expect(data).toEqual([
      [1, 2],
      [1, 0],
      [5, 0],
      [null, 1],
      [null, 5],
    ]);
  });

  it("leaves out of a log scale what has no place there", () => {
    const { data } = overlaid([layer(1), layer(2)], ["training", "validation"], { ...options, log: true });
    expect(data[1]).toEqual([1, null]);
  });
});

describe("checkpoints", () => {
  const of = (step: number, size: number) => ({ step, bytes: new Uint8Array(size) });

  it("the nearest one before a step is found", () => {
    const kept = new Kept(() => 100);
    for (const step of [10, 20, 30]) kept.add("a", of(step, 10));
    expect(kept.before("a", 10)).toBe(null);
    expect(kept.before("a", 21)?.step).toBe(20);
    expect(kept.before("a", 99)?.step).toBe(30);
    expect(kept.before("b", 99)).toBe(null);
  });

  it("they never have more bytes than the budget: older runs go first, then every second one", () => {
    const kept = new Kept(() => 40);
    for (const step of [10, 20]) kept.add("a", of(step, 10));
    for (const step of [1, 2, 3, 4]) kept.add("b", of(step, 10));
    expect(kept.before("a", 99)).toBe(null);
    expect(kept.bytes).toBe(40);
    kept.add("b", of(5, 10));
    expect(kept.bytes).toBeLessThanOrEqual(40);
    expect(kept.before("b", 99)?.step).toBe(4);
    kept.add("c", of(1, 50));
    expect(kept.bytes).toBe(0);
  });

  it("they are spread over the run", () => {
    const keeping = new Keeping("a", 1700, new Kept());
    expect(keeping.isDue(99)).toBe(false);
    expect(keeping.isDue(100)).toBe(true);
    expect(new Keeping("a", 40, new Kept()).isDue(24)).toBe(false);
  });
});

describe("what a network made", () => {
  it("points are told from those of the data", () => {
    const made = madeOf({ shape: [2] }, { values: [0, 1, 2, 3, 4, 5] }, { epoch: 2, real: 1 });
    expect(made).toEqual({
      epoch: 2,
      pictures: null,
      real: [[0, 1]],
      points: [
        [2, 3],
        [4, 5],
      ],
    });
  });

  it("pictures are those behind the real ones", () => {
    const values = [...Array(64).fill(9), ...Array(64).fill(0), 1];
    const { pictures, points } = madeOf({ shape: [64] }, { values }, { epoch: 1, real: 1 });
    expect([pictures?.height, pictures?.bytes[0], points.length]).toEqual([8, 0, 0]);
  });
});

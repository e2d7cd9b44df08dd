// @vitest-environment happy-dom
// Two tabs and two visits of a lesson, against a database in memory; Python is not asked.
import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { StageGraph } from "../protocol";
import { OUTPUT_BYTES, PICTURE_BYTES } from "../store/budget";
import { KeptStore } from "../store/kept";
import { setPlace } from "../store/place";
import { Store } from "../store/store";
import { keep, type LessonKeeper } from "./keeper.svelte";
import { Notebook } from "./notebook.svelte";
import { Output } from "./output.svelte";

vi.mock("../engine/engines.svelte", () => ({ python: { client: { lives: 0, current: null } } }));

let count = 0;
let names = ["", ""];
beforeEach(() => {
  count += 1;
  names = [`texts-${count}`, `kept-${count}`];
  localStorage.clear();
});

/** A tab that opens the lesson. */
async function tab() {
  const notebook = new Notebook("lesson");
  const one = notebook.add("cell-1", "a = 1");
  const two = notebook.add("cell-2", "b = a");
  const store = new Store(names[0]);
  const keeper = keep(notebook, store, new KeptStore(names[1])) as LessonKeeper;
  await keeper.restore();
  const end = keeper.watch();
  return { notebook, keeper, store, one, two, end };
}

const heard = (assertion: () => void) => vi.waitFor(assertion, 2000);
const graph = (values: number[]): StageGraph => ({
  step: 1,
  nodes: [],
  edges: [],
  events: [{ type: "made", node: 0 }] as never,
  previews: [
    {
      id: 0,
      shape: [],
      dtype: "float32",
      norm: 0,
      min: 0,
      max: 0,
      mean: 0,
      read: values.length,
      nonFinite: 0,
      values,
    },
  ],
  dropped: 0,
  width: 0,
  height: 0,
});

describe("two tabs", () => {
  it("show what either writes, and keep what stood there", async () => {
    const [here, there] = [await tab(), await tab()];
    for (const source of ["a = 2", "a = 23"]) here.notebook.edit(here.one, source);
    await heard(() => expect(there.one.source).toBe("a = 23"));
    expect(there.one.other?.source).toBe("a = 1");
    expect(here.one.other).toBeNull();
    // Each cell is a text of its own.
    there.notebook.edit(there.two, "b = a * 2");
    await heard(() => expect(here.two.source).toBe("b = a * 2"));
    expect(here.one.source).toBe("a = 23");
    const later = await tab();
    expect([later.one.source, later.two.source]).toEqual(["a = 23", "b = a * 2"]);
    for (const each of [here, there, later]) each.end();
  });

  it("that wrote the same cell at once keep both texts, the newer in the cell", async () => {
    const [here, there] = [await tab(), await tab()];
    here.notebook.edit(here.one, "here");
    there.notebook.edit(there.one, "there");
    await heard(() => expect(here.one.source).toBe(there.one.source));
    const later = await tab();
    expect(later.one.source).toBe(here.one.source);
    expect([later.one.source, later.one.other?.source].sort()).toEqual(["here", "there"]);
    later.keeper.dismissed(later.one);
    await heard(async () => expect((await later.store.texts("lesson")).get("cell-1")?.other).toBeUndefined());
    for (const each of [here, there, later]) each.end();
  });

  it("that did not hear of each other find out when one wakes", async () => {
    const [here, there] = [await tab(), await tab()];
    there.end();
    here.notebook.edit(here.one, "a = 2");
    await heard(async () => expect((await here.store.texts("lesson")).size).toBe(1));
    await there.keeper.refresh();
    expect(there.one.source).toBe("a = 2");
    here.notebook.edit(here.one, "a = 1");
    await heard(async () => expect((await here.store.texts("lesson")).size).toBe(0));
    await there.keeper.refresh();
    expect(there.one.source).toBe("a = 1");
    here.end();
  });

  it("unite what was done", async () => {
    const [here, there] = [await tab(), await tab()];
    here.notebook.choose("quiz", 1);
    there.notebook.choose("other", 2);
    await heard(() => expect(here.notebook.progress.quizzes).toEqual({ quiz: 1, other: 2 }));
    here.notebook.choose("quiz", 0);
    await heard(() => expect(there.notebook.progress.quizzes).toEqual({ quiz: 0, other: 2 }));
    for (const each of [here, there]) each.end();
  });
});

describe("another visit", () => {
  it("finds outputs, marked as of an earlier session, with their order and what has changed", async () => {
    const first = await tab();
    const { output } = first.two;
    output.take({ type: "stdout", id: 1, text: "printed\n" });
    output.take({ type: "metric", id: 1, series: "loss", x: 0, y: Number.NaN });
    output.take({ type: "metric", id: 1, series: "loss", x: 1, y: 2 });
    output.flush();
    Object.assign(first.two, { result: "ok", ran: { order: 3, text: first.two.textId, above: {} } });
    first.keeper.ran(first.two);
    first.keeper.drew("cell-2", graph([1, Number.POSITIVE_INFINITY]));
    first.end();
    setPlace("lesson", {
      block: null,
      top: 0,
      instrument: "plot",
      cell: "cell-2",
      position: 0.5,
      folds: ["m"],
    });

    await heard(async () => {
      const later = await tab();
      later.end();
      const { notebook, two } = later;
      expect(two.output.text).toBe("printed\n");
      expect(two.output.points).toBe(2);
      expect(two.output.series.list[0]?.ys).toEqual([Number.NaN, 2]);
      expect(two).toMatchObject({ stale: true, result: "ok", ran: { order: 3 } });
      expect(two.earlier).toBeGreaterThan(0);
      expect(later.one).toMatchObject({ stale: false, earlier: null, ran: null });
      expect(notebook.graph?.previews[0]?.values).toEqual([1, Number.POSITIVE_INFINITY]);
      expect(notebook).toMatchObject({ resting: true, earlierGraph: "cell-2", instrument: "plot" });
      expect(notebook.stage.wanted).toEqual({ position: 0.5, folds: ["m"] });
      expect(notebook.runs.of("cell-2").map(({ name }) => name)).toEqual(["earlier"]);
      await expect(notebook.inspect(0)).rejects.toThrow("Run its cell again");
    });
  });

  it("finds what a run had printed and plotted that the end of the page cut off", async () => {
    const first = await tab();
    const output = new Output();
    output.source = "a = 1";
    output.take({ type: "stdout", id: 1, text: "begun\n" });
    output.take({ type: "metric", id: 1, series: "loss", x: 0, y: Number.NaN });
    first.keeper.began(first.one, output);
    first.keeper.began(first.two, new Output());
    first.keeper.ended(first.two);
    window.dispatchEvent(new Event("pagehide"));
    first.end();
    // Once it is read it is kept as all others are.
    for (let visit = 0; visit < 2; visit++) {
      await heard(async () => {
        const later = await tab();
        later.end();
        const { output, result, ran, earlier, stale } = later.one;
        expect([output.text, output.points, output.source]).toEqual(["begun\n", 1, "a = 1"]);
        expect(output.series.list[0]?.last).toBeNaN();
        expect(output.notices.join()).toMatch(/^Leaving the page interrupted this run/);
        expect([result, ran, stale]).toEqual([null, null, true]);
        expect(earlier).toBeGreaterThan(0);
        expect(later.two.output.empty).toBe(true);
      });
    }
  });

  it("takes no run for cut off that ended on a page that was there all the while", async () => {
    const here = await tab();
    here.keeper.began(here.two, new Output());
    window.dispatchEvent(new Event("pagehide"));
    here.keeper.ended(here.two);
    here.end();
    const later = await tab();
    later.end();
    expect(later.two.output.empty).toBe(true);
  });

  it("is told of a picture that was larger than the budget", async () => {
    const first = await tab();
    first.keeper.drew("cell-1", graph(new Array(PICTURE_BYTES / 8).fill(1)));
    first.end();
    await heard(async () => {
      const later = await tab();
      later.end();
      expect(later.keeper.tooLarge).toBe("cell-1");
      expect(later.notebook.graph).toBeNull();
    });
  });

  it("finds a large output without what was too large of it, and is told so", async () => {
    const first = await tab();
    const values = new Array(OUTPUT_BYTES / 8).fill(0.5);
    const figure = { place: 0, name: "", drawn: 1, shape: [], dtype: "float32", every: 1, mean: 0, nan: 0 };
    first.one.output.take({
      type: "figure",
      id: 1,
      figure: {
        ...figure,
        kind: "heatmap",
        size: [1, 1, values.length],
        values,
        low: 0,
        high: 1,
        outside: 0,
      },
    } as never);
    first.one.output.take({ type: "chart", id: 1, chart: { place: 1, text: "{}" } });
    first.one.output.take({ type: "stdout", id: 1, text: "kept\n" });
    first.one.output.flush();
    Object.assign(first.one, { result: "ok" });
    first.keeper.ran(first.one);
    await heard(async () => {
      const later = await tab();
      later.end();
      expect(later.one.output.text).toBe("kept\n");
      expect(later.one.output.figures).toEqual([]);
      expect(later.one.output.charts).toEqual([]);
      expect(later.one.output.notices[0]).toContain("too large to keep");
    });
    expect(first.one.output.figures).toHaveLength(1);
    first.end();
  });

  it("finds the charts of an output that is small", async () => {
    const first = await tab();
    first.one.output.take({ type: "chart", id: 1, chart: { place: 1, text: "{}" } });
    first.one.output.flush();
    Object.assign(first.one, { result: "ok" });
    first.keeper.ran(first.one);
    await heard(async () => {
      const later = await tab();
      later.end();
      expect(later.one.output.charts).toEqual([{ place: 1, text: "{}" }]);
    });
    first.end();
  });

  it("ignores what it cannot read, and what a reset took away", async () => {
    const kept = new KeptStore(names[1]);
    const size = { kind: "output" as const, lesson: "lesson", block: "cell-1", bytes: 9, when: 1 };
    for (const value of [null, 3, { format: 1 }, { format: 9, output: { text: "x" } }]) {
      await kept.put(size, value);
      const later = await tab();
      later.end();
      expect(later.one.output.empty).toBe(true);
    }
    const first = await tab();
    first.one.output.take({ type: "stdout", id: 1, text: "x" });
    first.one.output.flush();
    first.keeper.ran(first.one);
    first.notebook.clear(first.one);
    first.end();
    await heard(async () => expect((await kept.of("output", "lesson")).size).toBe(0));
  });
});

it("goes on where the disk is full, and says so", async () => {
  const { notebook, keeper, one, end } = await tab();
  const put = vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
    throw new DOMException("no room", "QuotaExceededError");
  });
  notebook.edit(one, "a = 5");
  keeper.ran(one);
  keeper.drew("cell-1", graph([]));
  await heard(() => expect(keeper.failing).toBe(true));
  put.mockRestore();
  expect(one.source).toBe("a = 5");
  await keeper.refresh();
  expect(one.source).toBe("a = 5");
  end();
});

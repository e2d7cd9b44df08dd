import { describe, expect, it } from "vitest";
import { binds, changed, gone, makerOf, missing, outdatedBy, type Standing } from "./order";
import { textId } from "./ran";

/** Cells `cell-1`, `cell-2`, …, with a session that runs them. */
class Page {
  readonly cells: Standing[];
  private order = 0;

  constructor(...sources: string[]) {
    this.cells = sources.map((source, index) => ({
      name: `cell-${index + 1}`,
      kind: "cell",
      source,
      textId: textId(source),
      ran: null,
      stale: false,
      result: null,
    }));
  }

  at(number: number): Standing {
    return this.cells[number - 1] as Standing;
  }

  write(number: number, source: string): void {
    Object.assign(this.at(number), { source, textId: textId(source) });
  }

  run(number: number, result: "ok" | "error" = "ok"): void {
    const above = this.cells.slice(0, number - 1).filter(({ ran, stale }) => ran && !stale);
    this.order += 1;
    Object.assign(this.at(number), {
      result,
      stale: false,
      ran: {
        order: this.order,
        text: this.at(number).textId,
        above: Object.fromEntries(above.map(({ name, ran }) => [name, ran?.text])),
      },
    });
  }

  lose(): void {
    for (const cell of this.cells) cell.stale = cell.result !== null;
    this.order = 0;
  }

  outdated(): string[][] {
    return this.cells.map((cell) => outdatedBy(this.cells, cell));
  }
}

describe("a cell that changed", () => {
  it("marks itself and what ran below, not what stands above or has not run", () => {
    const page = new Page("a = 1", "b = a", "c = b", "d = c");
    for (const number of [1, 2, 3]) page.run(number);
    page.write(2, "b = a + 1");
    expect(page.cells.map(changed)).toEqual([false, true, false, false]);
    expect(page.outdated()).toEqual([[], [], ["cell-2"], []]);
  });

  it("marks what follows until that has run again, also when it has run itself", () => {
    const page = new Page("a = 1", "b = a", "c = b");
    for (const number of [1, 2, 3]) page.run(number);
    page.write(1, "a = 2");
    page.run(1);
    expect(page.outdated()).toEqual([[], ["cell-1"], ["cell-1"]]);
    page.run(2);
    expect(page.outdated()).toEqual([[], [], ["cell-1"]]);
    page.run(3);
    expect(page.outdated()).toEqual([[], [], []]);
  });

  it("marks nothing when it is as it was, or when the same text runs again", () => {
    const page = new Page("a = 1", "b = a");
    for (const number of [1, 2]) page.run(number);
    page.write(1, "a = 2");
    page.write(1, "a = 1");
    page.run(1);
    expect(page.cells.some(changed)).toBe(false);
    expect(page.outdated()).toEqual([[], []]);
  });

  it("is told after a run against the order of the page too", () => {
    const page = new Page("a = 1", "b = 2");
    page.run(2);
    page.run(1);
    page.write(1, "a = 3");
    // The second ran without the first, so nothing it rests on has changed.
    expect(page.outdated()).toEqual([[], []]);
  });
});

describe("what above has to run", () => {
  it("is everything in a new session, and nothing when all above stands as it is written", () => {
    const page = new Page("a = 1", "b = a", "c = b");
    expect(missing(page.cells, page.at(3))).toEqual(["cell-1", "cell-2"]);
    for (const number of [1, 2]) page.run(number);
    expect(missing(page.cells, page.at(3))).toEqual([]);
    page.lose();
    expect(missing(page.cells, page.at(3))).toEqual(["cell-1", "cell-2"]);
    expect(gone(page.cells)).toEqual(["cell-1", "cell-2"]);
    expect(missing(page.cells, page.at(1))).toEqual([]);
  });

  it("begins at the first that is not as it should be", () => {
    const page = new Page("a = 1", "b = a", "c = b", "d = c");
    for (const number of [1, 2, 3]) page.run(number);
    page.write(2, "b = a + 1");
    expect(missing(page.cells, page.at(4))).toEqual(["cell-2", "cell-3"]);
    page.run(2, "error");
    expect(missing(page.cells, page.at(4))).toEqual(["cell-2", "cell-3"]);
    page.run(2);
    expect(missing(page.cells, page.at(4))).toEqual(["cell-3"]);
  });

  it("leaves exercises out, whose variables are their own", () => {
    const page = new Page("a = 1", "answer = a", "c = a");
    page.at(2).kind = "exercise";
    expect(missing(page.cells, page.at(3))).toEqual(["cell-1"]);
  });
});

describe("a NameError", () => {
  const message = (name: string) => `name '${name}' is not defined`;

  it("is answered with the nearest cell above that makes the name and has not run", () => {
    const page = new Page("w = 1", "w = 2", "print(w)");
    expect(makerOf(page.cells, page.at(3), message("w"))).toEqual({
      missing: "w",
      name: "cell-2",
      isThere: false,
    });
    page.run(1);
    expect(makerOf(page.cells, page.at(3), message("w"))?.name).toBe("cell-2");
    page.run(2);
    expect(makerOf(page.cells, page.at(3), message("w"))).toBeNull();
    page.lose();
    expect(makerOf(page.cells, page.at(3), `${message("w")}. Did you mean: 'x'?`)?.name).toBe("cell-2");
  });

  it("is still answered with a cell that has run since: the cell itself is to run again", () => {
    const page = new Page("w = 1", "print(w)");
    page.run(2, "error");
    page.run(1);
    expect(makerOf(page.cells, page.at(2), message("w"))?.isThere).toBe(true);
    page.run(2, "error");
    expect(makerOf(page.cells, page.at(2), message("w"))).toBeNull();
  });

  it("is the learner's own where no cell above makes the name, or the message is another", () => {
    const page = new Page("w = 1", "print(v)", "v = 2");
    expect(makerOf(page.cells, page.at(2), message("v"))).toBeNull();
    expect(makerOf(page.cells, page.at(2), message("v.*"))).toBeNull();
    expect(makerOf(page.cells, page.at(2), "something else")).toBeNull();
  });

  it.each([
    "w = 1",
    "    w = 1",
    "w: int = 1",
    "a, w = 1, 2",
    "(a, w) = 1, 2",
    "a = w = 3",
    "def w(x):",
    "class w:",
    "import w",
    "import torch.nn as w",
    "from a import b, w",
    "from a import (w, b)",
    "for w in range(3):",
    "for i, w in enumerate(x):",
    "with open(f) as w:",
    "if (w := 3) > 2: pass",
    "x = 1\nw = 2\nprint(w)",
  ])("finds the name in %j", (source) => {
    expect(binds(source, "w")).toBe(true);
  });

  it.each([
    "print(w)",
    "f(w=1)",
    "x.w = 1",
    "# w = 1",
    "if w == 1: pass",
    "if w <= 1: pass",
    "wide = 1",
    "a = 'w = 1'",
    "x = w",
    "w += 1",
    "x[w] = 1",
    "x = f(w=1)",
    "x = 'w' == w",
    "for i in w:",
  ])("does not find it in %j", (source) => {
    expect(binds(source, "w")).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { History } from "./history";

describe("the history of a network", () => {
  it("goes back and forth", () => {
    const history = new History<number>();
    history.note(0);
    history.note(1);
    expect(history.undo(2)).toBe(1);
    expect(history.undo(1)).toBe(0);
    expect(history.undo(0)).toBeNull();
    expect(history.redo(0)).toBe(1);
    expect(history.redo(1)).toBe(2);
    expect(history.canRedo).toBe(false);
  });

  it("takes changes under one key as one step", () => {
    const history = new History<string>();
    history.note("", "width");
    history.note("1", "width");
    history.note("12", "width");
    expect(history.undo("128")).toBe("");
    history.note("", "width");
    history.seal();
    history.note("1", "width");
    expect(history.undo("12")).toBe("1");
  });

  it("forgets what was undone when something else is done", () => {
    const history = new History<number>();
    history.note(0);
    history.undo(1);
    history.note(0);
    expect(history.canRedo).toBe(false);
  });

  it("is bounded", () => {
    const history = new History<number>();
    for (let step = 0; step < 500; step++) history.note(step);
    let steps = 0;
    while (history.undo(0) !== null) steps += 1;
    expect(steps).toBe(120);
  });
});

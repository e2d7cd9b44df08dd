import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pointsOf } from "./curve";
import { apartBy, complaint, drawnEdge, edgeOf, edgeSaid, isRight, shown } from "./prediction";

const number = { kind: "number", within: null } as const;
const shape = { kind: "shape" } as const;
const choice = { kind: "choice" as const, options: [] };
const edge = { kind: "edge" as const, nodes: [] };
const drawing = { kind: "drawing" as const, x: { from: 0, to: 2 }, y: { from: -1, to: 1 }, within: null };

test("a number is right within a hundredth of the value, or within what the author says", () => {
  expect(isRight(number, "12", "12.0")).toBe(true);
  expect(isRight(number, "0.84", "0.8399743437767029")).toBe(true);
  expect(isRight(number, "0.8", "0.8399743437767029")).toBe(false);
  expect(isRight({ kind: "number", within: 0.1 }, "0.8", "0.8399743437767029")).toBe(true);
  expect(isRight(number, "0", "0.0")).toBe(true);
  expect(isRight(number, "0.001", "0")).toBe(false);
  expect(isRight(number, "0,5", "0.5")).toBe(true);
  expect(isRight(number, "inf", "inf")).toBe(true);
  expect(isRight(number, "nan", "1.0")).toBe(false);
});

test("a count must be exact, unless the author says otherwise", () => {
  expect(isRight(number, "512", "512")).toBe(true);
  expect(isRight(number, "510", "512")).toBe(false);
  expect(isRight({ kind: "number", within: 3 }, "510", "512")).toBe(true);
  expect(isRight(number, "1,169", "1169")).toBe(true);
  expect(isRight(number, "1,5", "1.5")).toBe(true);
});

test("a shape is right however its sizes are written", () => {
  for (const said of ["3, 4", "(3, 4)", "[3,4]", "3 x 4", "3×4", "torch.Size([3, 4])"])
    expect(isRight(shape, said, "torch.Size([3, 4])")).toBe(true);
  expect(isRight(shape, "4, 3", "(3, 4)")).toBe(false);
  expect(isRight(shape, "3", "(3,)")).toBe(true);
  expect(isRight(shape, "()", "torch.Size([])")).toBe(true);
});

test("a text that is no answer is told what one looks like", () => {
  expect(complaint(number, "twelve")).toMatch(/^A number/);
  expect(complaint(number, "1e-3")).toBeNull();
  expect(complaint(shape, "3 by 4")).toMatch(/^Sizes/);
  expect(complaint(shape, "3, 4")).toBeNull();
  expect(complaint(choice, "")).toBeNull();
});

test("values are shown as short as they can be read", () => {
  expect(shown(number, "0.8399743437767029")).toBe("0.839974");
  expect(shown(number, "12.0")).toBe("12.0");
  expect(shown(shape, "torch.Size([3, 4])")).toBe("(3, 4)");
  expect(shown(shape, "5")).toBe("(5,)");
  expect(shown(choice, "it rises")).toBe("it rises");
});

test("an edge is right where both nodes are, in this order", () => {
  const said = edgeSaid("w * x", "y");
  expect(drawnEdge(said)).toEqual(["w * x", "y"]);
  expect(isRight(edge, said, "('w * x', 'y')")).toBe(true);
  expect(isRight(edge, said, "['w * x', 'y']")).toBe(true);
  expect(isRight(edge, said, "('y', 'w * x')")).toBe(false);
  expect(isRight(edge, said, "None")).toBe(false);
});

test("what is no edge is none", () => {
  for (const said of ["", "a", "a → ", "a → b → c"]) expect(drawnEdge(said)).toBeNull();
  for (const value of ["", "('a',)", "('a', 'b', 'c')", "a → b", "('', 'b')"])
    expect(edgeOf(value)).toBeNull();
});

test("a drawing is right within a tenth of the height on average, or within what the author says", () => {
  const level = (height: number) => Array.from({ length: 25 }, () => height).join(" ");
  expect(apartBy(drawing, level(75), "[0.5, 0.5]")).toBeCloseTo(0);
  expect(apartBy(drawing, level(75), "[(0, 0.0), (2, 0.0)]")).toBeCloseTo(0.25);
  expect(isRight(drawing, level(66), "[0.5, 0.5]")).toBe(true);
  expect(isRight(drawing, level(64), "[0.5, 0.5]")).toBe(false);
  expect(isRight({ ...drawing, within: 0.25 }, level(51), "[0.5, 0.5]")).toBe(true);
  expect(isRight(drawing, level(75), "up")).toBe(false);
  expect(isRight(drawing, "75 75", "[0.5, 0.5]")).toBe(false);
});

test("printed values are read as in the terminal", () => {
  // As `crates/lesson/src/prediction.rs` reads them.
  const cases: Record<"number" | "shape" | "edge" | "drawing", [printed: string, read: unknown][]> =
    JSON.parse(readFileSync("tests/course/predictions.json", "utf8"));
  for (const answer of [number, shape])
    for (const [printed, read] of cases[answer.kind])
      expect(complaint(answer, printed) === null ? shown(answer, printed) : null, printed).toBe(read);
  for (const [printed, read] of cases.edge) expect(edgeOf(printed), printed).toEqual(read);
  for (const [printed, read] of cases.drawing) expect(pointsOf(printed, drawing.x), printed).toEqual(read);
});

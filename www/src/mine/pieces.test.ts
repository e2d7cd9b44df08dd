// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import type { Piece } from "../protocol";
import { missingPieces } from "./pieces";

const piece = (name: string, exercise: string): Piece => ({
  name,
  lesson: "downhill",
  number: 14,
  title: "Downhill",
  exercise,
  what: exercise,
  solution: "",
});
const pieces = [piece("Adam", "adam"), piece("Momentum", "momentum")];
const text = (block: string, source: string) => ({ lesson: "downhill", block, source });

test("what passed before there was a piece of it becomes one", () => {
  const saved = {
    texts: [text("adam", "class Adam: ..."), text("momentum", "class Momentum: ...")],
    progress: { downhill: { cells: [], exercises: ["adam"], quizzes: {} } },
  };
  expect([...missingPieces(pieces, saved, () => false)]).toEqual([["Adam", "class Adam: ..."]]);
  expect(missingPieces(pieces, saved, (path) => path === "mine/Adam.py").size).toBe(0);
});

test("an exercise that passed with a text that is not kept gives none", () => {
  const saved = { texts: [], progress: { downhill: { cells: [], exercises: ["adam"], quizzes: {} } } };
  expect(missingPieces(pieces, saved, () => false).size).toBe(0);
});

import { expect, it } from "vitest";
import { parts } from "./note";

it("finds headings, lists, code and paragraphs", () => {
  const note =
    "# A title #\nfirst\nsecond\n\nthird\n- a\n* b\n\n1. one\n```python\n# no heading\nx\n```\n<b>as text</b>";
  expect(parts(note)).toEqual([
    { kind: "heading", level: 1, text: "A title" },
    { kind: "text", text: "first\nsecond" },
    { kind: "text", text: "third" },
    { kind: "list", items: ["a", "b", "one"], numbered: false },
    { kind: "code", text: "# no heading\nx" },
    { kind: "text", text: "<b>as text</b>" },
  ]);
});

it("shows what is not closed, and nothing of nothing", () => {
  expect(parts("```\nx")).toEqual([{ kind: "code", text: "x" }]);
  expect(parts(" \n\n")).toEqual([]);
  expect(parts("#no heading")).toEqual([{ kind: "text", text: "#no heading" }]);
});

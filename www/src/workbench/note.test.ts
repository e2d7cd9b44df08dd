import { expect, it } from "vitest";
import { parts, type Span, spans } from "./note";

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

/** Spans as tags. */
function tagged(text: string): string {
  const tag = (span: Span): string =>
    span.kind === "text" ? span.text : `<${span.kind}>${span.spans.map(tag).join("")}</${span.kind}>`;
  return spans(text).map(tag).join("");
}

it.each([
  ["Some *text* and _more_.", "Some <em>text</em> and <em>more</em>."],
  ["**strong** and __too__", "<strong>strong</strong> and <strong>too</strong>"],
  ["**all *of* it**, ***both***", "<strong>all <em>of</em> it</strong>, <strong><em>both</em></strong>"],
  ["*with **strong** in it*", "<em>with <strong>strong</strong> in it</em>"],
  ["*two\nlines*", "<em>two\nlines</em>"],
  ["**`a * b`**", "<strong>`a * b`</strong>"],
])("emphasises: %s", (text, shown) => expect(tagged(text)).toBe(shown));

it.each([
  "2 * 3 * 4",
  "in_features and out_features",
  "`a*b*c` and `__init__`",
  "a * b*",
  "$x^2$",
  "** and __",
  "<b>no tag</b>",
])("leaves as it is: %s", (text) => expect(spans(text)).toEqual([{ kind: "text", text }]));

it("shows a sign after a backslash", () => expect(tagged("\\*no\\* *yes*")).toBe("*no* <em>yes</em>"));

import { describe, expect, it } from "vitest";
import type { Lesson } from "../src/protocol";
import { searchIndex, workOf } from "./lessonIndex";

const option = (correct: boolean) => ({ html: "<p>o</p>", correct, explanation: "<p>e</p>" });
const lesson: Lesson = {
  slug: "a",
  number: 1,
  title: "A",
  part: "P",
  minutes: 5,
  outcome: "You know `grad`.",
  blocks: [
    { type: "section", id: "tl-dr", title: "TL;DR" },
    {
      type: "prose",
      html:
        "<h3>One sum</h3>\n<p>A <strong>leaf</strong> is a &lt;tensor&gt;. It has no <code>grad_fn</code>.</p>" +
        "<ul><li>First</li><li>Second</li></ul>" +
        '<p>So <span class="math" data-tex="\\tanh(w \\cdot x) &lt; 1"></span> holds. <a href="#/play">Play</a>.</p>',
    },
    { type: "cell", id: "cell-1", source: "x = 1\n\nif x < 2:\n    print(x)\n" },
    {
      type: "exercise",
      id: "e",
      title: "Mend it",
      html: "<p>Do it.</p>",
      start: "secret start",
      solution: "secret solution",
      checks: "secret checks",
      hints: ["<p>secret hint</p>", "", ""],
    },
    { type: "quiz", id: "q", html: "<p>Why?</p>", options: [option(false), option(true), option(true)] },
    { type: "widget", id: "w", kind: "bits", options: {} },
  ],
};

it("lists what there is to do, and which answers are right", () => {
  expect(workOf(lesson)).toEqual({
    cells: ["cell-1"],
    exercises: ["e"],
    predictions: [],
    questions: { q: [1, 2] },
  });
});

describe("the search index", () => {
  const [indexed] = searchIndex([lesson], []).lessons;
  const of = (at: string) => indexed?.entries.filter((entry) => entry.at === at).map(({ text }) => text);

  it("holds sentences as they are read, with the block that shows them", () => {
    expect(of("block-1")).toEqual([
      "One sum",
      "A leaf is a <tensor>.",
      "It has no grad_fn.",
      "First",
      "Second",
      "So tanh(w · x) < 1 holds.",
      "Play.",
    ]);
    expect(indexed?.outcome).toBe("You know grad.");
  });

  it.each([
    [String.raw`e^{x_i} / \sum_j e^{x_j}`, "e^(x_i) / Σ_j e^(x_j)"],
    [String.raw`\frac{e^{x_i}}{\sum_j e^{x_j - m}}`, "e^(x_i)/(Σ_j e^(x_j - m))"],
    [String.raw`\partial u / \partial b \approx 2^{50} \cdot 10^{-8}`, "∂u / ∂b ≈ 2^50 · 10^-8"],
    [String.raw`\left(1 + \frac{\text{fraction}}{2^{23}}\right)`, "(1 + fraction/2^23)"],
    [String.raw`\sqrt{d} + \sqrt{v + 1}`, "√d + √(v + 1)"],
  ])("reads %s in one line", (tex, read) => {
    const html = `<p><span class="math" data-tex="${tex}"></span></p>`;
    const [only] = searchIndex([{ ...lesson, blocks: [{ type: "prose", html }] }], []).lessons;
    expect(only?.entries.map(({ text }) => text)).toEqual([read]);
  });

  it("knows headings from prose, and where a term is explained", () => {
    const [heading, term, next] = indexed?.entries.filter(({ at }) => at === "block-1") ?? [];
    expect(heading).toMatchObject({ kind: "section", section: 0 });
    expect(term).toMatchObject({ kind: "prose", terms: ["leaf"] });
    expect(next?.terms).toBeUndefined();
  });

  it("holds code line by line, titles of exercises, and questions", () => {
    expect(of("cell-1")).toEqual(["x = 1", "if x < 2:", "print(x)"]);
    expect(of("e")).toEqual(["Mend it", "Do it."]);
    expect(of("q")).toEqual(["Why?"]);
  });

  it("gives no solution, hint or answer away", () => {
    expect(JSON.stringify(indexed)).not.toMatch(/secret|"o"/);
  });
});

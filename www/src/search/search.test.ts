import { describe, expect, it } from "vitest";
import {
  type Entry,
  excerpt,
  type LessonIndex,
  type SearchIndex,
  search,
  suggestions,
  wordsOf,
} from "./search";

const entry = (text: string, more: Partial<Entry> = {}): Entry => ({
  kind: "prose",
  at: "block-1",
  text,
  section: 0,
  ...more,
});
const lesson = (slug: string, title: string, entries: Entry[]): LessonIndex => ({
  slug,
  number: 1,
  title,
  part: "Gradients",
  outcome: "You can follow a gradient.",
  sections: [{ id: "walk-through", title: "Walk-through" }],
  entries,
});
const index: SearchIndex = {
  lessons: [
    lesson("graph", "A graph in your head", [
      entry("Walk-through", { kind: "section", at: "walk-through" }),
      entry("The answer at a leaf is its gradient.", { terms: ["gradient"] }),
      entry("Gradients that meet are added."),
      entry("x.grad.zero_()", { kind: "code", at: "cell-3" }),
      entry("x.grad.zero_()", { kind: "code", at: "cell-7" }),
      entry("A fresh answer every time", { kind: "exercise", at: "fresh-gradient" }),
    ]),
    lesson("neuron", "A neuron lights up", [
      entry("Then tanh squashes it, and the gradient shrinks."),
      entry("y = torch.tanh(s)", { kind: "code", at: "cell-1" }),
      entry("The slope of a product."),
      entry("Some slopes, and some products."),
      entry("The slope of it all."),
      entry("One slope."),
      entry("Another slope."),
    ]),
  ],
  ops: [
    { kind: "op", name: "tanh", aliases: [], doc: "The hyperbolic tangent of each element." },
    { kind: "op", name: "tan", aliases: [], doc: "The tangent of each element." },
    { kind: "op", name: "abs", aliases: ["absolute"], doc: "The size of each element." },
  ],
};
const texts = (query: string) =>
  search(index, query).groups.flatMap((group) => group.hits.map((hit) => hit.text));
const marked = (query: string) =>
  search(index, query).groups.flatMap(({ hits }) =>
    hits.map((hit) => hit.marks.map(([from, to]) => hit.text.slice(from, to))),
  );

describe("the words of a query", () => {
  it("are small letters without what surrounds them in code or in a sentence", () => {
    expect(wordsOf('  What is "torch.tanh(x)"? ')).toEqual(["tanh"]);
    expect(wordsOf("what is it")).toEqual(["what", "is", "it"]);
    expect(wordsOf("zero_grad() zero_grad")).toEqual(["zero_grad"]);
    expect(wordsOf("+= * @")).toEqual(["+=", "*", "@"]);
    expect(wordsOf(" … ")).toEqual([]);
  });
});

describe("search", () => {
  it("finds nothing for nothing", () => {
    for (const query of ["", "  ", "?!"]) expect(search(index, query)).toEqual({ groups: [], count: 0 });
    expect(search(index, "xylophone").count).toBe(0);
  });

  it("puts the sentence that explains a term before one that uses it", () => {
    const [first] = search(index, "gradient").groups;
    expect(first?.title).toBe("A graph in your head");
    expect(first?.hits[0]).toMatchObject({ target: "graph", at: "block-1", under: "Walk-through" });
    expect(first?.hits[0]?.text).toContain("leaf");
  });

  it("puts the title of a lesson first, and leads to its beginning", () => {
    const [first] = search(index, "neuron").groups;
    expect(first?.hits[0]).toMatchObject({ kind: "lesson", target: "neuron", at: null });
  });

  it("finds an op by its name, an alias or its beginning, before the lessons when it is the name", () => {
    expect(search(index, "tanh").groups[0]?.hits[0]).toMatchObject({ kind: "op", target: "tanh" });
    expect(search(index, "torch.tanh").groups[0]?.hits[0]).toMatchObject({ kind: "op", target: "tanh" });
    expect(search(index, "absolute").groups[0]?.hits[0]).toMatchObject({ kind: "op", target: "abs" });
    const titles = search(index, "tanh").groups.map((group) => group.title);
    expect(titles).toEqual(["Reference", "A neuron lights up"]);
  });

  it("wants every word, and lets the titles above help", () => {
    expect(texts("gradients added")).toEqual(["Gradients that meet are added."]);
    expect(texts("neuron squashes")).toEqual(["Then tanh squashes it, and the gradient shrinks."]);
    expect(texts("gradient xylophone")).toEqual([]);
  });

  it("prefers a whole word to the beginning of one, and a phrase to words apart", () => {
    expect(texts("slope product").slice(0, 2)).toEqual([
      "The slope of a product.",
      "Some slopes, and some products.",
    ]);
    expect(texts("gradient").indexOf("Gradients that meet are added.")).toBeGreaterThan(0);
  });

  it("says the same line of code once, lists four a lesson and counts the rest", () => {
    expect(texts("zero_")).toEqual(["x.grad.zero_()"]);
    const found = search(index, "slope");
    expect(found.groups[0]?.hits).toHaveLength(4);
    expect(found.groups[0]?.more).toBe(1);
    expect(found.count).toBe(5);
  });

  it("marks what fits", () => {
    expect(marked("gradients added")).toEqual([["Gradients", "added"]]);
    expect(marked("grad radi")[0]).toEqual(["gradi"]);
  });

  it("takes any query", () => {
    for (const query of ["(", "[a-", "\\", "a".repeat(5000), "𝕏 ∂ é", "* * *", "a b c d e f g h i j"]) {
      expect(() => search(index, query)).not.toThrow();
      expect(() => suggestions(index, query)).not.toThrow();
    }
  });
});

describe("the excerpt of a hit", () => {
  const text = "So it was with the first of them, and with the second, until the gradient was gone.";
  const said = (from: number, to: number, source = text) =>
    excerpt({ text: source, marks: [[from, to]] }, 40)
      .map((piece) => (piece.marked ? `[${piece.text}]` : piece.text))
      .join("");

  it("begins where the text begins, when the first place stands in the room", () => {
    expect(said(10, 14)).toBe(text.replace("with", "[with]"));
  });

  it("begins at a word shortly before a place that would be out of sight", () => {
    const at = text.indexOf("gradient");
    expect(said(at, at + 8)).toBe("… second, until the [gradient] was gone.");
    expect(said(80, 84, "a".repeat(90))).toBe("… [aaaa]aaaaaa");
  });
});

describe("suggestions", () => {
  it("are words of the course near to what was typed", () => {
    expect(suggestions(index, "gradeint")).toContain("gradient");
    expect(suggestions(index, "squashs")).toContain("squashes");
    expect(suggestions(index, "xylophone")).toEqual([]);
  });

  it("offer the words that are known when they do not stand together", () => {
    expect(suggestions(index, "gradient xylophone")).toEqual(["gradient"]);
  });
});

import { expect, it } from "vitest";
import { type Part, parts } from "./note";
import type { Span } from "./spans";

/** Spans as tags. */
function tags(spans: readonly Span[]): string {
  const tag = (span: Span): string => {
    if (span.kind === "text") return span.text;
    if (span.kind === "code") return `<code>${span.text}</code>`;
    if (span.kind === "math") {
      const { before, tex, after } = span;
      return span.display ? `<display>${tex}</>` : `${before}<math>${tex}</>${after}`;
    }
    const within = tags(span.spans);
    return span.kind === "link" ? `<a ${span.href}>${within}</a>` : `<${span.kind}>${within}</${span.kind}>`;
  };
  return spans.map(tag).join("");
}

/** A note in short: lists as arrays, whose first element is the first number, or a bullet. */
function told(note: string): unknown[] {
  const tell = (part: Part): unknown => {
    switch (part.kind) {
      case "text":
        return tags(part.spans);
      case "heading":
        return { [`h${part.level}`]: tags(part.spans) };
      case "list":
        return [
          part.start ?? "•",
          ...part.items.map(({ parts, checked }) => {
            const [first, ...rest] = parts.map(tell);
            const item = checked === null ? first : `${checked ? "[x]" : "[ ]"} ${first}`;
            return rest.length ? [item, rest] : item;
          }),
        ];
      case "quote":
        return { quote: part.parts.map(tell) };
      case "code":
        return { code: part.text };
      case "table":
        return { sides: part.sides, head: part.head.map(tags), rows: part.rows.map((row) => row.map(tags)) };
      case "rule":
        return part.kind;
    }
  };
  return parts(note).map(tell);
}

it("finds headings, lists, code and paragraphs", () => {
  const note =
    "# A title #\nfirst\nsecond\n\nthird\n- a\n- b\n\n1. one\n```python\n# no heading\nx\n```\n<b>as text</b>";
  expect(told(note)).toEqual([
    { h1: "A title" },
    "first\nsecond",
    "third",
    ["•", "a", "b"],
    [1, "one"],
    { code: "# no heading\nx" },
    "<b>as text</b>",
  ]);
});

it("shows what is not closed, and nothing of nothing", () => {
  expect(told("```\nx")).toEqual([{ code: "x" }]);
  expect(told(" \n\n")).toEqual([]);
  expect(told("#no heading")).toEqual(["#no heading"]);
  expect(told("<!-- a\nremark -->")).toEqual([]);
});

it("goes on with an item's text and with the numbers of a list", () => {
  expect(told("1. one\n   and more\n\n$$x$$\n\n2. two\n3. three")).toEqual([
    [1, "one\nand more"],
    "<display>x</>",
    [2, "two", "three"],
  ]);
});

it("finds lists in lists, with code and formulas in their items, and boxes", () => {
  expect(told("- a\n  - *b*\n    1. c\n- d")).toEqual([
    ["•", ["a", [["•", ["<em>b</em>", [[1, "c"]]]]]], "d"],
  ]);
  expect(told("1. so\n\n   ```\n   x = 1\n   ```\n\n2. $y$")).toEqual([
    [1, ["so", [{ code: "x = 1" }]], "<math>y</>"],
  ]);
  expect(told("- [x] done\n- [ ] to do")).toEqual([["•", "[x] done", "[ ] to do"]]);
});

it("finds where a link by reference leads, and leaves footnotes as they are written", () => {
  expect(told("See [the paper][1] and [it].\n\n[1]: https://a.b/c\n[it]: https://d.e 'A title'")).toEqual([
    "See <a https://a.b/c>the paper</a> and <a https://d.e>it</a>.",
  ]);
  expect(told("So[^1] it is[^2].\n\n[^1]: here\n\n[^2]: or there")).toEqual([
    "So[^1] it is[^2].",
    "[^1]: here",
    "[^2]: or there",
  ]);
});

it("finds quotes, within each other too, and code in them", () => {
  expect(told("> # Note\n> *a*\n>\n>> b\n> - c\n\nend\n\n> ```\n> x > 1\n> ```")).toEqual([
    { quote: [{ h1: "Note" }, "<em>a</em>", { quote: ["b"] }, ["•", "c"]] },
    "end",
    { quote: [{ code: "x > 1" }] },
  ]);
  const deep = (all: Part[]): number =>
    1 + Math.max(0, ...all.map((part) => (part.kind === "quote" ? deep(part.parts) : 0)));
  expect(deep(parts(`${">".repeat(200)} x`))).toBeLessThan(20);
  expect(told(`${">".repeat(90_000)} x`)).toEqual([`${">".repeat(90_000)} x`]);
});

it("tells a line from a heading that is underlined", () => {
  expect(told("---\n***\n_ _ _\n- - -")).toEqual(["rule", "rule", "rule", "rule"]);
  expect(told("a title\n---\nanother\n\n---")).toEqual([{ h2: "a title" }, "another", "rule"]);
  expect(told("A title\n===")).toEqual([{ h1: "A title" }]);
  expect(told("- a\n---")).toEqual([["•", "a"], "rule"]);
});

it("finds tables: sides, missing and superfluous cells, lines that end no cell", () => {
  const note = [
    "before",
    "",
    "| op | `x \\| y` | $|x|$ | n |",
    "|:---|:-:|--:|---|",
    "| *a* | b | $\\|x\\|$ |",
    "c | d | | 4 | 5 |",
    "",
    "after",
  ].join("\n");
  expect(told(note)).toEqual([
    "before",
    {
      sides: ["left", "center", "right", "left"],
      head: ["op", "<code>x | y</code>", "<math>|x|</>", "n"],
      rows: [
        ["<em>a</em>", "b", "<math>\\|x\\|</>", ""],
        ["c", "d", "", "4"],
      ],
    },
    "after",
  ]);
});

it.each(["a | b", "a | b\n- x", "|---|", "`a | b`\n\n|--|"])("finds no table in %j", (note) =>
  expect(parts(note).map(({ kind }) => kind)).not.toContain("table"),
);

it("keeps the lines of a formula together", () => {
  const aligned = "\n\\begin{aligned}\n- a &= b \\\\\n+ c &> d\n\\end{aligned}\n> 0\n";
  expect(told(`It is\n$$${aligned}$$\n\n- so $$${aligned}$$\n- b`)).toEqual([
    `It is<display>${aligned}</>`,
    ["•", `so<display>${aligned}</>`, "b"],
  ]);
  const environment = "\\begin{align*}\n# a\n\\end{align*}";
  expect(told(environment)).toEqual([`<display>${environment}</>`]);
});

it("lets dollars without an end be text", () => {
  expect(told("$$\n- a\n\n- b\n$$")).toEqual(["$$", ["•", "a", "b\n$$"]]);
  expect(told("`$$`\n- a")).toEqual(["<code>$$</code>", ["•", "a"]]);
});

/** A note of one paragraph. */
function tagged(text: string): string {
  const all = told(text);
  expect(all.length).toBe(1);
  return String(all[0]);
}

it.each([
  ["Some *text* and _more_.", "Some <em>text</em> and <em>more</em>."],
  ["**strong** and __too__", "<strong>strong</strong> and <strong>too</strong>"],
  ["**all *of* it**, ***both***", "<strong>all <em>of</em> it</strong>, <em><strong>both</strong></em>"],
  ["*with **strong** in it*", "<em>with <strong>strong</strong> in it</em>"],
  ["*two\nlines*", "<em>two\nlines</em>"],
  ["**`a * b`**", "<strong><code>a * b</code></strong>"],
  ["*where $a*b$ is*", "<em>where <math>a*b</> is</em>"],
])("emphasises: %s", (text, shown) => expect(tagged(text)).toBe(shown));

it.each([
  "2 * 3 * 4",
  "in_features and out_features",
  "a * b*",
  "** and __",
  "<b>no tag</b>",
  "a ` b",
  "\uE000 of *a file",
])("leaves as it is: %s", (text) => expect(tagged(text)).toBe(text));

it.each([
  ["`a*b*c` and `__init__`", "<code>a*b*c</code> and <code>__init__</code>"],
  ["``a ` b`` and `` `x` ``", "<code>a ` b</code> and <code>`x`</code>"],
  ["`$x$` and ``$y$``", "<code>$x$</code> and <code>$y$</code>"],
  ["`[a](https://b.c)`, `https://b.c`", "<code>[a](https://b.c)</code>, <code>https://b.c</code>"],
])("shows code: %s", (text, shown) => expect(tagged(text)).toBe(shown));

it("shows a sign after a backslash", () => {
  expect(tagged("\\*no\\* *yes*")).toBe("*no* <em>yes</em>");
  expect(tagged("\\`no\\`, \\[a](https://b.c), \\%%")).toBe("`no`, [a](<a https://b.c>https://b.c</a>), %%");
});

it("puts held pieces back where they were, those of the note too", () => {
  expect(tagged("\uE000 **`a` \uE000** $x$")).toBe(
    "\uE000 <strong><code>a</code> \uE000</strong> <math>x</>",
  );
});

it.each([
  ["$x^2$", "<math>x^2</>"],
  ["so $x_1, x_2$, and $a_i*b_i$.", "so <math>x_1, x_2</>, and <math>a_i*b_i</>."],
  ["$$\\sum_i x_i$$", "<display>\\sum_i x_i</>"],
  ["that is\n$$\na\n= b\n$$\nor less", "that is<display>\na\n= b\n</>or less"],
  ["\\begin{align}\na\n\\end{align}", "<display>\\begin{align}\na\n\\end{align}</>"],
  ["$\\text{\\$5}$", "<math>\\text{\\$5}</>"],
  ["($x$), [$y$].", "(<math>x</>), [<math>y</>]."],
  ["$a\nb$", "<math>a\nb</>"],
  ["$5$ and $6$", "<math>5</> and <math>6</>"],
])("finds formulas: %j", (text, shown) => expect(tagged(text)).toBe(shown));

it.each(["$5 and $6", "from $5–$6", "$ x $", "$x $ y", "$HOME and $PATH", "$$", "$$x$", "$"])(
  "finds no formula: %s",
  (text) => expect(tagged(text)).toBe(text),
);

it("takes a dollar behind a backslash for a dollar", () => {
  expect(tagged("\\$5 and $x$, \\$x\\$")).toBe("$5 and <math>x</>, $x$");
});

it.each([
  ["[a *b*](https://c.d/e)", "<a https://c.d/e>a <em>b</em></a>"],
  ['[a](https://c.d/e_(f)?g=1#h "A title").', "<a https://c.d/e_(f)?g=1#h>a</a>."],
  ["[`a[0]`, $x$](<http://c.d>)", "<a http://c.d><code>a[0]</code>, <math>x</></a>"],
  ["[all](#/play), [write](mailto:a@b.c)", "<a #/play>all</a>, <a mailto:a@b.c>write</a>"],
  ["**see https://a.b/c_d_e, or**", "<strong>see <a https://a.b/c_d_e>https://a.b/c_d_e</a>, or</strong>"],
  ["(https://a.b/c_(d).)", "(<a https://a.b/c_(d)>https://a.b/c_(d)</a>.)"],
  ["<https://a.b/c?d*e*f>", "<a https://a.b/c?d*e*f>https://a.b/c?d*e*f</a>"],
  ["[https://a.b](https://c.d)", "<a https://c.d>https://a.b</a>"],
  ["![A plot](https://a.b/c.png)", "<a https://a.b/c.png>A plot</a>"],
  ["![](https://a.b/c.png)", "<a https://a.b/c.png>https://a.b/c.png</a>"],
  ["[![build](https://a.b/c.svg)](https://d.e)", "<a https://d.e>build</a>"],
  ['so <img src="https://a.b/c.png" alt="A plot" width="9">', "so <a https://a.b/c.png>A plot</a>"],
  ["<img width=9 src='https://a.b/c.png'>", "<a https://a.b/c.png>https://a.b/c.png</a>"],
])("finds links: %s", (text, shown) => expect(tagged(text)).toBe(shown));

it.each([
  "[a](javascript:alert(1))",
  "[a](JavaScript:alert(1))",
  "[a](<javascript:alert(1)>)",
  "[a](java\nscript:alert(1))",
  "[a]( javascript:alert(1))",
  "[a](data:text/html,x)",
  "[a](vbscript:x)",
  "[a](//b.c)",
  "[a](https:b)",
  "[a](file.csv) and [b](#part)",
  "<javascript:alert(1)>",
  "![a](attachment:b.png)",
  "![a](data:image/png;base64,x)",
  "<img src=x onerror=alert(1)>",
  '<img src="javascript:alert(1)">',
  '<img onerror="x" alt=">" src="file.png">',
  "https://",
])("links nothing: %s", (text) => expect(tagged(text)).toBe(text));

it("cuts a picture that stands in the text", () => {
  expect(tagged(`![a](data:image/png;base64,${"iVBORw0KGgo".repeat(500)}=)`)).toBe(
    "![a](data:image/png;base64,…)",
  );
});

it.each([
  "[",
  "$",
  "$$",
  "`",
  "``a`",
  "**a ",
  "*a **",
  "_a __",
  "[a](",
  "![`",
  "https://",
  "(",
  "\\begin{a}",
  "> ",
  "| ",
  "|-\n",
  "- $$\n",
  "a\n---\n",
])("reads many %j within a moment", (sign) => {
  const note = sign.repeat(20_000 / sign.length);
  const begin = performance.now();
  parts(note);
  expect(performance.now() - begin).toBeLessThan(5_000);
});

import { expect, it } from "vitest";
import { type Part, parts } from "./note";
import { type Span, spans } from "./spans";

it("finds headings, lists, code and paragraphs", () => {
  const note =
    "# A title #\nfirst\nsecond\n\nthird\n- a\n* b\n\n1. one\n```python\n# no heading\nx\n```\n<b>as text</b>";
  expect(parts(note)).toEqual([
    { kind: "heading", level: 1, text: "A title" },
    { kind: "text", text: "first\nsecond" },
    { kind: "text", text: "third" },
    { kind: "list", items: ["a", "b", "one"], start: null },
    { kind: "code", text: "# no heading\nx" },
    { kind: "text", text: "<b>as text</b>" },
  ]);
});

it("shows what is not closed, and nothing of nothing", () => {
  expect(parts("```\nx")).toEqual([{ kind: "code", text: "x" }]);
  expect(parts(" \n\n")).toEqual([]);
  expect(parts("#no heading")).toEqual([{ kind: "text", text: "#no heading" }]);
});

it("goes on with an item's text and with the numbers of a list", () => {
  expect(parts("1. one\n   and more\n\n$$x$$\n\n2. two\n3. three")).toEqual([
    { kind: "list", items: ["one\nand more"], start: 1 },
    { kind: "text", text: "$$x$$" },
    { kind: "list", items: ["two", "three"], start: 2 },
  ]);
});

it("finds quotes, within each other too, and code in them", () => {
  expect(parts("> # Note\n> *a*\n>\n>> b\n> - c\nend\n\n> ```\n> x > 1\n> ```")).toEqual([
    {
      kind: "quote",
      parts: [
        { kind: "heading", level: 1, text: "Note" },
        { kind: "text", text: "*a*" },
        { kind: "quote", parts: [{ kind: "text", text: "b" }] },
        { kind: "list", items: ["c"], start: null },
      ],
    },
    { kind: "text", text: "end" },
    { kind: "quote", parts: [{ kind: "code", text: "x > 1" }] },
  ]);
  const deep = (all: Part[]): number =>
    1 + Math.max(0, ...all.map((part) => (part.kind === "quote" ? deep(part.parts) : 0)));
  expect(deep(parts(`${">".repeat(90_000)} x`))).toBeLessThan(12);
});

it("tells a line from a heading that is underlined", () => {
  const line = { kind: "rule" };
  expect(parts("---\n***\n_ _ _\n- - -")).toEqual([line, line, line, line]);
  expect(parts("a title\n---\nanother\n\n---")).toEqual([
    { kind: "heading", level: 2, text: "a title" },
    { kind: "text", text: "another" },
    line,
  ]);
  expect(parts("A title\n===")).toEqual([{ kind: "heading", level: 1, text: "A title" }]);
  expect(parts("- a\n---")).toEqual([{ kind: "list", items: ["a"], start: null }, line]);
});

it("finds tables: sides, missing and superfluous cells, lines that end no cell", () => {
  const note = [
    "before",
    "| op | `x \\| y` | $|x|$ | n |",
    "|:---|:-:|--:|---|",
    "| *a* | b | $\\|x\\|$ |",
    "c | d | | 4 | 5 |",
    "",
    "after",
  ].join("\n");
  expect(parts(note)).toEqual([
    { kind: "text", text: "before" },
    {
      kind: "table",
      sides: ["left", "center", "right", "left"],
      head: ["op", "`x | y`", "$|x|$", "n"],
      rows: [
        ["*a*", "b", "$\\|x\\|$", ""],
        ["c", "d", "", "4"],
      ],
    },
    { kind: "text", text: "after" },
  ]);
});

it.each(["a | b", "a | b\n--|", "a | b\n- x", "|---|", "`a | b`\n\n|--|"])("finds no table in %j", (note) =>
  expect(parts(note).map(({ kind }) => kind)).not.toContain("table"),
);

it("keeps the lines of a formula together", () => {
  const formula = "$$\n\\begin{aligned}\n- a &= b \\\\\n+ c &> d\n\\end{aligned}\n> 0\n$$";
  expect(parts(`It is\n${formula}\n\n- so ${formula}\n- b`)).toEqual([
    { kind: "text", text: `It is\n${formula}` },
    { kind: "list", items: [`so ${formula}`, "b"], start: null },
  ]);
  const environment = "\\begin{align*}\n# a\n\\end{align*}";
  expect(parts(environment)).toEqual([{ kind: "text", text: environment }]);
  expect(parts("> $$\n> - x\n> $$")).toEqual([
    { kind: "quote", parts: [{ kind: "text", text: "$$\n- x\n$$" }] },
  ]);
});

it("lets dollars without an end be text", () => {
  expect(parts("$$\n- a\n\n- b\n$$").map(({ kind }) => kind)).toEqual(["text", "list"]);
  expect(parts("`$$`\n- a")).toEqual([
    { kind: "text", text: "`$$`" },
    { kind: "list", items: ["a"], start: null },
  ]);
});

/** Spans as tags. */
function tagged(text: string): string {
  const tag = (span: Span): string => {
    if (span.kind === "text") return span.text;
    if (span.kind === "code") return `<code>${span.text}</code>`;
    if (span.kind === "math") {
      const { before, tex, after } = span;
      return span.display ? `<display>${tex}</>` : `${before}<math>${tex}</>${after}`;
    }
    const within = span.spans.map(tag).join("");
    return span.kind === "link" ? `<a ${span.href}>${within}</a>` : `<${span.kind}>${within}</${span.kind}>`;
  };
  return spans(text).map(tag).join("");
}

it.each([
  ["Some *text* and _more_.", "Some <em>text</em> and <em>more</em>."],
  ["**strong** and __too__", "<strong>strong</strong> and <strong>too</strong>"],
  ["**all *of* it**, ***both***", "<strong>all <em>of</em> it</strong>, <strong><em>both</em></strong>"],
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
])("leaves as it is: %s", (text) => expect(spans(text)).toEqual([{ kind: "text", text }]));

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
  (text) => expect(spans(text)).toEqual([{ kind: "text", text }]),
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
  "xhttps://a.b",
  "https://",
])("links nothing: %s", (text) => expect(spans(text)).toEqual([{ kind: "text", text }]));

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
  const all = (found: Part[]): void => {
    for (const part of found) {
      if (part.kind === "quote") all(part.parts);
      else if (part.kind === "text" || part.kind === "heading") spans(part.text);
      else if (part.kind === "list") part.items.forEach(spans);
    }
  };
  all(parts(note));
  expect(performance.now() - begin).toBeLessThan(5_000);
});

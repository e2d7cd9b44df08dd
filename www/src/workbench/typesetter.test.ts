import { Window } from "happy-dom";
import { expect, it } from "vitest";
import { typeset } from "./typesetter";

function mathml(tex: string, display = false): string {
  const set = typeset(tex, display);
  expect(set).toHaveProperty("mathml");
  return "mathml" in set ? set.mathml : "";
}

it("sets a formula as MathML, on a line of its own too", () => {
  expect(mathml("x^2")).toContain("<msup><mi>x</mi><mn>2</mn></msup>");
  expect(mathml("x", true)).toContain('display="block"');
});

it.each([
  ["\\mathbb{R} \\mathcal{L} \\mathbf{x}", "<mi>ℝ</mi><mi>ℒ</mi><mi>𝐱</mi>"],
  ["\\boldsymbol{\\theta} \\mathbf{\\Sigma} \\mathfrak{g}", "<mi>𝜽</mi><mi>𝚺</mi><mi>𝔤</mi>"],
  ["\\text{a\\textbf{<b1>}}", "<mtext>&lt;𝐛𝟏&gt;</mtext>"],
  ["\\mathrm{d} \\mathbb{1}", '<mi mathvariant="normal">d</mi><mn>𝟙</mn>'],
])("gives letters of a variant their own signs: %s", (tex, drawn) => expect(mathml(tex)).toContain(drawn));

it("gives names of functions thin spaces, none before a bracket or at an end", () => {
  const margins = (tex: string) => [
    ...mathml(tex, true).matchAll(/<(\w+) style="margin:0 ([^ ]+) 0 ([^"]+)"/g),
  ];
  const of = (tex: string) => margins(tex).map(([, tag, right, left]) => `${tag} ${left} ${right}`);
  expect(of("y \\log x")).toEqual(["mi 0.1667em 0.1667em"]);
  expect(of("1 + \\max(a, b)")).toEqual(["mi 0 0"]);
  expect(of("2\\log_2 n \\lim_{n} \\sin")).toEqual([
    "msub 0.1667em 0.1667em",
    "munder 0.1667em 0.1667em",
    "mi 0.1667em 0",
  ]);
});

it("gives the cells of a table their sides", () => {
  const sides = (tex: string) => [...mathml(tex, true).matchAll(/text-align:(\w+)/g)].map(([, side]) => side);
  expect(sides("\\begin{aligned} a &= b \\\\ &= c \\end{aligned}")).toEqual([
    "right",
    "left",
    "right",
    "left",
  ]);
  expect(sides("\\begin{align} a &= b \\end{align}")).toEqual(["right", "left"]);
  expect(sides("\\begin{cases} \\begin{matrix} a & b \\end{matrix} & c \\end{cases}")).toEqual([
    "left",
    "center",
    "center",
    "left",
  ]);
});

it("says why a formula cannot be set", () => {
  expect(typeset("\\frac{1}", false)).toEqual({ fault: expect.stringMatching(/^Unexpected end of input/) });
  expect(typeset("\\def\\x{\\x}\\x", false)).toEqual({
    fault: expect.stringContaining("Too many expansions"),
  });
  expect(typeset("{".repeat(50_000), false)).toEqual({ fault: expect.any(String) });
});

it.each([
  "<img src=x onerror=alert(1)>",
  "\\text{<img src=x onerror=alert(1)>}",
  "\\mathbf{<script>alert(1)</script>}",
  "\\href{javascript:alert(1)}{x}",
  "\\url{javascript:alert(1)}",
  "\\includegraphics{https://a.b/c.png}",
  '\\htmlStyle{background: url("https://a.b")}{x}',
  "\\htmlData{a=b}{x} \\htmlId{main}{x} \\htmlClass{a}{x}",
  '\\color{red" onclick="alert(1)}{x}',
  '\\begin{array}{l" onclick="alert(1)} a \\end{array}',
  "</annotation></semantics></math><img src=x onerror=alert(1)>",
])("makes nothing active of %s", (tex) => {
  const set = typeset(tex, false);
  if ("fault" in set) return;
  const page = new Window().document.createElement("div");
  page.innerHTML = set.mathml;
  for (const element of page.querySelectorAll("*")) {
    expect(element.tagName.toLowerCase()).toMatch(/^(span|math|semantics|annotation|m[a-z]+)$/);
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^(on.*|href|src|xlink.*|id|action.*)$/);
      expect(value).not.toMatch(/javascript:|url\(/i);
    }
  }
});

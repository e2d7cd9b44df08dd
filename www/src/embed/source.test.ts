// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { codeOf, dedent } from "./source";

function element(html: string): Element {
  const place = document.createElement("div");
  place.innerHTML = html;
  return place.firstElementChild as Element;
}

it("takes the attribute before a script, and a script before the text", () => {
  expect(codeOf(element(`<glow-cell code="x = 1">y = 2</glow-cell>`))).toBe("x = 1");
  expect(codeOf(element(`<glow-cell>a<script type="text/plain">if 1 < 2:\n  x</script></glow-cell>`))).toBe(
    "if 1 < 2:\n  x",
  );
  expect(codeOf(element("<glow-cell><template>z = 3</template></glow-cell>"))).toBe("z = 3");
  expect(codeOf(element("<glow-cell>\n  y = 2 &lt; 3\n</glow-cell>"))).toBe("y = 2 < 3");
});

it("takes away common indentation only, and keeps empty lines inside", () => {
  expect(dedent("\n    for i in range(2):\n        print(i)\n\n    x = 1\n  ")).toBe(
    "for i in range(2):\n    print(i)\n\nx = 1",
  );
  expect(dedent("\tx\n\t\ty")).toBe("x\n\ty");
  expect(dedent("")).toBe("");
  expect(dedent("a\n  b")).toBe("a\n  b");
});

// The build's own transformations.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { policy } from "./contentSecurity";
import { lessonMath, renderAll, renderMath } from "./lessonMath";

describe("mathematics in lessons", () => {
  it("is typeset where it is marked, in line and on its own, and nothing else is touched", () => {
    const html =
      '<p>Let <span class="math" data-tex="a &lt; b"></span> &lt;b&gt;.</p><div class="math" data-tex="\\frac{1}{2}"></div>';
    const rendered = renderMath(html, "test");
    expect(rendered).toContain('<p>Let <span class="whole"><span class="math"><span class="katex">');
    expect(rendered).toContain("<mo>&lt;</mo>");
    expect(rendered).toContain('<div class="math"><span class="katex-display">');
    expect(rendered).toContain("<mfrac>");
    expect(rendered).toContain(" &lt;b&gt;.</p>");
    expect(rendered).not.toContain("data-tex");
  });

  it("keeps its punctuation, and breaks only where it is long", () => {
    const math = (tex: string) => `<span class="math" data-tex="${tex}"></span>`;
    const rendered = renderMath(
      `<p>As (${math("e^2 \\approx 7.4")}), or ${math("a + b + c + d + e + f + g + h + i = j")}. So</p>`,
      "test",
    );
    expect(rendered).toMatch(/^<p>As <span class="whole">\(<span class="math"><span class="katex">/);
    expect(rendered).toMatch(/<\/span>\),<\/span> or <span class="whole"><span class="math long">/);
    expect(rendered).toMatch(/<\/span>\.<\/span> So<\/p>$/);
  });

  it("is found in the files that the page reads its lessons from", () => {
    const course = `${resolve("www/src/course")}/`;
    expect(existsSync(`${course}course.ts`)).toBe(true);
    const { transform } = lessonMath() as unknown as {
      transform(source: string, id: string): { code: string } | null;
    };
    const lesson = JSON.stringify({ html: '<span class="math" data-tex="x^2"></span>' });
    expect(transform(lesson, `${course}generated/buffer.json`)?.code).toContain("katex");
    expect(transform(lesson, `${course}course.ts`)).toBeNull();
  });

  it("is found in every string of a lesson", () => {
    const tex = '<span class="math" data-tex="x^2"></span>';
    const lesson = { number: 1, blocks: [{ html: tex, options: [{ html: tex, correct: true }] }] };
    const rendered = renderAll(lesson, "test") as typeof lesson;
    expect(rendered.number).toBe(1);
    expect(rendered.blocks[0]?.html).toContain("katex");
    expect(rendered.blocks[0]?.options[0]).toMatchObject({
      correct: true,
      html: expect.stringContaining("katex"),
    });
  });

  it("stops the build with the lesson's name when it cannot be typeset", () => {
    expect(() => renderMath('<span class="math" data-tex="\\frac{1"></span>', "my-lesson")).toThrow(
      /lesson my-lesson: cannot typeset \\frac\{1/,
    );
  });
});

it("allows the page's own inline script by its hash, and no other", () => {
  const hash = createHash("sha256").update("theme()").digest("base64");
  const rules = policy("<head><script>theme()</script></head>").split("; ");
  expect(rules).toContain(`script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`);
  expect(rules).toContain("default-src 'none'");
  expect(rules).toContain("connect-src 'self' https: http://localhost:* http://127.0.0.1:*");
});

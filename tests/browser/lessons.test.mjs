// Every lesson in Chromium, on a telephone: each cell runs, each exercise and each question is done by taps, axe finds
// nothing, narrow and light in one lesson, wide and dark in the next. What an exercise answers is tested in
// exercises.test.mjs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { lessons, measured, phone, sharing, useBrowser, wide } from "./harness.mjs";
import { sideways } from "./parts.mjs";
import { takeByTaps } from "./taps.mjs";

useBrowser();

const course = lessons();

test("there is a course", () => {
  assert.ok(course.length >= 3, `${course.length} lessons`);
  for (const { slug, blocks } of course) {
    for (const type of ["cell", "exercise", "quiz"]) {
      assert.ok(
        blocks.some((block) => block.type === type),
        `${slug} has no ${type}`,
      );
    }
  }
});

for (const [index, { slug, blocks }] of course.entries()) {
  describe(`lesson ${slug}`, () => {
    const page = sharing(`#/lesson/${slug}`, { size: phone, touch: true, theme: "light" });

    test("is done by taps, and every target takes a fingertip", async () => {
      const began = performance.now();
      await takeByTaps(page(), { slug, blocks }, index);
      measured(`lesson ${slug} by taps in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    });

    const isWide = index % 2 === 1;
    test(`is accessible, ${isWide ? "wide and dark" : "narrow and light"}`, async () => {
      assert.ok((await sideways(page())).beyond <= 0, "a narrow page scrolls sideways");
      if (isWide) {
        await page().emulateMedia({ colorScheme: "dark" });
        await page().setViewportSize(wide);
      }
      assert.deepEqual(await violations(page()), []);
      assert.ok((await sideways(page())).beyond <= 0, "the page scrolls sideways");
    });
  });
}

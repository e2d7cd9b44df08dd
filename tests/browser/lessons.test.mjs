// Every lesson in Chromium: each cell runs, each start fails its checks, each solution passes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lessons, measured, useBrowser, visiting } from "./harness.mjs";
import { takeLesson } from "./parts.mjs";

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

for (const { slug, blocks } of course) {
  describe(`lesson ${slug}`, () => {
    test("every cell runs and every exercise tells start from solution", async () => {
      await visiting(`#/lesson/${slug}`, {}, async (page) => {
        const began = performance.now();
        await takeLesson(page, blocks);
        measured(`lesson ${slug} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
      });
    });
  });
}

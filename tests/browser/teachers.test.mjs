// The pages for teachers: every lesson with what it takes, and a sheet with and without answers, as it is printed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, lessons, narrow, useBrowser, visiting, wide } from "./harness.mjs";
import { sideways } from "./parts.mjs";

useBrowser();

const course = lessons();

for (const [theme, size] of [
  ["dark", wide],
  ["light", narrow],
]) {
  test(`each lesson has a row with what it takes; ${theme}, ${size.width} wide`, async () => {
    await visiting("#/course", { theme, size }, async (page) => {
      await page.getByRole("link", { name: "For teachers" }).click();
      const rows = page.getByTestId("lesson-row");
      await eventually(async () => assert.equal(await rows.count(), course.length));
      const { title, minutes, blocks } = course[3];
      const of = (kind) => blocks.filter(({ type }) => type === kind).length;
      const cells = await rows.nth(3).getByRole("cell").allInnerTexts();
      assert.deepEqual(
        cells.slice(0, 5).map(Number),
        [minutes, of("cell"), of("predict"), of("exercise"), of("quiz")],
        title,
      );
      assert.deepEqual(await violations(page), []);
      assert.ok((await sideways(page)).beyond <= 0, "the page scrolls sideways");
    });
  });

  test(`a sheet asks, and answers where that is wanted; ${theme}, ${size.width} wide`, async () => {
    const { slug, blocks } = course.find((lesson) => lesson.slug === "buffer");
    await visiting(`#/teachers/${slug}`, { theme, size }, async (page) => {
      const paper = page.getByTestId("paper");
      const quiz = blocks.find(({ type }) => type === "quiz");
      const exercise = blocks.find(({ type }) => type === "exercise");
      await paper.getByRole("link", { name: `Exercise: ${exercise.title}` }).waitFor();
      assert.equal(await paper.getByText("☑").count(), 0, "an answer stands on the sheet of the class");
      const asked = blocks.filter(({ type }) => type === "quiz").length;
      assert.equal(await paper.getByRole("link", { name: "Question" }).count(), asked);
      assert.deepEqual(await violations(page), []);

      await paper.getByLabel("With answers").check();
      const right = blocks
        .flatMap(({ options, type }) => (type === "quiz" ? options : []))
        .filter((o) => o.correct);
      assert.equal(await paper.getByText("☑").count(), right.length);
      await paper.getByRole("region", { name: `Solution of ${exercise.title}` }).waitFor();
      await paper.getByLabel("The whole lesson").check();
      await paper.getByRole("heading", { name: "Mental model" }).waitFor();
      assert.deepEqual(await violations(page), []);
      assert.ok((await sideways(page)).beyond <= 0, "the page scrolls sideways");

      await page.emulateMedia({ media: "print" });
      for (const unwanted of [
        page.getByRole("button", { name: "Print" }),
        page.getByRole("link", { name: "Studio" }),
      ])
        assert.equal(await unwanted.isVisible(), false, "a control is printed");
      assert.ok(await paper.getByRole("heading", { level: 1 }).isVisible());
      await page.emulateMedia({ media: "screen" });

      await paper.getByRole("link", { name: "Question" }).first().click();
      await page.waitForURL((url) => url.hash === `#/lesson/${slug}/${quiz.id}`);
      await page.locator(`[id="${quiz.id}"]`).waitFor();
    });
  });
}

test("a sheet of a lesson that is not there says so", async () => {
  await visiting("#/teachers/quarks", {}, async (page) => {
    await page.getByText("This lab has no lesson named “quarks”").waitFor();
  });
});

// Every lesson in Chromium, on a telephone: each cell runs, each exercise and each question is done by taps, axe finds
// nothing, narrow and light in one lesson, wide and dark in the next; and each start, solution and wrong submission of an
// exercise is checked in a session where nothing ran before.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, lessons, measured, phone, sharing, useBrowser, visiting, wide } from "./harness.mjs";
import { Exercise, freeCell, freshSession, Session, sideways } from "./parts.mjs";
import { wrongSubmissions } from "./submissions.mjs";
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
    const count = blocks.filter(({ type }) => type === "cell").length;

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

    const exercises = blocks.filter(({ type }) => type === "exercise");
    for (const block of exercises) {
      test(`${block.id} stands alone: its solution passes in a fresh session, and wrong submissions are told why`, async () => {
        const began = performance.now();
        const exercise = new Exercise(page(), block.id);
        await page().setViewportSize(wide);
        const submissions = [
          { name: "the solution", source: block.solution, holds: true, mustSay: "" },
          { name: "the start", source: block.start, holds: false, mustSay: "" },
          ...wrongSubmissions(slug, block).map((wrong) => ({ ...wrong, holds: false })),
        ];
        for (const { name, source, holds, mustSay } of submissions) {
          await freshSession(page());
          await new Session(page()).counts(new RegExp(`^0 of ${count} cells run\\b`));
          await exercise.write(source);
          const { passed, said } = await exercise.submit();
          assert.equal(passed, holds, `${name}: ${said}`);
          const words = (text) => text.split(/\s+/).filter(Boolean).join(" ");
          assert.ok(words(said).includes(words(mustSay)), `${name} must say ${mustSay}, and says ${said}`);
        }
        measured(
          `${block.id}: ${submissions.length} submissions in ${((performance.now() - began) / 1000).toFixed(1)} s`,
        );
      });
    }
  });
}

test("a fresh session has no name of the one before", async () => {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write("left_behind = 1");
    assert.equal(await cell.run(), "ok", await cell.output());
    await freshSession(page);
    await cell.write("print(left_behind)");
    assert.equal(await cell.run(), "error", await cell.output());
    assert.match(await cell.fault(), /NameError/);
  });
});

test("an exercise says which cells it uses, and a press runs them", async () => {
  const found = course.flatMap(({ slug, blocks }) =>
    blocks.filter(({ needs }) => needs).map((block) => ({ slug, block })),
  );
  assert.ok(found.length > 0, "no exercise needs a cell");
  for (const { slug, block } of found) {
    await visiting(`#/lesson/${slug}`, {}, async (page) => {
      const exercise = new Exercise(page, block.id);
      const cells = block.needs.map(({ cell }) => cell);
      await eventually(async () => {
        const said = await exercise.needs.innerText();
        for (const { cell, names } of block.needs) {
          for (const word of [cell, ...names]) assert.ok(said.includes(word), `${word} in ${said}`);
        }
      });
      await exercise.needs.getByRole("button", { name: `Run ${cells.join(", ")}` }).click();
      await exercise.needs.getByText(/which (has|have) run/).waitFor();
      assert.equal(await exercise.needs.getByRole("button").count(), 0);
      await exercise.write(block.solution);
      assert.equal(await exercise.check(), true);
    });
  }
});

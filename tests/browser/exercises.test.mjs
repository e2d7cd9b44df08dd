// Every exercise in Chromium: its start, its solution and one of its wrong submissions are checked in a session where
// nothing ran before, and the page says what it must. `glow lesson verify` checks all wrong submissions, in the same
// engine without a page. How a lesson is done is tested in lessons.test.mjs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually, lessons, measured, sharing, useBrowser, visiting } from "./harness.mjs";
import { Exercise, freeCell, freshSession, Session } from "./parts.mjs";
import { wrongSubmissions } from "./submissions.mjs";

useBrowser();

const course = lessons();

/** A low window: most of a submission's time would be the stage painting what the checks drew. */
const low = { width: 1000, height: 300 };

for (const { slug, blocks } of course) {
  describe(`exercises of ${slug}`, () => {
    const page = sharing(`#/lesson/${slug}`, { size: low });
    const count = blocks.filter(({ type }) => type === "cell").length;

    const exercises = blocks.filter(({ type }) => type === "exercise");
    for (const [index, block] of exercises.entries()) {
      test(`${block.id} stands alone: its solution passes in a fresh session, and a wrong submission is told why`, async () => {
        const wrong = wrongSubmissions(slug, block);
        const began = performance.now();
        const exercise = new Exercise(page(), block.id);
        const submissions = [
          { name: "the solution", source: block.solution, holds: true, mustSay: "" },
          { name: "the start", source: block.start, holds: false, mustSay: "" },
          { ...wrong[index % wrong.length], holds: false },
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

// The library that a learner builds: what passes becomes a piece of it, lessons and the notebook import it, and it goes
// along with the learner's work.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { unzipSync } from "fflate";
import { violations } from "./axe.mjs";
import { eventually, lessons, narrow, useBrowser, visiting, wide } from "./harness.mjs";
import { Course, Exercise, freeCell, sideways } from "./parts.mjs";

useBrowser();

const lesson = lessons().find(({ slug }) => slug === "broadcasting");
const { id, solution, mine } = lesson.blocks.find((block) => block.mine === "broadcast_shapes");
const pieces = lessons().flatMap(({ blocks }) => blocks.filter((block) => block.mine));
/** A solution that can be told from the course's own. */
const own = `# of my own\n${solution}`;

const pass = async (page) => {
  const exercise = new Exercise(page, id);
  await exercise.write(own);
  await exercise.check();
  await page.locator(`[id="${id}"]`).getByTestId("piece").waitFor();
};

test("an answer that passes is a piece, which cells import from then on", async () => {
  await visiting("#/lesson/broadcasting", {}, async (page) => {
    const block = page.locator(`[id="${id}"]`);
    await block.getByText(`What passes becomes ${mine} of your library.`).waitFor();
    await pass(page);
    assert.match(
      await block.getByTestId("piece").innerText(),
      /In your library now: from mine import broadcast_shapes\./,
    );

    await page.goto(page.url().replace(/#.*/, "#/play"));
    const cell = freeCell(page);
    await cell.write("from mine import broadcast_shapes, unbroadcast\nprint(broadcast_shapes((3, 1), (2,)))");
    assert.equal(await cell.run(), "ok", await cell.output());
    const said = await cell.output();
    assert.match(said, /\(3, 2\)/);
    assert.match(said, /mine\.unbroadcast is the course's own/);
    assert.doesNotMatch(said, /mine\.broadcast_shapes is the course's own/);

    // Another session of another day.
    await page.reload();
    await cell.write("import mine, inspect\nprint(mine.broadcast_shapes.__module__, 'own' in dir(mine))");
    assert.equal(await cell.run(), "ok", await cell.output());
    assert.match(await cell.output(), /mine\.broadcast_shapes False/);
  });
});

for (const [theme, size] of [
  ["dark", wide],
  ["light", narrow],
]) {
  test(`the library shows its pieces, gives them as a file and lets one go; ${theme}, ${size.width} wide`, async () => {
    await visiting("#/course", { theme, size }, async (page) => {
      await page.getByRole("main").getByRole("link", { name: "your library" }).click();
      const shown = page.getByTestId("mine-piece");
      await eventually(async () => assert.equal(await shown.count(), pieces.length));
      await page.getByText(`0 of ${pieces.length} pieces are yours`).waitFor();
      assert.deepEqual(await violations(page), []);

      await shown.getByRole("link", { name: /Now write the rule/ }).click();
      await pass(page);
      await page.locator(`[id="${id}"]`).getByRole("link", { name: "your library" }).click();
      await page.getByText(`1 of ${pieces.length} pieces are yours`).waitFor();
      await page.getByRole("region", { name: "Your broadcast_shapes" }).getByText("# of my own").waitFor();
      assert.deepEqual(await violations(page), []);
      assert.ok((await sideways(page)).beyond <= 0, "the page scrolls sideways");

      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save as mine.zip" }).click(),
      ]);
      assert.equal(file.suggestedFilename(), "mine.zip");
      const inside = unzipSync(readFileSync(await file.path()));
      assert.deepEqual(Object.keys(inside), ["mine/broadcast_shapes.py"]);
      assert.equal(new TextDecoder().decode(inside["mine/broadcast_shapes.py"]), own);

      await page.getByRole("button", { name: "Remove your broadcast_shapes" }).click();
      await page.getByText("broadcast_shapes is the course's own again.").waitFor();
      await page.getByRole("button", { name: "Take it back" }).click();
      await page.getByText(`1 of ${pieces.length} pieces are yours`).waitFor();
    });
  });
}

test("a file of a learner's work brings the pieces along", async () => {
  await visiting("#/course", {}, async (page) => {
    const course = new Course(page);
    await course.open("work.json", {
      format: "glowgrad-progress",
      version: 1,
      texts: [{ lesson: "broadcasting", block: id, source: own }],
      progress: { broadcasting: { cells: [], exercises: [id], quizzes: {} } },
    });
    await course.says("Your work from the file is here now.");
    await page.getByRole("main").getByRole("link", { name: "your library" }).click();
    await page.getByText(`1 of ${pieces.length} pieces are yours`).waitFor();
  });
});

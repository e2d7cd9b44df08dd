// The course around the lessons: what is left, progress as a file, and an exercise's way back and to
// its solution.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually, lessons, useBrowser, visiting } from "./harness.mjs";
import { Course, Exercise, saved } from "./parts.mjs";

useBrowser();

const course = lessons();
const [lesson] = course;
const block = lesson.blocks.find(({ type }) => type === "exercise");
const file = (progress, texts = []) => ({ format: "glowgrad-progress", version: 1, texts, progress });
const nothing = { cells: [], exercises: [], quizzes: {} };

test("every part and lesson is there, with minutes that add up", async () => {
  await visiting("#/course", {}, async (page) => {
    const view = new Course(page);
    await view.onward.waitFor();
    const parts = new Set(course.map(({ part }) => part)).size;
    await eventually(async () => assert.equal(await view.parts.count(), parts));
    assert.equal(await page.getByTestId("lesson-link").count(), course.length);
    const total = course.reduce((sum, { minutes }) => sum + minutes, 0);
    const hours = total >= 60 ? `${Math.floor(total / 60)} h` : `${total} min`;
    await page.getByTestId("onward").getByText(hours).waitFor();
    assert.match(await view.onward.innerText(), new RegExp(`^Begin\\s+${lesson.title}`));
  });
});

test("a finished lesson is done, and the next one is where to go on", async () => {
  await visiting("#/course", {}, async (page) => {
    const view = new Course(page);
    const of = (type) => lesson.blocks.filter((each) => each.type === type);
    const quizzes = of("quiz").map(({ id, options }) => [id, options.findIndex(({ correct }) => correct)]);
    const done = {
      cells: of("cell").map(({ id }) => id),
      exercises: of("exercise").map(({ id }) => id),
      quizzes: Object.fromEntries(quizzes),
      last: { block: block.id, when: 1 },
    };
    await view.open("progress.json", file({ [lesson.slug]: done }));
    await view.says("Your work from the file is here now.");
    await page.getByTestId("lesson-link").first().getByText("done").waitFor();
    const next = course[1] ?? lesson;
    await page.getByTestId("onward").getByRole("link", { name: next.title }).waitFor();
    // And back again.
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByTestId("onward").getByText("Begin").waitFor();
    await page.getByTestId("lesson-link").first().getByText("done").waitFor({ state: "detached" });
  });
});

describe("a file of progress", () => {
  const hostile = {
    "that is no JSON": [Buffer.from("{"), "This is not a glowgrad progress file."],
    "that is empty": [Buffer.alloc(0), "This is not a glowgrad progress file."],
    "that is a picture": [
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]),
      "This is not a glowgrad progress file.",
    ],
    "of 20 MB": [Buffer.alloc(20_000_000, "x"), "This file has 20 MB; a progress file has 16 at most."],
    "of another version": [
      { ...file({}), version: 9 },
      "This file has version 9; this page reads version 1.",
    ],
    "with a damaged lesson": [
      file({ [lesson.slug]: { cells: "all" } }),
      `This progress file is damaged at the lesson ${lesson.slug}.`,
    ],
    "with lessons of another copy": [
      file({ elsewhere: nothing }),
      "It also names a lesson that this copy does not have; that is kept for a copy that has.",
    ],
  };
  test("gets a sentence, whatever is in it, and a bad one changes nothing", async () => {
    await visiting("#/course", {}, async (page) => {
      const view = new Course(page);
      await view.onward.waitFor();
      for (const [name, [content, message]] of Object.entries(hostile)) {
        await view.open(`${name}.json`, content);
        await view.says(message);
        assert.match(await view.onward.innerText(), /^Begin/, name);
      }
    });
  });

  test("that was saved here is taken back elsewhere", async () => {
    let bytes;
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const exercise = new Exercise(page, block.id);
      await exercise.write("kept = 'in a file'");
      await saved(page);
      await page.goto(`${page.url().split("#")[0]}#/course`);
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save to a file" }).click();
      const stream = await (await download).createReadStream();
      bytes = Buffer.concat(await stream.toArray());
    });
    await visiting("#/course", {}, async (page) => {
      const view = new Course(page);
      await view.open("glowgrad-progress.json", bytes);
      await view.says("Your work from the file is here now.");
      await page.goto(`${page.url().split("#")[0]}#/lesson/${lesson.slug}`);
      await new Exercise(page, block.id).holds("kept = 'in a file'");
    });
  });
});

describe("an exercise", () => {
  test("is set back to its start after a question, and that can be undone", async () => {
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const exercise = new Exercise(page, block.id);
      const press = (name) => exercise.root.getByRole("button", { name }).click();
      await exercise.write("mine = 1");
      await press(/^Reset /);
      assert.equal(await exercise.text(), "mine = 1", "it asks first");
      // A question without an answer is withdrawn.
      await press(/^Reset /);
      await press(/^Discard your changes/);
      await exercise.holds(block.start.trimEnd());
      await press(/^Undo the reset/);
      await exercise.holds("mine = 1");
      await saved(page);
      await page.reload();
      await exercise.holds("mine = 1");
    });
  });

  test("shows its solution after a check of the learner's own code, which the start is not", async () => {
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const exercise = new Exercise(page, block.id);
      const compare = exercise.root.getByRole("button", { name: "Compare with the solution" });
      await exercise.write(block.start.trimEnd());
      assert.equal(await exercise.check(), false);
      assert.equal(await compare.count(), 0);
      await exercise.write(`${block.start.trimEnd()}\nmine = 1`);
      assert.equal(await exercise.check(), false);
      await compare.click();
      await exercise.comparison.waitFor();
      await exercise.comparison.getByText("mine").first().waitFor();
      assert.equal(await exercise.root.getByTestId("seen").count(), 0);
      await exercise.root.getByRole("button", { name: "Put the solution in the editor" }).click();
      await exercise.holds(block.solution.trimEnd());
      await exercise.root.getByText("The same, line by line.").waitFor();
      await exercise.root.getByRole("button", { name: "Put your code back" }).click();
      await exercise.holds(`${block.start.trimEnd()}\nmine = 1`);
    });
  });

  test("shows it without a try to one who says so twice, and notes that", async () => {
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const exercise = new Exercise(page, block.id);
      const press = (name) => exercise.root.getByRole("button", { name, exact: true }).click();
      await press("Show me");
      assert.equal(await exercise.comparison.count(), 0);
      await press("Not yet");
      await press("Show me");
      await press("Show it");
      await exercise.comparison.waitFor();
      await exercise.root.getByTestId("seen").waitFor();
      await saved(page);
      await page.reload();
      await exercise.root.getByTestId("seen").waitFor();
      await press("Compare with the solution");
      await exercise.comparison.waitFor();
    });
  });
});

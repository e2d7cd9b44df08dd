// The first lesson with nothing but a keyboard: to a cell and run it, through a question, past an
// exercise by typing its solution, and on to the next lesson. And search, by keys alone.
//
// Invariant: no pointer is used in this file, and nothing is focused but by the keys of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, lessons, useBrowser, visiting } from "./harness.mjs";
import { Cell, Exercise, Keys, Search } from "./parts.mjs";

useBrowser();

const course = lessons();
const [lesson, next] = course;
const of = (type) => lesson.blocks.find((block) => block.type === type);

test("the first lesson is taken without a pointer", async () => {
  await visiting("#/course", {}, async (page) => {
    const keys = new Keys(page);
    await page.getByTestId("lesson-link").first().waitFor();
    await keys.tabTo(page.getByTestId("lesson-link").first());
    await keys.press("Enter");
    await page.getByRole("heading", { level: 1, name: lesson.title }).waitFor();

    const cell = new Cell(page, of("cell").id);
    await cell.root.locator(".cm-content").waitFor();
    await keys.tabTo(cell.root.locator(".cm-content"));
    await cell.start(() => keys.press("Shift+Enter"));
    assert.equal(await cell.result(), "ok", await cell.output());
    // Tab indents in the editor; Escape lets it out.
    await keys.press("Escape");
    await keys.press("Tab");
    await eventually(async () =>
      assert.ok(await keys.isOn(cell.runButton), "Escape and Tab lead from the code to its button"),
    );
    await cell.start(() => keys.press("Enter"));
    assert.equal(await cell.result(), "ok");

    const exercise = new Exercise(page, of("exercise").id);
    const code = exercise.root.locator(".cm-content");
    await code.waitFor();
    await keys.tabTo(code);
    await keys.retype(of("exercise").solution);
    await exercise.start(() => keys.press("Shift+Enter"));
    await exercise.root.getByText(/^All \d+ checks hold\./).waitFor();
    await exercise.ended();
    await eventually(async () => assert.ok(await exercise.passed(), await exercise.output()));

    const question = page.getByTestId("quiz").first();
    await keys.tabTo(question.getByRole("radio").first());
    await keys.press("Space");
    await question.getByRole("radio", { checked: true }).waitFor();
    const right = of("quiz").options.findIndex((option) => option.correct);
    for (let at = 0; at < right; at += 1) await keys.press("ArrowDown");
    await question.getByText("Right.").waitFor();

    const onward = page.getByRole("navigation", { name: "Lessons" }).getByRole("link").last();
    await keys.tabTo(onward);
    await keys.press("Enter");
    if (next) await page.getByRole("heading", { level: 1, name: next.title }).waitFor();
    else await page.getByTestId("lesson-link").first().waitFor();

    // The course page knows, and leads back to where the work was.
    await page.goBack();
    await page.goBack();
    await page.getByTestId("onward").getByRole("link", { name: lesson.title }).waitFor();
  });
});

test("what was put into a lesson is there again, and the course leads to the block", async () => {
  await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
    const keys = new Keys(page);
    const question = page.getByTestId("quiz").first();
    await keys.tabTo(question.getByRole("radio").first());
    await keys.press("Space");
    await question.getByRole("radio", { checked: true }).waitFor();
    await page.goto(`${page.url().split("#")[0]}#/course`);
    const onward = page.getByTestId("onward").getByRole("link");
    await keys.tabTo(onward);
    await keys.press("Enter");
    await question.waitFor();
    await page.waitForURL((url) => url.hash === `#/lesson/${lesson.slug}/${of("quiz").id}`);
    await page.waitForFunction((id) => document.activeElement?.id === id, of("quiz").id);
  });
});

test("search is opened, walked and followed by keys", async () => {
  await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
    await page.getByRole("heading", { level: 1 }).waitFor();
    const search = new Search(page);
    await page.keyboard.press("Control+k");
    await search.field.waitFor();
    const active = (place) => eventually(async () => assert.equal(await search.active(), place));
    await page.keyboard.type("gradient");
    await search.options.first().waitFor();
    await active(0);
    await page.keyboard.press("ArrowUp");
    await active((await search.options.count()) - 1);
    await page.keyboard.press("ArrowDown");
    await active(0);
    await page.keyboard.press("ArrowDown");
    await active(1);
    await page.keyboard.press("Escape");
    await search.dialog.waitFor({ state: "detached" });

    // Where nothing is found, it says what to try, and a word of it does.
    await page.keyboard.press("Control+k");
    await search.field.waitFor();
    await page.keyboard.type("gradeint");
    await search.dialog.getByText("No lesson says “gradeint”.").waitFor();
    await new Keys(page).tabTo(search.dialog.getByRole("button", { name: "gradient", exact: true }));
    await page.keyboard.press("Enter");
    await search.options.first().waitFor();
    await eventually(async () => assert.equal(await search.field.inputValue(), "gradient"));

    // A sentence leads to the block that says it, in any lesson, and reading goes on from there.
    const other = course.at(-1);
    const words = other.title.toLowerCase();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(words);
    await search.dialog.getByRole("option", { name: other.title }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: other.title }).waitFor();
    await search.dialog.waitFor({ state: "detached" });
  });
});

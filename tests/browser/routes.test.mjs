// Every route opens without a complaint, in both themes, wide and narrow, and axe finds nothing. Lessons are opened in
// lessons.test.mjs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, lessons, narrow, useBrowser, visiting, wide } from "./harness.mjs";
import { Cell, Course, Exercise, OpReference, restingBox, Search } from "./parts.mjs";

const routes = [
  "#/",
  "#/course",
  "#/play",
  "#/reference",
  "#/reference/softmax",
  "#/reference/no-such-op",
  "#/no-such-page",
];

useBrowser();

for (const route of routes) {
  describe(`route ${route}`, () => {
    for (const theme of ["dark", "light"]) {
      for (const size of [wide, narrow]) {
        test(`${theme}, ${size.width} wide: quiet and accessible`, async () => {
          await visiting(route, { theme, size }, async (page) => {
            await page.getByRole("heading", { level: 1 }).waitFor();
            if (route === "#/") await page.locator("[data-node]").first().waitFor();
            if (route.startsWith("#/reference")) await new OpReference(page).ready();
            if (route === "#/reference/softmax") await new OpReference(page).opened("softmax").waitFor();
            assert.deepEqual(await violations(page), []);
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);
          });
        });
      }
    }
  });
}

test("with reduced motion nothing is under way: an editor takes the place of its code unseen", async () => {
  // A transition, however short, holds new styles back for a frame: code lost its padding that long, and
  // a press of Run that began then ended beside the button.
  await visiting("#/play", { motion: "reduce" }, async (page) => {
    await page.evaluate(() => {
      window.transitions = [];
      addEventListener("transitionrun", ({ target, propertyName }) => {
        window.transitions.push(`${propertyName} of ${target.className}`);
      });
    });
    const [lesson] = lessons();
    await page.evaluate((hash) => location.assign(hash), `#/lesson/${lesson.slug}`);
    const { id } = lesson.blocks.find(({ type }) => type === "cell");
    assert.equal(await new Cell(page, id).run(), "ok");
    assert.deepEqual(await page.evaluate(() => window.transitions), []);
  });
});

describe("what opens over a page, and a course that is under way", () => {
  for (const theme of ["dark", "light"]) {
    for (const size of [wide, narrow]) {
      test(`${theme}, ${size.width} wide: quiet and accessible`, async () => {
        await visiting("#/course", { theme, size }, async (page) => {
          const course = new Course(page);
          await course.open("progress.json", progress());
          await course.says("Your work from the file is here now.");
          assert.deepEqual(await violations(page), [], "the course");
          const search = new Search(page);
          await page.getByRole("button", { name: "Search" }).click();
          await search.field.waitFor();
          assert.deepEqual(await violations(page), [], "an empty search");
          await search.field.fill("gradient");
          await search.options.first().waitFor();
          assert.deepEqual(await violations(page), [], "a search with results");
          await search.field.fill("gradeint");
          await search.dialog.getByText("No lesson says").waitFor();
          assert.deepEqual(await violations(page), [], "a search without");
          await page.keyboard.press("Escape");
          const [lesson] = lessons();
          const { id } = lesson.blocks.find(({ type }) => type === "exercise");
          await page.goto(`${page.url().split("#")[0]}#/lesson/${lesson.slug}/${id}`);
          const exercise = new Exercise(page, id);
          await exercise.root.getByRole("button", { name: "Show me" }).click();
          assert.deepEqual(await violations(page), [], "a question before the solution");
          await exercise.root.getByRole("button", { name: "Show it" }).click();
          await exercise.comparison.waitFor();
          assert.deepEqual(await violations(page), [], "a comparison");
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);
        });
      });
    }
  }
});

/** Some of every kind of work, as a file. */
function progress() {
  const [first, second] = lessons();
  const ids = (lesson, type) => lesson.blocks.filter((block) => block.type === type).map(({ id }) => id);
  const right = first.blocks
    .filter(({ type }) => type === "quiz")
    .map(({ id, options }) => [id, options.findIndex(({ correct }) => correct)]);
  return {
    format: "glowgrad-progress",
    version: 1,
    texts: [],
    progress: {
      // All but an exercise, which a test goes on with.
      [first.slug]: { cells: ids(first, "cell"), exercises: [], quizzes: Object.fromEntries(right) },
      [second.slug]: {
        cells: ids(second, "cell").slice(0, 2),
        exercises: [],
        quizzes: {},
        seen: ids(second, "exercise").slice(0, 1),
        last: { block: ids(second, "cell")[1], when: 1 },
      },
    },
  };
}

test("an unknown lesson says so and leads back to the course", async () => {
  await visiting("#/lesson/no-such-lesson", {}, async (page) => {
    await page.getByRole("main").getByRole("link", { name: "All lessons" }).click();
    await page.getByRole("main").getByRole("link").first().waitFor();
    await page.waitForURL((url) => url.hash === "#/course");
  });
});

test("the reference is searched by keyboard, and what opens can be handed on", async () => {
  await visiting("#/reference", {}, async (page) => {
    const reference = new OpReference(page);
    await reference.ready();
    const all = await reference.names.count();
    await page.keyboard.press("/");
    await page.keyboard.type("tanh");
    await reference.count.getByText(`of ${all} names`).waitFor();
    await eventually(async () => assert.equal(await reference.names.count(), 0));
    assert.ok((await reference.ops.count()) < all);
    await page.keyboard.press("Enter");
    await reference.opened("tanh").waitFor();
    await page.waitForURL((url) => url.hash === "#/reference/tanh");
    // The address alone brings the same op, open and in view.
    await page.reload();
    await reference.focused("tanh");
    await eventually(async () => {
      const { y } = await restingBox(reference.opened("tanh"));
      assert.ok(y >= 0 && y < 400, `the op stands ${y} px from the top`);
    });
  });
});

test("an unknown op offers the nearest, which opens", async () => {
  await visiting("#/reference/sofmax", {}, async (page) => {
    const reference = new OpReference(page);
    await reference.unknown.getByRole("link", { name: "softmax", exact: true }).click();
    await reference.opened("softmax").waitFor();
    await reference.unknown.waitFor({ state: "detached" });
  });
});

test("the example of an op is tried in a cell of its own", async () => {
  await visiting("#/reference/tanh", {}, async (page) => {
    await new OpReference(page).opened("tanh").getByRole("link", { name: "Try it" }).click();
    assert.equal(await new Cell(page, "tanh").run(), "ok");
    await page.getByRole("main").getByRole("link", { name: "your own cell" }).click();
    await new Cell(page, "cell-1").root.waitFor();
  });
});

test("a theme is chosen once and kept", async () => {
  await visiting("#/", { theme: "dark" }, async (page) => {
    await page.getByRole("button", { name: "Switch to the light theme" }).click();
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const toDark = page.getByRole("button", { name: "Switch to the dark theme" });
    await toDark.waitFor();
    const light = await ground();
    await page.reload();
    await toDark.waitFor();
    await eventually(async () => assert.equal(await ground(), light));
  });
});

// The language of the page: the switch, the offer, a lesson in Spanish, and what stays as it was when the language changes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, lessons, useBrowser, visiting } from "./harness.mjs";
import { Cell, Course, Exercise, Language } from "./parts.mjs";

useBrowser();

const course = lessons();
const buffer = course.find(({ slug }) => slug === "buffer");
const first = (type) => buffer.blocks.find((block) => block.type === type);
/** A lesson that has no translation. */
const english = course.at(-1);

test("the course page is switched to Spanish and back, and a reload keeps the language", async () => {
  await visiting("#/course", {}, async (page) => {
    const language = new Language(page);
    assert.equal(await language.now(), "en");
    await language.choose("Español");
    await page.getByRole("heading", { level: 1, name: "Curso" }).waitFor();
    await page.getByRole("link", { name: /Búfer/ }).first().waitFor();
    const row = page.getByTestId("lesson-link").filter({ hasText: english.title });
    await row.getByTestId("in-english").waitFor();
    assert.equal(await page.getByTestId("lesson-link").count(), course.length);
    assert.deepEqual(await violations(page), []);

    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Curso" }).waitFor();
    assert.equal(await language.now(), "es");
    await language.choose("English");
    await page.getByRole("heading", { level: 1, name: "Course" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Course" }).waitFor();
    assert.equal(await language.now(), "en");
  });
});

test("a browser in Spanish is asked once, and takes no language by itself", async () => {
  await visiting("#/course", { locale: "es-MX" }, async (page) => {
    const language = new Language(page);
    await page.getByRole("heading", { level: 1, name: "Course" }).waitFor();
    await language.offer.getByText("Este curso está en español").waitFor();
    assert.deepEqual(await violations(page), []);
    await language.offer.getByRole("button", { name: "seguir en inglés" }).click();
    await language.offer.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Course" }).waitFor();
    assert.equal(await language.offer.count(), 0, "it asks again");
  });
  await visiting("#/course", { locale: "es" }, async (page) => {
    const language = new Language(page);
    await language.offer.getByRole("button", { name: "leer en español" }).click();
    await page.getByRole("heading", { level: 1, name: "Curso" }).waitFor();
    assert.equal(await language.offer.count(), 0);
  });
  await visiting("#/course", {}, async (page) => {
    await new Course(page).onward.waitFor();
    assert.equal(await new Language(page).offer.count(), 0, "a browser in English is asked");
  });
});

test("a lesson in Spanish runs, checks and asks; back in English, code and progress are as they were", async () => {
  await visiting("#/lesson/buffer", {}, async (page) => {
    const language = new Language(page);
    const [cell, exercise] = [new Cell(page, first("cell").id), new Exercise(page, first("exercise").id)];
    await language.choose("Español");
    await page.getByRole("heading", { level: 2, name: "Modelo mental" }).waitFor();
    assert.equal(await page.getByTestId("lesson").getAttribute("lang"), "es");
    assert.deepEqual(await violations(page), []);

    await exercise.write(first("exercise").solution);
    await exercise.root.getByRole("button", { name: /^Comprobar / }).press("Enter");
    await exercise.root.getByText(/^Se cumplen las \d+ comprobaciones\./).waitFor();
    await eventually(async () => assert.equal(await exercise.passed(), true));

    const { id, options } = first("quiz");
    const right = options.findIndex(({ correct }) => correct);
    const quiz = page.locator(`[data-quiz="${id}"]`);
    await quiz.getByRole("radio").nth(right).check();
    await quiz.getByText("Correcto.").waitFor();

    const text = `${first("cell").source.trimEnd()}\nprint("mine")`;
    await cell.write(text);
    await cell.root.getByRole("button", { name: /^Ejecutar / }).press("Enter");
    await eventually(async () => assert.equal(await cell.root.getAttribute("data-result"), "ok"));
    assert.match(await cell.printedText(), /mine/);

    const tally = page.getByTestId("tally");
    const before = (await tally.innerText()).match(/\d+/g);
    await page.reload();
    await page.getByRole("heading", { level: 2, name: "Modelo mental" }).waitFor();
    await cell.holds(text);

    await language.choose("English");
    await page.getByRole("heading", { level: 2, name: "Mental model" }).waitFor();
    await cell.holds(text);
    await eventually(async () => assert.equal(await exercise.passed(), true));
    assert.equal(await quiz.getByRole("radio").nth(right).isChecked(), true);
    await quiz.getByText("Right.").waitFor();
    const [, all, ...others] = before;
    const after = (await tally.innerText()).match(/\d+/g);
    // The run of before the reload is of an earlier session; what was passed and answered is not lost.
    assert.ok(after.includes(all) && others.every((number) => after.includes(number)), `${before} ${after}`);
  });
});

test("what the reader was at stays where it was when the language changes", async () => {
  await visiting("#/lesson/buffer", {}, async (page) => {
    const cells = buffer.blocks.filter(({ type }) => type === "cell");
    const cell = new Cell(page, cells[2].id);
    await cell.root.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const top = await cell.top();
    // The switch is above: pressed without the page being scrolled to it.
    const press = (name) => new Language(page).button(name).evaluate((button) => button.click());
    await press("Español");
    await page.getByRole("heading", { level: 2, name: "Modelo mental" }).waitFor();
    await eventually(async () => {
      assert.ok(Math.abs((await cell.top()) - top) < 120, `${top} → ${await cell.top()}`);
    });
  });
});

/** Words of English that are none of Spanish: a text with one of them was not translated. */
const ENGLISH =
  /(?<![\p{L}_])(?:the|of|and|is|are|this|that|with|from|to|by|not|which|what|your|you|its|for|or|run|show|step|open|close|each|when|all|name|device|nothing|here|find)(?![\p{L}_])/iu;

/** What a page shows and tells a screen reader, where the page does not say that it is English, code or a name. */
function textsOf(page) {
  return page.evaluate(() => {
    const OTHER =
      "[lang=en], [translate=no], code, pre, kbd, .code, .katex, [data-testid=languages], script, style";
    const found = new Set();
    for (const element of document.querySelectorAll("body, body *")) {
      if (element.closest(OTHER) || element.getClientRects().length === 0) continue;
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) found.add(node.textContent.trim().replace(/\s+/g, " "));
      }
      // What begins with "En inglés:" is an example of an English sentence. The catalogue of layers, in English, is what a title of an entry or an option says.
      const named = element.matches(".entry, option")
        ? ["aria-label"]
        : ["aria-label", "title", "placeholder"];
      for (const name of named) found.add(element.getAttribute(name) ?? "");
    }
    return [...found];
  });
}

async function assertSpanish(page, where) {
  await eventually(async () => {
    const english = (await textsOf(page)).filter(
      (text) => ENGLISH.test(text.replace("cargo run", "")) && !text.startsWith("En inglés:"),
    );
    assert.deepEqual(english, [], `${where}: these texts are in English still`);
  });
}

const ROUTES = [
  "#/",
  "#/course",
  "#/lesson/buffer",
  "#/mine",
  "#/play",
  "#/teachers",
  "#/teachers/buffer",
  "#/reference",
  "#/studio",
  "#/bench",
  "#/no-such-page",
];
for (const route of ROUTES) {
  test(`${route} in Spanish has no English text of the page's own, and its texts fit`, async () => {
    await visiting(route, { language: "es" }, async (page) => {
      await page.locator("html[lang=es]").waitFor();
      await page.locator("h1").first().waitFor();
      await assertSpanish(page, route);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        await eventually(async () =>
          assert.ok((await beyond()) <= 0, `${width} px: ${await beyond()} px beyond`),
        );
      }
    });
  });
}

test("search, the keys of the stage, and the studio's faces are in Spanish", async () => {
  await visiting("#/lesson/buffer", { language: "es" }, async (page) => {
    await page.getByRole("button", { name: "Buscar", exact: true }).click();
    await page.getByTestId("search").getByText("La búsqueda recorre").waitFor();
    await assertSpanish(page, "search");
  });
  await visiting("#/", { language: "es" }, async (page) => {
    await page.getByRole("button", { name: "Más herramientas" }).click();
    await page.getByRole("menu", { name: "Más herramientas" }).getByText("Teclas").click();
    await page.getByRole("region", { name: "Teclas del escenario" }).waitFor();
    await assertSpanish(page, "the keys of the stage");
  });
  await visiting("#/studio", { language: "es" }, async (page) => {
    for (const name of ["Python", "JSON", "Entrenar", "Archivos"]) {
      await page.getByRole("tab", { name }).click();
      await page.getByRole("tabpanel").locator("h2, .code").first().waitFor();
      await assertSpanish(page, name);
    }
    await page.getByRole("button", { name: "Todas las teclas" }).click();
    await page.getByRole("heading", { name: "Teclas en el lienzo" }).waitFor();
    await assertSpanish(page, "the keys of the studio");
    assert.deepEqual(await violations(page), []);
  });
});

test("a lesson without a translation says so and is in English", async () => {
  await visiting(`#/lesson/${english.slug}`, {}, async (page) => {
    const language = new Language(page);
    assert.equal(await page.getByTestId("untranslated").count(), 0);
    await language.choose("Español");
    await page.getByTestId("untranslated").getByText("todavía no está traducida").waitFor();
    await page.getByRole("heading", { level: 1, name: english.title }).waitFor();
    assert.equal(await page.getByTestId("lesson").getAttribute("lang"), "en");
    await page
      .getByRole("button", { name: /^Ejecutar / })
      .first()
      .waitFor();
    assert.deepEqual(await violations(page), []);
    await language.choose("English");
    await page.getByTestId("untranslated").waitFor({ state: "detached" });
  });
});

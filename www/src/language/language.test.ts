// @vitest-environment happy-dom
// Texts of the page in other languages: every one has a translation, and no translation is left over.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as shared from "../protocol/generated/sentences";
import { choose, hasChosen, LANGUAGES } from "./choice";
import base, { parts } from "./es";
import { KEY, language, restore, show, t, withTexts } from "./language.svelte";

const SOURCES = "www/src";
const CALL = /(?<![\w.$])t\(\s*("(?:[^"\\]|\\.)*")?/g;

/** The folders and routes that a part of the dictionary is loaded for. */
const PLACES: Record<string, RegExp> = {
  bench: /^www\/src\/(bench\/|routes\/Bench\.svelte)/,
  reference: /^www\/src\/(reference\/|routes\/Reference\.svelte)/,
  studio: /^www\/src\/(studio\/|routes\/Studio\.svelte)/,
  teachers: /^www\/src\/(teachers\/|routes\/Teachers\.svelte)/,
};
const ofParts = await Promise.all(
  Object.entries(parts).map(async ([name, load]) => [name, (await load()).default] as const),
);
const spanish: Record<string, string> = Object.assign({}, base, ...ofParts.map(([, texts]) => texts));

/** The texts that the sources hand to `t` with their files, the sentences that they share with the crates, and calls whose text is no literal. */
function used(): { texts: Map<string, string[]>; others: string[] } {
  const texts = new Map<string, string[]>(Object.values(shared).map((text) => [text, ["protocol"]]));
  const others: string[] = [];
  for (const entry of readdirSync(SOURCES, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isSource = /\.(ts|svelte)$/.test(path) && !path.endsWith(".test.ts");
    if (!entry.isFile() || !isSource || path.endsWith("language.svelte.ts")) continue;
    for (const [call, text] of readFileSync(path, "utf8").matchAll(CALL)) {
      if (text === undefined) others.push(`${path}: ${call}`);
      else texts.set(JSON.parse(text), [...(texts.get(JSON.parse(text)) ?? []), path]);
    }
  }
  return { texts, others };
}

const names = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

beforeEach(async () => {
  localStorage.clear();
  await show("en");
});

test("every text of the sources is in the dictionary, and every text of the dictionary in the sources", () => {
  const { texts, others } = used();
  expect(others, "t() takes a text in double quotes").toEqual([]);
  expect(texts.size).toBeGreaterThan(400);
  expect([...texts.keys()].filter((text) => !(text in spanish))).toEqual([]);
  expect(Object.keys(spanish).filter((text) => !texts.has(text))).toEqual([]);
});

test("a part of the dictionary has the texts of its pages alone, and none that every page has", () => {
  const { texts } = used();
  for (const [name, own] of ofParts) {
    for (const text of Object.keys(own)) {
      expect(base, `${name}: ${text}`).not.toHaveProperty([text]);
      // What another page says as well is in its part too, or in the texts of every page.
      for (const path of texts.get(text) ?? []) {
        const part = ofParts.find(([part]) => PLACES[part]?.test(path));
        expect(part?.[1], `${path}: ${text}`).toHaveProperty([text]);
      }
    }
  }
});

test("a part is there with its page, also in a language that is chosen later", async () => {
  const [text] = Object.keys(ofParts.find(([name]) => name === "bench")?.[1] ?? {}) as [string];
  expect(await withTexts("bench", Promise.resolve("page"))).toBe("page");
  expect(t(text)).toBe(text);
  await show("es");
  expect(t(text)).toBe(spanish[text]);
  expect(t("Run all above")).toBe("Ejecutar todo lo anterior");
  const other = Object.keys(ofParts.find(([name]) => name === "reference")?.[1] ?? {})[0] as string;
  expect(t(other)).toBe(other);
  await withTexts("reference", Promise.resolve());
  expect(t(other)).toBe(spanish[other]);
  expect(await withTexts("none of that name", Promise.resolve("page"))).toBe("page");
});

test("a translation has the places of its text, is not empty and is as long as it needs", () => {
  for (const [text, translated] of Object.entries(spanish)) {
    expect(names(translated), text).toEqual(names(text));
    expect(translated.trim(), text).not.toBe("");
    expect(/^\s/.test(translated), text).toBe(/^\s/.test(text));
    expect(/\s$/.test(translated), text).toBe(/\s$/.test(text));
    expect(translated, text).not.toMatch(/!|\bsimplemente\b/);
  }
});

test("a text is English until a language is chosen, and one without a translation stays English", async () => {
  expect(t("Run all above")).toBe("Run all above");
  await show("es");
  expect(language.code).toBe("es");
  expect(document.documentElement.lang).toBe("es");
  expect(t("Run all above")).toBe("Ejecutar todo lo anterior");
  expect(t("of no dictionary, {n}", { n: 2 })).toBe("of no dictionary, 2");
});

test("values are put in, and braces without a value stay", () => {
  expect(t("{n} of {m} checks hold.", { n: 0, m: 3 })).toBe("0 of 3 checks hold.");
  expect(t("{n} of {m}", { n: "{m}" })).toBe("{m} of {m}");
});

test("a choice is kept and comes back; what is no language is English", async () => {
  expect(hasChosen()).toBe(false);
  await choose("es");
  expect(localStorage.getItem(KEY)).toBe("es");
  await show("en");
  await restore();
  expect(language.code).toBe("es");
  await choose("en");
  await restore();
  expect(language.code).toBe("en");
  expect(hasChosen()).toBe(true);
  for (const strange of ["xx", "constructor", ""]) {
    localStorage.setItem(KEY, strange);
    await restore();
    expect(language.code, strange).toBe("en");
  }
});

test("the language that was chosen last is shown", async () => {
  await Promise.all([choose("es"), choose("en")]);
  expect(language.code).toBe("en");
  expect(localStorage.getItem(KEY)).toBe("en");
});

test("every language has its name", () => {
  expect(Object.keys(LANGUAGES)).toEqual(["en", "es"]);
});

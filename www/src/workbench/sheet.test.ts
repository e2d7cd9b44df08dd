// @vitest-environment happy-dom
// When the sheet opens by itself, and where it comes to rest.
import { beforeEach, expect, test } from "vitest";
import { resting, Sheet } from "./sheet.svelte";

beforeEach(() => sessionStorage.clear());

test("a run opens it, the reader closes it, and the next run says that something is new", () => {
  const sheet = new Sheet("a");
  expect(sheet.height).toBe("strip");
  sheet.bring();
  expect(sheet.height).toBe("half");
  sheet.put("strip");
  sheet.bring();
  expect([sheet.height, sheet.news]).toEqual(["strip", true]);
  sheet.put("half");
  expect([sheet.height, sheet.news]).toEqual(["half", false]);
});

test("it is a strip while one writes, and what comes meanwhile is new", () => {
  const sheet = new Sheet("a");
  sheet.put("half");
  sheet.write(true);
  sheet.bring();
  expect([sheet.height, sheet.news]).toEqual(["strip", true]);
  sheet.write(false);
  expect([sheet.height, sheet.news]).toEqual(["half", false]);
  sheet.write(true);
  sheet.put("full");
  expect(sheet.height).toBe("full");
});

test("a check after writing leaves the strip, and says that something is new; the next run opens it", () => {
  const sheet = new Sheet("a");
  sheet.put("half");
  sheet.write(true);
  sheet.tuck();
  sheet.bring(true);
  sheet.write(false);
  expect([sheet.height, sheet.news]).toEqual(["strip", true]);
  sheet.bring();
  expect(sheet.height).toBe("half");
  // Where it was open beside what was pressed, it stays open.
  sheet.tuck();
  expect(sheet.height).toBe("half");
});

test("a visit remembers the height of each lesson, and that it was closed", () => {
  new Sheet("a").put("full");
  new Sheet("b").put("strip");
  const [a, b, c] = ["a", "b", "c"].map((lesson) => new Sheet(lesson));
  expect(a?.height).toBe("strip");
  for (const sheet of [a, b, c]) sheet?.recall();
  expect([a?.height, b?.height, c?.height]).toEqual(["full", "strip", "strip"]);
  for (const sheet of [b, c]) sheet?.bring();
  expect([b?.height, b?.news, c?.height]).toEqual(["strip", true, "half"]);
});

test("let go of slowly it goes to the nearest height, flicked to the next one", () => {
  const heights = { strip: 40, half: 380, full: 796 };
  expect(resting(100, 0, heights)).toBe("strip");
  expect(resting(300, 0, heights)).toBe("half");
  expect(resting(700, 0.1, heights)).toBe("full");
  expect(resting(60, 1, heights)).toBe("half");
  expect(resting(390, 1, heights)).toBe("full");
  expect(resting(370, -1, heights)).toBe("strip");
  expect(resting(700, -1, heights)).toBe("half");
  expect(resting(40, -1, heights)).toBe("strip");
  expect(resting(796, 1, heights)).toBe("full");
});

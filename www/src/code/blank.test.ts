import { expect, it } from "vitest";
import { hasCode } from "./blank";

it.each(["", "\n \n", "# a comment\n\n  # and another"])("is no code: %j", (source) => {
  expect(hasCode(source)).toBe(false);
});

it.each(["x", "# a comment\n  pass", '"""# text"""', "\n\nx = 1  # one"])("is code: %j", (source) => {
  expect(hasCode(source)).toBe(true);
});

import { expect, test } from "vitest";
import { lineNow } from "./moved";

const ran = "x = torch.ones(3)\ny = x @ x.T\nprint(y)";

test("a line goes along with what is written above it, and stays with what is written below", () => {
  expect(lineNow(ran, `import glowgrad as torch\n${ran}`, 1)).toBe(2);
  expect(lineNow(ran, `# one\n# two\n${ran}`, 2)).toBe(4);
  expect(lineNow(ran, `${ran}\nprint(x)`, 2)).toBe(2);
  expect(lineNow(ran, ran.slice(ran.indexOf("\n") + 1), 2)).toBe(1);
  expect(lineNow(ran, ran, 3)).toBe(3);
});

test("a line that is edited keeps its mark, and one that is gone has none", () => {
  expect(lineNow(ran, ran.replace("x.T", "x.mT"), 2)).toBe(2);
  expect(lineNow(ran, ran.replace("y = x @ x.T\n", ""), 2)).toBeNull();
  expect(lineNow(ran, "", 2)).toBeNull();
});

test("between two edits a line is found by its text, where that is there once", () => {
  expect(lineNow(ran, `# first\n${ran.replace("print(y)", "print(x)\nprint(y, x)")}`, 2)).toBe(3);
  const twice = `# first\n${ran.replace("print(y)", "y = x @ x.T\nprint(y, x)")}`;
  expect(lineNow(ran, twice, 2)).toBeNull();
});

test("nothing is known of the text that ran: the line stays", () => {
  expect(lineNow(null, "other", 7)).toBe(7);
});

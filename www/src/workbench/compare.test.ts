import { describe, expect, it } from "vitest";
import { compare } from "./compare";

const shown = (left: string, right: string) =>
  compare(left, right).map(
    ({ left: a, right: b, same }) => `${a ? a.line : "-"} ${same ? "=" : "|"} ${b ? b.line : "-"}`,
  );

describe("two pieces of code", () => {
  it("are the same line by line, whatever blanks end a line", () => {
    expect(shown("a\nb  \n\n", "a\nb")).toEqual(["1 = 1", "2 = 2"]);
  });

  it("keep what is common beside each other around what was added, left out or changed", () => {
    expect(shown("a\nc", "a\nb\nc")).toEqual(["1 = 1", "- | 2", "2 = 3"]);
    expect(shown("a\nb\nc", "a\nc")).toEqual(["1 = 1", "2 | -", "3 = 2"]);
    expect(shown("a\nx\nc", "a\ny\nz\nc")).toEqual(["1 = 1", "2 | 2", "- | 3", "3 = 4"]);
    expect(shown("", "a")).toEqual(["1 | 1"]);
  });

  it("mark within a line what lies between its common beginning and end", () => {
    const [row] = compare("    return gy", "    return gy * (1 - y * y)");
    expect(row?.left?.differs).toEqual([13, 13]);
    expect(row?.right?.differs).toEqual([13, 27]);
    const [other] = compare("x = aa", "x = aaa");
    expect(other?.left?.text.slice(...(other.left.differs ?? [0, 0]))).toBe("");
    expect(other?.right?.text.slice(...(other.right.differs ?? [0, 0]))).toBe("a");
  });

  it("lose no line on either side, for any texts", () => {
    let seed = 1;
    const random = (n: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % n;
    };
    for (let round = 0; round < 300; round++) {
      const text = () => Array.from({ length: 1 + random(9) }, () => `${"abcd"[random(4)]}x`).join("\n");
      const [left, right] = [text(), text()];
      const rows = compare(left, right);
      const side = (which: "left" | "right") => rows.flatMap((row) => (row[which] ? [row[which].text] : []));
      expect(side("left").join("\n")).toBe(left);
      expect(side("right").join("\n")).toBe(right);
      for (const row of rows) expect(row.same).toBe(row.left?.text === row.right?.text);
    }
  });
});

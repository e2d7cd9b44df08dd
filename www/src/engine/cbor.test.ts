import { expect, it } from "vitest";
import { readCbor } from "./cbor";

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const read = (hex: string) => readCbor(bytes(hex));

// RFC 8949, appendix A.
it("reads numbers of every length", () => {
  expect(["00", "17", "1818", "190100", "1a000f4240", "1b000000e8d4a51000"].map(read)).toEqual([
    0, 23, 24, 256, 1000000, 1000000000000,
  ]);
  expect(["20", "3863", "3903e7"].map(read)).toEqual([-1, -100, -1000]);
  expect(
    ["f93c00", "f93e00", "f97bff", "f90001", "f9c400", "fa47c35000", "fb3ff199999999999a"].map(read),
  ).toEqual([1, 1.5, 65504, 2 ** -24, -4, 100000, 1.1]);
});

it("reads what JSON has no number for", () => {
  expect(["f97e00", "fa7fc00000", "fb7ff8000000000000"].map(read)).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
  expect(["f97c00", "f9fc00", "fa7f800000"].map(read)).toEqual([
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
  expect(Object.is(read("f98000"), -0)).toBe(true);
});

it("reads texts, lists and maps", () => {
  expect(read("a26161016162820203")).toEqual({ a: 1, b: [2, 3] });
  expect(read("83f4f5f6")).toEqual([false, true, null]);
  expect(read("64f0908591")).toBe("\ud800\udd51");
  expect(read("a1695f5f70726f746f5f5f01")).toEqual(JSON.parse('{"__proto__":1}'));
});

it("refuses what it does not know, and what is not whole", () => {
  for (const hex of ["", "18", "6261", "8201", "a161", "0000", "4101", "c100", "9f", "f7", "fc", "61ff"]) {
    expect(() => read(hex), hex).toThrow();
  }
});

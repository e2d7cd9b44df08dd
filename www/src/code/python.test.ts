import { expect, it } from "vitest";
import landing from "../landing/landing.py?raw";
import { highlight } from "./python";

const kinds = (source: string) =>
  highlight(source).map((line) =>
    line.filter((piece) => piece.kind).map((piece) => `${piece.kind.slice(4)} ${piece.text}`),
  );

it("loses no character, whatever it is given", () => {
  const sources = [
    landing,
    '"""open\nstill open',
    "x = 'unclosed\ny",
    "é ∂ \t  ",
    "f\"{a['b']}\" # c",
    '"""a""" + """b\nc""" + d',
  ];
  for (const source of sources) {
    expect(
      highlight(source)
        .map((line) => line.map((piece) => piece.text).join(""))
        .join("\n"),
    ).toBe(source);
  }
});

it("tells keywords, names, numbers, strings and comments apart", () => {
  expect(kinds("def f(x): return x @ 2.5e-3  # why")).toEqual([
    ["keyword def", "definition f", "keyword return", "operator @", "number 2.5e-3", "comment # why"],
  ]);
  expect(kinds("requires_grad=True")).toEqual([["operator =", "bool True"]]);
  expect(kinds('print("in # a string")')).toEqual([['string "in # a string"']]);
});

it("carries a long string over lines", () => {
  expect(kinds('"""one\ntwo"""; x = 1')).toEqual([
    ['string """one'],
    ['string two"""', "operator =", "number 1"],
  ]);
});

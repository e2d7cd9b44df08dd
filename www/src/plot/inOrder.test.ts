import { expect, it } from "vitest";
import type { Chart, Figure } from "../protocol";
import { inOrder } from "./inOrder";

const figure = (place: number) => ({ place }) as Figure;
const chart = (place: number) => ({ place, text: "" }) as unknown as Chart;
const told = { text: "one\ntwo\nthree\n", omitted: 0, figures: [figure(0)], charts: [chart(0), chart(1)] };
const said = (before: Record<string, number>, more = {}) =>
  inOrder({ ...told, before, ...more }).map((part) =>
    part.kind === "text" ? part.text : part.kind === "figure" ? "figure" : `chart ${part.chart.place}`,
  );

it("tells text and drawings as they came, from the first drawing on", () => {
  const before = { "chart 0": 4, "figure 0": 8, "chart 1": 14 };
  expect(said(before)).toEqual(["chart 0", "two\n", "figure", "three\n", "chart 1"]);
});

it("has drawings after the text where their place is not known, or text was left out", () => {
  expect(said({})).toEqual(["figure", "chart 0", "chart 1"]);
  expect(said({ "chart 0": 4 }, { omitted: 10 })).toEqual(["figure", "chart 0", "chart 1"]);
});

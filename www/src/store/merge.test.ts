import fc from "fast-check";
import { expect, it } from "vitest";
import { mergeText, type Text, united } from "./merge";

const text = (source: string, when: number, other?: Text["other"]) => ({
  lesson: "a",
  block: "cell-1",
  source,
  when,
  ...(other ? { other } : {}),
});

it("takes the text of the one tab that writes", () => {
  expect(mergeText(undefined, text("x", 5), 0)).toEqual(text("x", 5));
  expect(mergeText(text("x", 5), text("y", 6), 5)).toEqual(text("y", 6));
});

it("keeps the other beside the newer where two tabs wrote, whichever comes last", () => {
  expect(mergeText(text("theirs", 7), text("mine", 8), 5)).toEqual(
    text("mine", 8, { source: "theirs", when: 7 }),
  );
  expect(mergeText(text("theirs", 8), text("mine", 7), 5)).toEqual(
    text("theirs", 8, { source: "mine", when: 7 }),
  );
});

it("has nothing to tell where both wrote the same", () => {
  expect(mergeText(text("same", 7), text("same", 8), 5)).toEqual(text("same", 8));
});

it("keeps the other while the learner writes on, and no more when it is taken", () => {
  const other = { source: "theirs", when: 7 };
  expect(mergeText(text("mine", 8, other), text("mine!", 9), 8)).toEqual(text("mine!", 9, other));
  expect(mergeText(text("mine", 8, other), text("theirs", 9), 8)).toEqual(text("theirs", 9));
});

it("reads a text of an older page, which had no time", () => {
  const { when: _, ...old } = text("old", 0);
  expect(mergeText(old, text("new", 3), 0)).toEqual(text("new", 3));
  expect(mergeText(old, text("new", 3), 2)).toEqual(text("new", 3, { source: "old", when: 0 }));
});

it("loses neither what is written nor what another tab wrote unheard", () => {
  const write = fc.record({ tab: fc.integer({ min: 0, max: 1 }), hears: fc.boolean(), pause: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
      let kept: Text | undefined;
      const known = [0, 0];
      let now = 1;
      for (const [index, { tab, hears, pause }] of writes.entries()) {
        now += pause;
        // A tab that hears of the other's text has it in its editor, and writes on from there.
        if (hears && kept && (kept.when ?? 0) > (known[tab] ?? 0)) {
          known[tab] = kept.when ?? 0;
        }
        const unheard = kept && kept.when !== known[tab] ? [kept.source] : [];
        const when = Math.max(now, (known[tab] ?? 0) + 1);
        const source = `${tab}-${index}`;
        kept = mergeText(kept, text(source, when), known[tab] ?? 0);
        if (kept.when === when) known[tab] = when;
        expect([kept.source, kept.other?.source]).toEqual(expect.arrayContaining([source, ...unheard]));
      }
    }),
  );
});

it("unites what both tabs did, with the answer given now", () => {
  const one = {
    cells: ["a"],
    exercises: [],
    quizzes: { q: 1, r: 0 },
    predictions: { p: "1", o: "0" },
    last: { block: "a", when: 5 },
  };
  const two = { quizzes: { q: 2 }, predictions: { p: "2" }, seen: ["e"], last: { block: "b", when: 4 } };
  expect(united(one, two)).toEqual({
    cells: ["a"],
    exercises: [],
    quizzes: { q: 2, r: 0 },
    predictions: { p: "2", o: "0" },
    tried: [],
    seen: ["e"],
    last: { block: "a", when: 5 },
  });
});

import { describe, expect, it } from "vitest";
import type { LessonSummary } from "../protocol";
import type { Progress } from "../store/store";
import { completionOf, duration, onward, type Work } from "./completion";

const lesson = (slug: string, minutes = 12): LessonSummary => ({
  slug,
  number: 1,
  title: slug,
  part: "p",
  minutes,
  outcome: "",
});
const work: Work = {
  cells: ["cell-1", "cell-2"],
  exercises: ["e"],
  predictions: [],
  questions: { q: [1], r: [0, 2] },
};
const progress = (more: Partial<Progress> = {}): Progress => ({
  cells: [],
  exercises: [],
  quizzes: {},
  ...more,
});

describe("where a learner stands in a lesson", () => {
  it("is nowhere at first, with all the minutes left", () => {
    for (const none of [undefined, progress()]) {
      expect(completionOf(lesson("a"), work, none)).toMatchObject({
        share: 0,
        left: 12,
        begun: false,
        finished: false,
      });
    }
  });

  it("counts what is done, and right answers only", () => {
    const some = completionOf(
      lesson("a"),
      work,
      progress({ cells: ["cell-1"], quizzes: { q: 0, r: 2 }, seen: ["e"] }),
    );
    expect(some.cells).toEqual({ done: 1, all: 2 });
    expect(some.exercises).toEqual({ done: 0, all: 1 });
    expect(some.questions).toEqual({ done: 1, all: 2 });
    expect(some.seen).toBe(1);
    // 2 of 8 by weight, so three quarters of twelve minutes.
    expect(some).toMatchObject({ share: 0.25, left: 9, begun: true, finished: false });
  });

  it("has begun with a wrong answer, and has a minute left until the last thing is done", () => {
    expect(completionOf(lesson("a"), work, progress({ quizzes: { q: 0 } }))).toMatchObject({
      left: 12,
      begun: true,
    });
    const nearly = progress({ cells: ["cell-1", "cell-2"], exercises: ["e"], quizzes: { q: 1 } });
    expect(completionOf(lesson("a", 2), work, nearly)).toMatchObject({ left: 1, finished: false });
    const done = { ...nearly, quizzes: { q: 1, r: 0 } };
    expect(completionOf(lesson("a", 2), work, done)).toMatchObject({ share: 1, left: 0, finished: true });
  });

  it("does not count what the lesson no longer has", () => {
    const old = progress({
      cells: ["gone", "cell-9"],
      exercises: ["gone"],
      quizzes: { gone: 1, __proto__: 1 },
    });
    expect(completionOf(lesson("a"), work, old)).toMatchObject({ share: 0, begun: false });
  });

  it("makes no number up where nothing is known of the work", () => {
    expect(completionOf(lesson("a"), undefined, progress({ cells: ["c"] }))).toMatchObject({
      share: 0,
      finished: false,
    });
  });
});

describe("where to go on", () => {
  const lessons = [lesson("a"), lesson("b"), lesson("c")];
  const at = (block: string, when: number) => progress({ cells: [block], last: { block, when } });
  const finishing =
    (...slugs: string[]) =>
    (each: LessonSummary) =>
      slugs.includes(each.slug);

  it("is the first lesson for one who has done nothing", () => {
    expect(onward(lessons, {}, finishing())).toEqual({ kind: "begin", lesson: lessons[0] });
    expect(onward([], {}, finishing())).toBeNull();
  });

  it("is the block that was worked on last, whatever the order of the lessons", () => {
    const kept = { a: at("cell-9", 100), c: at("cell-2", 300), gone: at("x", 900) };
    expect(onward(lessons, kept, finishing())).toEqual({
      kind: "continue",
      lesson: lessons[2],
      block: "cell-2",
    });
  });

  it("is the next lesson that is not finished, around the end", () => {
    const kept = { c: at("cell-2", 300) };
    expect(onward(lessons, kept, finishing("c"))).toEqual({ kind: "next", lesson: lessons[0] });
    expect(onward(lessons, { a: at("x", 1) }, finishing("a", "b"))).toEqual({
      kind: "next",
      lesson: lessons[2],
    });
    expect(onward(lessons, kept, finishing("a", "b", "c"))?.kind).toBe("finished");
  });

  it("is the first open lesson where an older page kept no place", () => {
    expect(onward(lessons, { a: progress() }, finishing("a"))).toEqual({ kind: "next", lesson: lessons[1] });
  });
});

it("says hours from sixty minutes on", () => {
  expect([0, 59, 60, 61, 155].map(duration)).toEqual(["0 min", "59 min", "1 h", "1 h 1 min", "2 h 35 min"]);
});

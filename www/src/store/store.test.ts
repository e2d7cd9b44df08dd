import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MOST_PROGRESS_BYTES } from "../protocol/generated/progressFile";
import { read, readFile, write } from "./file";
import { emptyProgress, Store } from "./store";

let count = 0;
const fresh = () => `test-${count++}`;

/** Writes as the one tab that there is; null goes back to the original. */
async function setText(store: Store, lesson: string, block: string, source: string | null): Promise<void> {
  const known = (await store.texts(lesson)).get(block)?.when ?? 0;
  await store.write({ lesson, block, source: source ?? "", when: known + 1 }, known, source === null);
}

async function texts(store: Store, lesson: string): Promise<Map<string, string>> {
  return new Map([...(await store.texts(lesson))].map(([block, text]) => [block, text.source]));
}

/** A store where the browser refuses databases. */
function memoryStore(): Store {
  const kept = globalThis.indexedDB;
  Object.defineProperty(globalThis, "indexedDB", { value: undefined, configurable: true, writable: true });
  try {
    return new Store();
  } finally {
    Object.defineProperty(globalThis, "indexedDB", { value: kept, configurable: true, writable: true });
  }
}

describe.each([
  ["on disk", () => new Store(fresh())],
  ["in memory", memoryStore],
])("a store %s", (kind, make) => {
  it("says whether it lasts", async () => {
    expect(await make().lasting()).toBe(kind === "on disk");
  });

  it("keeps texts by lesson and block, and forgets one", async () => {
    const store = make();
    await setText(store, "a", "cell-1", "x = 1");
    await setText(store, "a", "cell-2", "x = 2");
    await setText(store, "b", "cell-1", "x = 3");
    await setText(store, "a", "cell-2", null);
    expect(await texts(store, "a")).toEqual(new Map([["cell-1", "x = 1"]]));
    expect(await texts(store, "b")).toEqual(new Map([["cell-1", "x = 3"]]));
  });

  it("does not mix up lessons whose names run together", async () => {
    const store = make();
    await setText(store, "a", "bc", "1");
    await setText(store, "ab", "c", "2");
    expect(await texts(store, "a")).toEqual(new Map([["bc", "1"]]));
  });

  it("keeps progress, and hands out copies", async () => {
    const store = make();
    expect(await store.progress("a")).toEqual(emptyProgress());
    await store.addProgress("a", { cells: ["cell-1"], exercises: [], quizzes: { q: 2 } });
    const copy = await store.progress("a");
    copy.cells.push("changed");
    expect((await store.progress("a")).cells).toEqual(["cell-1"]);
  });

  it("carries everything to another store by a file", async () => {
    const [from, to] = [make(), make()];
    await setText(from, "a", "cell-1", "print('π')\n");
    await from.addProgress("a", { cells: ["cell-1"], exercises: ["e"], quizzes: { q: 0 } });
    await to.addProgress("b", { cells: ["mine"], exercises: [], quizzes: {} });
    await to.merge(read(write(await from.all())));
    expect(await texts(to, "a")).toEqual(new Map([["cell-1", "print('π')\n"]]));
    expect(await to.progress("a")).toMatchObject({ cells: ["cell-1"], exercises: ["e"], quizzes: { q: 0 } });
    expect((await to.progress("b")).cells).toEqual(["mine"]);
  });
});

it("unites progress, so that an older file takes nothing away, and can be undone", async () => {
  for (const store of [new Store(fresh()), memoryStore()]) {
    await setText(store, "a", "cell-1", "mine");
    const last = { block: "cell-2", when: 200 };
    await store.addProgress("a", { cells: ["cell-2"], exercises: ["e"], quizzes: { q: 1, r: 0 }, last });
    const before = await store.all();
    await store.merge({
      texts: [{ lesson: "a", block: "cell-1", source: "theirs" }],
      progress: {
        a: { cells: ["cell-1"], exercises: [], quizzes: { q: 2 }, last: { block: "cell-1", when: 100 } },
        "of-another-copy": { cells: ["x"], exercises: [], quizzes: {} },
      },
    });
    expect(await texts(store, "a")).toEqual(new Map([["cell-1", "theirs"]]));
    expect(await store.progress("a")).toMatchObject({
      cells: ["cell-2", "cell-1"],
      exercises: ["e"],
      quizzes: { q: 2, r: 0 },
      last,
    });
    expect((await store.progress("of-another-copy")).cells).toEqual(["x"]);
    await store.replace(before);
    expect(await store.all()).toEqual(before);
  }
});

it("finds what an earlier page wrote", async () => {
  const name = fresh();
  await setText(new Store(name), "a", "cell-1", "kept");
  expect(await texts(new Store(name), "a")).toEqual(new Map([["cell-1", "kept"]]));
});

it("writes the file that `glow lesson check` reads in its tests, and reads it back", () => {
  const text = readFileSync("tests/course/progress.json", "utf8");
  expect(write(read(text))).toBe(text);
});

describe("reading a file", () => {
  const good = { format: "glowgrad-progress", version: 1, texts: [], progress: {} };
  const progress = { cells: [], exercises: [], quizzes: {} };
  const lesson = (value: unknown) => JSON.stringify({ ...good, progress: { a: value } });
  const text = (value: unknown) => JSON.stringify({ ...good, texts: [value] });
  it.each([
    ["nonsense", "{", "not a glowgrad progress file"],
    ["nothing", "", "not a glowgrad progress file"],
    ["a number", "3", "not a glowgrad progress file"],
    ["a list", "[]", "not a glowgrad progress file"],
    ["null", "null", "not a glowgrad progress file"],
    ["bytes of a picture", "\u0089PNG\r\n\u0000", "not a glowgrad progress file"],
    ["another's file", JSON.stringify({ format: "other" }), "not a glowgrad progress file"],
    ["a very deep file", "[".repeat(200_000), "not a glowgrad progress file"],
    ["a later version", JSON.stringify({ ...good, version: 2 }), "version 2; this page reads version 1"],
    ["an older version", JSON.stringify({ ...good, version: 0 }), "version 0; this page reads version 1"],
    ["no version", JSON.stringify({ format: good.format }), "version none"],
    ["a version of words", JSON.stringify({ ...good, version: "x".repeat(99) }), `${"x".repeat(40)}…;`],
    ["no texts", JSON.stringify({ ...good, texts: undefined }), "texts or its progress are missing"],
    ["a list of lessons", JSON.stringify({ ...good, progress: [] }), "texts or its progress are missing"],
    ["a text without source", text({ lesson: "a", block: "b" }), "damaged at text 1"],
    ["a text without lesson", text({ lesson: "", block: "b", source: "" }), "damaged at text 1"],
    ["an endless text", text({ lesson: "a", block: "b", source: "x".repeat(300_000) }), "damaged at text 1"],
    ["too many texts", JSON.stringify({ ...good, texts: Array(5001).fill(0) }), "5001 texts"],
    ["cells that are a number", lesson({ ...progress, cells: 3 }), "the lesson a"],
    ["cells that are numbers", lesson({ ...progress, cells: [3] }), "the lesson a"],
    ["answers that are words", lesson({ ...progress, quizzes: { q: "1" } }), "the lesson a"],
    ["an answer before the first", lesson({ ...progress, quizzes: { q: -1 } }), "the lesson a"],
    ["a place without a block", lesson({ ...progress, last: { when: 1 } }), "the lesson a"],
    ["a place at no time", lesson({ ...progress, last: { block: "b", when: "soon" } }), "the lesson a"],
    ["no progress at all", lesson(null), "the lesson a"],
    ["too many cells", lesson({ ...progress, cells: Array(1001).fill("c") }), "the lesson a"],
  ])("refuses %s in a sentence", (_kind, file, message) => {
    expect(() => read(file)).toThrow(message);
    try {
      read(file);
    } catch (error) {
      expect((error as Error).message).toMatch(/^[^\n]{20,200}\.$/);
    }
  });

  it("takes what it knows and nothing else", () => {
    const found = read(
      '{"format":"glowgrad-progress","version":1,"more":1,"texts":[{"lesson":"a","block":"b","source":"","x":1}],' +
        '"progress":{"__proto__":{"cells":["c"],"exercises":[],"quizzes":{"__proto__":1},"x":1}}}',
    );
    expect(Object.keys(found)).toEqual(["texts", "progress"]);
    expect(found.texts).toEqual([{ lesson: "a", block: "b", source: "" }]);
    expect(Object.keys(found.progress)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>).cells).toBeUndefined();
    expect(Object.values(found.progress)[0]).not.toHaveProperty("x");
  });

  it("judges the size before it reads, and says when it cannot read", async () => {
    const huge = { size: MOST_PROGRESS_BYTES + 1, text: () => Promise.reject(new Error("was read")) };
    await expect(readFile(huge)).rejects.toThrow("This file has 17 MB; a progress file has 16 at most.");
    const gone = { size: 10, text: () => Promise.reject(new DOMException("NotReadableError")) };
    await expect(readFile(gone)).rejects.toThrow("This file cannot be read.");
    const fine = { size: 10, text: () => Promise.resolve(JSON.stringify(good)) };
    await expect(readFile(fine)).resolves.toEqual({ texts: [], progress: {} });
  });
});

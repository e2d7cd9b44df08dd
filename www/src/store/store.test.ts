import "fake-indexeddb/auto";
import { describe, expect, it } from "vitest";
import { read, write } from "./file";
import { emptyProgress, Store } from "./store";

let count = 0;
const fresh = () => `test-${count++}`;

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
    await store.setText("a", "cell-1", "x = 1");
    await store.setText("a", "cell-2", "x = 2");
    await store.setText("b", "cell-1", "x = 3");
    await store.setText("a", "cell-2", null);
    expect(await store.texts("a")).toEqual(new Map([["cell-1", "x = 1"]]));
    expect(await store.texts("b")).toEqual(new Map([["cell-1", "x = 3"]]));
  });

  it("does not mix up lessons whose names run together", async () => {
    const store = make();
    await store.setText("a", "bc", "1");
    await store.setText("ab", "c", "2");
    expect(await store.texts("a")).toEqual(new Map([["bc", "1"]]));
  });

  it("keeps progress, and hands out copies", async () => {
    const store = make();
    expect(await store.progress("a")).toEqual(emptyProgress());
    await store.setProgress("a", { cells: ["cell-1"], exercises: [], quizzes: { q: 2 } });
    const copy = await store.progress("a");
    copy.cells.push("changed");
    expect((await store.progress("a")).cells).toEqual(["cell-1"]);
  });

  it("carries everything to another store by a file", async () => {
    const [from, to] = [make(), make()];
    await from.setText("a", "cell-1", "print('π')\n");
    await from.setProgress("a", { cells: ["cell-1"], exercises: ["e"], quizzes: { q: 0 } });
    await to.setProgress("b", { cells: ["mine"], exercises: [], quizzes: {} });
    await to.merge(read(write(await from.all())));
    expect(await to.texts("a")).toEqual(new Map([["cell-1", "print('π')\n"]]));
    expect(await to.progress("a")).toEqual({ cells: ["cell-1"], exercises: ["e"], quizzes: { q: 0 } });
    expect((await to.progress("b")).cells).toEqual(["mine"]);
  });
});

it("finds what an earlier page wrote", async () => {
  const name = fresh();
  await new Store(name).setText("a", "cell-1", "kept");
  expect(await new Store(name).texts("a")).toEqual(new Map([["cell-1", "kept"]]));
});

describe("reading a file", () => {
  const good = { format: "glowgrad-progress", version: 1, texts: [], progress: {} };
  it.each([
    ["nonsense", "{", "not a glowgrad progress file"],
    ["another's file", JSON.stringify({ format: "other" }), "not a glowgrad progress file"],
    ["a later version", JSON.stringify({ ...good, version: 2 }), "version 2"],
    ["damaged texts", JSON.stringify({ ...good, texts: [{ lesson: "a" }] }), "damaged"],
    ["damaged progress", JSON.stringify({ ...good, progress: { a: { cells: 3 } } }), "the lesson a"],
  ])("refuses %s", (_kind, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

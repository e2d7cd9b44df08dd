import "fake-indexeddb/auto";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ALL_BYTES, type Kind, overBudget, type Size, sizeOf } from "./budget";
import { KeptStore } from "./kept";

let count = 0;
const fresh = () => `kept-${count++}`;
const size = (kind: Kind, block: string, bytes: number, when: number, lesson = "a"): Size => ({
  kind,
  lesson,
  block,
  bytes,
  when,
});

afterEach(() => vi.restoreAllMocks());

describe("the budget", () => {
  it("lets go of the oldest, pictures before outputs", () => {
    const sizes = [
      size("output", "1", 40, 1),
      size("picture", "1", 40, 3),
      size("picture", "2", 40, 2),
      size("output", "2", 40, 4),
    ];
    const going = (most: number) => overBudget(sizes, most).map(({ kind, block }) => `${kind} ${block}`);
    expect(going(160)).toEqual([]);
    expect(going(159)).toEqual(["picture 2"]);
    expect(going(119)).toEqual(["picture 2", "picture 1"]);
    expect(going(60)).toEqual(["picture 2", "picture 1", "output 1"]);
    expect(going(0)).toHaveLength(4);
  });

  it("is kept whatever there is, and nothing goes without need", () => {
    const any = fc.record({
      kind: fc.constantFrom<Kind>("output", "picture"),
      lesson: fc.constant("a"),
      block: fc.string(),
      bytes: fc.nat(100),
      when: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(any), fc.nat(500), (sizes, most) => {
        const going = overBudget(sizes, most);
        const left = (gone: Size[]) =>
          sizes.filter((each) => !gone.includes(each)).reduce((sum, { bytes }) => sum + bytes, 0);
        expect(left(going)).toBeLessThanOrEqual(most);
        if (going.length > 0) expect(left(going.slice(0, -1))).toBeGreaterThan(most);
      }),
    );
  });

  it("counts what a value holds, and stops counting beyond the most", () => {
    expect(sizeOf("x".repeat(1000))).toBeGreaterThanOrEqual(1000);
    expect(sizeOf({ values: new Array(1000).fill(1.5) })).toBeGreaterThanOrEqual(8000);
    expect(sizeOf([[["deep", null, true]]])).toBeGreaterThan(sizeOf([]));
    const endless = { values: new Array(100).fill({ text: "x".repeat(100) }) };
    expect(sizeOf(endless, 1000)).toBeLessThan(1500);
  });
});

describe("kept values", () => {
  it("are found again by a later page, by lesson and kind", async () => {
    const name = fresh();
    const store = new KeptStore(name);
    expect(await store.put(size("output", "cell-1", 10, 1), { text: "one", x: Number.NaN })).toBe(true);
    expect(await store.put(size("output", "cell-1", 10, 2), { text: "two" })).toBe(true);
    await store.put(size("output", "cell-1", 10, 1, "ab"), "other lesson");
    await store.put(size("picture", "cell-1", 10, 1), "picture");
    const found = await new KeptStore(name).of("output", "a");
    expect([...found.values()]).toEqual([{ block: "cell-1", when: 2, value: { text: "two" } }]);
    await store.forget("output", "a", "cell-1");
    expect((await store.of("output", "a")).size).toBe(0);
    expect(await store.sizes()).toHaveLength(2);
  });

  it("stay within the budget: the oldest goes with its value", async () => {
    const store = new KeptStore(fresh());
    const third = Math.ceil(ALL_BYTES / 3) + 1;
    for (const when of [1, 2, 3, 4]) {
      expect(await store.put(size("picture", `cell-${when}`, third, when), when)).toBe(true);
      const bytes = (await store.sizes()).reduce((sum, each) => sum + each.bytes, 0);
      expect(bytes).toBeLessThanOrEqual(ALL_BYTES);
    }
    expect([...(await store.of("picture", "a")).keys()]).toEqual(["cell-3", "cell-4"]);
    // A picture alone that has no room takes no output's.
    await store.put(size("output", "cell-1", ALL_BYTES - 10, 5), "all");
    expect(await store.put(size("picture", "cell-9", 20, 6), "none")).toBe(false);
    expect((await store.of("output", "a")).size).toBe(1);
  });

  it("cost nothing where the browser refuses a database", async () => {
    vi.spyOn(indexedDB, "open").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    const store = new KeptStore(fresh());
    expect(await store.put(size("output", "cell-1", 10, 1), "x")).toBe(false);
    expect((await store.of("output", "a")).size).toBe(0);
    expect(await store.sizes()).toEqual([]);
    await store.forget("output", "a", "cell-1");
  });

  it("cost nothing where the disk is full, and are kept again when it is not", async () => {
    const store = new KeptStore(fresh());
    await store.put(size("output", "cell-1", 10, 1), "first");
    const put = vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
      throw new DOMException("no room", "QuotaExceededError");
    });
    expect(await store.put(size("output", "cell-1", 10, 2), "second")).toBe(false);
    put.mockRestore();
    expect([...(await store.of("output", "a")).values()].map(({ value }) => value)).toEqual(["first"]);
    expect(await store.put(size("output", "cell-1", 10, 3), "third")).toBe(true);
  });

  it("refuse what cannot be copied", async () => {
    const store = new KeptStore(fresh());
    expect(await store.put(size("output", "cell-1", 10, 1), () => {})).toBe(false);
  });
});

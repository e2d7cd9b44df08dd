// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { afterEach, expect, test, vi } from "vitest";
import type { EngineClient } from "../engine/client";
import type { CommandBody } from "../engine/wire";
import { MOST_FILE_BYTES } from "../protocol/generated/files";
import { FileDatabase } from "./database";
import { fetchFile, megabytes, nameOf } from "./fetching";
import { Shelf } from "./shelf.svelte";

let number = 0;

function page(name = `files-${number++}`) {
  const sent: CommandBody[] = [];
  const client = {
    status: { phase: "ready" },
    bring: null as EngineClient["bring"],
    onFiles: (() => {}) as EngineClient["onFiles"],
    run: async (body: CommandBody) => void sent.push(body),
  };
  const shelf = new Shelf(client as unknown as EngineClient, new FileDatabase(name));
  return { name, sent, client, shelf };
}

const bytes = (...numbers: number[]) => Uint8Array.from(numbers);
const file = (name: string, content: Uint8Array<ArrayBuffer>) => new File([content], name);

afterEach(() => vi.unstubAllGlobals());

test("a file that is added is kept, listed and told to the session", async () => {
  const first = page();
  await first.shelf.add([file("b.csv", bytes(1, 2)), file("a.npy", bytes(3))]);
  expect(first.shelf.files).toEqual([
    { path: "a.npy", size: 1 },
    { path: "b.csv", size: 2 },
  ]);
  expect(first.sent[0]).toEqual({ type: "putFiles", files: [{ path: "b.csv", bytes: bytes(1, 2) }] });
  const next = page(first.name);
  const brought = await next.client.bring?.();
  expect(brought).toEqual([
    {
      type: "putFiles",
      files: [
        { path: "a.npy", bytes: bytes(3) },
        { path: "b.csv", bytes: bytes(1, 2) },
      ],
    },
  ]);
});

test("a session that was there before the list gets what is kept", async () => {
  const { name, shelf } = page();
  await shelf.add([file("a.csv", bytes(1))]);
  const later = page(name);
  await vi.waitFor(() => {
    expect(later.sent).toEqual([{ type: "putFiles", files: [{ path: "a.csv", bytes: bytes(1) }] }]);
  });
});

test("what Python writes and removes is kept", async () => {
  const { shelf, client, name } = page();
  await shelf.add([file("old", bytes(1))]);
  client.onFiles({
    type: "files",
    id: 1,
    written: [{ path: "runs/a.safetensors", bytes: bytes(7, 8) }],
    removed: ["old"],
  });
  await vi.waitFor(async () => {
    const kept = await new FileDatabase(name).all();
    expect(kept.map(({ path }) => path)).toEqual(["runs/a.safetensors"]);
  });
  expect(shelf.files).toEqual([{ path: "runs/a.safetensors", size: 2 }]);
  expect(await shelf.read("runs/a.safetensors")).toEqual(bytes(7, 8));
  await shelf.remove("runs/a.safetensors");
  expect(shelf.files).toEqual([]);
});

test("a file that is too large is refused, and the others are added", async () => {
  const { shelf } = page();
  const large = { name: "large", size: MOST_FILE_BYTES + 1 } as File;
  await shelf.add([large, file("small", bytes(1))]);
  expect(shelf.problem).toBe("large has 268.4 MB, and 268.4 MB are left for files; remove some first.");
  expect(shelf.files).toEqual([{ path: "small", size: 1 }]);
});

function answering(response: () => Response) {
  vi.stubGlobal("fetch", async (_address: string, { signal }: RequestInit) => {
    signal?.throwIfAborted();
    return response();
  });
}

test("a file comes from an address, with its progress", async () => {
  answering(() => new Response(bytes(1, 2, 3), { headers: { "content-length": "3" } }));
  const { shelf } = page();
  await shelf.fetch("https://example.org/data/x%20y.csv?raw=1");
  expect([shelf.problem, shelf.fetching, shelf.files]).toEqual(["", null, [{ path: "x y.csv", size: 3 }]]);
  const told: [number, number | null][] = [];
  await fetchFile("https://e.org/x", 9, (...now) => told.push(now), new AbortController().signal);
  expect(told).toEqual([[3, 3]]);
  expect(nameOf("https://example.org/")).toBe("example.org");
  expect([megabytes(999), megabytes(1500), megabytes(2e6)]).toEqual(["999 bytes", "1.5 KB", "2.0 MB"]);
});

test("an address that gives no file says why", async () => {
  const { shelf } = page();
  await shelf.fetch("https://");
  expect(shelf.problem).toContain("is no address");
  answering(() => new Response("", { status: 404 }));
  await shelf.fetch("https://example.org/x");
  expect(shelf.problem).toBe("https://example.org/x cannot be fetched: the server answered 404.");
  answering(() => {
    throw new TypeError("Failed to fetch");
  });
  await shelf.fetch("https://example.org/x");
  expect(shelf.problem).toContain("Download it and drop it here");
  answering(() => new Response(bytes(1, 2, 3)));
  await expect(fetchFile("https://e.org/x", 2, () => {}, new AbortController().signal)).rejects.toThrow(
    "x is larger than the 2 bytes that are left for files; remove some first.",
  );
  expect(shelf.files).toEqual([]);
});

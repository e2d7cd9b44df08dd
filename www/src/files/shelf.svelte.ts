// The files that cells read and write: dropped, picked, fetched, or written by Python; kept on this computer.
//
// Invariant: the sessions of this page see what is listed, from their first command on; what Python writes is kept when
// its cell ends, and a file that it moves to its place at once. All files together take MOST_FILE_BYTES at most.

import type { EngineClient } from "../engine/client";
import type { CommandBody } from "../engine/wire";
import { t } from "../language/language.svelte";
import type { Event } from "../protocol";
import { MOST_FILE_BYTES } from "../protocol/generated/files";
import { FileDatabase, type KeptFile } from "./database";
import { fetchFile, megabytes, nameOf } from "./fetching";

export interface Listed {
  path: string;
  size: number;
}

export class Shelf {
  files = $state.raw<Listed[]>([]);
  /** What could not be done last, in words. */
  problem = $state("");
  /** A file that is on its way. */
  fetching = $state.raw<{ name: string; done: number; total: number | null } | null>(null);
  private abort: AbortController | null = null;
  private readonly loaded: Promise<void>;

  constructor(
    private readonly client: EngineClient,
    private readonly database = new FileDatabase(),
  ) {
    this.loaded = this.load();
    client.bring = () => this.brought();
    // A session that began before this list did gets them now.
    if (client.status.phase === "ready") {
      void this.brought().then((bodies) => bodies.map((body) => client.run(body).catch(() => {})));
    }
    client.onFiles = (event) => void this.take(event);
  }

  /** Adds files that the learner chose or dropped. */
  async add(files: Iterable<File>): Promise<void> {
    this.problem = "";
    for (const file of files) {
      if (file.size > this.left(file.name)) {
        this.problem = t("{name} has {size}, and {left} are left for files; remove some first.", {
          name: file.name,
          size: megabytes(file.size),
          left: megabytes(this.left(file.name)),
        });
        continue;
      }
      try {
        await this.put(file.name, new Uint8Array(await file.arrayBuffer()));
      } catch {
        this.problem = t(
          "{name} cannot be read. It may have been moved or changed, or is a folder; choose it again.",
          {
            name: file.name,
          },
        );
      }
    }
  }

  /** Adds the file at an address. */
  async fetch(address: string): Promise<void> {
    this.problem = "";
    if (!URL.canParse(address, location.href)) {
      this.problem = t("“{text}” is no address; write one such as https://example.org/data.csv.", {
        text: address,
      });
      return;
    }
    const name = nameOf(address);
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.fetching = { name, done: 0, total: null };
    try {
      const bytes = await fetchFile(
        address,
        this.left(name),
        (done, total) => {
          if (!abort.signal.aborted) this.fetching = { name, done, total };
        },
        abort.signal,
      );
      await this.put(name, bytes);
    } catch (error) {
      if (!abort.signal.aborted) this.problem = (error as Error).message;
    }
    if (this.abort === abort) this.fetching = null;
  }

  /** Gives up what is on its way. */
  cancel(): void {
    this.abort?.abort();
    this.fetching = null;
  }

  async remove(path: string): Promise<void> {
    this.problem = "";
    await this.database.change([], [path]);
    this.list([], [path]);
    if (this.client.status.phase === "ready")
      await this.client.run({ type: "removeFile", path }).catch(() => {});
  }

  /** The bytes of a file; null when the browser keeps none. */
  async read(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return (await this.database.one(path))?.bytes ?? null;
  }

  /** The paths of all files. */
  async kept(): Promise<ReadonlySet<string>> {
    await this.loaded;
    return new Set(this.files.map(({ path }) => path));
  }

  private async brought(): Promise<CommandBody[]> {
    const files = (await this.database.all()).map(({ path, bytes }) => ({ path, bytes }));
    return files.length > 0 ? [{ type: "putFiles", files }] : [];
  }

  private async load(): Promise<void> {
    this.list(await this.database.all(), []);
  }

  /** Writes a file, or another in its place. */
  async put(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.loaded;
    const file = { path, bytes, when: Date.now() };
    const isKept = await this.database.change([file]);
    this.list([file], []);
    if (!isKept)
      this.problem = t("This browser keeps no files here: they last as long as Python's session does.");
    // A session that comes later is brought what is kept.
    if (this.client.status.phase !== "ready" && isKept) return;
    await this.client.run({ type: "putFiles", files: [{ path, bytes }] }).catch(() => {});
  }

  /** What Python wrote and removed. */
  private async take({ written, removed }: Extract<Event, { type: "files" }>): Promise<void> {
    await this.loaded;
    const when = Date.now();
    const files = written.map(({ path, bytes }) => ({ path, bytes, when }));
    await this.database.change(files, removed);
    this.list(files, removed);
  }

  /** Shows what has changed, once it is kept: what is shown is there after a reload. */
  private list(written: KeptFile[], removed: string[]): void {
    const gone = new Set([...removed, ...written.map(({ path }) => path)]);
    const others = this.files.filter(({ path }) => !gone.has(path));
    const added = written.map(({ path, bytes }) => ({ path, size: bytes.length }));
    this.files = [...others, ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Bytes that a file of this name may have. */
  private left(path: string): number {
    return this.files.reduce((left, file) => (file.path === path ? left : left - file.size), MOST_FILE_BYTES);
  }
}

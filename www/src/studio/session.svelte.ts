// The studio's own Python session: networks are trained, tried and written to files there, beside the notebook's.
//
// Invariant: opened by the first question, never by opening the studio or a link. A lost worker costs variables and nothing
// else: `trained` is null from then on, and the next question finds a fresh session. Files of the notebook's shelf are in it;
// what is written here stays here.
import { type Devices, type EngineClient, EngineLost, type Status } from "../engine/client";
import { rememberDevice } from "../engine/device";
import { host, python } from "../engine/engines.svelte";
import type { CommandBody } from "../engine/wire";
import type { Chart, ErrorInfo, Event, Figure } from "../protocol";
import type { Net } from "./model";

type Bytes = Uint8Array<ArrayBuffer>;

/** What a run of Python came to. */
export interface Answer {
  /** What it printed. */
  text: string;
  /** Why it ended early; a stop is a `KeyboardInterrupt`, a lost worker an `EngineLost`. */
  error: ErrorInfo | null;
  figures: Figure[];
  charts: Chart[];
  millis: number;
  /** Bytes that the engine holds, and held at most. */
  liveBytes: number;
  peakBytes: number;
}

/** What a function gave. */
export interface Called extends Answer {
  values: number[];
  shape: number[];
}

/** Which network the variable `model` is, and the run that trained it. */
export interface Trained {
  net: Net;
  run: string;
}

export class Session {
  status = $state.raw<Status>({ phase: "idle" });
  devices = $state.raw<Devices | null>(null);
  /** Whether a question is being answered. */
  isBusy = $state(false);
  trained = $state.raw<Trained | null>(null);
  #client: EngineClient | null = null;
  #files = new Map<string, Bytes>();
  /** Files of the shelf that the session was given, by path, with their size and time. */
  #given = new Map<string, string>();
  #asked = 0;

  /** Runs Python; variables stay for what runs next. Rejects where the session cannot be opened. */
  async run(
    source: string,
    { cell = "studio", onEvent }: { cell?: string; onEvent?: (event: Event) => void } = {},
  ): Promise<Answer> {
    return await this.#ask({ type: "runCell", cell, source }, onEvent);
  }

  /** Calls a function of the session with numbers, of this shape; its step is not recorded, so it costs no picture. */
  async call(
    name: string,
    values: number[] = [],
    onEvent: (event: Event) => void = () => {},
  ): Promise<Called> {
    let called: { values: number[]; shape: number[] } = { values: [], shape: [0] };
    const answer = await this.#ask(
      { type: "call", function: name, values, shape: [values.length] },
      (event) => {
        if (event.type === "called") called = event;
        onEvent(event);
      },
    );
    return { ...answer, values: called.values, shape: called.shape };
  }

  /** Stops what runs; variables stay where the browser lets Python be interrupted. */
  stop(): void {
    this.#client?.stop();
  }

  /** A file that Python wrote in this session. */
  async file(path: string): Promise<Bytes | null> {
    if (!host.onComputer) return this.#files.get(path) ?? null;
    // A session of this computer writes to its disk, and tells of no file.
    const name = JSON.stringify(path);
    const { text, error } = await this.run(
      `import base64\nwith open(${name}, "rb") as file:\n    print(base64.b64encode(file.read()).decode())`,
    );
    return error ? null : Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  }

  /** Puts a file where Python finds it. */
  async put(path: string, bytes: Bytes): Promise<Answer> {
    return await this.#ask(writing(path, bytes));
  }

  /** Gives the session what the notebook's shelf has got since. */
  async putShelf(): Promise<void> {
    for (const { path, bytes, stamp } of await shelf()) {
      if (this.#given.get(path) === stamp) continue;
      const { error } = await this.#ask({ type: "putFiles", files: [{ path, bytes }] });
      if (error) throw new Error(`${path} cannot be read here: ${error.message}`);
      this.#given.set(path, stamp);
    }
  }

  /** Gives a session beside this one the same files. */
  async bringShelf(client: EngineClient): Promise<void> {
    const files = (await shelf()).map(({ path, bytes }) => ({ path, bytes }));
    if (files.length > 0) await client.run({ type: "putFiles", files });
  }

  /** What computes from now on; why not, where it cannot be had. */
  async use(device: string): Promise<string> {
    const { error } = await this.#ask({ type: "setDevice", device });
    if (error === null) rememberDevice(device);
    return error?.message ?? "";
  }

  /** Opens it before it is asked anything: it then says what can compute. */
  load(): void {
    this.#open().load();
  }

  /** A session beside this one, on the same device, which its user closes. */
  another(): EngineClient {
    return this.#open().another();
  }

  /** Ends it; the next question opens a fresh one. */
  close(): void {
    this.#client?.close();
  }

  /** Answers also where the worker was lost or stopped by force: `error` says so. */
  async #ask(body: CommandBody, onEvent: (event: Event) => void = () => {}): Promise<Answer> {
    const client = this.#open();
    const answer: Answer = {
      text: "",
      error: null,
      figures: [],
      charts: [],
      millis: 0,
      liveBytes: 0,
      peakBytes: 0,
    };
    this.#asked += 1;
    this.isBusy = true;
    try {
      const { millis, memory } = await client.run(body, (event) => {
        if (event.type === "stdout") answer.text += event.text;
        else if (event.type === "error") answer.error = event.error;
        else if (event.type === "figure") answer.figures[event.figure.place] = event.figure;
        else if (event.type === "chart") answer.charts[event.chart.place] = event.chart;
        onEvent(event);
      });
      return { ...answer, millis, ...memory };
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error;
      const { name: kind, message } = error;
      return { ...answer, error: { kind, message, traceback: "", cell: null, line: null } };
    } finally {
      this.#asked -= 1;
      this.isBusy = this.#asked > 0;
    }
  }

  #open(): EngineClient {
    if (this.#client) return this.#client;
    const client = python.client.another(() => {
      this.status = client.status;
      this.devices = client.devices;
      if (client.status.phase !== "ready") this.#forget();
    });
    client.onFiles = ({ written, removed }) => {
      for (const { path, bytes } of written) this.#files.set(path, bytes);
      for (const path of removed) this.#files.delete(path);
    };
    this.#client = client;
    return client;
  }

  #forget(): void {
    this.trained = null;
    this.#files.clear();
    this.#given.clear();
  }
}

/** What writes a file where a session's Python finds it. */
export function writing(path: string, bytes: Bytes): CommandBody {
  if (!host.onComputer) return { type: "putFiles", files: [{ path, bytes }] };
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  const name = JSON.stringify(path);
  return {
    type: "runCell",
    cell: "studio",
    source: `import base64\nwith open(${name}, "wb") as file:\n    file.write(base64.b64decode("${btoa(text)}"))`,
  };
}

/** What the notebook's shelf holds; nothing where a session sees the computer's own files. */
async function shelf() {
  if (host.onComputer) return [];
  const { FileDatabase } = await import("../files/database");
  const files = await new FileDatabase().all();
  return files.map(({ path, bytes, when }) => ({ path, bytes, stamp: `${bytes.length} ${when}` }));
}

/** The page's one session of the studio. */
export const session = new Session();

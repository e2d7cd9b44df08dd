// A run of the bench: opens the session and its devices, warms every row up, and times them in rounds.
//
// Invariant: a time is that of a result which was read, and which the first device, the CPU, gave too. Rows and devices take turns in
// each round, so that a slow moment falls on all of them; every second round goes the other way. What was measured stays when a run is
// stopped or fails, and the session ends with the run. Leaves to figures.ts what the times come to.

import type { Devices, Status } from "../engine/client";
import type { CommandBody } from "../engine/wire";
import { t } from "../language/language.svelte";
import type { ErrorInfo, Event } from "../protocol";
import { program } from "./program";
import type { Row } from "./rows";

/** The part of an `EngineClient` that a run uses. */
export interface BenchSession {
  readonly status: Status;
  readonly devices: Devices | null;
  run(body: CommandBody, onEvent: (event: Event) => void): Promise<unknown>;
  stop(): void;
  close(): void;
}

export interface BenchDevice {
  /** As Python calls it. */
  name: string;
  label: string;
  /** What the session says of it. */
  notes: readonly string[];
  /** Why it computes nothing; empty where it does. */
  problem: string;
}

/** A row on a device. */
export interface Result {
  /** For one result, of each timed run. */
  millis: readonly number[];
  /** For one result, untimed: the last run before the rounds. */
  warm: number;
  /** How many results a timed run computes, one after the other. */
  times: number;
  /** What was read of the first result; null before there is one. */
  value: number | null;
  /** Why it has no times, or no more of them. */
  problem: string;
}

export type Phase = "idle" | "opening" | "warming" | "timing" | "done" | "stopped" | "failed";

interface Answer {
  values: readonly number[];
  error: ErrorInfo | null;
  notes: readonly string[];
}

/** How long a timed run should take: a page's clock ticks every 0.1 ms. */
const RUN_MILLIS = 40;
const MOST_TIMES = 200;
/** A first run that takes longer has no second one before the rounds. */
const LONG_MILLIS = 1000;
/** What the timed runs of a row may take together, for each round: a slow row has fewer of them. */
const SHARE_MILLIS = 200;
/** How far apart the numbers of two devices may be, as a part of them. */
const CLOSE = 1e-3;

export class Bench {
  phase = $state<Phase>("idle");
  devices = $state.raw<readonly BenchDevice[]>([]);
  /** The threads that the CPU's rows run on. */
  threads = $state(1);
  rounds = $state(0);
  round = $state(0);
  /** What is being computed. */
  current = $state.raw<{ row: Row; device: string } | null>(null);
  /** The part of the run that is over. */
  share = $state(0);
  seconds = $state(0);
  problem = $state("");
  #results = $state.raw<ReadonlyMap<string, Result>>(new Map());
  #isStopped = false;
  #over = 0;

  constructor(
    readonly rows: readonly Row[],
    private readonly session: BenchSession,
  ) {}

  get isRunning(): boolean {
    return this.phase === "opening" || this.phase === "warming" || this.phase === "timing";
  }

  /** The devices that compute. */
  get lanes(): readonly BenchDevice[] {
    return this.devices.filter(({ problem }) => problem === "");
  }

  result(row: Row, device: string): Result | null {
    return this.#results.get(key(row.id, device)) ?? null;
  }

  readonly millis = (row: Row, device: string): readonly number[] => this.result(row, device)?.millis ?? [];

  /** Measures everything anew; settles when that is over, however it ended. */
  async run(rounds: number): Promise<void> {
    if (this.isRunning) return;
    const began = performance.now();
    this.#isStopped = false;
    this.#over = 0;
    this.#results = new Map();
    Object.assign(this, { phase: "opening", devices: [], rounds, round: 0, share: 0, problem: "" });
    try {
      await this.#open();
      this.phase = "warming";
      await this.#each(this.#turns(), (row, device) => this.#warmUp(row, device));
      this.phase = "timing";
      while (this.round < rounds) {
        this.round += 1;
        const turns = this.#turns();
        await this.#each(this.round % 2 ? turns : turns.toReversed(), (row, device) =>
          this.#time(row, device),
        );
      }
      this.phase = "done";
    } catch (error) {
      if (!this.#isStopped) this.problem = (error as Error).message;
      this.phase = this.#isStopped ? "stopped" : "failed";
    } finally {
      this.current = null;
      this.seconds = (performance.now() - began) / 1000;
      this.session.close();
    }
  }

  stop(): void {
    if (!this.isRunning) return;
    this.#isStopped = true;
    if (this.session.status.phase === "ready") this.session.stop();
    else this.session.close();
  }

  /** Defines the program and makes each device's tensors. */
  async #open(): Promise<void> {
    // The notebook may compute on another device. Once this is answered, the devices are known.
    await this.#ask({ type: "setDevice", device: "cpu" });
    const known = this.session.devices?.devices ?? [];
    const names = known.map(({ name }) => name);
    const { error } = await this.#ask({
      type: "runCell",
      cell: "bench.py",
      source: program(names, this.rows),
    });
    if (error) throw new Error(inWords(error));
    for (const [at, { name, label, note }] of known.entries()) {
      const { values, error, notes } = await this.#call("open_device", at);
      const [isThere = 0, threads = this.threads] = values;
      const problem = error ? inWords(error) : isThere ? "" : t("It is not there.");
      // What a device says when it is opened says more than the menu's note.
      const said = notes.length > 0 || note === null ? notes : [note];
      this.devices = [...this.devices, { name, label, notes: said, problem }];
      this.threads = threads;
    }
    if (this.lanes.length === 0) throw new Error(this.devices[0]?.problem ?? t("The session has no device."));
  }

  #turns(): [row: Row, device: string][] {
    return this.rows.flatMap((row) => this.lanes.map(({ name }): [Row, string] => [row, name]));
  }

  /** Does a part of the run, but for what has a problem. */
  async #each(turns: [Row, string][], work: (row: Row, device: string) => Promise<void>): Promise<void> {
    for (const [row, device] of turns) {
      this.current = { row, device };
      if (!this.result(row, device)?.problem) await work(row, device);
      this.#over += 1;
      this.share = this.#over / (turns.length * (this.rounds + 1));
    }
  }

  /** Runs a row untimed, compares what it gives, and finds how many results a timed run computes. */
  async #warmUp(row: Row, device: string): Promise<void> {
    const { unless } = row;
    if (unless && (this.#results.get(key(unless.row, device))?.warm ?? 0) > unless.millis) {
      this.#note(row, device, { problem: t("Left out: this device is too slow for it.") });
      return;
    }
    const first = await this.#measure(row, device, 1);
    if (!first) return;
    const last = first.millis < LONG_MILLIS ? await this.#measure(row, device, 1) : first;
    if (!last) return;
    const expected = this.result(row, this.lanes[0]?.name ?? device)?.value ?? first.value;
    const times = Math.round(RUN_MILLIS / Math.max(last.millis, 0.1));
    this.#note(row, device, {
      warm: last.millis,
      value: first.value,
      times: Math.min(MOST_TIMES, Math.max(1, times)),
      problem: difference(first.value, expected),
    });
  }

  async #time(row: Row, device: string): Promise<void> {
    const { millis, times } = this.result(row, device) ?? NOTHING;
    const spent = times * millis.reduce((sum, each) => sum + each, 0);
    if (spent > SHARE_MILLIS * this.rounds) return;
    const measured = await this.#measure(row, device, times);
    if (measured) this.#note(row, device, { millis: [...millis, measured.millis] });
  }

  /** Computes a row; an error is the row's problem on that device, and null is given. */
  async #measure(row: Row, device: string, times: number): Promise<{ millis: number; value: number } | null> {
    const at = [this.devices.findIndex(({ name }) => name === device), this.rows.indexOf(row), times];
    if (row.isUnfused) await this.#ask({ type: "setFusion", on: false });
    const { values, error, notes } = await this.#call("measure", ...at);
    if (row.isUnfused) await this.#ask({ type: "setFusion", on: true });
    this.#hear(device, notes);
    const [millis = 0, value = Number.NaN] = values;
    if (!error && Number.isFinite(value)) return { millis, value };
    this.#note(row, device, { problem: error ? inWords(error) : t("Its result is not a finite number.") });
    return null;
  }

  #note(row: Row, device: string, more: Partial<Result>): void {
    const noted = { ...(this.result(row, device) ?? NOTHING), ...more };
    this.#results = new Map(this.#results).set(key(row.id, device), noted);
  }

  /** A device may say something while it computes, such as that it was lost. */
  #hear(device: string, notes: readonly string[]): void {
    if (notes.length === 0) return;
    this.devices = this.devices.map((each) =>
      each.name === device ? { ...each, notes: [...new Set([...each.notes, ...notes])] } : each,
    );
  }

  #call(name: string, ...values: number[]): Promise<Answer> {
    return this.#ask({ type: "call", function: name, values, shape: [values.length] });
  }

  /** Asks the session; throws once the run is stopped. */
  async #ask(body: CommandBody): Promise<Answer> {
    this.#goOn();
    let values: readonly number[] = [];
    let error: ErrorInfo | null = null as ErrorInfo | null;
    const notes: string[] = [];
    await this.session.run(body, (event) => {
      if (event.type === "called") values = event.values;
      else if (event.type === "error") error = event.error;
      else if (event.type === "notice") notes.push(event.text);
    });
    this.#goOn();
    return { values, error, notes };
  }

  #goOn(): void {
    if (this.#isStopped) throw new Error("Stopped");
  }
}

const NOTHING: Result = { millis: [], warm: 0, times: 1, value: null, problem: "" };

const key = (row: string, device: string) => `${row} ${device}`;

const inWords = ({ kind, message }: ErrorInfo) => `${kind}: ${message}`;

/** What is wrong with a value; empty where it is near to what was expected. */
function difference(value: number, expected: number): string {
  if (Math.abs(value - expected) <= CLOSE * Math.abs(expected)) return "";
  return t("Not timed: its result adds up to {value}, and the CPU's to {expected}.", { value, expected });
}

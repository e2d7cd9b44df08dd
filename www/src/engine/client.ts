// The page's side of a worker: one command at a time, and no promise left hanging.
//
// Invariant: every `run` settles. It resolves with the command's `Done` (also when the learner's
// code raised: that is an `Error` event) and rejects with `EngineLost` when the worker died or was
// replaced. A lost worker that had been ready is replaced at once; one that could not be loaded is
// tried again at the next command. The learner's text and progress never live in a worker.
import { t } from "../language/language.svelte";
import type { Event } from "../protocol";
import type { Flow } from "../protocol/generated/Flow";
import type { BuildName, CommandBody, FromWorker, ToWorker } from "./wire";

/** The part of a Worker that the client uses, so that tests can stand in. */
export interface Port {
  postMessage(message: ToWorker): void;
  terminate(): void;
  // Method syntax: a Worker's own handlers take richer events than these.
  onmessage: { bivariant(message: { data: FromWorker }): void }["bivariant"] | null;
  onerror: { bivariant(error: { message?: string }): void }["bivariant"] | null;
}

export type Done = Extract<Event, { type: "done" }>;
export type Devices = Extract<Event, { type: "devices" }>;
export type FileChanges = Extract<Event, { type: "files" }>;

export type Status =
  | { phase: "idle" }
  | { phase: "loading"; done: number; total: number }
  | { phase: "ready"; device: string; suspends: boolean }
  | { phase: "failed"; message: string };

/** The worker that held the answer is gone, and the variables with it. */
export class EngineLost extends Error {
  override readonly name = "EngineLost";
  constructor(
    message: string,
    /** The cells it had run, in order: what to run again. */
    readonly cells: string[],
    /** Whether it was ended to stop a command, rather than lost by accident. */
    readonly stopped: boolean,
  ) {
    super(message);
  }
}

interface Pending {
  body: CommandBody;
  onEvent: (event: Event) => void;
  resolve: (done: Done) => void;
  reject: (error: Error) => void;
  /** Stop was asked for while it waited: it is stopped as soon as it runs. */
  stopped?: boolean;
}

/**
 * How long a command may take to end by itself after Stop. Python looks up every 50 ms and answers
 * well within 300; a machine that is busy with other things may take longer, and variables are worth
 * that wait. A worker that has not answered by then is inside one long kernel.
 */
export const STOP_GRACE_MILLIS = 1500;

export class EngineClient {
  status: Status = { phase: "idle" };
  /** The devices that can compute, and the one that does. */
  devices: Devices | null = null;
  /** How sessions lay graphs out; every worker goes on with it. */
  private flow: Flow | null = null;
  /** What a new worker is told before anything else; none is waited for while this is null. */
  bring: (() => Promise<CommandBody[]>) | null = null;
  /** Told of files that Python wrote and removed. */
  onFiles: (event: FileChanges) => void = () => {};
  /** How many workers are gone: what a notebook left in one of them is gone too. */
  lives = 0;
  private port: Port | null = null;
  private module: WebAssembly.Module | null = null;
  private device = "";
  private nextId = 1;
  private running: (Pending & { id: number }) | null = null;
  private readonly queue: Pending[] = [];
  private ran: string[] = [];
  private stopTimer: ReturnType<typeof setTimeout> | null = null;
  private unwatch = new AbortController();

  constructor(
    private readonly build: BuildName,
    private readonly spawn: (build: BuildName) => Port,
    private readonly onChange: () => void = () => {},
    /** Told of every worker that is lost, also when nothing was pending. */
    private readonly onLost: (lost: EngineLost) => void = () => {},
    /** The device that was asked for last: every worker goes on with it. */
    private chosen: string | null = null,
  ) {}

  /** The command that is running now. */
  get current(): CommandBody | null {
    return this.running?.body ?? null;
  }

  /** Nothing runs, and nothing waits to. */
  get isIdle(): boolean {
    return !this.running && this.queue.length === 0;
  }

  /** Takes a module that was compiled elsewhere: workers from now on need not fetch it. */
  keep(module: WebAssembly.Module): void {
    this.module = module;
  }

  /** A client for another worker of the same build, on the same device. */
  another(onChange?: () => void): EngineClient {
    const other = new EngineClient(this.build, this.spawn, onChange, undefined, this.chosen);
    if (this.module) other.keep(this.module);
    if (this.flow) other.layOut(this.flow);
    other.bring = this.bring;
    return other;
  }

  /** Has graphs laid out so, from the next command on. */
  layOut(flow: Flow): void {
    this.flow = flow;
    if (this.status.phase !== "ready") return;
    const waiting = this.queue.findIndex(({ body }) => body.type === "setFlow");
    if (waiting >= 0) this.queue.splice(waiting, 1);
    this.first(setFlow(flow));
    this.next();
  }

  /** Starts loading, if it has not begun. */
  load(): void {
    if (this.port) return;
    const port = this.spawn(this.build);
    this.port = port;
    port.onmessage = ({ data }) => {
      if (this.port === port) this.receive(data);
    };
    port.onerror = (error) => {
      if (this.port === port) this.fail(error.message || t("its worker could not be started"));
    };
    this.setStatus({ phase: "loading", done: 0, total: 0 });
    port.postMessage({
      kind: "load",
      build: this.build,
      module: this.module,
      lock: `glowgrad-${randomName()}`,
    });
  }

  /** Queues a command. Its events arrive in order before the promise settles. */
  run(body: CommandBody, onEvent: (event: Event) => void = () => {}): Promise<Done> {
    return new Promise((resolve, reject) => {
      this.queue.push({ body, onEvent, resolve, reject });
      this.load();
      this.next();
    });
  }

  /**
   * Stops the running command, and the cell that waits behind it: by KeyboardInterrupt where the browser lets one in, and by
   * replacing the worker where it does not, or when the command does not end in time.
   */
  stop(): void {
    for (const each of this.queue) each.stopped = each.body.type === "runCell" || each.body.type === "check";
    if (!this.running || this.stopTimer) return;
    if (this.status.phase !== "ready" || !this.status.suspends) {
      this.replace(t("Stopped"), true);
      return;
    }
    this.port?.postMessage({ kind: "stop" });
    this.stopTimer = setTimeout(() => {
      this.stopTimer = null;
      this.replace(t("Stopped: it did not end by itself"), true);
    }, STOP_GRACE_MILLIS);
  }

  /** Ends the worker for good, until the next command. */
  close(): void {
    this.drop("Closed", true);
    this.setStatus({ phase: "idle" });
  }

  private receive(message: FromWorker): void {
    switch (message.kind) {
      case "alive":
        this.watch(message.lock);
        return;
      case "loading":
        this.setStatus({ phase: "loading", done: message.done, total: message.total });
        return;
      case "compiled":
        this.module = message.module;
        return;
      case "ready":
        void this.begin(message.suspends);
        return;
      case "failed":
        if (message.loading) this.fail(message.message);
        else this.replace(this.ended(message.message), false);
        return;
      case "event":
        this.deliver(message.event);
    }
  }

  /** A worker is ready: it goes on as the last one was. */
  private async begin(suspends: boolean): Promise<void> {
    const { port } = this;
    const brought = this.bring === null ? [] : await this.bring().catch(() => []);
    // Another may have come meanwhile.
    if (this.port !== port) return;
    this.setStatus({ phase: "ready", device: this.device, suspends });
    if (this.flow !== null) this.first(setFlow(this.flow));
    if (this.chosen !== null) this.first({ type: "setDevice", device: this.chosen });
    for (const body of brought) this.first(body);
    this.next();
  }

  private deliver(event: Event): void {
    if (event.type === "files") {
      this.onFiles(event);
      return;
    }
    if (event.type === "ready") {
      this.device = event.device;
      return;
    }
    if (event.type === "devices") {
      this.devices = event;
      this.onChange();
      return;
    }
    const running = this.running;
    if (!running || event.id !== running.id) return;
    if (event.type !== "done") {
      running.onEvent(event);
      return;
    }
    this.clearStop();
    this.running = null;
    if (running.body.type === "reset") this.ran = [];
    if (running.body.type === "setDevice") this.chosen = event.ok ? running.body.device : null;
    if (running.body.type === "runCell" && !this.ran.includes(running.body.cell)) {
      this.ran.push(running.body.cell);
    }
    running.onEvent(event);
    running.resolve(event);
    this.onChange();
    this.next();
  }

  /** Puts a command before all that wait. */
  private first(body: CommandBody): void {
    this.queue.unshift({ body, onEvent: () => {}, resolve: () => {}, reject: () => {} });
  }

  private next(): void {
    if (this.running || this.status.phase !== "ready") return;
    const pending = this.queue.shift();
    if (!pending) return;
    const id = this.nextId++;
    this.running = { ...pending, id };
    this.port?.postMessage({ kind: "command", command: { ...pending.body, id } });
    this.onChange();
    if (pending.stopped) this.stop();
  }

  /** A ready worker is lost: another takes its place. */
  private replace(reason: string, stopped: boolean): void {
    this.drop(reason, stopped);
    this.load();
  }

  /** The worker could not be loaded. */
  private fail(message: string): void {
    if (this.status.phase === "ready") {
      this.replace(this.ended(message), false);
      return;
    }
    this.drop(t("{name} could not be loaded: {problem}", { name: this.label, problem: message }), false);
    this.setStatus({ phase: "failed", message });
  }

  private drop(reason: string, stopped: boolean): void {
    this.clearStop();
    this.unwatch.abort();
    this.unwatch = new AbortController();
    this.port?.terminate();
    this.port = null;
    this.devices = null;
    this.lives += 1;
    const cells = this.ran;
    this.ran = [];
    const error = new EngineLost(farewell(reason, cells), cells, stopped);
    const pending = [...(this.running ? [this.running] : []), ...this.queue.splice(0)];
    this.running = null;
    for (const { reject } of pending) reject(error);
    // One that never came to be ready held nothing.
    if (this.status.phase === "ready") this.onLost(error);
  }

  /** Learns of a worker that ended without a word: out of memory, or closed from outside. */
  private watch(lock: string): void {
    const { signal } = this.unwatch;
    navigator.locks
      ?.request(lock, { signal }, () => {
        if (!signal.aborted) this.fail(t("its worker is gone"));
      })
      .catch(() => {});
  }

  private get label(): string {
    return this.build === "python" ? "Python" : t("The engine");
  }

  private ended(problem: string): string {
    return t("{name} ended unexpectedly ({problem})", { name: this.label, problem });
  }

  private clearStop(): void {
    if (this.stopTimer) clearTimeout(this.stopTimer);
    this.stopTimer = null;
  }

  private setStatus(status: Status): void {
    this.status = status;
    this.onChange();
  }
}

function setFlow({ direction, row }: Flow): CommandBody {
  return { type: "setFlow", down: direction === "down", row };
}

function farewell(reason: string, cells: string[]): string {
  if (cells.length === 0) return `${reason}.`;
  return t("{reason}. Its variables are gone. Run these again: {cells}.", {
    reason,
    cells: cells.join(", "),
  });
}

function randomName(): string {
  return Math.random().toString(36).slice(2);
}

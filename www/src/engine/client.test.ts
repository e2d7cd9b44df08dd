// The client against a worker that the test plays: what settles, when, and with what words.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Event } from "../protocol";
import { type Done, EngineClient, EngineLost, type Port, STOP_GRACE_MILLIS } from "./client";
import type { FromWorker, ToWorker } from "./wire";

class FakePort implements Port {
  static made: FakePort[] = [];
  onmessage: Port["onmessage"] = null;
  onerror: Port["onerror"] = null;
  readonly got: ToWorker[] = [];
  terminated = false;
  constructor() {
    FakePort.made.push(this);
  }
  postMessage(message: ToWorker): void {
    this.got.push(message);
  }
  terminate(): void {
    this.terminated = true;
  }
  say(message: FromWorker): void {
    this.onmessage?.({ data: message });
  }
  event(event: Event): void {
    this.say({ kind: "event", event });
  }
  commands() {
    return this.got.flatMap((message) => (message.kind === "command" ? [message.command] : []));
  }
}

const memory = { liveBytes: 0, peakBytes: 0 };
const done = (id: number, ok = true): Done => ({ type: "done", id, ok, millis: 1, memory });
const cell = (name: string) => ({ type: "runCell", cell: name, source: "pass" }) as const;

function port(index = FakePort.made.length - 1): FakePort {
  const found = FakePort.made[index];
  if (!found) throw new Error(`no worker number ${index} was made`);
  return found;
}

function readyLab(suspends = true): EngineClient {
  const client = new EngineClient("python", () => new FakePort());
  client.load();
  port().event({ type: "ready", python: true, device: "cpu" });
  port().say({ kind: "ready", suspends });
  return client;
}

/** The error of a promise, watched from now on. */
function loss(promise: Promise<unknown>): Promise<EngineLost> {
  return promise.then(
    () => {
      throw new Error("resolved, though the worker was lost");
    },
    (error) => error as EngineLost,
  );
}

beforeEach(() => {
  FakePort.made = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("running", () => {
  it("delivers a command's events in order and resolves with Done", async () => {
    const client = readyLab();
    const events: string[] = [];
    const result = client.run(cell("cell 1"), (event) => events.push(event.type));
    port().event({ type: "stdout", id: 1, text: "one" });
    port().event({ type: "stdout", id: 99, text: "of no command" });
    port().event(done(1));
    expect(await result).toEqual(done(1));
    expect(events).toEqual(["stdout", "done"]);
  });

  it("resolves when the learner's code raised", async () => {
    const client = readyLab();
    const result = client.run(cell("cell 1"));
    port().event(done(1, false));
    expect((await result).ok).toBe(false);
  });

  it("sends one command at a time, and waits for the worker to be ready", async () => {
    const client = new EngineClient("python", () => new FakePort());
    const first = client.run(cell("cell 1"));
    const second = client.run(cell("cell 2"));
    expect(port().commands()).toEqual([]);
    port().say({ kind: "ready", suspends: true });
    expect(
      port()
        .commands()
        .map((command) => command.id),
    ).toEqual([1]);
    port().event(done(1));
    await first;
    expect(
      port()
        .commands()
        .map((command) => command.id),
    ).toEqual([1, 2]);
    port().event(done(2));
    await second;
    expect(FakePort.made).toHaveLength(1);
  });

  it("reports the bytes that have arrived", () => {
    const client = new EngineClient("python", () => new FakePort());
    client.load();
    port().say({ kind: "loading", done: 512, total: 2048 });
    expect(client.status).toEqual({ phase: "loading", done: 512, total: 2048 });
  });
});

describe("losing the worker", () => {
  it("rejects what runs and what waits, names the cells to run again, and starts another worker", async () => {
    const client = readyLab();
    const first = client.run(cell("cell 1"));
    port().event(done(1));
    await first;
    const running = loss(client.run(cell("cell 2")));
    const waiting = loss(client.run({ type: "inspect", node: 3 }));
    port().say({ kind: "failed", message: "unreachable", loading: false });
    const error = await running;
    expect(error).toBeInstanceOf(EngineLost);
    expect(error.cells).toEqual(["cell 1"]);
    expect(error.message).toContain("variables are gone");
    expect(error.message).toContain("cell 1");
    expect(error.message).toContain("unreachable");
    expect(await waiting).toBeInstanceOf(EngineLost);
    expect(port(0).terminated).toBe(true);
    expect(FakePort.made).toHaveLength(2);
  });

  it("runs on in the new worker, without downloading again", async () => {
    const client = readyLab();
    const module = {} as WebAssembly.Module;
    port().say({ kind: "compiled", module });
    port().onerror?.({ message: "crashed" });
    const result = client.run(cell("cell 1"));
    expect(port(1).got[0]).toMatchObject({ kind: "load", module });
    port(1).say({ kind: "ready", suspends: true });
    port(1).event(done(1));
    expect((await result).ok).toBe(true);
  });

  it("ignores what a replaced worker still says", async () => {
    const client = readyLab();
    const lost = loss(client.run(cell("cell 1")));
    port(0).onerror?.({});
    await lost;
    port(0).event(done(1));
    port(0).onerror?.({});
    expect(FakePort.made).toHaveLength(2);
  });

  it("tells of a loss also when nothing was pending", async () => {
    const lost: EngineLost[] = [];
    const client = new EngineClient(
      "python",
      () => new FakePort(),
      undefined,
      (error) => lost.push(error),
    );
    const first = client.run(cell("cell 1"));
    port().say({ kind: "ready", suspends: true });
    port().event(done(1));
    await first;
    port().onerror?.({ message: "crashed" });
    expect(lost.map((error) => error.cells)).toEqual([["cell 1"]]);
  });

  it("forgets the cells of a session that was reset", async () => {
    const client = readyLab();
    const first = client.run(cell("cell 1"));
    port().event(done(1));
    await first;
    const reset = client.run({ type: "reset" });
    port().event(done(2));
    await reset;
    const lost = loss(client.run(cell("cell 2")));
    port().onerror?.({});
    expect((await lost).cells).toEqual([]);
  });

  it("learns of a worker that ended without a word from the lock it held", async () => {
    let granted: (() => void) | undefined;
    vi.stubGlobal("navigator", {
      locks: {
        request: (_name: string, _options: unknown, callback: () => void) => {
          granted = callback;
          return Promise.resolve();
        },
      },
    });
    try {
      const client = readyLab();
      port().say({ kind: "alive", lock: "l" });
      const lost = loss(client.run(cell("cell 1")));
      granted?.();
      expect((await lost).message).toContain("its worker is gone");
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("loading that fails", () => {
  it("rejects, does not try in a loop, and tries again at the next command", async () => {
    const client = new EngineClient("python", () => new FakePort());
    const lost = loss(client.run(cell("cell 1")));
    port().say({ kind: "failed", message: "the server answered 404", loading: true });
    expect((await lost).message).toContain("the server answered 404");
    expect(client.status.phase).toBe("failed");
    expect(FakePort.made).toHaveLength(1);
    const again = client.run(cell("cell 1"));
    expect(FakePort.made).toHaveLength(2);
    port().say({ kind: "ready", suspends: true });
    port().event(done(1));
    await again;
  });
});

describe("stop", () => {
  it("keeps the worker when the command ends in time", async () => {
    const client = readyLab();
    const result = client.run(cell("cell 1"));
    client.stop();
    expect(port().got.at(-1)).toEqual({ kind: "stop" });
    vi.advanceTimersByTime(STOP_GRACE_MILLIS - 1);
    port().event(done(1, false));
    await result;
    vi.advanceTimersByTime(STOP_GRACE_MILLIS * 2);
    expect(FakePort.made).toHaveLength(1);
    expect(port().terminated).toBe(false);
  });

  it("replaces the worker when the command does not end in time", async () => {
    const client = readyLab();
    const lost = loss(client.run(cell("cell 1")));
    client.stop();
    vi.advanceTimersByTime(STOP_GRACE_MILLIS);
    const error = await lost;
    expect(error.stopped).toBe(true);
    expect(port(0).terminated).toBe(true);
    expect(FakePort.made).toHaveLength(2);
  });

  it("replaces the worker at once where wasm cannot be suspended", async () => {
    const client = readyLab(false);
    const lost = loss(client.run(cell("cell 1")));
    client.stop();
    expect((await lost).stopped).toBe(true);
    expect(port(0).got.some((message) => message.kind === "stop")).toBe(false);
  });

  it("stops a cell that waits behind another command as soon as that has ended", async () => {
    const client = readyLab();
    const first = client.run({ type: "variables" });
    const waiting = client.run(cell("cell 1"));
    client.stop();
    port().event(done(1));
    await first;
    expect(port().got.slice(-2)).toMatchObject([
      { kind: "command", command: { type: "runCell", id: 2 } },
      { kind: "stop" },
    ]);
    port().event(done(2, false));
    await waiting;
    expect(FakePort.made).toHaveLength(1);
  });

  it("does nothing when nothing runs", () => {
    const client = readyLab();
    client.stop();
    expect(port().got.filter((message) => message.kind === "stop")).toEqual([]);
    expect(FakePort.made).toHaveLength(1);
  });
});

describe("devices", () => {
  const devices = [
    { name: "cpu", label: "cpu (avx2)", note: null },
    { name: "wgpu", label: "wgpu (a GPU)", note: null },
  ];

  it("are what the session said last, and gone with the worker", () => {
    const client = readyLab();
    port().event({ type: "devices", devices, current: "cpu" });
    port().event({ type: "devices", devices, current: "wgpu" });
    expect(client.devices?.current).toBe("wgpu");
    port().onerror?.({});
    expect(client.devices).toBeNull();
  });

  it("are chosen again in a replacement, before anything else, unless the choice failed", async () => {
    const client = readyLab();
    const chosen = client.run({ type: "setDevice", device: "wgpu" });
    port().event(done(1));
    await chosen;
    port().onerror?.({});
    const run = client.run(cell("cell 1"));
    port().say({ kind: "ready", suspends: true });
    expect(port().commands()).toMatchObject([{ type: "setDevice", device: "wgpu" }]);
    port().event(done(2, false));
    port().event(done(3));
    await run;
    port().onerror?.({});
    port().say({ kind: "ready", suspends: true });
    expect(port().commands()).toEqual([]);
  });
});

describe("the flow of graphs", () => {
  const flows = () =>
    port()
      .commands()
      .filter(({ type }) => type === "setFlow");

  it("comes before all that waits, the last one alone, and a replacement begins with it", async () => {
    const client = readyLab();
    const first = client.run(cell("cell 1"));
    const second = client.run(cell("cell 2"));
    client.layOut({ direction: "across", row: 640 });
    client.layOut({ direction: "across", row: 680 });
    port().event(done(1));
    await first;
    expect(flows()).toMatchObject([{ down: false, row: 680 }]);
    port().event(done(2));
    port().event(done(3));
    await second;
    port().onerror?.({});
    port().say({ kind: "ready", suspends: true });
    expect(port().commands()).toMatchObject([{ type: "setFlow", row: 680 }]);
  });
});

describe("close", () => {
  it("ends the worker, rejects what is pending, and starts another at the next command", async () => {
    const client = readyLab();
    const lost = loss(client.run(cell("cell 1")));
    client.close();
    expect(await lost).toBeInstanceOf(EngineLost);
    expect(port(0).terminated).toBe(true);
    expect(client.status.phase).toBe("idle");
    expect(FakePort.made).toHaveLength(1);
    const again = client.run(cell("cell 1"));
    port(1).say({ kind: "ready", suspends: true });
    port(1).event(done(2));
    expect((await again).ok).toBe(true);
  });
});

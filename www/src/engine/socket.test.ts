// @vitest-environment happy-dom
// A session of this computer as a worker, against a socket that the test plays.
import { expect, it, vi } from "vitest";
import { EngineClient, EngineLost } from "./client";
import { openSession, type Socket, SocketPort } from "./socket";

class FakeSocket implements Socket {
  static made: FakeSocket[] = [];
  binaryType = "";
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  readonly sent: unknown[] = [];
  closed = false;
  constructor() {
    FakeSocket.made.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.closed = true;
  }
  /** An event, as CBOR: a map of texts and small numbers. */
  say(event: Record<string, string | number | boolean | number[]>): void {
    const text = (value: string) => [0x60 + value.length, ...new TextEncoder().encode(value)];
    const item = (value: string | number | boolean | number[]): number[] => {
      if (typeof value === "string") return text(value);
      if (typeof value === "boolean") return [value ? 0xf5 : 0xf4];
      if (typeof value === "number") return [value];
      return [0x80 + value.length, ...value];
    };
    const entries = Object.entries(event);
    const bytes = entries.flatMap(([key, value]) => [...text(key), ...item(value)]);
    this.onmessage?.({ data: Uint8Array.from([0xa0 + entries.length, ...bytes]).buffer });
  }
}

const cell = { type: "runCell", cell: "cell 1", source: "pass" } as const;

function open(): { client: EngineClient; socket: FakeSocket; lost: EngineLost[] } {
  FakeSocket.made = [];
  const lost: EngineLost[] = [];
  const client = new EngineClient(
    "python",
    () => new SocketPort(new FakeSocket()),
    undefined,
    (error) => lost.push(error),
  );
  client.load();
  return { client, socket: FakeSocket.made[0] as FakeSocket, lost };
}

it("asks the server that served the page", () => {
  const asked: string[] = [];
  vi.stubGlobal(
    "WebSocket",
    class extends FakeSocket {
      constructor(address: URL) {
        super();
        asked.push(address.href);
      }
    },
  );
  openSession("00ff");
  vi.unstubAllGlobals();
  expect(asked).toEqual([`${location.origin.replace("http", "ws")}/session?token=00ff`]);
});

it("is ready with the session's first word, and can be stopped", async () => {
  const { client, socket } = open();
  const done = client.run(cell);
  expect(socket.sent).toEqual([]);
  socket.say({ type: "ready", python: true, device: "cpu (avx2)" });
  expect(client.status).toEqual({ phase: "ready", device: "cpu (avx2)", suspends: true });
  socket.say({ type: "devices", devices: [], current: "cpu" });
  expect(client.devices?.current).toBe("cpu");
  client.stop();
  expect(socket.sent).toEqual([{ ...cell, id: 1 }, { type: "stop" }]);
  socket.say({ type: "done", id: 1, ok: false, millis: 3 });
  expect((await done).ok).toBe(false);
});

it("rejects what is pending when it dies, and does not try again by itself more than once", async () => {
  const { client, socket, lost } = open();
  socket.say({ type: "ready", python: true, device: "cpu" });
  const first = client.run(cell);
  socket.say({ type: "done", id: 1, ok: true, millis: 3 });
  await first;
  const pending = client.run(cell).catch((error) => error);
  socket.onclose?.({ reason: "" });
  expect(await pending).toBeInstanceOf(EngineLost);
  expect(FakeSocket.made).toHaveLength(2);
  FakeSocket.made[1]?.onclose?.({ reason: "16 sessions are open here" });
  expect(FakeSocket.made).toHaveLength(2);
  expect(client.status).toEqual({ phase: "failed", message: "16 sessions are open here" });
  // What ran in the lost one is still known: the second one held nothing.
  expect(lost.map(({ cells }) => cells)).toEqual([["cell 1"]]);
});

it("says how the session's process ended, and begins another", async () => {
  const { client, socket, lost } = open();
  socket.say({ type: "ready", python: true, device: "cpu" });
  const first = client.run(cell);
  socket.say({ type: "done", id: 1, ok: true, millis: 3 });
  await first;
  socket.onclose?.({ reason: "its process was ended by SIGABRT" });
  expect(lost[0]?.message).toBe(
    "Python ended unexpectedly (its process was ended by SIGABRT). Its variables are gone. Run these again: cell 1.",
  );
  expect(FakeSocket.made).toHaveLength(2);
  expect(client.status.phase).toBe("loading");
});

it("takes what is no event for the end of the session", () => {
  for (const data of ["{}", new ArrayBuffer(0), Uint8Array.from([0xff]).buffer]) {
    const { client, socket } = open();
    socket.onmessage?.({ data });
    expect(socket.closed).toBe(true);
    expect(client.status.phase).toBe("failed");
  }
});

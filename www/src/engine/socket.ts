// The page's side of `glow lab`: a session of this computer in place of a worker.
//
// Invariant: it says what a worker says, in the same order: `ready`, then the session's events, or one
// `failed`, after which nothing comes. Commands go as JSON text, events come as CBOR.
import type { Event } from "../protocol";
import { readCbor } from "./cbor";
import type { Port } from "./client";
import type { FromWorker, ToWorker } from "./wire";

/** The part of a WebSocket that the page uses, so that tests can stand in. */
export interface Socket {
  binaryType: string;
  send(text: string): void;
  close(): void;
  onmessage: { bivariant(message: { data: unknown }): void }["bivariant"] | null;
  onclose: { bivariant(event: { reason: string }): void }["bivariant"] | null;
}

/** Asks the server that served the page for a session. */
export function openSession(token: string): SocketPort {
  const address = new URL("session", document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  address.search = `token=${token}`;
  address.hash = "";
  return new SocketPort(new WebSocket(address));
}

/** The message when this computer gave no reason. */
export const SILENT = "this computer’s engine does not answer";

export class SocketPort implements Port {
  onmessage: Port["onmessage"] = null;
  onerror: Port["onerror"] = null;
  private ready = false;
  private socket: Socket | null;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => this.receive(data);
    socket.onclose = ({ reason }) => this.fail(reason || SILENT);
  }

  /** A session needs no loading: its first event says that it is there. */
  postMessage(message: ToWorker): void {
    if (message.kind === "command") this.socket?.send(JSON.stringify(message.command, asNumbers));
    if (message.kind === "stop") this.socket?.send(JSON.stringify({ type: "stop" }));
  }

  terminate(): void {
    const { socket } = this;
    this.socket = null;
    if (!socket) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private receive(data: unknown): void {
    let event: Event;
    try {
      if (!(data instanceof ArrayBuffer)) throw new Error("it sent text, where events come as bytes");
      event = readCbor(new Uint8Array(data)) as Event;
    } catch (error) {
      this.fail((error as Error).message);
      return;
    }
    this.say({ kind: "event", event });
    if (event.type !== "ready") return;
    this.ready = true;
    this.say({ kind: "ready", suspends: true });
  }

  private fail(message: string): void {
    this.terminate();
    this.say({ kind: "failed", message, loading: !this.ready });
  }

  private say(message: FromWorker): void {
    this.onmessage?.({ data: message });
  }
}

/** The bytes of a file, as JSON has them. */
function asNumbers(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? [...value] : value;
}

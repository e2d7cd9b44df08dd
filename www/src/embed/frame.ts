// The protocol between a page and a cell in its iframe, by `postMessage`: docs/embed.md says it in words.
//
// Invariant: a message of the page is read field by field; one that is not understood is answered with what was
// expected. Pure: `Conversation` decides from origins alone which messages are taken, and which are answered.
import { MOST_CODE } from "../link/state";
import type { RunResult } from "./api";

/** Raised when the form of messages changes. */
export const PROTOCOL = 1;

export type Asked =
  | { type: "run"; id: string | number | null; code: string | null }
  | { type: "code"; code: string }
  | { type: "theme"; theme: "dark" | "light" }
  | { type: "stop" };

export type Said =
  | { type: "ready"; protocol: number }
  | { type: "height"; height: number }
  | { type: "running" }
  | {
      type: "result";
      id: string | number | null;
      result: Pick<RunResult, "ok" | "text" | "error" | "series" | "millis">;
    }
  | { type: "refused"; problem: string };

/** A message of the page; null where it is not meant for a cell, a problem where it is not understood. */
export function readAsked(data: unknown): Asked | { problem: string } | null {
  if (typeof data !== "object" || data === null) return null;
  const message = data as Record<string, unknown>;
  if (message.target !== "glowgrad") return null;
  const { type, id = null, code = null, theme } = message;
  if (type === "stop") return { type };
  if (type === "theme") {
    if (theme === "dark" || theme === "light") return { type, theme };
    return { problem: `theme: expected "dark" or "light", and ${shown(theme)} came` };
  }
  if (type !== "run" && type !== "code") {
    return { problem: `type: expected "run", "code", "theme" or "stop", and ${shown(type)} came` };
  }
  if (code !== null && typeof code !== "string")
    return { problem: `code: expected a text, and ${shown(code)} came` };
  if (code !== null && code.length > MOST_CODE) {
    return { problem: `code: ${code.length} characters came, and at most ${MOST_CODE} are read` };
  }
  if (type === "code")
    return code === null ? { problem: "code: expected a text, and none came" } : { type, code };
  const isId = id === null || Number.isFinite(id) || (typeof id === "string" && id.length <= 200);
  if (!isId) return { problem: `id: expected a number or a short text, and ${shown(id)} came` };
  return { type, id: id as string | number | null, code };
}

/** A value in a message about it. */
function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : typeof value;
}

/** What the address of the frame says beside its cell: `?theme=light&graph=none&origin=https://a.example`. */
export interface FrameOptions {
  theme: "dark" | "light" | null;
  drawn: boolean;
  /** The one origin that is heard and answered; null where none was named. */
  origin: string | null;
}

export function frameOptions(hash: string): FrameOptions {
  const given = new URLSearchParams(hash.split("?")[1] ?? "");
  const theme = given.get("theme");
  return {
    theme: theme === "dark" || theme === "light" ? theme : null,
    drawn: given.get("graph") !== "none",
    origin: originOf(given.get("origin")),
  };
}

function originOf(text: string | null): string | null {
  if (text === null) return null;
  try {
    const { origin } = new URL(text);
    // A file and a sandboxed frame have the origin "null", to which no message can be addressed.
    return origin === "null" ? "https://invalid.invalid" : origin;
  } catch {
    return "https://invalid.invalid";
  }
}

/** Which origins the frame listens to, and which of them it answers. */
export class Conversation {
  /** The origin that asked last, where the address names none. */
  private heard: string | null = null;

  constructor(
    private readonly named: string | null,
    private readonly post: (message: unknown, origin: string) => void,
  ) {}

  /** Whether a message of this origin is read. */
  hears(origin: string): boolean {
    if (this.named !== null) return origin === this.named;
    // A page without an origin, such as a file, has no address to which answers could go.
    return origin !== "null" && origin !== "";
  }

  /** Notes that a page with this origin has asked something. */
  asked(origin: string): void {
    this.heard = origin;
  }

  /** Results go to the origin that is named, or that asked; that the frame is there, and its height, to any. */
  say(said: Said): void {
    const isOpen = said.type === "ready" || said.type === "height";
    const to = this.named ?? (isOpen ? "*" : this.heard);
    if (to !== null) this.post({ source: "glowgrad", ...said }, to);
  }
}

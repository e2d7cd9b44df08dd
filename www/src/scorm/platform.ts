// The learning platform that shows this page, by SCORM 1.2's run-time object `API` (ADL SCORM 1.2, The SCORM Run-Time
// Environment, section 3).
//
// Invariant: nothing that a platform does or lacks stops the lesson: a call that throws or answers "false" is noted in
// `failing` and the lesson goes on.

/** What a platform offers. Every argument and answer is a text. */
export interface Api {
  LMSInitialize(nothing: ""): string;
  LMSFinish(nothing: ""): string;
  LMSGetValue(name: string): string;
  LMSSetValue(name: string, value: string): string;
  LMSCommit(nothing: ""): string;
  LMSGetLastError(): string;
}

/** How many frames up a platform may stand. */
const MOST_FRAMES = 20;

/** The object of the frames around `from`, or of those around the window that opened it. */
export function findApi(from: Window): Api | null {
  return above(from) ?? opened(from);
}

function above(from: Window): Api | null {
  let frame = from;
  for (let count = 0; count < MOST_FRAMES; count++) {
    const found = apiOf(frame);
    if (found) return found;
    if (frame.parent === frame) return null;
    frame = frame.parent;
  }
  return null;
}

function opened(from: Window): Api | null {
  try {
    const opener = from.top?.opener as Window | null;
    return opener ? above(opener) : null;
  } catch {
    return null;
  }
}

/** A frame of another origin has none that this page may ask. */
function apiOf(frame: Window): Api | null {
  try {
    const { API } = frame as Window & { API?: Api };
    return typeof API?.LMSInitialize === "function" ? API : null;
  } catch {
    return null;
  }
}

export class Platform {
  /** What went wrong last; empty while all goes well. */
  failing = "";
  private open = false;

  constructor(private readonly api: Api) {}

  get isOpen(): boolean {
    return this.open;
  }

  begin(): boolean {
    this.open = this.call("LMSInitialize", () => this.api.LMSInitialize("")) === "true";
    return this.open;
  }

  read(name: string): string {
    return this.open ? this.call(name, () => this.api.LMSGetValue(name), false) : "";
  }

  write(name: string, value: string): void {
    if (this.open) this.call(name, () => this.api.LMSSetValue(name, value));
  }

  commit(): void {
    if (this.open) this.call("LMSCommit", () => this.api.LMSCommit(""));
  }

  finish(): void {
    if (this.open) this.call("LMSFinish", () => this.api.LMSFinish(""));
    this.open = false;
  }

  private call(what: string, ask: () => unknown, isAction = true): string {
    try {
      // Some platforms answer with a boolean.
      const answer = String(ask() ?? "");
      if (isAction && answer !== "true") this.failing = `${what}: error ${this.api.LMSGetLastError()}`;
      return answer;
    } catch (error) {
      this.failing = `${what}: ${error instanceof Error ? error.message : String(error)}`;
      return "";
    }
  }
}

// Which language model is asked: in memory, and on this computer only where that was ticked.
//
// Invariant: what is kept is one entry of this browser's storage, which no link, file or session reads; unticking it, or
// forgetting, removes it at once.
import { KINDS, type Kind, type Service } from "./service";

export const STORED = "glowgrad.studio.model";

class Settings implements Service {
  kind = $state<Kind>("ollama");
  address = $state(KINDS.ollama.address);
  model = $state("");
  key = $state("");
  keeps = $state(false);

  constructor() {
    const kept = stored();
    if (kept) Object.assign(this, kept, { keeps: true });
  }

  /** Another kind of service has another address; the key was for the one before. */
  choose(kind: Kind): void {
    Object.assign(this, { kind, address: KINDS[kind].address, model: "", key: "" });
  }

  get service(): Service {
    const { kind, address, model, key } = this;
    return { kind, address, model, key };
  }

  /** Writes what is to be kept, or removes it; whether the browser took it. */
  save(): boolean {
    try {
      if (this.keeps) localStorage.setItem(STORED, JSON.stringify(this.service));
      else localStorage.removeItem(STORED);
      return true;
    } catch {
      return false;
    }
  }

  forget(): void {
    this.keeps = false;
    this.choose("ollama");
    this.save();
  }
}

function stored(): Service | null {
  try {
    const { kind, address, model, key } = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    const isWhole =
      Object.hasOwn(KINDS, kind) && [address, model, key].every((text) => typeof text === "string");
    return isWhole ? { kind, address, model, key } : null;
  } catch {
    return null;
  }
}

export const settings = new Settings();

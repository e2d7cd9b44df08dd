// The device that the learner chose last, for the next visit.
//
// Invariant: a browser that refuses to keep it computes on its own choice; nothing else depends on it.
const KEY = "glowgrad.device";

export function rememberedDevice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function rememberDevice(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Chosen for this page alone.
  }
}

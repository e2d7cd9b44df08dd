// What the learner chose about the stage, for the next visit.
//
// Invariant: a browser that refuses to keep it goes by the stage's width, and shows the hint again.
import type { Direction } from "../protocol/generated/Direction";

const DIRECTION = "glowgrad.direction";
const WHEEL = "glowgrad.wheel";

export function chosenDirection(): Direction | null {
  const kept = read(DIRECTION);
  return kept === "across" || kept === "down" ? kept : null;
}

export function chooseDirection(direction: Direction): void {
  write(DIRECTION, direction);
}

/** Whether the wheel is turned over a graph for the first time; asked once for each turn. */
export function isFirstWheel(): boolean {
  if (read(WHEEL) !== null) return false;
  write(WHEEL, "known");
  return true;
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // For this page alone.
  }
}

// Where the learner was in a lesson: what stood on the screen, and what the stage showed.
//
// Invariant: written at once, so that it is there also when the page is closed that moment; a browser that refuses
// keeps no place, and what is found there is checked before it is used.

export interface Place {
  /** The block in reading height, and how far from the window's top it began, in pixels. */
  block: string | null;
  top: number;
  instrument: string;
  /** The cell whose graph was on stage, the position that it rested at, and the modules that were folded. */
  cell: string | null;
  position: number | null;
  folds: string[];
}

const key = (lesson: string) => `glowgrad.place:${lesson}`;

export function placeOf(lesson: string): Place | null {
  try {
    return read(JSON.parse(localStorage.getItem(key(lesson)) ?? "null"));
  } catch {
    return null;
  }
}

export function setPlace(lesson: string, place: Place): void {
  try {
    localStorage.setItem(key(lesson), JSON.stringify(place));
  } catch {
    // Not kept; the lesson then opens at its top.
  }
}

function read(value: unknown): Place | null {
  if (typeof value !== "object" || value === null) return null;
  const { block, top, instrument, cell, position, folds } = value as Record<string, unknown>;
  const name = (each: unknown) => (typeof each === "string" ? each : null);
  const number = (each: unknown) => (typeof each === "number" && Number.isFinite(each) ? each : null);
  return {
    block: name(block),
    top: number(top) ?? 0,
    instrument: name(instrument) ?? "graph",
    cell: name(cell),
    position: number(position),
    folds: Array.isArray(folds) ? folds.filter((each) => typeof each === "string") : [],
  };
}

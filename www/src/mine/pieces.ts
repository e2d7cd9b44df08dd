// The pieces of `mine`, the library that a learner builds: answers to exercises that passed, as files beside those that
// cells read and write, where Python imports them.
//
// Invariant: a piece is the text whose checks passed. What the learner writes after that changes it once it passes too.
import { shelf } from "../files/ours";
import type { Piece } from "../protocol";
import { type Saved, store } from "../store/store";

/** Written by `cargo lab` beside the lessons; none where the course was not generated. */
const files = import.meta.glob<Piece[]>("../course/generated/pieces.json", { import: "default" });
const translated = import.meta.glob<Piece[]>("../course/translations/*/pieces.json", { import: "default" });

export async function allPieces(): Promise<Piece[]> {
  const [load] = Object.values(files);
  return load ? await load() : [];
}

/** The same with titles in another language, as far as their lessons are in it. */
export async function piecesIn(code: string): Promise<Piece[]> {
  const load = translated[`../course/translations/${code}/pieces.json`];
  return load ? await load() : await allPieces();
}

export const fileOf = (name: string) => `mine/${name}.py`;

/** The learner's own piece; null where there is none. */
export async function ownPiece(name: string): Promise<string | null> {
  const bytes = await shelf.read(fileOf(name));
  return bytes && new TextDecoder().decode(bytes);
}

export async function keepPiece(name: string, source: string): Promise<void> {
  await shelf.put(fileOf(name), new TextEncoder().encode(source));
}

/** The texts of exercises that passed and whose pieces are not there: those of a progress file, by their names. */
export function missingPieces(
  pieces: Piece[],
  { texts, progress }: Saved,
  has: (path: string) => boolean,
): Map<string, string> {
  const missing = new Map<string, string>();
  for (const { name, lesson, exercise } of pieces) {
    if (has(fileOf(name)) || !progress[lesson]?.exercises.includes(exercise)) continue;
    const text = texts.find((each) => each.lesson === lesson && each.block === exercise);
    if (text) missing.set(name, text.source);
  }
  return missing;
}

/** Makes the pieces of exercises that passed before, or on another computer. */
export async function bringPieces(): Promise<void> {
  const [pieces, saved, kept] = await Promise.all([allPieces(), store.all(), shelf.kept()]);
  for (const [name, source] of missingPieces(pieces, saved, (path) => kept.has(path))) {
    await keepPiece(name, source);
  }
}

// A state of the page as a part of its address: code, where it is from, seed, position, folds, instrument.
//
// Invariant: `decode` never throws and never makes more than `MOST_BYTES`, whatever it is given; it gives
// back what `encode` was given, or one sentence about what is wrong. Nothing in a state is ever run by
// reading it. Leaves showing it to routes/Shared.svelte.

import { type Instrument, isInstrument } from "../instruments/registry";
import { t } from "../language/language.svelte";
import { packed, unpacked } from "./packed";

/** The state that a link carries. */
export interface SharedState {
  /** The cell's text. */
  code: string;
  /** The lesson and the cell it was written in; null for the free cell. */
  from: { lesson: string; cell: string } | null;
  /** Where random numbers start. */
  seed: number;
  /** The place in the trace that was looked at; null: it plays. */
  position: number | null;
  /** Module scopes that were folded. */
  folds: string[];
  instrument: Instrument;
}

export type Decoded = { state: SharedState } | { problem: string };

/** Raised when the form changes; older ones stay readable. */
export const VERSION = "1";
/** Characters of code in one link. */
export const MOST_CODE = 40_000;
/** Characters of the whole state in an address: what browsers and most messages carry. */
export const LONGEST = 24_000;
/** Bytes that unpacking may make. */
const MOST_BYTES = 200_000;
const MOST_FOLDS = 200;

const damaged = () =>
  t("This link is damaged: a part of it was cut off or changed on its way. Ask for it again.");

/** The state as text for an address; a sentence where it does not fit. */
export function encode(state: SharedState): { text: string } | { problem: string } {
  if (state.code.length > MOST_CODE)
    return tooLong(t("{n} characters of {m}", { n: state.code.length, m: MOST_CODE }));
  const { code, from, seed, position, folds, instrument } = state;
  const text = packed(
    JSON.stringify([
      code,
      from && [from.lesson, from.cell],
      seed,
      position,
      folds.slice(0, MOST_FOLDS),
      instrument,
    ]),
  );
  return text.length > LONGEST
    ? tooLong(t("{n} characters of {m}, packed", { n: text.length, m: LONGEST }))
    : { text };
}

function tooLong(much: string): { problem: string } {
  return {
    problem: t("This cell is too long for a link: {much}. Copy its text instead, or share a part of it.", {
      much,
    }),
  };
}

/** Reads a link of some version. */
export function decode(version: string, text: string): Decoded {
  if (version !== VERSION) {
    return /^\d{1,6}$/.test(version)
      ? {
          problem: t(
            "This link has version {version}, and this page reads version {own}. Reload the page, or ask for the link again.",
            { version, own: VERSION },
          ),
        }
      : { problem: damaged() };
  }
  if (text.length > LONGEST) {
    return {
      problem: t("This link is too long: {n} characters, and at most {m} are read.", {
        n: text.length,
        m: LONGEST,
      }),
    };
  }
  try {
    const plain = unpacked(text, MOST_BYTES);
    const state = plain !== null && check(JSON.parse(plain));
    return state ? { state } : { problem: damaged() };
  } catch {
    return { problem: damaged() };
  }
}

/** The state, where every part of it has its type and size. */
function check(value: unknown): SharedState | null {
  if (!Array.isArray(value) || value.length !== 6) return null;
  const [code, from, seed, position, folds, instrument] = value as unknown[];
  if (typeof code !== "string" || code.length > MOST_CODE) return null;
  if (from !== null && !(isTexts(from, 2) && from.length === 2)) return null;
  if (!Number.isSafeInteger(seed)) return null;
  if (position !== null && !(Number.isFinite(position) && (position as number) >= 0)) return null;
  if (!isTexts(folds, MOST_FOLDS) || !isInstrument(instrument)) return null;
  return {
    code,
    from: from === null ? null : { lesson: from[0] ?? "", cell: from[1] ?? "" },
    // JSON has a zero below zero, which no page writes.
    seed: (seed as number) + 0,
    position: position === null ? null : (position as number) + 0,
    folds,
    instrument,
  };
}

function isTexts(value: unknown, most: number): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= most &&
    value.every((each) => typeof each === "string" && each.length <= 200)
  );
}

// A state of the page as a part of its address: code, where it is from, seed, position, folds, instrument.
//
// Invariant: `decode` never throws and never makes more than `MOST_BYTES`, whatever it is given; it gives
// back what `encode` was given, or one sentence about what is wrong. Nothing in a state is ever run by
// reading it. Leaves showing it to routes/Shared.svelte.
import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";
import { type Instrument, isInstrument } from "../instruments/registry";

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
/** Packed bytes that are unpacked at a time: at most a thousandfold of them is made at once. */
const PIECE = 256;
const MOST_FOLDS = 200;

const DAMAGED = "This link is damaged: a part of it was cut off or changed on its way. Ask for it again.";

/** The state as text for an address; a sentence where it does not fit. */
export function encode(state: SharedState): { text: string } | { problem: string } {
  if (state.code.length > MOST_CODE) return tooLong(`${state.code.length} characters of ${MOST_CODE}`);
  const { code, from, seed, position, folds, instrument } = state;
  const plain = strToU8(
    JSON.stringify([
      code,
      from && [from.lesson, from.cell],
      seed,
      position,
      folds.slice(0, MOST_FOLDS),
      instrument,
    ]),
  );
  const packed = deflateSync(plain, { level: 9 });
  const text = toText(packed, sum(packed));
  return text.length > LONGEST ? tooLong(`${text.length} characters of ${LONGEST}, packed`) : { text };
}

function tooLong(much: string): { problem: string } {
  return {
    problem: `This cell is too long for a link: ${much}. Copy its text instead, or share a part of it.`,
  };
}

/** Reads a link of some version. */
export function decode(version: string, text: string): Decoded {
  if (version !== VERSION) {
    return /^\d{1,6}$/.test(version)
      ? {
          problem: `This link has version ${version}, and this page reads version ${VERSION}. Reload the page, or ask for the link again.`,
        }
      : { problem: DAMAGED };
  }
  if (text.length > LONGEST) {
    return { problem: `This link is too long: ${text.length} characters, and at most ${LONGEST} are read.` };
  }
  try {
    const packed = fromText(text);
    const plain = packed && inflate(packed);
    const state = plain && check(JSON.parse(strFromU8(plain)));
    return state ? { state } : { problem: DAMAGED };
  } catch {
    return { problem: DAMAGED };
  }
}

/** Null when there is more in it than a state may have. */
function inflate(packed: Uint8Array): Uint8Array | null {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Inflate((piece) => {
    length += piece.length;
    if (length <= MOST_BYTES) pieces.push(piece);
  });
  for (let at = 0; at < packed.length && length <= MOST_BYTES; at += PIECE) {
    stream.push(packed.subarray(at, at + PIECE), at + PIECE >= packed.length);
  }
  if (length > MOST_BYTES) return null;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
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

/** FNV-1a: enough to notice a letter that changed. */
function sum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Four bytes of the sum, then the bytes, as base64 that needs no escaping in an address. */
function toText(packed: Uint8Array, check: number): string {
  let binary = String.fromCharCode(check >>> 24, (check >>> 16) & 255, (check >>> 8) & 255, check & 255);
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromText(text: string): Uint8Array | null {
  if (!/^[\w-]{6,}$/.test(text)) return null;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const packed = bytes.subarray(4);
  const given = new DataView(bytes.buffer).getUint32(0);
  return given === sum(packed) ? packed : null;
}

// A text as a part of an address, and back.
//
// Invariant: `unpacked` never throws and never makes more than it may, whatever it is given; it gives back what `packed`
// was given, or null. A letter that changed on its way is noticed.
import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";

/** Packed bytes that are unpacked at a time: at most a thousandfold of them is made at once. */
const PIECE = 256;

export function packed(text: string): string {
  const bytes = deflateSync(strToU8(text), { level: 9 });
  return toText(bytes, sum(bytes));
}

/** Null for a damaged text, and for one that would make more than `most` bytes. */
export function unpacked(text: string, most: number): string | null {
  try {
    const bytes = fromText(text);
    const plain = bytes && inflate(bytes, most);
    return plain && strFromU8(plain);
  } catch {
    return null;
  }
}

/** Null when there is more in it than there may be. */
function inflate(packed: Uint8Array, most: number): Uint8Array | null {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Inflate((piece) => {
    length += piece.length;
    if (length <= most) pieces.push(piece);
  });
  for (let at = 0; at < packed.length && length <= most; at += PIECE) {
    stream.push(packed.subarray(at, at + PIECE), at + PIECE >= packed.length);
  }
  if (length > most) return null;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** FNV-1a: enough to notice a letter that changed. */
export function sum(bytes: Uint8Array): number {
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

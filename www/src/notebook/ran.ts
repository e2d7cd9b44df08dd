// What is remembered of a cell's run, so that it can be told later what has changed since.
//
// Invariant: pure, and small enough to be kept: texts are remembered by an id, not whole.

export interface Ran {
  /** Counted from 1 in its session. */
  order: number;
  /** The text that ran. */
  text: string;
  /** The texts with which the cells above had run by then, by name. */
  above: Record<string, string>;
}

/** A short name of a text; two texts that differ have the same one by a chance of 1 in 2⁵² (cyrb53, bryc 2018). */
export function textId(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

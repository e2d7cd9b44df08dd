// How many bytes a browser keeps of what cells printed and drew: the one place of these numbers.
//
// Invariant: pure. Sizes are estimates from above of what a structured clone takes. What was kept longest ago goes
// first, pictures before outputs, because a picture is drawn again by one run.

/** Of one cell's printed text, plots and figures. */
export const OUTPUT_BYTES = 1024 * 1024;
/** Of one graph. */
export const PICTURE_BYTES = 4 * 1024 * 1024;
/** Of all lessons together. */
export const ALL_BYTES = 48 * 1024 * 1024;

export type Kind = "output" | "picture";

/** What is known of a kept value without reading it. */
export interface Size {
  kind: Kind;
  lesson: string;
  block: string;
  bytes: number;
  when: number;
}

/** Bytes of a plain value; counts no further than just beyond `most`. */
export function sizeOf(value: unknown, most = Number.POSITIVE_INFINITY): number {
  let bytes = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && bytes <= most) {
    const next = rest.pop();
    if (typeof next === "string") bytes += 8 + 2 * next.length;
    else if (Array.isArray(next)) {
      bytes += 16;
      for (const each of next) rest.push(each);
    } else if (typeof next === "object" && next !== null) {
      bytes += 16;
      for (const [key, each] of Object.entries(next)) {
        bytes += 8 + key.length;
        rest.push(each);
      }
    } else bytes += 9;
  }
  return bytes;
}

/** What has to go so that all that is kept takes at most `most`. */
export function overBudget(sizes: readonly Size[], most = ALL_BYTES): Size[] {
  let bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  const oldest = [...sizes].sort((a, b) => rank(a) - rank(b) || a.when - b.when);
  const going: Size[] = [];
  for (const size of oldest) {
    if (bytes <= most) break;
    bytes -= size.bytes;
    going.push(size);
  }
  return going;
}

const rank = ({ kind }: Size) => (kind === "picture" ? 0 : 1);

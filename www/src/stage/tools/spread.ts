// How numbers are spread: counts in bars of one width.
//
// Invariant: pure; every finite number is in one bar, and the others are counted.

export interface Spread {
  low: number;
  high: number;
  counts: number[];
  /** Numbers that are NaN or infinite. */
  left: number;
}

/** Fewer numbers are read faster than bars. */
export const LEAST_SPREAD = 24;

/** The spread of numbers; null where none is finite. */
export function spread(values: readonly number[]): Spread | null {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const value of finite) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const bars = Math.min(32, Math.max(8, Math.round(Math.sqrt(finite.length))));
  const counts = new Array<number>(bars).fill(0);
  for (const value of finite) {
    // All alike, they stand in the middle.
    const share = high > low ? (value - low) / (high - low) : 0.5;
    const bar = Math.min(bars - 1, Math.floor(share * bars));
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return { low, high, counts, left: values.length - finite.length };
}

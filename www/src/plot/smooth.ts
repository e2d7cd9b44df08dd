// Smoothing a line. Apart from series.ts, which first paint carries.
import type { Points } from "../notebook/series";

/**
 * An exponential moving average, divided by the weight it has gathered, so that its beginning is not
 * pulled to zero. `weight` (0 to 1) is what a step keeps of the past; a gap of several steps keeps as much less, so that a line of which every
 * fourth point is here looks like the whole. A number that is not finite stays as it is, and moves nothing.
 */
export function smooth({ xs, ys }: Points, weight: number): Points {
  if (!(weight > 0)) return { xs, ys };
  let average = 0;
  let total = 0;
  let before: number | null = null;
  const smoothed = ys.map((y, index) => {
    if (!Number.isFinite(y)) return y;
    const x = xs[index] ?? 0;
    const kept = weight ** (before === null ? 1 : Math.max(x - before, 0));
    before = x;
    average = kept * average + (1 - kept) * y;
    total = kept * total + (1 - kept);
    return average / total;
  });
  return { xs, ys: smoothed };
}

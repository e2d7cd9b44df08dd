// The points of a line the size of a word.
//
// Invariant: pure; every coordinate is finite and inside the box, whatever the numbers are.

export interface Sparkline {
  path: string;
  last: [number, number] | null;
  /** Where a number was not finite. */
  broken: number[];
}

const INSET = 3;
const MOST_BROKEN = 12;

export function sparkline(values: readonly (number | null)[], width: number, height: number): Sparkline {
  const finite = values.filter((value): value is number => value !== null && Number.isFinite(value));
  const logarithmic = finite.length > 1 && finite.every((value) => value > 0);
  const scaled = (value: number) => (logarithmic ? Math.log(value) : value);
  const [low, high] = finite.reduce(
    ([least, most], value) => [Math.min(least, scaled(value)), Math.max(most, scaled(value))],
    [Infinity, -Infinity],
  );
  const x = (at: number) =>
    values.length < 2 ? width / 2 : INSET + (at / (values.length - 1)) * (width - 2 * INSET);
  const y = (value: number) => {
    const share = high > low ? (scaled(value) - low) / (high - low) : 0.5;
    return height - INSET - (Number.isFinite(share) ? share : 0.5) * (height - 2 * INSET);
  };
  let path = "";
  let pen = false;
  let last: [number, number] | null = null;
  const broken: number[] = [];
  values.forEach((value, at) => {
    if (value === null || !Number.isFinite(value)) {
      pen = false;
      if (value !== null && broken.length < MOST_BROKEN) broken.push(x(at));
      return;
    }
    last = [x(at), y(value)];
    path += `${pen ? "L" : "M"}${last[0].toFixed(1)} ${last[1].toFixed(1)}`;
    pen = true;
  });
  return { path, last, broken };
}

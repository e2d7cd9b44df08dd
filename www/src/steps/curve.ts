// A run's numbers as a curve over its steps.
//
// Invariant: pure; every coordinate is finite and inside the box, whatever the numbers are. A curve of many steps
// shows of each column of the box the least and the most, so that no spike is lost.
export interface Curve {
  path: string;
  /** Where a number was NaN or infinite; of many that stand close, the first. */
  broken: number[];
  /** The height of a number on the curve. */
  y: (value: number | null | undefined) => number | null;
}

/** A step's number. */
export interface At {
  step: number;
  value: number | null;
}

const INSET = 2;
/** Signs of broken numbers stand no closer. */
const BROKEN_SPACE = 7;
/** Numbers above zero that lie so far apart are drawn by their logarithms. */
const WIDE = 50;

export function xOf(step: number, count: number, width: number): number {
  return count < 2 ? width / 2 : (Math.min(Math.max(step - 1, 0), count - 1) / (count - 1)) * width;
}

export function stepAt(x: number, count: number, width: number): number {
  const share = width > 0 ? Math.min(Math.max(x / width, 0), 1) : 0;
  return 1 + Math.round(share * Math.max(0, count - 1));
}

export function curve(points: readonly At[], count: number, width: number, height: number): Curve {
  const finite = points.flatMap(({ value }) => (value !== null && Number.isFinite(value) ? [value] : []));
  const extremes = (values: readonly number[]) =>
    values.reduce<[number, number]>(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [Infinity, -Infinity],
    );
  const [least, most] = extremes(finite);
  const logarithmic = least > 0 && most / least > WIDE;
  const scaled = (value: number) => (logarithmic ? Math.log(value) : value);
  const [low, high] = [scaled(least), scaled(most)];
  const height_ = Math.max(0, height - 2 * INSET);
  const y = (value: number | null | undefined) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return null;
    const share = high > low ? (scaled(value) - low) / (high - low) : 0.5;
    return height - INSET - (Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0.5) * height_;
  };
  const columns = new Map<number, { x: number; values: number[] }>();
  const broken: number[] = [];
  for (const { step, value } of points) {
    const x = xOf(step, count, width);
    const at = y(value);
    if (at === null) {
      if (value !== null && x - (broken.at(-1) ?? -Infinity) >= BROKEN_SPACE) broken.push(Math.round(x));
      continue;
    }
    const key = Math.round(x * 2);
    const column = columns.get(key) ?? { x, values: [] };
    column.values.push(at);
    columns.set(key, column);
  }
  const path = [...columns.values()]
    .flatMap(({ x, values }) => {
      const [top, bottom] = extremes(values);
      return (values.length > 1 ? [top, bottom] : [top]).map((at) => `${x.toFixed(1)} ${at.toFixed(1)}`);
    })
    .join("L");
  return { path: path && `M${path}`, broken, y };
}

// Points of a live plot, by series, in the form uPlot draws: one sorted x axis, and a column per
// series with gaps.
//
// Invariant: a series shows at most `LIMIT` points; beyond it every second one is dropped, the last
// always kept, so a long training stays drawable. The exact last value is kept apart, for words.

import { t } from "../language/language.svelte";

const LIMIT = 4096;

export interface Column {
  name: string;
  xs: number[];
  ys: number[];
  /** Every how many points one is kept. */
  stride: number;
  count: number;
  first: number;
  last: number;
  lastX: number;
}

export class Series {
  private readonly columns = new Map<string, Column>();

  get list(): Column[] {
    return [...this.columns.values()];
  }

  /** Points received, over all series. */
  get size(): number {
    return this.list.reduce((sum, column) => sum + column.count, 0);
  }

  /** Puts a whole line in, as it was kept. */
  put(column: Column): void {
    this.columns.set(column.name, column);
  }

  add(name: string, x: number, y: number): void {
    let column = this.columns.get(name);
    if (!column) {
      column = { name, xs: [], ys: [], stride: 1, count: 0, first: y, last: y, lastX: x };
      this.columns.set(name, column);
    }
    if (column.count % column.stride === 0) {
      column.xs.push(x);
      column.ys.push(y);
    }
    column.count += 1;
    column.last = y;
    column.lastX = x;
    if (column.xs.length > LIMIT) {
      column.xs = column.xs.filter((_, index) => index % 2 === 0);
      column.ys = column.ys.filter((_, index) => index % 2 === 0);
      column.stride *= 2;
    }
  }

  /** `[xs, ys of the first series, …]`; null where a series has no point. NaN and ±Inf are gaps. */
  aligned(): [number[], ...(number | null)[][]] {
    return align(this.list.map(points));
  }

  /** The plot in words. */
  describe(): string {
    const sentences = this.list.map(({ name, first, last, lastX }) =>
      t("{name} went from {first} to {last} at {x}", {
        name,
        first: short(first),
        last: short(last),
        x: short(lastX),
      }),
    );
    return sentences.length ? `${sentences.join("; ")}.` : t("No points yet.");
  }
}

/** A line's points, in order of x. */
export interface Points {
  xs: number[];
  ys: number[];
}

/** The points that are kept, and the last one. */
export function points({ xs, ys, lastX, last }: Column): Points {
  return xs.at(-1) === lastX ? { xs, ys } : { xs: [...xs, lastX], ys: [...ys, last] };
}

/** Lines on one sorted x axis: null where a line has no point there, NaN or ±Inf. */
export function align(lines: Points[]): [number[], ...(number | null)[][]] {
  const all = [...new Set(lines.flatMap((line) => line.xs))].sort((a, b) => a - b);
  const place = new Map(all.map((x, index) => [x, index]));
  const rows = lines.map(({ xs, ys }) => {
    const row = new Array<number | null>(all.length).fill(null);
    xs.forEach((x, index) => {
      const y = ys[index];
      row[place.get(x) ?? 0] = y !== undefined && Number.isFinite(y) ? y : null;
    });
    return row;
  });
  return [all, ...rows];
}

export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

// Where a number stands on an axis, and which numbers an axis shows.
//
// Invariant: pure. Ticks lie between the ends of the axis, are round numbers, and at most a few more than were asked
// for; the labels of one axis have one form.
import type { Axis } from "./schema";

/** From a number to pixels. On a log scale, zero and below are NaN. */
export type Scale = (value: number) => number;

export function makeScale({ low, high, log, inverted }: Axis, from: number, to: number): Scale {
  const [start, end] = inverted ? [to, from] : [from, to];
  if (log) {
    const [bottom, top] = [Math.log(low), Math.log(high)];
    const per = (end - start) / (top - bottom);
    return (value) => (value > 0 ? start + (Math.log(value) - bottom) * per : Number.NaN);
  }
  const per = (end - start) / (high - low);
  return (value) => start + (value - low) * per;
}

export interface Tick {
  value: number;
  label: string;
}
export interface Ticks {
  major: Tick[];
  /** Small ones without a number. */
  minor: number[];
}

/** The ticks of an axis, about `most` or fewer where the host chooses. */
export function ticksOf(axis: Pick<Axis, "low" | "high" | "log" | "ticks">, most: number): Ticks {
  const { low, high, log, ticks } = axis;
  const slack = (high - low) * 1e-9;
  if (ticks) {
    const major = ticks
      .filter(([value]) => value >= low - slack && value <= high + slack)
      .map(([value, label]) => ({ value, label }));
    return { major, minor: [] };
  }
  if (log && Math.log10(high / low) >= 1) return logTicks(low, high, most);
  return { major: named(linearTicks(low, high, most)), minor: [] };
}

/** Round numbers between two, about `most` of them at most. */
export function linearTicks(low: number, high: number, most: number): number[] {
  const step = niceStep((high - low) / Math.max(most, 1));
  if (!(step > 0) || !Number.isFinite(step)) return [];
  const slack = step * 1e-6;
  const first = Math.ceil((low - slack) / step);
  const last = Math.floor((high + slack) / step);
  if (last - first > 200) return [];
  // A multiple of a decimal step is written with the digits that the step has.
  const digits = Math.min(Math.max(0, 1 - Math.floor(Math.log10(step))), 100);
  return Array.from({ length: last - first + 1 }, (_, place) => {
    const value = (first + place) * step;
    return digits < 100 ? Number(value.toFixed(digits)) + 0 : value;
  });
}

/** The least of 1, 2, 2.5 and 5 times a power of ten that is at least this. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const part = least / power;
  const round = [1, 2, 2.5, 5, 10].find((each) => part <= each * (1 + 1e-9)) ?? 10;
  return round * power;
}

function logTicks(low: number, high: number, most: number): Ticks {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(most, 2)));
  const major: number[] = [];
  const minor: number[] = [];
  for (let power = first - 1; power <= last; power++) {
    const inside = (value: number) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
    const ten = 10 ** power;
    if (power >= first) ((power - first) % every === 0 ? major : minor).push(ten);
    if (every > 1 || last - first > 12) continue;
    for (let times = 2; times < 10; times++) {
      const value = times * ten;
      // Where there is one power or two, a few numbers between say where the scale is.
      if (inside(value)) (last - first < 2 && (times === 2 || times === 5) ? major : minor).push(value);
    }
  }
  return { major: major.sort((a, b) => a - b).map((value) => ({ value, label: power(value) })), minor };
}

function power(value: number): string {
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  if (exponent >= -3 && exponent <= 4) return minus(String(Number(value.toPrecision(6))));
  return minus(`${Math.round(value / 10 ** exponent)}e${exponent}`);
}

/** Labels of one form for numbers of one axis. */
export function named(values: readonly number[]): Tick[] {
  const most = Math.max(0, ...values.map(Math.abs));
  const step = values.length > 1 ? Math.abs((values[1] ?? 0) - (values[0] ?? 0)) : most || 1;
  const exponent = most > 0 ? Math.floor(Math.log10(most) + 1e-9) : 0;
  const least = Math.floor(Math.log10(step) + 1e-9);
  const apart = exponent - least;
  // Numbers that differ only far behind the comma are written out whatever their size.
  const scientific = (exponent >= 6 || exponent <= -4) && apart <= 4;
  const unit = scientific ? 10 ** exponent : 1;
  const digits = digitsOf(step / unit);
  return values.map((value) => {
    const text = (value / unit).toFixed(digits);
    const plain = Number(text) === 0 ? (scientific ? "0" : text.replace("-", "")) : text;
    return { value, label: minus(scientific && plain !== "0" ? `${plain}e${exponent}` : plain) };
  });
}

/** How many digits a step has behind the comma. */
function digitsOf(step: number): number {
  for (let digits = 0; digits < 12; digits++) {
    const shifted = step * 10 ** digits;
    if (Math.abs(shifted - Math.round(shifted)) < 1e-6 * Math.max(1, shifted) && shifted > 0.5) return digits;
  }
  return 12;
}

const minus = (text: string) => text.replaceAll("-", "−");

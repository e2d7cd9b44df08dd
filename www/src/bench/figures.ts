// From measured milliseconds to what the page shows: the median with its spread, rates, limits, and these as text.
//
// Invariant: pure. A figure that was not measured is null, never 0.
import { t } from "../language/language.svelte";
import type { Row, Unit } from "./rows";

export interface Spread {
  median: number;
  /** The quartiles. */
  low: number;
  high: number;
}

/** The median and the quartiles, between the two nearest values where they fall there; null of nothing. */
export function spreadOf(millis: readonly number[]): Spread | null {
  if (millis.length === 0) return null;
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const [before, after] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
    return before + (after - before) * (place % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** Thousands of millions a second of what the row counts. */
export function rateOf({ amount }: Pick<Row, "amount">, millis: number): number {
  return amount / millis / 1e6;
}

/** What one row came to on one device. */
export interface Figure extends Spread {
  row: Row;
  device: string;
  millis: readonly number[];
  /** By the median. */
  rate: number;
  /** The part of the device's limit that the rate reaches; null where no limit was measured. */
  share: number | null;
}

/** The milliseconds of a row on a device. */
export type Measured = (row: Row, device: string) => readonly number[];

/** The fastest of the rows that do plain work of a kind on a device; null where none was measured. */
export function limitOf(rows: readonly Row[], measured: Measured, device: string, unit: Unit): number | null {
  const rates = rows
    .filter((row) => row.isLimit && row.unit === unit)
    .flatMap((row) => {
      const spread = spreadOf(measured(row, device));
      return spread ? [rateOf(row, spread.median)] : [];
    });
  return rates.length > 0 ? Math.max(...rates) : null;
}

/** All that was measured, by row and then by device. */
export function figuresOf(rows: readonly Row[], devices: readonly string[], measured: Measured): Figure[] {
  return rows.flatMap((row) =>
    devices.flatMap((device) => {
      const millis = measured(row, device);
      const spread = spreadOf(millis);
      if (!spread) return [];
      const rate = rateOf(row, spread.median);
      const limit = limitOf(rows, measured, device, row.unit);
      return [{ ...spread, row, device, millis, rate, share: limit === null ? null : rate / limit }];
    }),
  );
}

/** A number to three digits, with its thousands told apart: `0.0512`, `5.12`, `1,234`. */
export function digits(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toPrecision(3);
}

/** Milliseconds as a time: `0.53 ms`, `12.6 ms`, `1.43 s`. */
export function time(millis: number): string {
  return millis >= 999.5 ? `${digits(millis / 1000)} s` : `${digits(millis)} ms`;
}

/** The quartiles as a time: `12.1 to 14.9 ms`. */
export function range({ low, high }: Spread): string {
  const [from, to] = [time(low), time(high)];
  const unit = to.split(" ")[1];
  return from.endsWith(` ${unit}`) ? `${from.split(" ")[0]} to ${to}` : `${from} to ${to}`;
}

/** How many threads: `one thread`, `4 threads`. */
export function threadsInWords(count: number): string {
  return count === 1 ? t("one thread") : t("{n} threads", { n: count });
}

/** A part as a percentage: `79 %`; below one, with a digit behind the point. */
export function percent(share: number): string {
  return `${share < 0.01 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
}

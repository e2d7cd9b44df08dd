// What the dashboard's program gives as numbers, as what is shown: pictures, predictions, norms.
//
// Invariant: pure; numbers that are not finite are shown as what they are and break nothing.
import { t } from "../../language/language.svelte";
import type { About, Guess, Made, Norm, Pictures, Run } from "./record";

/** Past norms that a row draws. */
const MOST_PAST = 120;

/** Samples as pictures: of [channels, height, width], of [height, width], or of as many numbers as a square has. */
export function picturesOf(
  { shape }: Pick<About, "shape">,
  { values }: { values: readonly number[] },
): Pictures | null {
  const size = sizeOf(shape);
  if (!size || values.length === 0) return null;
  const [channels, height, width] = size;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const spread = high - low || 1;
  const bytes = Uint8Array.from(values, (value) => ((value - low) / spread) * 255);
  return { channels, height, width, bytes };
}

function sizeOf(shape: readonly number[]): [number, number, number] | null {
  const [first = 0, second = 0, third = 0] = shape;
  if (shape.length === 3 && (first === 1 || first === 3)) return [first, second, third];
  if (shape.length === 2 && first > 3 && second > 3) return [1, first, second];
  const side = Math.sqrt(first);
  if (shape.length === 1 && side >= 8 && Number.isInteger(side)) return [1, side, side];
  return null;
}

export function countOf(pictures: Pictures | null): number {
  if (pictures === null) return 0;
  const { bytes, channels, height, width } = pictures;
  return bytes.length / (channels * height * width);
}

/** The pixels of one of them, for a canvas. */
export function pixels({ channels, height, width, bytes }: Pictures, index: number): ImageData {
  const plane = height * width;
  const image = new ImageData(width, height);
  const start = index * channels * plane;
  for (let at = 0; at < plane; at++) {
    for (let channel = 0; channel < 3; channel++)
      image.data[at * 4 + channel] = bytes[start + (channels === 3 ? channel : 0) * plane + at] ?? 0;
    image.data[at * 4 + 3] = 255;
  }
  return image;
}

/** So many real samples, and behind them those that were made. */
export function madeOf(
  { shape }: Pick<About, "shape">,
  { values }: { values: readonly number[] },
  { epoch, real }: { epoch: number; real: number },
): Made {
  const each = shape.reduce((product, size) => product * size, 1);
  const isPlane = shape.length === 1 && each === 2;
  const pairs: [number, number][] = [];
  for (let at = 0; isPlane && at + 1 < values.length; at += 2)
    pairs.push([values[at] ?? 0, values[at + 1] ?? 0]);
  return {
    epoch,
    pictures: picturesOf({ shape }, { values: values.slice(real * each) }),
    points: pairs.slice(real),
    real: pairs.slice(0, real),
  };
}

export function guessesOf(values: readonly number[]): Guess[] {
  const guesses: Guess[] = [];
  for (let at = 0; at + 4 < values.length; at += 5) {
    const [index = 0, target = 0, guess = 0, ofTarget = 0, ofGuess = 0] = values.slice(at, at + 5);
    guesses.push({ index, target, guess, ofTarget, ofGuess });
  }
  return guesses;
}

export function firstNorms({ parameters }: About): Norm[] {
  return parameters.map(([name]) => ({ name, gradient: 0, weight: 0, past: [] }));
}

/** The norms that came, behind those before. */
export function norms(before: readonly Norm[], values: readonly number[]): Norm[] {
  return before.map(({ name, past }, index) => {
    const gradient = values[index * 2] ?? 0;
    const thinned = past.length >= MOST_PAST ? past.filter((_, at) => at % 2 === 0) : past;
    return { name, gradient, weight: values[index * 2 + 1] ?? 0, past: [...thinned, gradient] };
  });
}

/** What a run does, in words. */
export function stateText(state: Run["state"]): string {
  return {
    running: t("Training"),
    paused: t("Paused"),
    finished: t("Finished"),
    cancelled: t("Cancelled"),
    failed: t("Failed"),
    interrupted: t("Interrupted: the page was closed"),
  }[state];
}

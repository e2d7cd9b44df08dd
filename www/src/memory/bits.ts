// Numbers as bits: the dtypes of PyTorch, read from bits and written into them.
//
// Invariant: bits travel as a bigint, the sign highest. Reading and writing are inverse, but for the
// payload of NaN. Writing rounds to the nearest, ties to even, as PyTorch does.
import { t } from "../language/language.svelte";
import { DTYPES } from "../protocol/generated/dtypes";

export type Kind = "float" | "signed" | "unsigned" | "bool";

export interface Format {
  readonly name: string;
  readonly kind: Kind;
  /** Bytes. */
  readonly size: number;
  /** Bits of the exponent and of the fraction; 0 for integers. */
  readonly exponent: number;
  readonly fraction: number;
}

export const formats: readonly Format[] = DTYPES;

/** The format of that name; float32 for one that is not known. */
export function formatOf(dtype: string): Format {
  return formats.find(({ name }) => name === dtype) ?? (formats[0] as Format);
}

export function isKnown(dtype: string): boolean {
  return formats.some(({ name }) => name === dtype);
}

export function bias(format: Format): number {
  return 2 ** (format.exponent - 1) - 1;
}

/** The bits of an element from its little-endian bytes. */
export function bitsAt(bytes: Uint8Array, start: number, size: number): bigint {
  let bits = 0n;
  for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(bytes[start + i] ?? 0);
  return bits;
}

/** The little-endian bytes of an element. */
export function bytesOf(bits: bigint, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));
}

/** One bit, counted from the right. */
export function bit(bits: bigint, at: number): 0 | 1 {
  return (bits >> BigInt(at)) & 1n ? 1 : 0;
}

export function flip(bits: bigint, at: number): bigint {
  return bits ^ (1n << BigInt(at));
}

export interface FloatParts {
  sign: 0 | 1;
  /** As stored, before the bias is taken off. */
  exponent: number;
  fraction: bigint;
  state: "zero" | "subnormal" | "normal" | "infinite" | "nan";
  /** The power of two in front: the exponent without its bias, and the lowest one for subnormals. */
  power: number;
  /** The number in front of it: `1.fraction`, or `0.fraction` for subnormals. */
  significand: number;
}

export function floatParts(format: Format, bits: bigint): FloatParts {
  const fraction = bits & ((1n << BigInt(format.fraction)) - 1n);
  const most = 2 ** format.exponent - 1;
  const exponent = Number(bits >> BigInt(format.fraction)) & most;
  const state =
    exponent === most
      ? fraction === 0n
        ? "infinite"
        : "nan"
      : exponent > 0
        ? "normal"
        : fraction === 0n
          ? "zero"
          : "subnormal";
  const part = Number(fraction) / 2 ** format.fraction;
  return {
    sign: bit(bits, 8 * format.size - 1),
    exponent,
    fraction,
    state,
    power: Math.max(exponent, 1) - bias(format),
    significand: exponent > 0 ? 1 + part : part,
  };
}

/** The value of bits; integers of 64 bits as a bigint, so that none of them is rounded. */
export function decode(format: Format, bits: bigint): number | bigint {
  const width = BigInt(8 * format.size);
  if (format.kind === "bool") return bits === 0n ? 0 : 1;
  if (format.kind !== "float") {
    const value = format.kind === "signed" ? BigInt.asIntN(Number(width), bits) : bits;
    return format.size === 8 ? value : Number(value);
  }
  const { sign, state, power, significand } = floatParts(format, bits);
  if (state === "nan") return Number.NaN;
  // The lowest powers of float64 are reached in two steps, because 2 ** −1074 times 1 is exact.
  const size = state === "infinite" ? Infinity : significand * 2 ** power;
  return sign ? -size : size;
}

/** The smallest and the largest integer of a format. */
export function limits(format: Format): [bigint, bigint] {
  const width = BigInt(8 * format.size);
  if (format.kind === "bool") return [0n, 1n];
  if (format.kind === "unsigned") return [0n, (1n << width) - 1n];
  return [-(1n << (width - 1n)), (1n << (width - 1n)) - 1n];
}

/** The bits of a number, rounded to the nearest; too large a number becomes infinite. */
export function encodeFloat(format: Format, value: number): bigint {
  const { exponent: e, fraction: m } = format;
  const most = (1n << BigInt(e)) - 1n;
  const sign = value < 0 || Object.is(value, -0) ? 1n << BigInt(e + m) : 0n;
  if (Number.isNaN(value)) return (most << BigInt(m)) | (1n << BigInt(m - 1));
  const size = Math.abs(value);
  if (size === Infinity) return sign | (most << BigInt(m));
  if (size === 0) return sign;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, size);
  const wide = view.getBigUint64(0);
  const stored = Number(wide >> 52n);
  // As whole · 2^(power − 52), with the hidden bit where there is one.
  const whole = (wide & ((1n << 52n) - 1n)) | (stored > 0 ? 1n << 52n : 0n);
  const power = Math.max(stored, 1) - 1023;
  const least = 1 - bias(format);
  // Bits that go: those beyond the fraction, and more of them below the lowest power.
  const gone = BigInt(52 - m + Math.max(0, least - power));
  let kept = whole >> gone;
  const rest = whole - (kept << gone);
  const half = gone > 0n ? 1n << (gone - 1n) : 0n;
  if (gone > 0n && (rest > half || (rest === half && (kept & 1n) === 1n))) kept += 1n;
  // Adding carries a full fraction into the exponent, which is what rounding up means.
  const bits = kept + (power > least ? BigInt(power - least) << BigInt(m) : 0n);
  return sign | (bits >= most << BigInt(m) ? most << BigInt(m) : bits);
}

export type Written = { bits: bigint } | { problem: string };

/** The bits of a typed number, or a sentence. */
export function write(format: Format, text: string): Written {
  const typed = text.trim().replaceAll("−", "-").replaceAll("_", "");
  if (format.kind === "bool") {
    if (/^(true|1)$/i.test(typed)) return { bits: 1n };
    if (/^(false|0)$/i.test(typed)) return { bits: 0n };
    return { problem: t("“{text}” is neither True nor False.", { text: clip(text) }) };
  }
  if (format.kind === "float") {
    const word = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(typed);
    const number = word
      ? (word[1] === "-" ? -1 : 1) * (/^n/i.test(word[2] as string) ? Number.NaN : Infinity)
      : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)
        ? Number(typed)
        : null;
    if (number === null)
      return { problem: t("“{text}” is no number. Try 0.1, -2.5e-3, inf or nan.", { text: clip(text) }) };
    return { bits: encodeFloat(format, number) };
  }
  if (!/^[+-]?\d{1,40}$/.test(typed)) {
    return {
      problem: t("“{text}” is no whole number; {dtype} holds nothing else.", {
        text: clip(text),
        dtype: format.name,
      }),
    };
  }
  const value = BigInt(typed.replace(/^\+/, ""));
  const [low, high] = limits(format);
  if (value < low || value > high)
    return {
      problem: t("{dtype} holds {low} to {high}.", { dtype: format.name, low: `${low}`, high: `${high}` }),
    };
  return { bits: BigInt.asUintN(8 * format.size, value) };
}

function clip(text: string): string {
  return text.length > 24 ? `${text.slice(0, 24)}…` : text;
}

/** A value as Python prints it: the shortest text that stands for these bits alone. */
export function show(format: Format, bits: bigint): string {
  const value = decode(format, bits);
  if (format.kind === "bool") return value ? "True" : "False";
  if (format.kind !== "float") return String(value);
  const number = value as number;
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  for (let digits = 1; digits < 17; digits++) {
    const text = number.toPrecision(digits);
    if (encodeFloat(format, Number(text)) === bits) return pythonic(Number(text));
  }
  return pythonic(number);
}

function pythonic(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  const text = Object.is(value, -0) ? "-0" : String(value);
  return Number.isInteger(value) ? `${text}.0` : text;
}

/** The value in full, to its last digit; null for NaN, infinities and dtypes that are no float. */
export function exactly(format: Format, bits: bigint): string | null {
  if (format.kind !== "float") return null;
  const { sign, state, power, fraction } = floatParts(format, bits);
  if (state === "nan" || state === "infinite") return null;
  let whole = fraction | (state === "normal" ? 1n << BigInt(format.fraction) : 0n);
  let shift = power - format.fraction;
  while (whole !== 0n && shift < 0 && (whole & 1n) === 0n) [whole, shift] = [whole >> 1n, shift + 1];
  const minus = sign ? "-" : "";
  if (shift >= 0 || whole === 0n) return `${minus}${whole << BigInt(Math.max(0, shift))}`;
  // whole / 2^k = whole · 5^k / 10^k
  const digits = (whole * 5n ** BigInt(-shift)).toString().padStart(1 - shift, "0");
  return `${minus}${digits.slice(0, shift)}.${digits.slice(shift)}`;
}

/** How far it is to the next number of the format; null at the end. */
export function gap(format: Format, bits: bigint): number | null {
  if (format.kind !== "float") return null;
  const { state, power } = floatParts(format, bits);
  return state === "nan" || state === "infinite" ? null : 2 ** (power - format.fraction);
}

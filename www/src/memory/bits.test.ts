import { describe, expect, test } from "vitest";
import {
  bitsAt,
  bytesOf,
  decode,
  encodeFloat,
  exactly,
  flip,
  floatParts,
  formatOf,
  formats,
  gap,
  limits,
  show,
  write,
} from "./bits";
import { numbers } from "./random";

const view = new DataView(new ArrayBuffer(8));
const [f32, f64, f16, bf16] = ["float32", "float64", "float16", "bfloat16"].map(formatOf) as [
  ReturnType<typeof formatOf>,
  ReturnType<typeof formatOf>,
  ReturnType<typeof formatOf>,
  ReturnType<typeof formatOf>,
];

/** Doubles of every size, and some that matter. */
function doubles(seed: number, n: number): number[] {
  const random = numbers(seed);
  const found = [
    0,
    -0,
    1,
    -1,
    0.1,
    65504,
    65520,
    3.4e38,
    1e-45,
    1e-40,
    6e-8,
    3e-8,
    2 ** -126,
    2 ** -1074,
    5e-324,
    Infinity,
    -Infinity,
    1.5,
    2 ** -14,
  ];
  while (found.length < n) {
    const size = 2 ** (random() * 300 - 150);
    found.push((random() - 0.5) * size, Math.fround(random() * size));
  }
  return found;
}

describe("floats", () => {
  test("float32 and float64 are written and read as the machine does", () => {
    for (const value of doubles(1, 4000)) {
      view.setFloat32(0, value);
      const bits = BigInt(view.getUint32(0));
      expect(encodeFloat(f32, value), `${value}`).toBe(bits);
      expect(decode(f32, bits)).toBe(Math.fround(value));
      view.setFloat64(0, value);
      expect(encodeFloat(f64, value), `${value}`).toBe(view.getBigUint64(0));
      expect(decode(f64, view.getBigUint64(0))).toBe(value);
    }
  });

  test("every float16 and bfloat16 is read and written back", () => {
    const wrong: string[] = [];
    for (const format of [f16, bf16]) {
      let before = -Infinity;
      for (let pattern = 0; pattern < 65_536; pattern++) {
        const bits = BigInt(pattern);
        const value = decode(format, bits) as number;
        if (Number.isNaN(value)) continue;
        const grows = pattern >= 32_768 || value > before;
        if (encodeFloat(format, value) !== bits || !grows) wrong.push(`${format.name} ${pattern}: ${value}`);
        before = value;
      }
    }
    expect(wrong).toEqual([]);
  });

  test("bfloat16 is the upper half of a float32, rounded to even", () => {
    for (const value of doubles(2, 4000).map(Math.fround)) {
      if (Number.isNaN(value)) continue;
      view.setFloat32(0, value);
      const bits = view.getUint32(0);
      const rounded = Number.isFinite(value) ? (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16 : bits >>> 16;
      expect(encodeFloat(bf16, value), `${value}`).toBe(BigInt(rounded));
    }
  });

  test("between two float16 the nearest is taken, and of two as near the even one", () => {
    const random = numbers(3);
    for (let i = 0; i < 3000; i++) {
      const low = BigInt(Math.floor(random() * 31_743));
      const [a, b] = [decode(f16, low) as number, decode(f16, low + 1n) as number];
      const share = i % 3 === 0 ? 0.5 : random();
      const between = a + (b - a) * share;
      const expected = share < 0.5 ? low : share > 0.5 ? low + 1n : low + (low & 1n);
      expect(encodeFloat(f16, between)).toBe(expected);
      expect(encodeFloat(f16, -between)).toBe(expected | 0x8000n);
    }
    expect(decode(f16, encodeFloat(f16, 65519.99))).toBe(65504);
    expect(decode(f16, encodeFloat(f16, 65520))).toBe(Infinity);
  });

  test("parts make the value", () => {
    for (const format of [f16, bf16, f32, f64]) {
      for (const value of doubles(4, 500)) {
        const bits = encodeFloat(format, value);
        const { sign, state, power, significand } = floatParts(format, bits);
        if (state === "infinite" || state === "nan") continue;
        expect((sign ? -1 : 1) * significand * 2 ** power).toBe(decode(format, bits));
        expect(significand < 1).toBe(state === "subnormal" || state === "zero");
      }
    }
    expect(floatParts(f32, 1n).state).toBe("subnormal");
    expect(floatParts(f32, 0x7f80_0000n).state).toBe("infinite");
    expect(floatParts(f32, 0x7f80_0001n).state).toBe("nan");
  });

  // As PyTorch prints them, and as `decimal.Decimal` has them to the last digit.
  test.each([
    ["float32", "0.1", "0.1", "0.100000001490116119384765625"],
    ["bfloat16", "0.1", "0.1001", null],
    ["float16", "0.1", "0.1", "0.0999755859375"],
    ["float64", "0.1", "0.1", "0.1000000000000000055511151231257827021181583404541015625"],
    ["float32", "16777217", "16777216.0", "16777216"],
    ["float32", "-0", "-0.0", "-0"],
    ["float32", "1e39", "inf", null],
    ["float32", "-2.5", "-2.5", "-2.5"],
    ["float32", "nan", "nan", null],
    ["float32", "1e-45", "1e-45", null],
  ])("%s %s", (dtype, typed, shown, exact) => {
    const format = formatOf(dtype);
    const written = write(format, typed);
    if ("problem" in written) throw new Error(written.problem);
    if (dtype !== "bfloat16") expect(show(format, written.bits)).toBe(shown);
    if (exact) expect(exactly(format, written.bits)).toBe(exact);
  });

  test("the text of a value stands for its bits alone", () => {
    const random = numbers(5);
    for (const format of [f16, bf16, f32, f64]) {
      for (let i = 0; i < 500; i++) {
        let bits = 0n;
        for (let k = 0; k < format.size; k++) bits = (bits << 8n) | BigInt(Math.floor(random() * 256));
        const text = show(format, bits);
        if (text === "nan") continue;
        const back = write(format, text);
        expect(back, text).toEqual({ bits });
      }
    }
  });

  test("the gap grows with the number", () => {
    const at = (value: number) => gap(f32, encodeFloat(f32, value));
    expect([at(1), at(2), at(16_777_216), at(0), at(Infinity)]).toEqual([
      2 ** -23,
      2 ** -22,
      2,
      2 ** -149,
      null,
    ]);
  });
});

describe("integers", () => {
  test.each([
    ["int8", "-1", 0xffn],
    ["int8", "-128", 0x80n],
    ["uint8", "255", 0xffn],
    ["int32", "-2", 0xffff_fffen],
    ["int64", "9223372036854775807", 0x7fff_ffff_ffff_ffffn],
    ["uint64", "18446744073709551615", 0xffff_ffff_ffff_ffffn],
    ["bool", "True", 1n],
  ])("%s %s", (dtype, text, bits) => {
    expect(write(formatOf(dtype), text)).toEqual({ bits });
    expect(show(formatOf(dtype), bits)).toBe(text);
  });

  test("what does not fit is refused with the limits", () => {
    expect(write(formatOf("int8"), "128")).toEqual({ problem: "int8 holds -128 to 127." });
    expect(write(formatOf("uint16"), "-1")).toEqual({ problem: "uint16 holds 0 to 65535." });
    expect(write(formatOf("int32"), "0.5")).toHaveProperty("problem");
    expect(write(formatOf("float32"), "<b>")).toHaveProperty("problem");
    expect(write(formatOf("bool"), "2")).toHaveProperty("problem");
    expect(limits(formatOf("int16"))).toEqual([-32768n, 32767n]);
  });
});

test("bytes are little-endian, and one flipped bit is flipped back", () => {
  for (const { size } of formats) {
    const bits = 0x8877_6655_4433_2211n & ((1n << BigInt(8 * size)) - 1n);
    const bytes = bytesOf(bits, size);
    expect([...bytes]).toEqual([0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88].slice(0, size));
    expect(bitsAt(bytes, 0, size)).toBe(bits);
    for (let at = 0; at < 8 * size; at++) expect(flip(flip(bits, at), at)).toBe(bits);
  }
});

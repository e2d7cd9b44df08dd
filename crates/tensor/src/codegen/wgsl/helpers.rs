//! Functions that WGSL lacks, or defines less far than a lane does: written into a module that uses
//! them.
//!
//! A device may take it that there are no NaNs or infinities, so both are told by their bits, and made
//! from bits that the compiler cannot see through.

use super::super::pseudo::Page;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Helper {
    Bits,
    Infinity,
    Nan,
    IsNan,
    IsInfinite,
    IsTrue,
    MaxF,
    MinF,
    Exp,
    Exp2,
    Log,
    Log2,
    Expm1,
    Log1p,
    Log10,
    Erf,
    Erfc,
    Hypot,
    Angle,
    Sin,
    Cos,
    Tan,
    Copysign,
    Tanh,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    Asin,
    Acos,
    Atan,
    Atan2,
    FmodF,
    RemainderF,
    PowerF,
    DivideI,
    RemainderI,
    FmodI,
    PowerI,
    ShiftLeft,
    ShiftRight,
    ToFloat16,
}

impl Helper {
    pub(super) fn name(self) -> &'static str {
        let text = self.text();
        let start = text.find("fn ").map_or(0, |at| at + 3);
        let len = text[start..].find('(').unwrap_or(0);
        &text[start..start + len]
    }

    /// What must stand before it.
    pub(super) fn needs(self) -> &'static [Helper] {
        use Helper::*;
        match self {
            Infinity | Nan | ToFloat16 => &[Bits],
            MaxF | MinF => &[IsNan],
            PowerF => &[IsNan, IsInfinite, Infinity, Nan],
            Exp | Exp2 => &[IsNan],
            Log | Log2 => &[Infinity, Nan],
            Expm1 => &[Exp, Log],
            Log1p | Log10 => &[Log],
            Cosh => &[Exp],
            Erf | Tanh | Sinh => &[Copysign, Exp],
            Atan => &[Copysign],
            Erfc => &[Erf],
            Asinh => &[Copysign, Log, Log1p],
            Atanh => &[Copysign, Log1p],
            Asin => &[Copysign, Nan],
            Acos => &[Asin],
            Atan2 => &[Atan, IsNan, IsInfinite, Nan],
            Angle => &[Nan],
            Sin | Cos | Tan => &[Angle],
            Acosh => &[Log, Log1p, Nan],
            FmodF => &[Copysign, IsNan, IsInfinite, Nan],
            RemainderF => &[FmodF],
            Hypot => &[IsNan, IsInfinite, Infinity, Nan],
            _ => &[],
        }
    }

    fn text(self) -> &'static str {
        use Helper::*;
        match self {
            Bits => "var<private> infinity_bits: u32 = 0x7f800000u;",
            Infinity => "fn infinity() -> f32 { return bitcast<f32>(infinity_bits); }",
            Nan => "fn not_a_number() -> f32 { return bitcast<f32>(infinity_bits | 1u); }",
            IsNan => "fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }",
            // Compilers make a maximum of `select(y, x, x > y)`, and NVIDIA's of NaN and a number is the number: so y is asked too.
            MaxF => "fn max_or_nan(x: f32, y: f32) -> f32 { return select(y, x, is_nan(x) || (x > y && !is_nan(y))); }",
            MinF => "fn min_or_nan(x: f32, y: f32) -> f32 { return select(y, x, is_nan(x) || (x < y && !is_nan(y))); }",
            // A device may give a number for the exponential of NaN, and for logarithms that are none.
            Exp => "fn exp_or_nan(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }",
            Exp2 => "fn exp2_or_nan(x: f32) -> f32 { return select(exp2(x), x, is_nan(x)); }",
            Log => "fn log_or_nan(x: f32) -> f32 {
  if (abs(x) < 1.17549435e-38f) { return -infinity(); }
  let bits = bitcast<u32>(x);
  if (bits >= 0x7f800000u) { return select(not_a_number(), x, bits == 0x7f800000u); }
  return log(x);
}",
            Log2 => "fn log2_or_nan(x: f32) -> f32 {
  if (abs(x) < 1.17549435e-38f) { return -infinity(); }
  let bits = bitcast<u32>(x);
  if (bits >= 0x7f800000u) { return select(not_a_number(), x, bits == 0x7f800000u); }
  return log2(x);
}",
            // Near 0 the difference of exp(x) and 1 has no digits left; Kahan's quotient gives them back.
            Expm1 => "fn exp_minus_1(x: f32) -> f32 {
  let e = exp_or_nan(x);
  if (e == 1.0f) { return x; }
  if (abs(x) > 1.0f) { return e - 1.0f; }
  return (e - 1.0f) * x / log_or_nan(e);
}",
            Log1p => "fn log_1_plus(x: f32) -> f32 {
  let s = 1.0f + x;
  if (s == 1.0f) { return x; }
  if (abs(x) > 1.0f) { return log_or_nan(s); }
  return log_or_nan(s) * x / (s - 1.0f);
}",
            Log10 => "fn decimal_log(x: f32) -> f32 { return log_or_nan(x) * 0.4342944819f; }",
            // Near 0 the series; beyond, Abramowitz and Stegun 7.1.26: within 1.5e-7.
            Erf => "fn erf(x: f32) -> f32 {
  if (abs(x) < 0.5f) {
    let z = x * x;
    return x * (1.128379167f + z * (-0.376126389f + z * (0.1128379167f + z * (-0.02686617064f + z * (0.005223977625f - 0.0008548327f * z)))));
  }
  let t = 1.0f / (1.0f + 0.3275911f * abs(x));
  let p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
  return copysign(1.0f - p * exp_or_nan(-x * x), x);
}",
            Erfc => "fn erfc(x: f32) -> f32 { return 1.0f - erf(x); }",
            IsInfinite => "fn is_infinite(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }",
            IsTrue => "fn is_true(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) != 0u; }",
            Hypot => "fn hypot(x: f32, y: f32) -> f32 {
  if (is_infinite(x) || is_infinite(y)) { return infinity(); }
  if (is_nan(x) || is_nan(y)) { return not_a_number(); }
  let size = max(abs(x), abs(y));
  // The squares of the largest numbers, and of the smallest, are beyond a float.
  if (size > 1e18f) { return 1.2676506e30f * length(7.8886091e-31f * vec2<f32>(x, y)); }
  if (size < 1e-18f) { return 7.8886091e-31f * length(1.2676506e30f * vec2<f32>(x, y)); }
  return length(vec2<f32>(x, y));
}",
            // WGSL promises a sine between −π and π, to three digits. An angle is first taken to the
            // nearest quarter turn: up to 8192 with π/2 in three parts (Cody and Waite 1980), beyond
            // with the bits of 2/π that matter (Payne and Hanek 1983); then Cephes' polynomials.
            Angle => "struct Angle { rest: f32, quarters: i32 }
var<private> two_over_pi: array<u32, 7> = array<u32, 7>(
  0x28be60dbu, 0x9391054au, 0x7f09d5f4u, 0x7d4d3770u, 0x36d8a566u, 0x4f10e410u, 0x7f9458eau);
fn high_word(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let left = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let right = (a & 0xffffu) * (b >> 16u) + (left & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u);
}
fn angle(x: f32) -> Angle {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  if (bits >= 0x7f800000u) { return Angle(not_a_number(), 0i); }
  if (abs(x) < 8192.0f) {
    let n = round(x * 0.6366197724f);
    return Angle(((x - n * 1.5703125f) - n * 4.837512969970703e-4f) - n * 7.549789954891882e-8f, i32(n));
  }
  let exponent = (bits >> 23u) - 126u;
  let mantissa = (bits << 8u) | 0x80000000u;
  let at = exponent >> 5u;
  let shift = exponent & 31u;
  var high = 0u;
  if (at > 0u) { high = two_over_pi[at - 1u]; }
  var middle = two_over_pi[at];
  var low = two_over_pi[at + 1u];
  if (shift > 0u) {
    high = (high << shift) | (middle >> (32u - shift));
    middle = (middle << shift) | (low >> (32u - shift));
    low = (low << shift) | (two_over_pi[at + 2u] >> (32u - shift));
  }
  let last = mantissa * middle + high_word(mantissa, low);
  let carry = select(0u, 1u, last < mantissa * middle);
  let first = mantissa * high + high_word(mantissa, middle) + carry;
  // Quarters of a turn, of which the two highest bits are whole.
  let part = f32(bitcast<i32>(first << 2u) >> 2u) + f32(last) * 2.3283064e-10f;
  let quarters = i32((first + 0x20000000u) >> 30u);
  let rest = part * 1.4629180793e-9f;
  return Angle(select(rest, -rest, x < 0.0f), select(quarters, -quarters, x < 0.0f));
}
fn wave(rest: f32, quarters: i32) -> f32 {
  let z = rest * rest;
  var y = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * rest + rest;
  if ((quarters & 1i) == 1i) {
    y = ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
  }
  return select(y, -y, (quarters & 2i) == 2i);
}",
            Sin => "fn sine(x: f32) -> f32 {
  let a = angle(x);
  return wave(a.rest, a.quarters);
}",
            Cos => "fn cosine(x: f32) -> f32 {
  let a = angle(x);
  return wave(a.rest, a.quarters + 1i);
}",
            Tan => "fn tangent(x: f32) -> f32 {
  let a = angle(x);
  return wave(a.rest, a.quarters) / wave(a.rest, a.quarters + 1i);
}",
            // Near 0 Cephes' polynomial: a quotient of exponentials has no digits left there.
            Tanh => "fn tangent_h(x: f32) -> f32 {
  let size = abs(x);
  if (size < 0.625f) {
    let z = x * x;
    return ((((-5.70498872745e-3f * z + 2.06390887954e-2f) * z - 5.37397155531e-2f) * z + 1.33314422036e-1f) * z - 3.33332819422e-1f) * z * x + x;
  }
  if (size > 9.1f) { return copysign(1.0f, x); }
  return copysign(1.0f - 2.0f / (exp_or_nan(2.0f * size) + 1.0f), x);
}",
            Sinh => "fn sine_h(x: f32) -> f32 {
  let z = x * x;
  if (z < 0.25f) { return x + x * z * (1.66666667e-1f + z * (8.3333333e-3f + 1.98412698e-4f * z)); }
  let e = exp_or_nan(0.5f * abs(x));
  return copysign(0.5f * e * e - 0.5f / (e * e), x);
}",
            Cosh => "fn cosine_h(x: f32) -> f32 {
  let e = exp_or_nan(0.5f * abs(x));
  return 0.5f * e * e + 0.5f / (e * e);
}",
            Asinh => "fn arc_sine_h(x: f32) -> f32 {
  let size = abs(x);
  if (size > 1e9f) { return copysign(log_or_nan(size) + 0.6931471806f, x); }
  return copysign(log_1_plus(size + size * size / (1.0f + sqrt(1.0f + size * size))), x);
}",
            Acosh => "fn arc_cosine_h(x: f32) -> f32 {
  if (x < 1.0f) { return not_a_number(); }
  if (x > 1e9f) { return log_or_nan(x) + 0.6931471806f; }
  return log_1_plus((x - 1.0f) + sqrt((x - 1.0f) * (x + 1.0f)));
}",
            Atanh => "fn arc_tangent_h(x: f32) -> f32 {
  let size = abs(x);
  return copysign(0.5f * log_1_plus(2.0f * size / (1.0f - size)), x);
}",
            // Cephes' polynomials: WGSL asks little of a device's own.
            Asin => "fn arc_sine(x: f32) -> f32 {
  let size = abs(x);
  if (size > 1.0f) { return not_a_number(); }
  let far = size > 0.5f;
  let z = select(size * size, 0.5f * (1.0f - size), far);
  let s = select(size, sqrt(z), far);
  let p = ((((4.2163199048e-2f * z + 2.4181311049e-2f) * z + 4.5470025998e-2f) * z + 7.4953002686e-2f) * z + 1.6666752422e-1f) * z * s + s;
  return copysign(select(p, 1.5707963268f - 2.0f * p, far), x);
}",
            Acos => "fn arc_cosine(x: f32) -> f32 {
  if (x > 0.5f) { return 2.0f * arc_sine(sqrt(0.5f * (1.0f - x))); }
  if (x < -0.5f) { return 3.1415926536f - 2.0f * arc_sine(sqrt(0.5f * (1.0f + x))); }
  return 1.5707963268f - arc_sine(x);
}",
            Atan => "fn arc_tangent(x: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u) { return x; }
  var t = abs(x);
  var angle = 0.0f;
  if (t > 2.414213562f) {
    angle = 1.5707963268f;
    t = -1.0f / t;
  } else if (t > 0.4142135624f) {
    angle = 0.7853981634f;
    t = (t - 1.0f) / (t + 1.0f);
  }
  let z = t * t;
  angle += (((8.05374449538e-2f * z - 1.38776856032e-1f) * z + 1.99777106478e-1f) * z - 3.33329491539e-1f) * z * t + t;
  return copysign(angle, x);
}",
            Atan2 => "fn arc_tangent_2(y: f32, x: f32) -> f32 {
  if (is_nan(x) || is_nan(y)) { return not_a_number(); }
  var angle = 1.5707963268f;
  if (is_infinite(x) && is_infinite(y)) {
    angle = 0.7853981634f;
  } else if (y == 0.0f) {
    angle = 0.0f;
  } else if (x != 0.0f) {
    angle = arc_tangent(abs(y / x));
  }
  if (bitcast<i32>(x) < 0) { angle = 3.1415926536f - angle; }
  return copysign(angle, y);
}",
            FmodF => "fn fmod(x: f32, y: f32) -> f32 {
  if (is_infinite(y) && !is_infinite(x) && !is_nan(x)) { return x; }
  if (is_infinite(x) || is_nan(x) || is_nan(y) || abs(y) < 1.17549435e-38f) { return not_a_number(); }
  var rest = abs(x);
  // By doublings of y from the largest down: each difference is exact.
  let size = bitcast<u32>(abs(y));
  var doublings = i32(bitcast<u32>(rest) >> 23u) - i32(size >> 23u);
  while (doublings >= 0i) {
    let multiple = bitcast<f32>(size + (u32(doublings) << 23u));
    if (rest >= multiple) { rest = rest - multiple; }
    doublings = doublings - 1i;
  }
  return copysign(rest, x);
}",
            Copysign => "fn copysign(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}",
            RemainderF => "fn remainder(x: f32, y: f32) -> f32 {
  let r = fmod(x, y);
  return select(r, r + y, r != 0.0f && (r < 0.0f) != (y < 0.0f));
}",
            PowerF => "fn power(x: f32, y: f32) -> f32 {
  if (y == 0.0f || x == 1.0f) { return 1.0f; }
  if (is_nan(x) || is_nan(y)) { return not_a_number(); }
  let size = abs(x);
  var result = 1.0f;
  if (is_infinite(y)) {
    if (size != 1.0f) { result = select(0.0f, infinity(), (size > 1.0f) == (y > 0.0f)); }
    return result;
  }
  if (size == 0.0f || is_infinite(size)) {
    result = select(0.0f, infinity(), (size == 0.0f) == (y < 0.0f));
  } else {
    result = pow(size, y);
    if (x < 0.0f && y != floor(y)) { return not_a_number(); }
  }
  return select(result, -result, bitcast<i32>(x) < 0 && abs(y % 2.0f) == 1.0f);
}",
            DivideI => "fn floor_divide(x: i32, y: i32) -> i32 {
  if (y == 0i) { return 0i; }
  let q = x / y;
  return select(q, q - 1i, x % y != 0i && (x < 0i) != (y < 0i));
}",
            RemainderI => "fn remainder_int(x: i32, y: i32) -> i32 {
  if (y == 0i) { return 0i; }
  let r = x % y;
  return select(r, r + y, r != 0i && (r < 0i) != (y < 0i));
}",
            FmodI => "fn fmod_int(x: i32, y: i32) -> i32 {
  if (y == 0i) { return 0i; }
  return x % y;
}",
            PowerI => "fn power_int(x: i32, y: i32) -> i32 {
  if (y < 0i) { return select(select(0i, 1i - 2i * (y & 1i), x == -1i), 1i, x == 1i); }
  var base = x;
  var left = y;
  var result = 1i;
  while (left > 0i) {
    if ((left & 1i) == 1i) { result = result * base; }
    base = base * base;
    left = left >> 1u;
  }
  return result;
}",
            ShiftLeft => "fn shift_left(x: i32, n: i32) -> i32 { return select(0i, x << (u32(n) & 31u), n >= 0i && n < 32i); }",
            ShiftRight => "fn shift_right(x: i32, n: i32) -> i32 { return x >> select(31u, u32(n), n >= 0i && n < 32i); }",
            // A device may round the other way, and need not reach infinity: what is left to it is exact.
            ToFloat16 => "fn to_float16(x: f32) -> f16 {
  let bits = bitcast<u32>(x);
  let size = bits & 0x7fffffffu;
  // The nearest, and of two the even one; below 2⁻¹⁴ the nearest multiple of 2⁻²⁴.
  let near = bitcast<f32>((bits + 0xfffu + ((bits >> 13u) & 1u)) & 0xffffe000u);
  let small = round(x * 16777216.0f) * 5.9604644775390625e-8f;
  let infinite = bitcast<f32>((bits & 0x80000000u) | infinity_bits);
  let finite = select(near, small, size < 0x38800000u);
  let number = select(finite, infinite, size >= 0x477ff000u);
  return f16(select(number, x, size > 0x7f800000u));
}",
        }
    }
}

pub(super) fn write(page: &mut Page, helper: Helper) {
    for line in helper.text().lines() {
        page.line(&[], line);
    }
    if helper.text().contains('\n') || helper == Helper::Bits {
        page.line(&[], "");
    }
}

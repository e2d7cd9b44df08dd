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
    Expm1,
    Log1p,
    Log10,
    Erf,
    Erfc,
    Hypot,
    Copysign,
    Tanh,
    Sinh,
    Asinh,
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
            Infinity | Nan => &[Bits],
            MaxF | MinF => &[IsNan],
            PowerF => &[IsNan, IsInfinite, Infinity, Nan],
            Erf | Tanh | Sinh | Atan => &[Copysign],
            Erfc => &[Erf],
            Asinh => &[Copysign, Log1p],
            Atanh => &[Copysign, Log1p],
            Asin => &[Copysign, Nan],
            Acos => &[Asin],
            Atan2 => &[Atan, IsNan, IsInfinite, Nan],
            FmodF => &[IsNan, IsInfinite],
            RemainderF => &[FmodF],
            Hypot => &[IsInfinite, Infinity],
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
            MaxF => "fn max_or_nan(x: f32, y: f32) -> f32 { return select(y, x, is_nan(x) || x > y); }",
            MinF => "fn min_or_nan(x: f32, y: f32) -> f32 { return select(y, x, is_nan(x) || x < y); }",
            // Near 0 the difference of exp(x) and 1 has no digits left; Kahan's quotient gives them back.
            Expm1 => "fn exp_minus_1(x: f32) -> f32 {
  let e = exp(x);
  if (e == 1.0f) { return x; }
  if (abs(x) > 1.0f) { return e - 1.0f; }
  return (e - 1.0f) * x / log(e);
}",
            Log1p => "fn log_1_plus(x: f32) -> f32 {
  let s = 1.0f + x;
  if (s == 1.0f) { return x; }
  if (abs(x) > 1.0f) { return log(s); }
  return log(s) * x / (s - 1.0f);
}",
            Log10 => "fn decimal_log(x: f32) -> f32 { return log(x) * 0.4342944819f; }",
            // Near 0 the series; beyond, Abramowitz and Stegun 7.1.26: within 1.5e-7.
            Erf => "fn erf(x: f32) -> f32 {
  if (abs(x) < 0.5f) {
    let z = x * x;
    return x * (1.128379167f + z * (-0.376126389f + z * (0.1128379167f + z * (-0.02686617064f + z * (0.005223977625f - 0.0008548327f * z)))));
  }
  let t = 1.0f / (1.0f + 0.3275911f * abs(x));
  let p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
  return copysign(1.0f - p * exp(-x * x), x);
}",
            Erfc => "fn erfc(x: f32) -> f32 { return 1.0f - erf(x); }",
            IsInfinite => "fn is_infinite(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }",
            IsTrue => "fn is_true(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) != 0u; }",
            Hypot => "fn hypot(x: f32, y: f32) -> f32 {
  if (is_infinite(x) || is_infinite(y)) { return infinity(); }
  return length(vec2<f32>(x, y));
}",
            // Near 0 Cephes' polynomial: a quotient of exponentials has no digits left there.
            Tanh => "fn tangent_h(x: f32) -> f32 {
  let size = abs(x);
  if (size < 0.625f) {
    let z = x * x;
    return ((((-5.70498872745e-3f * z + 2.06390887954e-2f) * z - 5.37397155531e-2f) * z + 1.33314422036e-1f) * z - 3.33332819422e-1f) * z * x + x;
  }
  if (size > 9.1f) { return copysign(1.0f, x); }
  return copysign(1.0f - 2.0f / (exp(2.0f * size) + 1.0f), x);
}",
            Sinh => "fn sine_h(x: f32) -> f32 {
  let z = x * x;
  if (z < 0.25f) { return x + x * z * (1.66666667e-1f + z * (8.3333333e-3f + 1.98412698e-4f * z)); }
  let e = exp(0.5f * abs(x));
  return copysign(0.5f * e * e - 0.5f / (e * e), x);
}",
            Asinh => "fn arc_sine_h(x: f32) -> f32 {
  let size = abs(x);
  if (size > 1e9f) { return copysign(log(size) + 0.6931471806f, x); }
  return copysign(log_1_plus(size + size * size / (1.0f + sqrt(1.0f + size * size))), x);
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
  return x % y;
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

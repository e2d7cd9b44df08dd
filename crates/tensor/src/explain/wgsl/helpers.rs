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
    MaxF,
    MinF,
    Expm1,
    Log1p,
    Log10,
    Erf,
    Erfc,
    Hypot,
    Copysign,
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
            PowerF => &[Bits, Nan],
            Erfc => &[Erf],
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
            Log10 => "fn log_10(x: f32) -> f32 { return log(x) * 0.4342944819f; }",
            // Abramowitz and Stegun 7.1.26: within 1.5e-7.
            Erf => "fn erf(x: f32) -> f32 {
  let t = 1.0f / (1.0f + 0.3275911f * abs(x));
  let p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
  return sign(x) * (1.0f - p * exp(-x * x));
}",
            Erfc => "fn erfc(x: f32) -> f32 { return 1.0f - erf(x); }",
            Hypot => "fn hypot(x: f32, y: f32) -> f32 { return length(vec2<f32>(x, y)); }",
            Copysign => "fn copysign(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}",
            RemainderF => "fn remainder(x: f32, y: f32) -> f32 {
  let r = x % y;
  return select(r, r + y, r != 0.0f && (r < 0.0f) != (y < 0.0f));
}",
            PowerF => "fn power(x: f32, y: f32) -> f32 {
  if (y == 0.0f) { return 1.0f; }
  if (x >= 0.0f) { return pow(x, y); }
  let size = pow(-x, y);
  if (y != floor(y)) { return not_a_number(); }
  return select(size, -size, abs(y % 2.0f) == 1.0f);
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

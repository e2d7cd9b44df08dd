//! Functions that C++ on a device lacks, or leaves open where a lane does not: written into a module
//! that uses them.
//!
//! `FN`, `INT` and `UINT` in their texts stand for what a [`super::Flavour`] writes there.

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Helper {
    Infinity,
    Nan,
    Float16,
    BFloat16,
    ToInt64,
    ToUint64,
    WrapAdd,
    WrapSub,
    WrapMul,
    WrapNeg,
    WrapAbs,
    SignOf,
    MaxOrNan,
    MinOrNan,
    Modulo,
    FloorDivide,
    ModuloInt,
    FmodInt,
    PowerInt,
    ShiftLeft,
    ShiftRight,
    DivideUint,
    ModuloUint,
    PowerUint,
    ShiftLeftUint,
    ShiftRightUint,
    Expm1,
    Log1p,
    Erf,
    Erfc,
    Hypot,
}

impl Helper {
    /// What must stand before it.
    pub(super) fn needs(self) -> &'static [Helper] {
        use Helper::*;
        match self {
            ToUint64 => &[ToInt64],
            WrapAbs => &[WrapNeg],
            FloorDivide => &[WrapNeg],
            Erfc => &[Erf],
            _ => &[],
        }
    }

    pub(super) fn text(self) -> &'static str {
        use Helper::*;
        match self {
            Infinity => "#define INFINITY __int_as_float(0x7f800000)",
            Nan => "#define NAN __int_as_float(0x7fffffff)",
            // The header for them is a part of the toolkit, which need not be there.
            Float16 => "struct float16 { unsigned short bits; };
FN float to_float(float16 x) {
  float y;
  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x.bits));
  return y;
}
FN float16 to_float16(float x) {
  float16 y;
  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y.bits) : \"f\"(x));
  return y;
}",
            BFloat16 => "struct bfloat16 { unsigned short bits; };
FN float to_float(bfloat16 x) { return __uint_as_float((unsigned int)x.bits << 16); }
FN bfloat16 to_bfloat16(float x) {
  unsigned int bits = __float_as_uint(x);
  // The nearest, and of two the even one.
  unsigned int rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return { (unsigned short)(x == x ? rounded : 0x7fc0) };
}",
            ToInt64 => "// Toward zero; what is beyond its range ends there, and NaN is 0.
FN long long to_int64(float x) { return x == x ? __float2ll_rz(x) : 0; }
FN long long to_int64(double x) { return x == x ? __double2ll_rz(x) : 0; }",
            ToUint64 => "FN unsigned long long to_uint64(float x) { return x >= 0 ? __float2ull_rz(x) : to_int64(x); }
FN unsigned long long to_uint64(double x) { return x >= 0 ? __double2ull_rz(x) : to_int64(x); }",
            // C++ leaves open what becomes of a signed sum that is too large.
            WrapAdd => "FN INT wrap_add(INT x, INT y) { return (UINT)x + (UINT)y; }",
            WrapSub => "FN INT wrap_sub(INT x, INT y) { return (UINT)x - (UINT)y; }",
            WrapMul => "FN INT wrap_mul(INT x, INT y) { return (UINT)x * (UINT)y; }",
            WrapNeg => "FN INT wrap_neg(INT x) { return 0 - (UINT)x; }",
            WrapAbs => "FN INT wrap_abs(INT x) { return x < 0 ? wrap_neg(x) : x; }",
            SignOf => "template <typename T> FN T sign_of(T x) { return T(x > T(0)) - T(x < T(0)); }",
            MaxOrNan => "template <typename T> FN T max_or_nan(T x, T y) { return x != x || x > y ? x : y; }",
            MinOrNan => "template <typename T> FN T min_or_nan(T x, T y) { return x != x || x < y ? x : y; }",
            Modulo => "template <typename T> FN T modulo(T x, T y) {
  T r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}",
            FloorDivide => "FN INT floor_divide(INT x, INT y) {
  if (y == 0) { return 0; }
  if (y == -1) { return wrap_neg(x); }
  INT q = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}",
            ModuloInt => "FN INT modulo_int(INT x, INT y) {
  if (y == 0 || y == -1) { return 0; }
  INT r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}",
            FmodInt => "FN INT fmod_int(INT x, INT y) { return y == 0 || y == -1 ? 0 : x % y; }",
            PowerInt => "FN INT power_int(INT x, INT y) {
  if (y < 0) { return x == 1 ? 1 : x == -1 ? 1 - 2 * (y & 1) : 0; }
  UINT result = 1;
  for (UINT base = x; y > 0; y >>= 1) {
    if (y & 1) { result *= base; }
    base *= base;
  }
  return result;
}",
            ShiftLeft => "FN INT shift_left(INT x, INT n) { return n >= 0 && n < BITS ? (INT)((UINT)x << n) : 0; }",
            ShiftRight => "FN INT shift_right(INT x, INT n) { return x >> (n >= 0 && n < BITS ? n : BITS - 1); }",
            DivideUint => "FN UINT divide_uint(UINT x, UINT y) { return y == 0 ? 0 : x / y; }",
            ModuloUint => "FN UINT modulo_uint(UINT x, UINT y) { return y == 0 ? 0 : x % y; }",
            PowerUint => "FN UINT power_uint(UINT x, UINT y) {
  UINT result = 1;
  for (; y > 0; y >>= 1) {
    if (y & 1) { result *= x; }
    x *= x;
  }
  return result;
}",
            ShiftLeftUint => "FN UINT shift_left_uint(UINT x, UINT n) { return n < BITS ? x << n : 0; }",
            ShiftRightUint => "FN UINT shift_right_uint(UINT x, UINT n) { return n < BITS ? x >> n : 0; }",
            // Near 0 the difference of exp(x) and 1 has no digits left; Kahan's quotient gives them back.
            Expm1 => "FN float expm1(float x) {
  float e = exp(x);
  if (e == 1.0f) { return x; }
  return fabs(x) > 1.0f ? e - 1.0f : (e - 1.0f) * x / log(e);
}",
            Log1p => "FN float log1p(float x) {
  float s = 1.0f + x;
  if (s == 1.0f) { return x; }
  return fabs(x) > 1.0f ? log(s) : log(s) * x / (s - 1.0f);
}",
            // Near 0 the series; beyond, Abramowitz and Stegun 7.1.26: within 1.5e-7.
            Erf => "FN float erf(float x) {
  if (fabs(x) < 0.5f) {
    float z = x * x;
    return x * (1.128379167f + z * (-0.376126389f + z * (0.1128379167f + z * (-0.02686617064f + z * (0.005223977625f - 0.0008548327f * z)))));
  }
  float t = 1.0f / (1.0f + 0.3275911f * fabs(x));
  float p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
  return copysign(1.0f - p * exp(-x * x), x);
}",
            Erfc => "FN float erfc(float x) { return 1.0f - erf(x); }",
            Hypot => "FN float hypot(float x, float y) {
  if (isinf(x) || isinf(y)) { return INFINITY; }
  return length(float2(x, y));
}",
        }
    }

    /// What it is called by.
    pub(super) fn name(self) -> &'static str {
        use Helper::*;
        match self {
            Infinity => "INFINITY",
            Nan => "NAN",
            Float16 => "to_float16",
            BFloat16 => "to_bfloat16",
            ToInt64 => "to_int64",
            ToUint64 => "to_uint64",
            _ => {
                let head = self.text().split('(').next().unwrap_or("");
                head.rsplit(' ').next().unwrap_or("")
            }
        }
    }
}

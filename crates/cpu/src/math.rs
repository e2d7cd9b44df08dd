//! Elementary functions of float32, without branches, so that loops over them vectorise.
//!
//! Each is within 2 units in the last place of the true value, subnormals and overflow included
//! (a test walks through the floats). Nothing here contracts `a * b + c` and nothing calls the
//! system's library, so a browser and every processor give the same numbers. `sin`, `cos` and `pow`
//! compute in float64 and round once, so that almost every result is the nearest float.
//!
//! Methods: Cody and Waite for the reductions, with the two parts of ln 2 of Cephes (`expf`) and
//! of FreeBSD's msun (`logf`); the form of the logarithm is msun's, and so are the polynomials of `sin`
//! and `cos` (`sindf`, `cosdf`). Those of float32 were fitted for this file: least maximal error by
//! Lawson's reweighted least squares on 1,500 or more Chebyshev points, then rounded to float32 from
//! the lowest coefficient up, each time fitting the rest again. The error stated with each is of the
//! exact polynomial with these coefficients. float64 is left to `libm`.
//!
//! Signs and edges are put in by operations on bits: they cost a vector unit less than selects.

/// Adding and taking away this rounds a small float32 to an integer, half to even. The sum's low
/// bits hold the integer.
const ROUND_F32: f32 = 12_582_912.0;
/// The same for float64.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

const SIGN: u32 = 0x8000_0000;

/// Every bit set, which as a float is a NaN, or none.
#[inline(always)]
fn mask(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

/// `y`, which has no sign yet, with that of `x`.
#[inline(always)]
fn with_sign(y: f32, x: f32) -> f32 {
    f32::from_bits(y.to_bits() | (x.to_bits() & SIGN))
}

/// The float with these low nine bits as sign and exponent: 2^(n - 127).
#[inline(always)]
fn power_of_two(n: u32) -> f32 {
    f32::from_bits(n << 23)
}

/// ln 2 in two parts, the first less the second: `n` times the first is exact.
const LN2_LONG: f32 = 0.693_359_4;
const LN2_REST: f32 = 2.121_944_4e-4;

/// `(e^r - 1 - r) / r²` for `|r| ≤ 0.3475`; an error of 2^-26.1 relative to `e^r - 1`.
#[inline(always)]
fn exp_remainder(r: f32) -> f32 {
    (((0.001_386_984_4 * r + 0.008_366_447) * r + 0.041_667_446) * r + 0.166_665_45) * r
        + 0.499_999_97
}

/// `x = n ln 2 + r`: `r`, and `n + bias` in the low bits.
#[inline(always)]
fn reduced(x: f32, bias: f32) -> (f32, u32) {
    let shift = ROUND_F32 + bias;
    let shifted = x * std::f32::consts::LOG2_E + shift;
    let n = shifted - shift;
    (x - n * LN2_LONG + n * LN2_REST, shifted.to_bits())
}

/// `e^x`.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Beyond these the result is infinite or zero anyway; NaN passes both comparisons.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    // Two factors, each with a bias of 127, so that n may reach from 128 down to the last subnormal.
    let (r, n) = reduced(x, 254.0);
    let y = r * r * exp_remainder(r) + r + 1.0;
    let half = n >> 1;
    y * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `(ln(1 + f) - f + f² / 2) / s - f² / 2` with `s = f / (2 + f)` and `z = s²`, for `1 + f` between
/// `√½` and `√2`; an error of 2^-30 relative to the logarithm.
#[inline(always)]
fn log_remainder(z: f32) -> f32 {
    ((0.298_706_92 * z + 0.399_775_86) * z + 0.666_667_76) * z
}

/// `x = 2^k m` with `m` between `√½` and `√2`; `x` is normal. Returns `k + 127` and `m`.
#[inline(always)]
fn split(x: f32) -> (u32, f32) {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let bits = x.to_bits().wrapping_add(0x3f80_0000 - SQRT_HALF);
    (bits >> 23, f32::from_bits((bits & 0x007f_ffff) + SQRT_HALF))
}

/// The same for a subnormal `x` too, with `k`.
#[inline(always)]
fn split_any(x: f32) -> (f32, f32) {
    let small = x < f32::MIN_POSITIVE;
    let (k, m) = split(if small { x * 8_388_608.0 } else { x });
    let k = (k as i32 - 127) as f32;
    (k - if small { 23.0 } else { 0.0 }, m)
}

/// `y`, a finite logarithm, or infinity or NaN where `x` is that.
#[inline(always)]
fn unless_beyond(x: f32, y: f32) -> f32 {
    // At most 0 where x is finite, and then below a logarithm.
    let beyond = x - f32::MAX;
    if beyond < y { y } else { beyond }
}

/// `y`, or minus infinity where `x` is 0.
#[inline(always)]
fn unless_zero(x: f32, y: f32) -> f32 {
    y - f32::from_bits(f32::INFINITY.to_bits() & mask(x == 0.0))
}

const LN2_HIGH: f32 = 0.693_138_1;
const LN2_LOW: f32 = 9.058_001e-6;

/// `ln x`.
#[inline(always)]
pub(crate) fn log(x: f32) -> f32 {
    let (k, m) = split_any(x);
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let hfsq = 0.5 * f * f;
    let y = s * (hfsq + log_remainder(s * s)) + k * LN2_LOW - hfsq + f + k * LN2_HIGH;
    let y = unless_zero(x, unless_beyond(x, y));
    f32::from_bits(y.to_bits() | mask(x < 0.0))
}

/// `ln(1 + x)`.
#[inline(always)]
pub(crate) fn log1p(x: f32) -> f32 {
    let u = 1.0 + x;
    // What rounding took from 1 + x (Knuth's sum of two).
    let rest = u - 1.0;
    let lost = (1.0 - (u - rest)) + (x - rest);
    let (e, m) = split(u);
    let k = (e as i32 - 127) as f32;
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let hfsq = 0.5 * f * f;
    // lost / u = lost 2^-k / (1 + f), where 1 / (1 + f) = 1 - 2s + 2s² - …
    let c = lost * power_of_two(255u32.wrapping_sub(e)) * (0.5 - s + z);
    let y = s * (hfsq + log_remainder(z)) + (k * LN2_LOW + c) - hfsq + f + k * LN2_HIGH;
    let y = unless_zero(u, unless_beyond(x, y));
    // Keeps -0.
    f32::from_bits(with_sign(y, x).to_bits() | mask(u < 0.0))
}

/// `tanh x`.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let a = x.abs();
    // A polynomial for |x| ≤ 0.55, with an error of 2^-29.7.
    let z = a * a;
    let p = (((-6.246_065e-3 * z + 2.105_250_6e-2) * z - 5.384_785_3e-2) * z + 1.333_254_6e-1) * z
        - 3.333_331_6e-1;
    let near = p * z * a + a;
    // Else 1 - 2 / (e^2|x| + 1), which is 1 from 9.02 on; NaN passes.
    let b = if a > 10.0 { 10.0 } else { a };
    let (r, n) = reduced(b + b, 127.0);
    let y = r * r * exp_remainder(r) + r + 1.0;
    let far = 1.0 - 2.0 / (y * power_of_two(n) + 1.0);
    // Keeps -0.
    with_sign(if a < 0.55 { near } else { far }, x)
}

/// The error function, `1 - e^-t` with `t = -ln(1 - erf |x|)`, a polynomial.
#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    let a = x.abs();
    // From 3.92 on it is 1; NaN passes.
    let a = if a > 4.0 { 4.0 } else { a };
    // t / a - 1 for a ≤ 3.95; what it adds to erf is 2^-27.8 of it.
    let q = -9.388_12e-6 * a + 0.000_118_862_205;
    let q = q * a - 0.000_637_365_16;
    let q = q * a + 0.001_675_677_8;
    let q = q * a - 0.000_169_504_7;
    let q = q * a - 0.019_147_823;
    let q = q * a + 0.102_776_304;
    let q = q * a + 0.636_619_57;
    let q = q * a + 0.128_379_17;
    let qa = q * a;
    let t = a + qa;
    // What rounding took from t: it counts where erf is small, and there qa < a.
    let lost = a - t + qa;
    const SHIFT: f32 = ROUND_F32 + 127.0;
    let shifted = t * -std::f32::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = n * -std::f32::consts::LN_2 - t;
    let p = r * r * exp_remainder(r) - lost + r;
    let scale = power_of_two(shifted.to_bits());
    // Keeps -0.
    with_sign(1.0 - scale - scale * p, x)
}

/// `e^x - 1`.
#[inline(always)]
pub(crate) fn expm1(x: f32) -> f32 {
    let v = if x > 89.0 { 89.0 } else { x };
    let v = if v < -25.0 { -25.0 } else { v };
    // Half of the result, so that the last power of two is finite.
    let (r, n) = reduced(v, 126.0);
    let scale = power_of_two(n);
    // The sum of scale - ½ and scale · r, and what rounding took from it: the first is larger, or 0.
    let (first, linear) = (scale - 0.5, scale * r);
    let sum = first + linear;
    let lost = first - sum + linear;
    let y = 2.0 * (sum + (lost + scale * (r * r * exp_remainder(r))));
    // Keeps -0 and subnormals.
    if x.abs() < 5.960_464_5e-8 { x } else { y }
}

/// The sine and the cosine of `r`, `|r| ≤ π/4`.
#[inline(always)]
fn sin_cos(r: f64) -> (f64, f64) {
    let z = r * r;
    let s = ((2.718_311_493_989_822e-6 * z - 1.983_933_483_603_166_3e-4) * z
        + 8.333_329_385_889_463e-3)
        * z
        - 1.666_666_664_162_654_8e-1;
    let c = ((2.439_044_879_627_741_7e-5 * z - 1.388_676_377_460_993_1e-3) * z
        + 4.166_662_332_373_906e-2)
        * z
        - 4.999_999_972_510_31e-1;
    (s * z * r + r, c * z + 1.0)
}

/// Above this, [`sin`] and [`cos`] are not to be used.
pub(crate) const LARGEST_ANGLE: f32 = 1e8;

/// The quadrant's number in the low bits, and the rest of the angle.
#[inline(always)]
fn quadrant(x: f32) -> (u64, f64) {
    let x = f64::from(x);
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND_F64;
    let n = shifted - ROUND_F64;
    // π/2 in 25 and 53 bits.
    (
        shifted.to_bits(),
        x - n * 1.570_796_310_901_641_8 - n * 1.589_325_477_352_819_7e-8,
    )
}

/// `sin x` for `|x|` up to [`LARGEST_ANGLE`].
#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    let (n, r) = quadrant(x);
    let (s, c) = sin_cos(r);
    let y = if n & 1 == 0 { s } else { c };
    let y = if n & 2 == 0 { y } else { -y } as f32;
    // Keeps -0.
    if x == 0.0 { x } else { y }
}

/// `cos x` for `|x|` up to [`LARGEST_ANGLE`].
#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    let (n, r) = quadrant(x);
    let (s, c) = sin_cos(r);
    let y = if n & 1 == 0 { c } else { s };
    if (n + 1) & 2 == 0 {
        y as f32
    } else {
        -y as f32
    }
}

/// `n` and `e^r - 1` with `x = n ln 2 + r`, for `|x|` below 2^30, to about 2^-37.
#[inline(always)]
fn exp_parts(x: f64) -> (f64, f64) {
    let shifted = x * std::f64::consts::LOG2_E + ROUND_F64;
    let n = shifted - ROUND_F64;
    let r = x - n * std::f64::consts::LN_2;
    let p = 1.0 / 362_880.0;
    let p = p * r + 1.0 / 40_320.0;
    let p = p * r + 1.0 / 5_040.0;
    let p = p * r + 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (scale, p * r * r + r)
}

/// `x^y`, with C's rules for zeros, infinities, NaN and negative bases.
#[inline(always)]
pub(crate) fn pow(x: f32, y: f32) -> f32 {
    let a = f64::from(x.abs());
    // ln a = k ln 2 + ln m, in float64.
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = a.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - SQRT_HALF);
    // The exponent as a float, without a conversion from 64-bit integers.
    let k =
        f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let p = 1.0 / 15.0;
    let p = p * z + 1.0 / 13.0;
    let p = p * z + 1.0 / 11.0;
    let p = p * z + 1.0 / 9.0;
    let p = p * z + 1.0 / 7.0;
    let p = p * z + 1.0 / 5.0;
    let p = p * z + 1.0 / 3.0;
    let log = k * std::f64::consts::LN_2 + (p * z * s + s) * 2.0;
    let log = if a == 0.0 { f64::NEG_INFINITY } else { log };
    let log = if a < f64::INFINITY { log } else { a };

    let t = f64::from(y) * log;
    let t = if t > 200.0 { 200.0 } else { t };
    let t = if t < -200.0 { -200.0 } else { t };
    let (scale, p) = exp_parts(t);
    let r = (scale * p + scale) as f32;

    let integer = y.floor() == y;
    let odd = integer & ((y * 0.5).floor() != y * 0.5);
    let r = if odd { r.copysign(x) } else { r };
    let finite_negative = (x < 0.0) & (x > f32::NEG_INFINITY);
    let r = if finite_negative & !integer {
        f32::NAN
    } else {
        r
    };
    // 1 even where the other is NaN, and (-1)^±∞.
    let one = (x == 1.0) | (y == 0.0) | ((x == -1.0) & (y.abs() == f32::INFINITY));
    if one { 1.0 } else { r }
}

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
//!
//! Those of float32 alone are written in [`Float`], so that `jit` writes the very same operations into its code.

mod float;

pub(crate) use float::{Bits, Float};

/// Adding and taking away this rounds a small float32 to an integer, half to even. The sum's low
/// bits hold the integer.
const ROUND_F32: f32 = 12_582_912.0;
/// The same for float64.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

const SIGN: u32 = 0x8000_0000;

/// `y`, which has no sign yet, with that of `x`.
#[inline(always)]
fn with_sign<F: Float>(y: F, x: F) -> F {
    (y.bits() | x.bits().and(SIGN)).float()
}

/// The float with these low nine bits as sign and exponent: 2^(n - 127).
#[inline(always)]
fn power_of_two<B: Bits>(n: B) -> B::Float {
    n.up(23).float()
}

/// ln 2 in two parts, the first less the second: `n` times the first is exact.
const LN2_LONG: f32 = 0.693_359_4;
const LN2_REST: f32 = 2.121_944_4e-4;

/// `(e^r - 1 - r) / r²` for `|r| ≤ 0.3475`; an error of 2^-26.1 relative to `e^r - 1`.
#[inline(always)]
fn exp_remainder<F: Float>(r: F) -> F {
    (((r * 0.001_386_984_4 + 0.008_366_447) * r + 0.041_667_446) * r + 0.166_665_45) * r
        + 0.499_999_97
}

/// `x = n ln 2 + r`: `r`, and `n + bias` in the low bits.
#[inline(always)]
fn reduced<F: Float>(x: F, bias: f32) -> (F, F::Bits) {
    let shift = ROUND_F32 + bias;
    let shifted = x * std::f32::consts::LOG2_E + shift;
    let n = shifted - shift;
    (x - n * LN2_LONG + n * LN2_REST, shifted.bits())
}

/// `e^x`.
#[inline(always)]
pub(crate) fn exp<F: Float>(x: F) -> F {
    // Beyond these the result is infinite or zero anyway.
    let x = x.at_most(89.0).at_least(-104.0);
    // Two factors, each with a bias of 127, so that n may reach from 128 down to the last subnormal.
    let (r, n) = reduced(x, 254.0);
    let y = r * r * exp_remainder(r) + r + 1.0;
    let half = n.down(1);
    y * power_of_two(half) * power_of_two(n.minus(half))
}

/// `(ln(1 + f) - f + f² / 2) / s - f² / 2` with `s = f / (2 + f)` and `z = s²`, for `1 + f` between
/// `√½` and `√2`; an error of 2^-30 relative to the logarithm.
#[inline(always)]
fn log_remainder<F: Float>(z: F) -> F {
    ((z * 0.298_706_92 + 0.399_775_86) * z + 0.666_667_76) * z
}

/// `x = 2^k m` with `m` between `√½` and `√2`; `x` is normal. Returns `k + 127` and `m`.
#[inline(always)]
fn split<F: Float>(x: F) -> (F::Bits, F) {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let bits = x.bits().plus(0x3f80_0000 - SQRT_HALF);
    (bits.down(23), bits.and(0x007f_ffff).plus(SQRT_HALF).float())
}

/// The `k` of [`split`].
#[inline(always)]
fn exponent<B: Bits>(k: B) -> B::Float {
    k.plus(127_u32.wrapping_neg()).number()
}

/// The same for a subnormal `x` too, with `k`.
#[inline(always)]
fn split_any<F: Float>(x: F) -> (F, F) {
    let small = x.less(x.constant(f32::MIN_POSITIVE));
    let (k, m) = split(F::select(small, x * 8_388_608.0, x));
    let k = exponent(k);
    (F::select(small, k - 23.0, k), m)
}

/// `y`, a finite logarithm, or infinity or NaN where `x` is that.
#[inline(always)]
fn unless_beyond<F: Float>(x: F, y: F) -> F {
    // At most 0 where x is finite, and then below a logarithm.
    let beyond = x - f32::MAX;
    F::select(beyond.less(y), y, beyond)
}

/// `y`, or minus infinity where `x` is 0.
#[inline(always)]
fn unless_zero<F: Float>(x: F, y: F) -> F {
    let is_zero = F::spread(x.equal(x.constant(0.0)));
    y - is_zero.and(f32::INFINITY.to_bits()).float()
}

/// `y`, or NaN where `x` is negative.
#[inline(always)]
fn unless_negative<F: Float>(x: F, y: F) -> F {
    let is_negative = F::spread(x.less(x.constant(0.0)));
    (y.bits() | is_negative).float()
}

const LN2_HIGH: f32 = 0.693_138_1;
const LN2_LOW: f32 = 9.058_001e-6;

/// `ln x`.
#[inline(always)]
pub(crate) fn log<F: Float>(x: F) -> F {
    let (k, m) = split_any(x);
    let f = m - 1.0;
    let s = f / (f + 2.0);
    let hfsq = f * 0.5 * f;
    let y = s * (hfsq + log_remainder(s * s)) + k * LN2_LOW - hfsq + f + k * LN2_HIGH;
    unless_negative(x, unless_zero(x, unless_beyond(x, y)))
}

/// `ln(1 + x)`.
#[inline(always)]
pub(crate) fn log1p<F: Float>(x: F) -> F {
    let one = x.constant(1.0);
    let u = x + 1.0;
    // What rounding took from 1 + x (Knuth's sum of two).
    let rest = u - 1.0;
    let lost = (one - (u - rest)) + (x - rest);
    let (e, m) = split(u);
    let k = exponent(e);
    let f = m - 1.0;
    let s = f / (f + 2.0);
    let z = s * s;
    let hfsq = f * 0.5 * f;
    // lost / u = lost 2^-k / (1 + f), where 1 / (1 + f) = 1 - 2s + 2s² - …
    let reciprocal = power_of_two(x.constant(f32::from_bits(255)).bits().minus(e));
    let c = lost * reciprocal * (x.constant(0.5) - s + z);
    let y = s * (hfsq + log_remainder(z)) + (k * LN2_LOW + c) - hfsq + f + k * LN2_HIGH;
    let y = unless_zero(u, unless_beyond(x, y));
    // Keeps -0.
    unless_negative(u, with_sign(y, x))
}

/// `tanh x`.
#[inline(always)]
pub(crate) fn tanh<F: Float>(x: F) -> F {
    let a = x.absolute();
    let one = x.constant(1.0);
    // A polynomial for |x| ≤ 0.55, with an error of 2^-29.7.
    let z = a * a;
    let p = (((z * -6.246_065e-3 + 2.105_250_6e-2) * z - 5.384_785_3e-2) * z + 1.333_254_6e-1) * z
        - 3.333_331_6e-1;
    let near = p * z * a + a;
    // Else 1 - 2 / (e^2|x| + 1), which is 1 from 9.02 on.
    let b = a.at_most(10.0);
    let (r, n) = reduced(b + b, 127.0);
    let y = r * r * exp_remainder(r) + r + 1.0;
    let far = one - x.constant(2.0) / (y * power_of_two(n) + 1.0);
    // Keeps -0.
    with_sign(F::select(a.less(x.constant(0.55)), near, far), x)
}

/// The error function, `1 - e^-t` with `t = -ln(1 - erf |x|)`, a polynomial.
#[inline(always)]
pub(crate) fn erf<F: Float>(x: F) -> F {
    // From 3.92 on it is 1.
    let a = x.absolute().at_most(4.0);
    // t / a - 1 for a ≤ 3.95; what it adds to erf is 2^-27.8 of it.
    let q = a * -9.388_12e-6 + 0.000_118_862_205;
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
    let scale = power_of_two(shifted.bits());
    // Keeps -0.
    with_sign(x.constant(1.0) - scale - scale * p, x)
}

/// `e^x - 1`.
#[inline(always)]
pub(crate) fn expm1<F: Float>(x: F) -> F {
    let v = x.at_most(89.0).at_least(-25.0);
    // Half of the result, so that the last power of two is finite.
    let (r, n) = reduced(v, 126.0);
    let scale = power_of_two(n);
    // The sum of scale - ½ and scale · r, and what rounding took from it: the first is larger, or 0.
    let (first, linear) = (scale - 0.5, scale * r);
    let sum = first + linear;
    let lost = first - sum + linear;
    let y = (sum + (lost + scale * (r * r * exp_remainder(r)))) * 2.0;
    // Keeps -0 and subnormals.
    F::select(x.absolute().less(x.constant(5.960_464_5e-8)), x, y)
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

//! Elementary functions of float32, without branches, so that loops over them vectorise.
//!
//! Each is within 2 units in the last place of the true value, subnormals and overflow included
//! (a test walks through the floats). Nothing here contracts `a * b + c` and nothing calls the
//! system's library, so a browser and every processor give the same numbers. Where float32 would
//! need compensation, the work is done in float64. Methods: Cody and Waite for the reductions;
//! polynomials and constants from Cephes (`expf`, `tanhf`), FreeBSD's msun (`logf`, `log1pf`,
//! `sindf`, `cosdf`) and N. Juffa (`erff`). float64 is left to `libm`.

/// Adding and taking away this rounds a small float32 to an integer, half to even.
const ROUND_F32: f32 = 12_582_912.0;
/// The same for float64.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

/// `e^x`.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Beyond these the result is infinite or zero anyway; NaN passes both comparisons.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    // x = n ln 2 + r; the first part of ln 2 is so short that n times it is exact.
    let shifted = x * std::f32::consts::LOG2_E + ROUND_F32;
    let n = shifted - ROUND_F32;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = ((((1.987_569_1e-4 * r + 1.398_199_9e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r
        + 1.666_666_5e-1)
        * r
        + 5e-1;
    let y = r * r * p + r + 1.0;
    // Two factors, so that n may reach from 128 down to the last subnormal.
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND_F32.to_bits() as i32);
    let half = n >> 1;
    y * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `log(1 + f) = f - hfsq + s (hfsq + R)` with `s = f / (2 + f)`, `hfsq = f² / 2`; this is `R`.
#[inline(always)]
fn log_remainder(s: f32) -> f32 {
    let z = s * s;
    let w = z * z;
    z * (0.666_666_6 + w * 0.284_987_87) + w * (0.400_009_72 + w * 0.242_790_79)
}

/// `x = 2^k m` with `m` between `√½` and `√2`; `x` is normal. Returns `k` and `m`.
#[inline(always)]
fn split(x: f32) -> (f32, f32) {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let bits = x.to_bits().wrapping_add(0x3f80_0000 - SQRT_HALF);
    let k = (bits >> 23) as i32 - 127;
    (k as f32, f32::from_bits((bits & 0x007f_ffff) + SQRT_HALF))
}

const LN2_HIGH: f32 = 0.693_138_1;
const LN2_LOW: f32 = 9.058_001e-6;

/// `ln x`.
#[inline(always)]
pub(crate) fn log(x: f32) -> f32 {
    let small = x < f32::MIN_POSITIVE;
    let (k, m) = split(if small { x * 8_388_608.0 } else { x });
    let k = if small { k - 23.0 } else { k };
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let hfsq = 0.5 * f * f;
    let y = s * (hfsq + log_remainder(s)) + k * LN2_LOW - hfsq + f + k * LN2_HIGH;
    log_edges(x, y)
}

/// The logarithm of `x`, given that of a positive finite `x`.
#[inline(always)]
fn log_edges(x: f32, y: f32) -> f32 {
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    let y = if x == f32::INFINITY { x } else { y };
    // Negative or NaN.
    if x >= 0.0 { y } else { f32::NAN }
}

/// `ln(1 + x)`.
#[inline(always)]
pub(crate) fn log1p(x: f32) -> f32 {
    let u = 1.0 + x;
    let (k, m) = split(u);
    // What rounding took from 1 + x, relative to it.
    let lost = if k >= 2.0 {
        1.0 - (u - x)
    } else {
        x - (u - 1.0)
    };
    let c = if k < 25.0 { lost / u } else { 0.0 };
    let near = (x > -0.292_9) & (x < 0.414_2);
    let (k, c, f) = if near { (0.0, 0.0, x) } else { (k, c, m - 1.0) };
    let s = f / (2.0 + f);
    let hfsq = 0.5 * f * f;
    let y = s * (hfsq + log_remainder(s)) + (k * LN2_LOW + c) - hfsq + f + k * LN2_HIGH;
    // Keeps -0.
    let y = if x == 0.0 { x } else { y };
    log_edges(u, y)
}

/// `tanh x`.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let p = (((-5.704_988_7e-3 * z + 2.063_909e-2) * z - 5.373_971_6e-2) * z + 1.333_144_2e-1) * z
        - 3.333_328e-1;
    let near = p * z * x + x;
    let far = 1.0 - 2.0 / (exp(a + a) + 1.0);
    // The sign keeps -0.
    if a < 0.625 { near } else { far }.copysign(x)
}

/// The error function.
#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    let a = x.abs();
    let s = x * x;
    // 1 - exp(polynomial), where erf is near 1.
    let p = (-1.728_534_7e-5 * a + 3.831_972e-4) * s + (-3.883_964_4e-3 * a + 2.425_462_2e-2);
    let p = ((p * a - 1.067_778_8e-1) * a - 6.348_467e-1) * a - 1.287_175_1e-1;
    let far = 1.0 - exp(p * a - a);
    let q = ((-5.967_617e-4 * s + 4.991_194_2e-3) * s - 2.676_813_5e-2) * s + 1.128_199_3e-1;
    let q = (q * s - 3.761_253_4e-1) * s + 1.283_791_7e-1;
    if a > 0.927_734_4 {
        far.copysign(x)
    } else {
        q * x + x
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

/// `e^x - 1`.
#[inline(always)]
pub(crate) fn expm1(x: f32) -> f32 {
    let v = f64::from(x);
    let v = if v > 100.0 { 100.0 } else { v };
    let v = if v < -100.0 { -100.0 } else { v };
    let (scale, p) = exp_parts(v);
    let y = (scale * p + (scale - 1.0)) as f32;
    // Keeps -0.
    if x == 0.0 { x } else { y }
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

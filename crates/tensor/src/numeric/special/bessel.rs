//! Modified Bessel functions of order 0 and 1, and the spherical one of order 0. The ordinary ones are libm's.

use std::f64::consts::EULER_GAMMA as EULER;

use super::chebyshev;
use super::tables::{I0_LARGE, I1_LARGE, K0_LARGE, K0_MIDDLE, K1_LARGE, K1_MIDDLE};

/// Iₙ, or e^−|x| Iₙ. Up to 8 the power series, whose terms have one sign.
pub(super) fn i(order: usize, x: f64, scaled: bool) -> f64 {
    let size = x.abs();
    let value = if size <= 8.0 {
        let value = power_series(order, size);
        if scaled {
            value * libm::exp(-size)
        } else {
            value
        }
    } else {
        let table = if order == 0 { &I0_LARGE } else { &I1_LARGE };
        let value = chebyshev(table, 16.0 / size - 1.0) / size.sqrt();
        match scaled {
            true => value,
            false if size < 700.0 => value * libm::exp(size),
            // The product is within range where the exponential alone is not.
            false => (value * libm::exp(size / 2.0)) * libm::exp(size - size / 2.0),
        }
    };
    if order == 1 && x < 0.0 { -value } else { value }
}

/// Σ (x/2)^(2k + order) / (k! (k + order)!)
fn power_series(order: usize, x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let n = order as f64;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > sum * (f64::EPSILON / 4.0) {
        term *= quarter / (k * (k + n));
        sum += term;
        k += 1.0;
    }
    if order == 1 { sum * x / 2.0 } else { sum }
}

/// Kₙ, or eˣ Kₙ.
pub(super) fn k(order: usize, x: f64, scaled: bool) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x <= 1.0 {
        let value = if order == 0 { k0_near(x) } else { k1_near(x) };
        return if scaled { value * libm::exp(x) } else { value };
    }
    let value = if x <= 2.0 {
        let table: &[f64] = if order == 0 { &K0_MIDDLE } else { &K1_MIDDLE };
        chebyshev(table, 2.0 * x - 3.0)
    } else {
        let table: &[f64] = if order == 0 { &K0_LARGE } else { &K1_LARGE };
        chebyshev(table, 4.0 / x - 1.0)
    } / x.sqrt();
    if scaled { value } else { value * libm::exp(-x) }
}

/// −(ln(x/2) + γ) I₀(x) + Σ (x²/4)ᵏ / k!² · (1 + 1/2 + … + 1/k)
fn k0_near(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut harmonic, mut sum) = (1.0, 0.0, 0.0);
    for k in 1..16 {
        let k = f64::from(k);
        term *= quarter / (k * k);
        harmonic += 1.0 / k;
        sum += term * harmonic;
    }
    sum - (libm::log(x / 2.0) + EULER) * power_series(0, x)
}

/// 1/x + ln(x/2) I₁(x) − x/4 Σ (ψ(k + 1) + ψ(k + 2)) (x²/4)ᵏ / (k! (k + 1)!)
fn k1_near(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut both, mut sum) = (1.0, 1.0 - 2.0 * EULER, 0.0);
    for k in 0..16 {
        let k = f64::from(k);
        sum += term * both;
        both += 1.0 / (k + 1.0) + 1.0 / (k + 2.0);
        term *= quarter / ((k + 1.0) * (k + 2.0));
    }
    1.0 / x + libm::log(x / 2.0) * power_series(1, x) - x / 4.0 * sum
}

/// sin x / x
pub(super) fn spherical_j0(x: f64) -> f64 {
    if x.is_infinite() {
        0.0
    } else if x == 0.0 {
        1.0
    } else {
        libm::sin(x) / x
    }
}

//! Airy's function Ai.

use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_4, PI};

use super::chebyshev;
use super::tables::{AIRY_COSINE, AIRY_DECAY, AIRY_LEFT, AIRY_RIGHT, AIRY_SINE};

/// Ai(x)
pub(super) fn ai(x: f64) -> f64 {
    if x.is_nan() || x.is_infinite() {
        return f64::NAN;
    }
    if x > 2.0 {
        if x > 110.0 {
            return 0.0;
        }
        let (zeta, rest) = zeta(x);
        let least = 4.0 * 2.0f64.sqrt() / 3.0;
        let scale = FRAC_2_SQRT_PI / 4.0 / x.sqrt().sqrt();
        // Halves, so that a tiny result is reached from normal numbers.
        let half = libm::exp(-zeta / 2.0);
        let value = scale * chebyshev(&AIRY_DECAY, 2.0 * least / zeta - 1.0);
        return value * half * (1.0 - rest) * half;
    }
    if x >= 0.0 {
        return chebyshev(&AIRY_RIGHT, x - 1.0) * libm::exp(-1.2 * x);
    }
    if x >= -5.0 {
        return chebyshev(&AIRY_LEFT, 2.0 * x / 5.0 + 1.0);
    }
    let z = -x;
    let (zeta, rest) = zeta(z);
    let least = 5.0 * 5.0f64.sqrt() / 1.5;
    let t = 2.0 * (least / zeta) * (least / zeta) - 1.0;
    // sin and cos of ζ + rest + π/4
    let angle = zeta + FRAC_PI_4;
    let lost = (FRAC_PI_4 - (angle - zeta)) + rest;
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let (sine, cosine) = (sine + lost * cosine, cosine - lost * sine);
    let wave = sine * chebyshev(&AIRY_SINE, t) - cosine * chebyshev(&AIRY_COSINE, t) / zeta;
    wave / (PI.sqrt() * z.sqrt().sqrt())
}

/// ⅔ x^1.5 and what of it does not fit.
fn zeta(x: f64) -> (f64, f64) {
    let root = x.sqrt();
    let root_rest = libm::fma(-root, root, x) / (2.0 * root);
    let product = x * root;
    let product_rest = libm::fma(x, root, -product) + x * root_rest;
    // Times 2/3: divided by 1.5.
    let zeta = product / 1.5;
    let rest = (libm::fma(-1.5, zeta, product) + product_rest) / 1.5;
    (zeta, rest)
}

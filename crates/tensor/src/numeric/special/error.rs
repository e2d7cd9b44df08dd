//! The error function's kin: scaled, inverted, and as the normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, LN_2, PI, SQRT_2};

use super::tables::ERFCX;
use super::{chebyshev, exp_square};

/// e^(x²) · erfc x.
pub(super) fn erfcx(x: f64) -> f64 {
    if x < 0.0 {
        if x < -26.7 {
            return f64::INFINITY;
        }
        return 2.0 * exp_square(x, 1.0, 1.0) - erfcx(-x);
    }
    if x > 1e100 {
        return FRAC_2_SQRT_PI / 2.0 / x;
    }
    chebyshev(&ERFCX, (x - 3.75) / (x + 3.75)) / (1.0 + 2.0 * x)
}

/// The share of a normal distribution below x.
pub(super) fn ndtr(x: f64) -> f64 {
    if x < -1.0 {
        0.5 * erfcx(-x * FRAC_1_SQRT_2) * exp_square(x.max(-60.0), -1.0, 2.0)
    } else if x < 1.0 {
        0.5 + 0.5 * libm::erf(x * FRAC_1_SQRT_2)
    } else if x.is_nan() {
        x
    } else {
        1.0 - ndtr(-x)
    }
}

/// Its logarithm.
pub(super) fn log_ndtr(x: f64) -> f64 {
    if x < -1.0 {
        libm::log(erfcx(-x * FRAC_1_SQRT_2)) - LN_2 - x * x / 2.0
    } else {
        libm::log1p(-ndtr(-x))
    }
}

/// erfinv within 0.3 %, from ln(1 − y²) (Winitzki 2008).
fn guess(log: f64) -> f64 {
    const A: f64 = 0.147;
    let b = 2.0 / (PI * A) + log / 2.0;
    (-log / A / ((b * b - log / A).sqrt() + b)).sqrt()
}

/// y = erf of what? Halley's steps from a guess; where erf is near 1, of erfc.
pub(super) fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    if size >= 1.0 || y.is_nan() {
        return if size == 1.0 {
            f64::INFINITY.copysign(y)
        } else {
            f64::NAN
        };
    }
    if size < 1e-8 {
        return y / FRAC_2_SQRT_PI;
    }
    let mut x = guess(libm::log1p(-size * size));
    for _ in 0..3 {
        let off = if size < 0.5 {
            libm::erf(x) - size
        } else {
            // 1 − size is exact.
            (1.0 - size) - libm::erfc(x)
        };
        let step = off / (FRAC_2_SQRT_PI * libm::exp(-x * x));
        x -= step / (1.0 + x * step);
    }
    x.copysign(y)
}

/// The number below which lies a share p of a normal distribution.
pub(super) fn ndtri(p: f64) -> f64 {
    if p.is_nan() || !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p > 0.5 {
        // 1 − p is exact.
        return -ndtri(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p > 0.25 {
        return SQRT_2 * erfinv(2.0 * p - 1.0);
    }
    let log = libm::log(p);
    let mut x = -SQRT_2 * guess(log + libm::log1p(-p) + 2.0 * LN_2);
    for _ in 0..4 {
        // The logarithm of the share, whose slope is the density over the share.
        let slope = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / erfcx(-x * FRAC_1_SQRT_2);
        let step = (log_ndtr_below(x) - log) / slope;
        // Its second derivative is −slope · (x + slope).
        x -= step / (1.0 + step * (x + slope) / 2.0);
    }
    x
}

/// log_ndtr of a number below 0, without a change of formula.
fn log_ndtr_below(x: f64) -> f64 {
    libm::log(erfcx(-x * FRAC_1_SQRT_2)) - LN_2 - x * x / 2.0
}

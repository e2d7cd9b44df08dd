//! The gamma function's logarithm and its derivatives, and the zeta function of Hurwitz.

use std::f64::consts::PI;

use super::chebyshev;
use super::tables::{BERNOULLI, DIGAMMA, ROOT};

/// ln |Γ(x)|
pub(super) fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// From x on the asymptotic series are exact to the last digit.
const FAR: f64 = 10.0;

/// The derivative of lgamma.
pub(super) fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY.copysign(-x);
    }
    if x < 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // ψ(x) = ψ(1 − x) − π / tan πx, with the period taken off exactly.
        let rest = x - x.round_ties_even();
        let tangent = if rest.abs() == 0.5 {
            0.0
        } else {
            PI / libm::tan(PI * rest)
        };
        return digamma(1.0 - x) - tangent;
    }
    if x >= FAR {
        let inverse = 1.0 / (x * x);
        // ln x − 1/2x − Σ B₂ₖ / (2k x²ᵏ)
        const TERMS: [f64; 8] = [
            1.0 / 12.0,
            -1.0 / 120.0,
            1.0 / 252.0,
            -1.0 / 240.0,
            1.0 / 132.0,
            -691.0 / 32760.0,
            1.0 / 12.0,
            -3617.0 / 8160.0,
        ];
        let sum = TERMS.iter().rev().fold(0.0, |sum, c| (sum + c) * inverse);
        return libm::log(x) - 0.5 / x - sum;
    }
    if x < 1.0 {
        return digamma_near(x + 1.0) - 1.0 / x;
    }
    let (mut x, mut sum) = (x, 0.0);
    while x > 2.0 {
        x -= 1.0;
        sum += 1.0 / x;
    }
    digamma_near(x) + sum
}

/// From 1 to 2, exact around the root too.
fn digamma_near(x: f64) -> f64 {
    ((x - ROOT.0) - ROOT.1) * chebyshev(&DIGAMMA, 2.0 * x - 3.0)
}

/// The derivative of digamma.
pub(super) fn trigamma(x: f64) -> f64 {
    if x < 0.5 && x != 0.0 && x != x.floor() {
        // ψ₁(x) = (π / sin πx)² − ψ₁(1 − x)
        let sine = libm::sin(PI * (x - x.round_ties_even())) / PI;
        return 1.0 / (sine * sine) - zeta(2.0, 1.0 - x);
    }
    zeta(2.0, x)
}

/// Σ (q + k)^−s from k = 0, by the sum's head and Euler's and Maclaurin's formula for the rest.
pub(super) fn zeta(s: f64, q: f64) -> f64 {
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s.is_nan() || s <= 1.0 || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return f64::INFINITY;
        }
        if s != s.floor() {
            return f64::NAN;
        }
    }
    // Beyond, the first term is all.
    let power = |x: f64| libm::pow(x, -s);
    if q == f64::INFINITY || s == f64::INFINITY {
        return if q > 1.0 {
            0.0
        } else if q == 1.0 {
            1.0
        } else {
            f64::INFINITY
        };
    }
    let (mut sum, mut at, mut terms) = (0.0, q, 0);
    while at < FAR || terms < 9 {
        // A number far below 0 would take as many terms as it has ones.
        if terms > 10_000 {
            return f64::NAN;
        }
        let term = power(at);
        sum += term;
        at += 1.0;
        terms += 1;
        if at > 1.0 && term < sum * f64::EPSILON / 16.0 / (1.0 + at / (s - 1.0)) {
            return sum;
        }
    }
    let last = power(at);
    sum += last * (at / (s - 1.0) + 0.5);
    let (mut factor, mut order) = (s, s);
    let mut part = last / at;
    for c in BERNOULLI {
        let term = c * factor * part;
        sum += term;
        if term.abs() < sum.abs() * f64::EPSILON / 16.0 {
            break;
        }
        factor *= (order + 1.0) * (order + 2.0);
        order += 2.0;
        part /= at * at;
    }
    sum
}

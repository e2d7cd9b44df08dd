//! The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 − P.
//!
//! Near x = a of a large a: Temme's uniform expansion (DLMF 8.12). Else the power series below the mean and Legendre's
//! continued fraction above it, the smaller of the two being computed and the other taken from 1.

use std::f64::consts::PI;

use super::chebyshev;
use super::tables::{LGAMMA1P, TEMME};

/// P(a, x)
pub(super) fn lower(a: f64, x: f64) -> f64 {
    edge(a, x).unwrap_or_else(|| both(a, x).0)
}

/// Q(a, x)
pub(super) fn upper(a: f64, x: f64) -> f64 {
    match edge(a, x) {
        Some(p) => 1.0 - p,
        None => both(a, x).1,
    }
}

/// P where no formula is needed.
fn edge(a: f64, x: f64) -> Option<f64> {
    if !(a >= 0.0 && x >= 0.0) {
        return Some(f64::NAN);
    }
    if a == 0.0 {
        return Some(if x > 0.0 { 1.0 } else { f64::NAN });
    }
    if x == 0.0 {
        return Some(0.0);
    }
    if a.is_infinite() {
        return Some(if x.is_infinite() { f64::NAN } else { 0.0 });
    }
    x.is_infinite().then_some(1.0)
}

fn both(a: f64, x: f64) -> (f64, f64) {
    let mu = (x - a) / a;
    if a > 20.0 && mu.abs() < 0.3 && (a < 200.0 || mu.abs() < 5.0 / a.sqrt() || a > 1e6) {
        return uniform(a, mu);
    }
    if x <= 1.0 && a < 1.0 {
        return small(a, x);
    }
    if a >= 1.0 && x < a + 1.0 {
        let p = series(a, x);
        (p, 1.0 - p)
    } else {
        let q = fraction(a, x);
        (1.0 - q, q)
    }
}

/// mu − ln(1 + mu), without cancellation.
fn beyond_log(mu: f64) -> f64 {
    if mu.is_nan() || mu.abs() > 0.5 {
        return mu - libm::log1p(mu);
    }
    // ln(1 + mu) = 2 (s + s³/3 + …), and mu − 2s = mu s.
    let s = mu / (2.0 + mu);
    let square = s * s;
    let (mut power, mut sum, mut k) = (s * square, 0.0, 3.0);
    loop {
        let term = power / k;
        sum += term;
        if term.abs() <= sum.abs() * f64::EPSILON / 4.0 {
            return mu * s - 2.0 * sum;
        }
        power *= square;
        k += 2.0;
    }
}

/// x^a e^−x / Γ(a + 1)
fn weight(a: f64, x: f64) -> f64 {
    if a < 20.0 && x < 600.0 {
        return libm::pow(x, a) * libm::exp(-x) / libm::tgamma(a + 1.0);
    }
    if a < 20.0 {
        return libm::exp(a * libm::log(x) - x - libm::lgamma(a + 1.0));
    }
    // Stirling: Γ(a + 1) = √(2πa) (a/e)^a e^(1/12a − …)
    let inverse = 1.0 / (a * a);
    let stirling = (1.0 / 12.0
        - inverse
            * (1.0 / 360.0
                - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / a;
    let scale = libm::exp(-stirling) / (2.0 * PI * a).sqrt();
    let mu = (x - a) / a;
    if mu.abs() > 0.3 {
        // (x/a)^a e^(a − x) by its root, which is within range, and with the quotient to twice its digits.
        let ratio = x / a;
        let rest = libm::fma(-ratio, a, x) / x;
        let off = a - x;
        let back = off - a;
        let lost = (a - (off - back)) - (x + back);
        let root =
            libm::pow(ratio, a / 2.0) * libm::exp(off / 2.0) * libm::exp((a * rest + lost) / 2.0);
        if root.is_normal() {
            return root * root * scale;
        }
    }
    libm::exp(-a * beyond_log(mu)) * scale
}

/// P by its power series.
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..100_000 {
        term *= x / (a + f64::from(n));
        sum += term;
        if term.is_nan() || term <= sum * f64::EPSILON / 4.0 {
            break;
        }
    }
    weight(a, x) * sum
}

/// Q by Legendre's continued fraction (the method of Lentz).
fn fraction(a: f64, x: f64) -> f64 {
    let tiny = f64::MIN_POSITIVE;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut value = d;
    let mut n = 1.0;
    while n < 1e5 {
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let change = c * d;
        value *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
        n += 1.0;
    }
    weight(a, x) * a * value
}

/// Both for a and x below 1, where Q may be tiny too.
fn small(a: f64, x: f64) -> (f64, f64) {
    // P = x^a / Γ(a + 1) · (1 + a Σ (−x)ⁿ / ((a + n) n!))
    let log = a * libm::log(x) - a * chebyshev(&LGAMMA1P, 2.0 * a - 1.0);
    let (mut power, mut sum) = (1.0, 0.0);
    for n in 1..100 {
        let n = f64::from(n);
        power *= -x / n;
        let term = power / (a + n);
        sum += term;
        if term.abs() <= f64::EPSILON / 8.0 * sum.abs() {
            break;
        }
    }
    let factor = libm::exp(log);
    let p = factor * (1.0 + a * sum);
    let q = -libm::expm1(log) - factor * a * sum;
    // The one that is smaller is computed, the other is what is left.
    if p < q { (p, 1.0 - p) } else { (1.0 - q, q) }
}

/// Temme's expansion around x = a.
fn uniform(a: f64, mu: f64) -> (f64, f64) {
    let half_square = beyond_log(mu);
    let eta = (2.0 * half_square).sqrt().copysign(mu);
    let (mut power, mut sum) = (1.0, 0.0);
    for row in &TEMME {
        let c = row.iter().rev().fold(0.0, |sum, &d| sum * eta + d);
        let term = c * power;
        sum += term;
        if term.abs() < f64::EPSILON / 8.0 * sum.abs() {
            break;
        }
        power /= a;
    }
    let rest = libm::exp(-a * half_square) / (2.0 * PI * a).sqrt() * sum;
    let edge = (a * half_square).sqrt().copysign(mu);
    if mu < 0.0 {
        let p = 0.5 * libm::erfc(-edge) - rest;
        (p, 1.0 - p)
    } else {
        let q = 0.5 * libm::erfc(edge) + rest;
        (1.0 - q, q)
    }
}

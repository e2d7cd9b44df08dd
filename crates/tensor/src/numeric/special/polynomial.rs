//! Orthogonal polynomials by their recurrences. The degree is a float, whose fraction is dropped; below 0 the
//! polynomial is 0.

use crate::interrupt;

/// One kind of Chebyshev's polynomials: its value of degree 1 is `slope` x + `shift`.
#[derive(Clone, Copy)]
pub(super) struct Chebyshev {
    slope: f64,
    shift: f64,
    /// The value at x = cos θ, for high degrees.
    wave: fn(f64, f64) -> f64,
}

/// cos nθ
pub(super) const T: Chebyshev = Chebyshev {
    slope: 1.0,
    shift: 0.0,
    wave: |n, angle| libm::cos(n * angle),
};

/// sin((n + 1) θ) / sin θ
pub(super) const U: Chebyshev = Chebyshev {
    slope: 2.0,
    shift: 0.0,
    wave: |n, angle| libm::sin((n + 1.0) * angle) / libm::sin(angle),
};

/// cos((n + ½) θ) / cos(θ/2)
pub(super) const V: Chebyshev = Chebyshev {
    slope: 2.0,
    shift: -1.0,
    wave: |n, angle| libm::cos((n + 0.5) * angle) / libm::cos(angle / 2.0),
};

/// sin((n + ½) θ) / sin(θ/2)
pub(super) const W: Chebyshev = Chebyshev {
    slope: 2.0,
    shift: 1.0,
    wave: |n, angle| libm::sin((n + 0.5) * angle) / libm::sin(angle / 2.0),
};

/// Up to this degree the recurrence is as exact as the wave.
const MOST_STEPS: f64 = 64.0;

pub(super) fn chebyshev(kind: Chebyshev, x: f64, degree: f64) -> f64 {
    let n = degree.trunc();
    if n > MOST_STEPS && x.abs() < 1.0 {
        return (kind.wave)(n, libm::acos(x));
    }
    if n > MOST_STEPS && x.abs() == 1.0 {
        // At the ends only the parity of the degree counts.
        let near = chebyshev(kind, x, n % 2.0);
        let two = chebyshev(kind, x, n % 2.0 + 2.0);
        return near + (two - near) * ((n - n % 2.0) / 2.0);
    }
    steps(n, kind.slope * x + kind.shift, |_, before, last| {
        2.0 * x * last - before
    })
}

/// Of 2x − 1, so that 0 to 1 is what −1 to 1 was.
pub(super) fn shifted(kind: Chebyshev, x: f64, degree: f64) -> f64 {
    chebyshev(kind, 2.0 * x - 1.0, degree)
}

pub(super) fn hermite_h(x: f64, degree: f64) -> f64 {
    steps(degree, 2.0 * x, |k, before, last| {
        2.0 * (x * last - k * before)
    })
}

pub(super) fn hermite_he(x: f64, degree: f64) -> f64 {
    steps(degree, x, |k, before, last| x * last - k * before)
}

pub(super) fn laguerre(x: f64, degree: f64) -> f64 {
    steps(degree, 1.0 - x, |k, before, last| {
        ((2.0 * k + 1.0 - x) * last - k * before) / (k + 1.0)
    })
}

pub(super) fn legendre(x: f64, degree: f64) -> f64 {
    if x.abs() == 1.0 && degree >= 0.0 {
        return if x > 0.0 || degree.trunc() % 2.0 == 0.0 {
            1.0
        } else {
            -1.0
        };
    }
    steps(degree, x, |k, before, last| {
        ((2.0 * k + 1.0) * x * last - k * before) / (k + 1.0)
    })
}

/// The highest degree that a recurrence goes up to.
const HIGHEST: f64 = 100_000.0;

/// From degrees 0 (which is 1) and 1 up to `degree`; `next` makes degree k + 1 of k − 1 and k. NaN above [`HIGHEST`].
fn steps(degree: f64, first: f64, next: impl Fn(f64, f64, f64) -> f64) -> f64 {
    let n = degree.trunc();
    if n.is_nan() || n > HIGHEST {
        return f64::NAN;
    }
    if n < 0.0 {
        return 0.0;
    }
    let (mut before, mut last, mut k) = (1.0, first, 1.0);
    if n == 0.0 {
        return before;
    }
    while k < n && !last.is_nan() {
        if k % 4096.0 == 0.0 && interrupt::spend(4096) {
            break;
        }
        (before, last) = (last, next(k, before, last));
        k += 1.0;
    }
    last
}

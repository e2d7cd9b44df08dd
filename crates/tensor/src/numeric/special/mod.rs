//! Special functions of float64. Float32 is computed here too and rounded once.
//!
//! From published series, continued fractions and asymptotic expansions (DLMF), and from Chebyshev series whose
//! coefficients `tests/golden/generator/fits.py` computes. The doc of each op states its error; `tests` holds it to that.

mod airy;
mod bessel;
mod error;
mod gamma;
mod incomplete;
mod polynomial;
mod tables;
#[cfg(test)]
mod tests;

/// A function of one or two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it; the ops have the formulas")]
pub enum Special {
    Lgamma,
    Digamma,
    Trigamma,
    Erfinv,
    Erfcx,
    Ndtr,
    LogNdtr,
    Ndtri,
    I0,
    I0e,
    I1,
    I1e,
    J0,
    J1,
    Y0,
    Y1,
    K0,
    K0e,
    K1,
    K1e,
    SphericalJ0,
    AiryAi,
    Gammainc,
    Gammaincc,
    Zeta,
    ChebyshevT,
    ChebyshevU,
    ChebyshevV,
    ChebyshevW,
    ShiftedChebyshevT,
    ShiftedChebyshevU,
    ShiftedChebyshevV,
    ShiftedChebyshevW,
    HermiteH,
    HermiteHe,
    LaguerreL,
    LegendreP,
}

impl Special {
    /// Every function.
    pub const ALL: &[Special] = {
        use Special::*;
        &[
            Lgamma,
            Digamma,
            Trigamma,
            Erfinv,
            Erfcx,
            Ndtr,
            LogNdtr,
            Ndtri,
            I0,
            I0e,
            I1,
            I1e,
            J0,
            J1,
            Y0,
            Y1,
            K0,
            K0e,
            K1,
            K1e,
            SphericalJ0,
            AiryAi,
            Gammainc,
            Gammaincc,
            Zeta,
            ChebyshevT,
            ChebyshevU,
            ChebyshevV,
            ChebyshevW,
            ShiftedChebyshevT,
            ShiftedChebyshevU,
            ShiftedChebyshevV,
            ShiftedChebyshevW,
            HermiteH,
            HermiteHe,
            LaguerreL,
            LegendreP,
        ]
    };

    /// What traces and the stage call it.
    pub const fn name(self) -> &'static str {
        use Special::*;
        match self {
            Lgamma => "lgamma",
            Digamma => "digamma",
            Trigamma => "trigamma",
            Erfinv => "erfinv",
            Erfcx => "erfcx",
            Ndtr => "ndtr",
            LogNdtr => "log_ndtr",
            Ndtri => "ndtri",
            I0 => "i0",
            I0e => "i0e",
            I1 => "i1",
            I1e => "i1e",
            J0 => "bessel_j0",
            J1 => "bessel_j1",
            Y0 => "bessel_y0",
            Y1 => "bessel_y1",
            K0 => "modified_bessel_k0",
            K0e => "scaled_modified_bessel_k0",
            K1 => "modified_bessel_k1",
            K1e => "scaled_modified_bessel_k1",
            SphericalJ0 => "spherical_bessel_j0",
            AiryAi => "airy_ai",
            Gammainc => "gammainc",
            Gammaincc => "gammaincc",
            Zeta => "zeta",
            ChebyshevT => "chebyshev_polynomial_t",
            ChebyshevU => "chebyshev_polynomial_u",
            ChebyshevV => "chebyshev_polynomial_v",
            ChebyshevW => "chebyshev_polynomial_w",
            ShiftedChebyshevT => "shifted_chebyshev_polynomial_t",
            ShiftedChebyshevU => "shifted_chebyshev_polynomial_u",
            ShiftedChebyshevV => "shifted_chebyshev_polynomial_v",
            ShiftedChebyshevW => "shifted_chebyshev_polynomial_w",
            HermiteH => "hermite_polynomial_h",
            HermiteHe => "hermite_polynomial_he",
            LaguerreL => "laguerre_polynomial_l",
            LegendreP => "legendre_polynomial_p",
        }
    }

    /// Its value; a function of one number leaves the second.
    pub fn of(self, x: f64, y: f64) -> f64 {
        use Special::*;
        match self {
            Lgamma => gamma::lgamma(x),
            Digamma => gamma::digamma(x),
            Trigamma => gamma::trigamma(x),
            Erfinv => error::erfinv(x),
            Erfcx => error::erfcx(x),
            Ndtr => error::ndtr(x),
            LogNdtr => error::log_ndtr(x),
            Ndtri => error::ndtri(x),
            I0 => bessel::i(0, x, false),
            I0e => bessel::i(0, x, true),
            I1 => bessel::i(1, x, false),
            I1e => bessel::i(1, x, true),
            J0 => libm::j0(x),
            J1 => libm::j1(x),
            Y0 => libm::y0(x),
            Y1 => libm::y1(x),
            K0 => bessel::k(0, x, false),
            K0e => bessel::k(0, x, true),
            K1 => bessel::k(1, x, false),
            K1e => bessel::k(1, x, true),
            SphericalJ0 => bessel::spherical_j0(x),
            AiryAi => airy::ai(x),
            Gammainc => incomplete::lower(x, y),
            Gammaincc => incomplete::upper(x, y),
            Zeta => gamma::zeta(x, y),
            ChebyshevT => polynomial::chebyshev(polynomial::T, x, y),
            ChebyshevU => polynomial::chebyshev(polynomial::U, x, y),
            ChebyshevV => polynomial::chebyshev(polynomial::V, x, y),
            ChebyshevW => polynomial::chebyshev(polynomial::W, x, y),
            ShiftedChebyshevT => polynomial::shifted(polynomial::T, x, y),
            ShiftedChebyshevU => polynomial::shifted(polynomial::U, x, y),
            ShiftedChebyshevV => polynomial::shifted(polynomial::V, x, y),
            ShiftedChebyshevW => polynomial::shifted(polynomial::W, x, y),
            HermiteH => polynomial::hermite_h(x, y),
            HermiteHe => polynomial::hermite_he(x, y),
            LaguerreL => polynomial::laguerre(x, y),
            LegendreP => polynomial::legendre(x, y),
        }
    }
}

/// A Chebyshev series at t from −1 to 1 (Clenshaw).
fn chebyshev(coefficients: &[f64], t: f64) -> f64 {
    let (mut b, mut before) = (0.0, 0.0);
    for &c in coefficients[1..].iter().rev() {
        (b, before) = (2.0 * t * b - before + c, b);
    }
    t * b - before + coefficients[0]
}

/// e^(sign · x² / by), with x² exact to twice the digits of a float64: `by` is 1 or 2.
fn exp_square(x: f64, sign: f64, by: f64) -> f64 {
    // The head has 26 bits at most, so that its square is exact.
    let head = f64::from_bits(x.to_bits() & !0x07ff_ffff);
    let rest = (x - head) * (x + head);
    libm::exp(sign * head * head / by) * libm::exp(sign * rest / by)
}

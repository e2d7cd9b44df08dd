//! Orthogonal polynomials. The degree is the second operand, a tensor or a number; its fraction is dropped, and below 0
//! the polynomial is 0. PyTorch has no derivatives of them.

use super::{TWO, compute, no_half};
use crate::kernel::Special;
use crate::op::ParamKind::Tensor;
use crate::op::{Kind, Op, SAVE_A, Vjp, example, param, samples};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &CHEBYSHEV_POLYNOMIAL_T,
    &CHEBYSHEV_POLYNOMIAL_U,
    &CHEBYSHEV_POLYNOMIAL_V,
    &CHEBYSHEV_POLYNOMIAL_W,
    &SHIFTED_CHEBYSHEV_POLYNOMIAL_T,
    &SHIFTED_CHEBYSHEV_POLYNOMIAL_U,
    &SHIFTED_CHEBYSHEV_POLYNOMIAL_V,
    &SHIFTED_CHEBYSHEV_POLYNOMIAL_W,
    &HERMITE_POLYNOMIAL_H,
    &HERMITE_POLYNOMIAL_HE,
    &LAGUERRE_POLYNOMIAL_L,
    &LEGENDRE_POLYNOMIAL_P,
];

/// A polynomial of a degree.
const POLYNOMIAL: Op = Op {
    params: &[param("input", Tensor), param("n", Tensor)],
    check: no_half,
    numbers: SAVE_A,
    vjp: Vjp::None("PyTorch has no derivative of it"),
    samples: samples(&["[] 3", "[2,3] [2,3]>5", "[3,1] [4]>5"]),
    ..TWO
};

/// Chebyshev's polynomial of the first kind of degree n: cos(n · arccos x).
pub static CHEBYSHEV_POLYNOMIAL_T: Op = Op {
    name: "chebyshev_polynomial_t",
    symbol: "T",
    formula: "y = cos(b · arccos a)",
    doc: "Chebyshev's polynomial of the first kind of degree n: cos(n · arccos x).",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ChebyshevT))),
    example: example("torch.special.chebyshev_polynomial_t(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

/// Chebyshev's polynomial of the second kind of degree n.
pub static CHEBYSHEV_POLYNOMIAL_U: Op = Op {
    name: "chebyshev_polynomial_u",
    symbol: "U",
    formula: "y = sin((b + 1) θ) / sin θ, cos θ = a",
    doc: "Chebyshev's polynomial of the second kind of degree n.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ChebyshevU))),
    example: example("torch.special.chebyshev_polynomial_u(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

/// Chebyshev's polynomial of the third kind of degree n.
pub static CHEBYSHEV_POLYNOMIAL_V: Op = Op {
    name: "chebyshev_polynomial_v",
    symbol: "V",
    formula: "y = cos((b + ½) θ) / cos(θ / 2), cos θ = a",
    doc: "Chebyshev's polynomial of the third kind of degree n.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ChebyshevV))),
    example: example("torch.special.chebyshev_polynomial_v(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

/// Chebyshev's polynomial of the fourth kind of degree n.
pub static CHEBYSHEV_POLYNOMIAL_W: Op = Op {
    name: "chebyshev_polynomial_w",
    symbol: "W",
    formula: "y = sin((b + ½) θ) / sin(θ / 2), cos θ = a",
    doc: "Chebyshev's polynomial of the fourth kind of degree n.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ChebyshevW))),
    example: example("torch.special.chebyshev_polynomial_w(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

/// Chebyshev's polynomial of the first kind on 0 to 1.
pub static SHIFTED_CHEBYSHEV_POLYNOMIAL_T: Op = Op {
    name: "shifted_chebyshev_polynomial_t",
    symbol: "T*",
    formula: "y = T(2a − 1) of degree b",
    doc: "Chebyshev's polynomial of the first kind on 0 to 1.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ShiftedChebyshevT))),
    example: example(
        "torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.0, 0.5, 1.0]), 3)",
    ),
    ..POLYNOMIAL
};

/// Chebyshev's polynomial of the second kind on 0 to 1.
pub static SHIFTED_CHEBYSHEV_POLYNOMIAL_U: Op = Op {
    name: "shifted_chebyshev_polynomial_u",
    symbol: "U*",
    formula: "y = U(2a − 1) of degree b",
    doc: "Chebyshev's polynomial of the second kind on 0 to 1.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ShiftedChebyshevU))),
    example: example(
        "torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.0, 0.5, 1.0]), 3)",
    ),
    ..POLYNOMIAL
};

/// Chebyshev's polynomial of the third kind on 0 to 1.
pub static SHIFTED_CHEBYSHEV_POLYNOMIAL_V: Op = Op {
    name: "shifted_chebyshev_polynomial_v",
    symbol: "V*",
    formula: "y = V(2a − 1) of degree b",
    doc: "Chebyshev's polynomial of the third kind on 0 to 1.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ShiftedChebyshevV))),
    example: example(
        "torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.0, 0.5, 1.0]), 3)",
    ),
    ..POLYNOMIAL
};

/// Chebyshev's polynomial of the fourth kind on 0 to 1.
pub static SHIFTED_CHEBYSHEV_POLYNOMIAL_W: Op = Op {
    name: "shifted_chebyshev_polynomial_w",
    symbol: "W*",
    formula: "y = W(2a − 1) of degree b",
    doc: "Chebyshev's polynomial of the fourth kind on 0 to 1.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::ShiftedChebyshevW))),
    example: example(
        "torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.0, 0.5, 1.0]), 3)",
    ),
    ..POLYNOMIAL
};

/// Hermite's polynomial of degree n, as physicists write it: 1, 2x, 4x² − 2, ….
pub static HERMITE_POLYNOMIAL_H: Op = Op {
    name: "hermite_polynomial_h",
    symbol: "H",
    formula: "y = H(a) of degree b: H(n + 1) = 2a H(n) − 2n H(n − 1)",
    doc: "Hermite's polynomial of degree n, as physicists write it: 1, 2x, 4x² − 2, … and so on.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::HermiteH))),
    example: example("torch.special.hermite_polynomial_h(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

/// Hermite's polynomial of degree n, as probabilists write it: 1, x, x² − 1, ….
pub static HERMITE_POLYNOMIAL_HE: Op = Op {
    name: "hermite_polynomial_he",
    symbol: "He",
    formula: "y = He(a) of degree b: He(n + 1) = a He(n) − n He(n − 1)",
    doc: "Hermite's polynomial of degree n, as probabilists write it: 1, x, x² − 1, … and so on.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::HermiteHe))),
    example: example("torch.special.hermite_polynomial_he(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

/// Laguerre's polynomial of degree n: 1, 1 − x, ….
pub static LAGUERRE_POLYNOMIAL_L: Op = Op {
    name: "laguerre_polynomial_l",
    symbol: "L",
    formula: "y = L(a) of degree b: (n + 1) L(n + 1) = (2n + 1 − a) L(n) − n L(n − 1)",
    doc: "Laguerre's polynomial of degree n: 1, 1 − x, … and so on.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::LaguerreL))),
    example: example("torch.special.laguerre_polynomial_l(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

/// Legendre's polynomial of degree n: 1, x, (3x² − 1) / 2, ….
pub static LEGENDRE_POLYNOMIAL_P: Op = Op {
    name: "legendre_polynomial_p",
    symbol: "P",
    formula: "y = P(a) of degree b: (n + 1) P(n + 1) = (2n + 1) a P(n) − n P(n − 1)",
    doc: "Legendre's polynomial of degree n: 1, x, (3x² − 1) / 2, … and so on.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::LegendreP))),
    example: example("torch.special.legendre_polynomial_p(torch.tensor([0.0, 0.5, 1.0]), 3)"),
    ..POLYNOMIAL
};

//! Exponentials and logarithms: `exp`, `log` and their kin to other bases and near 0, `erf`, and sums kept in
//! logarithms.

use smallvec::smallvec;

use crate::alu::{Alu, AluOps, Body};
use crate::body;
use crate::op::{Infinities, Kind, Op, Poles, Promote, SAVE_A, SAVE_B, SAVE_Y, Vjp, example};
use crate::ops::shared::{narrow, on2, some_float, wide};
use crate::ops::{BINARY, UNARY, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &EXP, &EXP2, &EXPM1, &LOG, &LOG2, &LOG10, &LOG1P, &ERF, &ERFC, &XLOGY, &LOGADDEXP,
];

/// eˣ
pub static EXP: Op = Op {
    name: "exp",
    grad_fn: "ExpBackward0",
    symbol: "exp",
    formula: "y = e^a",
    rules: &["{gy} · {y}"],
    doc: "e to the power of each element.",
    kind: Kind::Elementwise(body!(|x| x.exp())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * &b.y)),
    saves: [SAVE_Y; 3],
    infinities: Infinities::MasksMinus,
    ..UNARY
};

/// 2ˣ
pub static EXP2: Op = Op {
    name: "exp2",
    grad_fn: "Exp2Backward0",
    symbol: "2^·",
    formula: "y = 2^a",
    rules: &["{gy} · {y} · ln 2"],
    doc: "2 to the power of each element.",
    kind: Kind::Elementwise(body!(|x| x.exp2())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * &b.y * std::f64::consts::LN_2)),
    saves: [SAVE_Y; 3],
    infinities: Infinities::MasksMinus,
    ..UNARY
};

/// eˣ − 1
pub static EXPM1: Op = Op {
    name: "expm1",
    grad_fn: "Expm1Backward0",
    symbol: "expm1",
    formula: "y = e^a − 1",
    rules: &["{gy} · ({y} + 1)"],
    doc: "e to the power of each element, minus 1, exact near 0.",
    kind: Kind::Elementwise(body!(|x| x.expm1())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * (&b.y + 1.0))),
    saves: [SAVE_Y; 3],
    ..UNARY
};

/// ln x
pub static LOG: Op = Op {
    name: "log",
    grad_fn: "LogBackward0",
    symbol: "log",
    formula: "y = ln a",
    rules: &["{gy} / {a}"],
    doc: "The natural logarithm of each element.",
    kind: Kind::Elementwise(body!(|x| x.log())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / &b.src[0])),
    saves: [SAVE_A; 3],
    domain: (0.1, 3.0),
    poles: Poles::Zero(0),
    ..UNARY
};

/// log₂ x
pub static LOG2: Op = Op {
    name: "log2",
    grad_fn: "Log2Backward0",
    symbol: "log₂",
    formula: "y = log₂ a",
    rules: &["{gy} / ({a} · ln 2)"],
    doc: "The logarithm of each element to the base 2.",
    kind: Kind::Elementwise(body!(|x| x.log2())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / (&b.src[0] * std::f64::consts::LN_2))),
    saves: [SAVE_A; 3],
    domain: (0.1, 3.0),
    poles: Poles::Zero(0),
    ..UNARY
};

/// log₁₀ x
pub static LOG10: Op = Op {
    name: "log10",
    grad_fn: "Log10Backward0",
    symbol: "log₁₀",
    formula: "y = log₁₀ a",
    rules: &["{gy} / ({a} · ln 10)"],
    doc: "The logarithm of each element to the base 10.",
    kind: Kind::Elementwise(body!(|x| x.log10())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / (&b.src[0] * std::f64::consts::LN_10))),
    saves: [SAVE_A; 3],
    domain: (0.1, 3.0),
    poles: Poles::Zero(0),
    ..UNARY
};

/// ln(1 + x)
pub static LOG1P: Op = Op {
    name: "log1p",
    grad_fn: "Log1PBackward0",
    symbol: "log1p",
    formula: "y = ln(1 + a)",
    rules: &["{gy} / ({a} + 1)"],
    doc: "The natural logarithm of 1 plus each element, exact near 0.",
    kind: Kind::Elementwise(body!(|x| x.log1p())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / (&b.src[0] + 1.0))),
    saves: [SAVE_A; 3],
    domain: (-0.9, 3.0),
    poles: Poles::Elsewhere,
    ..UNARY
};

/// (2/√π) ∫ e^(−t²)
pub static ERF: Op = Op {
    name: "erf",
    grad_fn: "ErfBackward0",
    symbol: "erf",
    formula: "y = erf a",
    rules: &["{gy} · 2/√π · exp(−{a}²)"],
    doc: "The error function of each element.",
    kind: Kind::Elementwise(body!(|x| x.erf())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy * ((-(x * x)).exp() * std::f64::consts::FRAC_2_SQRT_PI))
    }),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// 1 − erf x, exact where erf is near 1.
pub static ERFC: Op = Op {
    name: "erfc",
    grad_fn: "ErfcBackward0",
    symbol: "erfc",
    formula: "y = 1 − erf a",
    rules: &["−{gy} · 2/√π · exp(−{a}²)"],
    doc: "One minus the error function of each element, exact where that is small.",
    kind: Kind::Elementwise(body!(|x| x.erfc())),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let slope = (-(&x * &x)).exp() * -std::f64::consts::FRAC_2_SQRT_PI;
        grad1(narrow(b, &(slope * wide(&b.gy))))
    }),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// a · ln b, and 0 where a is 0, whatever b is (NaN excepted).
pub static XLOGY: Op = Op {
    name: "xlogy",
    grad_fn: "XlogyBackward0",
    symbol: "x·log",
    formula: "y = a · ln b, 0 where a = 0",
    rules: &["{gy} · ln {b}", "{gy} · {a} / {b}"],
    doc: "The first tensor times the logarithm of the second; 0 where the first is 0.",
    promote: Promote::Float,
    kind: Kind::Elementwise(Body {
        scalar: |x| x_log_y(&x[0], &x[1]),
        expr: |x| x_log_y(&x[0], &x[1]),
    }),
    vjp: Vjp::Rule(|b| {
        let (x, y) = (&b.src[0], &b.src[1]);
        let zero = b.gy.number(0.0);
        // 0 · ln b has no derivative where b ≤ 0; 0 is the one along a = 0.
        let undefined = || {
            on2(
                &x.eq(&zero),
                &crate::ops::compare::LOGICAL_AND,
                &y.le(&zero),
            )
        };
        let first = || undefined().select(&zero, &on2(&b.gy, &XLOGY, y));
        Ok(smallvec![
            b.needs(0).then(first),
            b.needs(1).then(|| &b.gy * x / y),
        ])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    domain: (0.2, 2.0),
    numbers: SAVE_A,
    example: example("torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 3.0]))"),
    poles: Poles::Zero(1),
    ..BINARY
};

fn x_log_y<L: Alu>(x: &L, y: &L) -> L {
    let zero = x.constant(0.0);
    let product = x.mul(&y.log());
    let chosen = x.eq(&zero).select(&zero, &product);
    y.eq(y).select(&chosen, y)
}

/// ln(eᵃ + eᵇ), without leaving the range of floats on the way.
pub static LOGADDEXP: Op = Op {
    name: "logaddexp",
    grad_fn: "LogaddexpBackward0",
    symbol: "log+exp",
    formula: "y = ln(e^a + e^b)",
    rules: &["{gy} / (1 + e^({b} − {a}))", "{gy} / (1 + e^({a} − {b}))"],
    doc: "The logarithm of the sum of two exponentials.",
    check: some_float,
    kind: Kind::Elementwise(Body {
        scalar: |x| log_add_exp(&x[0], &x[1]),
        expr: |x| log_add_exp(&x[0], &x[1]),
    }),
    vjp: Vjp::Rule(|b| {
        let (x, y) = (wide(&b.src[0]), wide(&b.src[1]));
        let share = |other: &crate::GraphValue, own: &crate::GraphValue| {
            narrow(b, &(wide(&b.gy) / (1.0 + (other - own).exp())))
        };
        Ok(smallvec![
            b.needs(0).then(|| share(&y, &x)),
            b.needs(1).then(|| share(&x, &y)),
        ])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    infinities: Infinities::Chooses,
    ..BINARY
};

fn log_add_exp<L: Alu>(a: &L, b: &L) -> L {
    let difference = a.sub(b);
    let sum = a.max(b).add(&difference.abs().neg().exp().log1p());
    // Equal infinities: their difference is none.
    let infinite = a.abs().eq(&a.constant(f64::INFINITY));
    infinite.and(&a.eq(b)).select(a, &sum)
}

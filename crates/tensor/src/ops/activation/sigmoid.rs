//! Functions with the shape of an S, and softplus, whose slope is one: `sigmoid`, `logsigmoid`, `softplus`, `softsign`.

use crate::body;
use crate::dtype::DType;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{Attr, Infinities, Kind, Op, SAVE_A, SAVE_Y, Vjp, optional, param, samples};
use crate::ops::shared::{floats_only, narrow, on, wide};
use crate::ops::{UNARY, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SIGMOID, &LOGSIGMOID, &SOFTPLUS, &SOFTSIGN];

/// 1 / (1 + e⁻ˣ)
pub static SIGMOID: Op = Op {
    name: "sigmoid",
    grad_fn: "SigmoidBackward0",
    symbol: "σ",
    formula: "y = 1 / (1 + e^−a)",
    rules: &["{gy} · (1 − {y}) · {y}"],
    doc: "Squeezes every number into 0 … 1.",
    kind: Kind::Elementwise(body!(|x| {
        let one = x.constant(1.0);
        one.div(&one.add(&x.neg().exp()))
    })),
    vjp: Vjp::Rule(|b| {
        // PyTorch rounds float16 after each operation, and bfloat16 once.
        let (gy, y) = match b.y.dtype() {
            DType::F16 => (b.gy.clone(), b.y.clone()),
            _ => (wide(&b.gy), wide(&b.y)),
        };
        grad1(narrow(b, &(gy * (1.0 - &y) * &y)))
    }),
    saves: [SAVE_Y; 3],
    functional: true,
    infinities: Infinities::MasksMinus,
    ..UNARY
};

/// ln σ(x)
pub static LOGSIGMOID: Op = Op {
    name: "logsigmoid",
    grad_fn: "LogSigmoidBackward0",
    symbol: "ln σ",
    formula: "y = ln(1 / (1 + e^−a))",
    rules: &["{gy} · σ(−{a})"],
    doc: "The logarithm of each element's sigmoid, exact where that is near 0.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| {
        let low = x.constant(0.0).min(x);
        low.sub(&x.abs().neg().exp().log1p())
    })),
    vjp: Vjp::Rule(|b| {
        let (gy, x) = (wide(&b.gy), wide(&b.src[0]));
        if b.src[0].dtype() == x.dtype() {
            return grad1(gy * (-x).sigmoid());
        }
        // PyTorch keeps e^−|a| from the way forward, in 16 bits.
        let kept = wide(&narrow(b, &(-x.abs()).exp()));
        let small = &kept / (1.0 + &kept);
        let slope = x.lt(&x.number(0.0)).select(&(1.0 - &small), &small);
        grad1(narrow(b, &(gy * slope)))
    }),
    saves: [SAVE_A; 3],
    method: false,
    functional: true,
    ..UNARY
};

/// ln(1 + e^(beta · x)) / beta, linear above the threshold.
pub static SOFTPLUS: Op = Op {
    name: "softplus",
    grad_fn: "SoftplusBackward0",
    symbol: "softplus",
    formula: "y = ln(1 + e^(beta · a)) / beta",
    rules: &["{gy} · σ(beta · {a})"],
    doc: "A smooth relu.",
    params: &[
        param("input", Tensor),
        optional("beta", Float, Attr::Float(1.0)),
        optional("threshold", Float, Attr::Float(20.0)),
    ],
    check: floats_only,
    kind: Kind::Elementwise(body!(|x, beta, threshold| {
        let scaled = x.mul(beta);
        threshold
            .lt(&scaled)
            .select(x, &scaled.exp().log1p().div(beta))
    })),
    vjp: Vjp::Rule(|b| {
        let (gy, scaled) = (wide(&b.gy), wide(&b.src[0]) * b.attr(0).as_float());
        let threshold = gy.number(b.attr(1).as_float());
        let slope = scaled.sigmoid();
        // At the threshold itself the slope is the sigmoid's, and does not bend any more.
        let straight = on(&slope, &crate::ops::convert::DETACH);
        let slope = scaled.lt(&threshold).select(&slope, &straight);
        let bent = narrow(b, &(gy * slope));
        grad1(scaled.gt(&threshold).select(&b.gy, &bent))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4] 2.0", "[3,4] 3.0 threshold=2.5"]),
    method: false,
    functional: true,
    infinities: Infinities::MasksMinus,
    ..UNARY
};

/// x / (1 + |x|)
pub static SOFTSIGN: Op = Op {
    name: "softsign",
    grad_fn: "DivBackward0",
    symbol: "softsign",
    formula: "y = a / (1 + |a|)",
    rules: &["{gy} / (1 + |{a}|)²"],
    doc: "Squeezes every number into −1 … 1, more slowly than tanh.",
    kind: Kind::Composite(|c| Ok(&c.src[0] / (c.src[0].abs() + 1.0))),
    vjp: Vjp::Lowered,
    method: false,
    saves: [SAVE_A; 3],
    functional: true,
    ..UNARY
};

//! Exponential linear units: `elu`, `selu`, `celu`, and the gradient that they share.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{Attr, Kind, Op, Out, SAVE_A, SAVE_B, Vjp, optional, param, samples};
use crate::ops::shared::{floats_only, narrow, wide};
use crate::ops::{BASE, UNARY, grad1, same_as_first};
use crate::{Error, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[&ELU, &SELU, &CELU];

/// The gradient of `elu` and its kin: `gy · scale` above 0, `gy · alpha · rate · e^(rate · a)` below.
/// An op of its own, so that its gradient is 0 above without a detour through the exponential.
pub(crate) static ELU_BACKWARD: Op = Op {
    name: "elu_backward",
    grad_fn: "EluBackwardBackward0",
    symbol: "elu′",
    formula: "y = a · scale where b > 0, else a · alpha · rate · e^(rate · b)",
    rules: &[
        "{gy} · scale where {b} > 0, else {gy} · alpha · rate · e^(rate · {b})",
        "0 where {b} ≥ 0, else {gy} · {a} · alpha · rate² · e^(rate · {b})",
    ],
    doc: "The gradient of elu.",
    params: &[
        param("grad_output", Tensor),
        param("input", Tensor),
        param("alpha", Float),
        param("scale", Float),
        param("rate", Float),
    ],
    infer: same_as_first,
    kind: Kind::Elementwise(body!(|gy, x, alpha, scale, rate| {
        let slope = alpha.mul(rate).mul(&x.mul(rate).exp());
        gy.mul(&x.constant(0.0).lt(x).select(scale, &slope))
    })),
    vjp: Vjp::Rule(|b| {
        let [alpha, scale, rate] = [0, 1, 2].map(|i| b.attr(i).as_float());
        let (v, gy, x) = (&b.gy, wide(&b.src[0]), wide(&b.src[1]));
        let first = || elu_gradient(v, &b.src[1], [alpha, scale, rate]);
        let second = || {
            let bend = (&x * rate).exp() * (alpha * rate * rate);
            let zero = x.number(0.0);
            // The bend belongs to what lies strictly below 0.
            narrow(b, &(wide(v) * &gy * x.ge(&zero).select(&zero, &bend)))
        };
        Ok(smallvec![b.needs(0).then(first), b.needs(1).then(second)])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    method: false,
    ..BASE
};

/// `gy` times the slope of `scale · x` above 0 and `alpha · (e^(rate · x) − 1)` below.
pub(crate) fn elu_gradient(
    gy: &GraphValue,
    x: &GraphValue,
    [alpha, scale, rate]: [f64; 3],
) -> GraphValue {
    let attrs = smallvec![Attr::Float(alpha), Attr::Float(scale), Attr::Float(rate)];
    gy.call(&ELU_BACKWARD, &[x], attrs)
}

/// x where positive, alpha · (eˣ − 1) elsewhere.
pub static ELU: Op = Op {
    name: "elu",
    grad_fn: "EluBackward0",
    symbol: "elu",
    formula: "y = a where a > 0, else alpha · (e^a − 1)",
    rules: &["{gy} where {a} > 0, else {gy} · alpha · e^{a}"],
    doc: "Each element, smoothly levelled off below zero.",
    params: &[
        param("input", Tensor),
        optional("alpha", Float, Attr::Float(1.0)),
    ],
    check: floats_only,
    kind: Kind::Elementwise(body!(|x, alpha| {
        x.lt(&x.constant(0.0)).select(&x.expm1().mul(alpha), x)
    })),
    vjp: Vjp::Rule(|b| {
        let numbers = [b.attr(0).as_float(), 1.0, 1.0];
        grad1(elu_gradient(&b.gy, &b.src[0], numbers))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4]", "[3,4] 0.3"]),
    method: false,
    functional: true,
    ..UNARY
};

/// From Klambauer et al. 2017: with these two numbers activations keep mean 0 and variance 1.
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;

const SELU_SCALE: f64 = 1.050_700_987_355_480_5;

/// scale · x where positive, scale · alpha · (eˣ − 1) elsewhere.
pub static SELU: Op = Op {
    name: "selu",
    grad_fn: "EluBackward0",
    symbol: "selu",
    formula: "y = 1.0507 · (a where a > 0, else 1.6733 · (e^a − 1))",
    rules: &["1.0507 · {gy} where {a} > 0, else 1.7581 · {gy} · e^{a}"],
    doc: "A scaled elu that keeps mean 0 and variance 1 from layer to layer.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| {
        let zero = x.constant(0.0);
        let low = x.expm1().mul(&x.constant(SELU_ALPHA * SELU_SCALE));
        x.lt(&zero).select(&low, &x.mul(&x.constant(SELU_SCALE)))
    })),
    vjp: Vjp::Rule(|b| {
        let numbers = [SELU_ALPHA * SELU_SCALE, SELU_SCALE, 1.0];
        grad1(elu_gradient(&b.gy, &b.src[0], numbers))
    }),
    saves: [SAVE_A; 3],
    method: false,
    out: Out::None,
    functional: true,
    ..UNARY
};

/// x where positive, alpha · (e^(x / alpha) − 1) elsewhere.
pub static CELU: Op = Op {
    name: "celu",
    grad_fn: "CeluBackward0",
    symbol: "celu",
    formula: "y = a where a > 0, else alpha · (e^(a / alpha) − 1)",
    rules: &["{gy} where {a} > 0, else {gy} · e^({a} / alpha)"],
    doc: "An elu whose slope is 1 on both sides of 0, whatever alpha is.",
    params: &[
        param("input", Tensor),
        optional("alpha", Float, Attr::Float(1.0)),
    ],
    check: floats_only,
    infer: |op, src, attrs| {
        if attrs[0].as_float() == 0.0 {
            return Err(Error::runtime(
                "celu: ZeroDivisionError: alpha cannot be 0; use relu",
            ));
        }
        same_as_first(op, src, attrs)
    },
    kind: Kind::Elementwise(body!(|x, alpha| {
        let low = x.div(alpha).expm1().mul(alpha);
        x.lt(&x.constant(0.0)).select(&low, x)
    })),
    vjp: Vjp::Rule(|b| {
        let alpha = b.attr(0).as_float();
        grad1(elu_gradient(&b.gy, &b.src[0], [alpha, 1.0, 1.0 / alpha]))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4]", "[5] 0.3"]),
    method: false,
    out: Out::None,
    functional: true,
    ..UNARY
};

//! Activations with options of their own. `relu`, `tanh` and `sigmoid` are plain elementwise ops.

use crate::body;
use crate::op::ParamKind::{Float, Tensor, Word};
use crate::op::{Attr, Kind, Op, SAVE_A, Vjp, optional, param, samples};
use crate::ops::shared::{floats_only, linked, narrow, on, wide};
use crate::ops::smooth::elu_gradient;
use crate::ops::{UNARY, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[&LEAKY_RELU, &ELU, &SILU, &GELU, &SOFTPLUS];

/// x where positive, slope · x elsewhere.
pub static LEAKY_RELU: Op = Op {
    name: "leaky_relu",
    grad_fn: "LeakyReluBackward0",
    symbol: "lrelu",
    formula: "y = a where a > 0, else slope · a",
    rules: &["{gy} where {a} > 0, else slope · {gy}"],
    doc: "Each element, or a small part of it where it is negative.",
    params: &[
        param("input", Tensor),
        optional("negative_slope", Float, Attr::Float(0.01)),
    ],
    check: floats_only,
    kind: Kind::Elementwise(body!(|x, slope| x
        .constant(0.0)
        .lt(x)
        .select(x, &x.mul(slope)))),
    vjp: Vjp::Rule(|b| {
        let positive = b.src[0].gt(&b.gy.number(0.0));
        let gradient = positive.select(&b.gy, &(&b.gy * b.attr(0).as_float()));
        grad1(linked(&gradient, &b.src[0]))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4]", "[3,4] 0.3"]),
    method: false,
    ..UNARY
};

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
    ..UNARY
};

/// x · σ(x)
pub static SILU: Op = Op {
    name: "silu",
    grad_fn: "SiluBackward0",
    symbol: "silu",
    formula: "y = a · σ(a)",
    rules: &["{gy} · σ({a}) · (1 + {a} · (1 − σ({a})))"],
    doc: "Each element times its sigmoid.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| x.div(&x.constant(1.0).add(&x.neg().exp())))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let s = x.sigmoid();
        let slope = &s * (1.0 + &x * (1.0 - &s));
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    method: false,
    ..UNARY
};

/// x · Φ(x), exactly or by tanh (Hendrycks & Gimpel 2016).
pub static GELU: Op = Op {
    name: "gelu",
    element_by_element: true,
    grad_fn: "GeluBackward0",
    symbol: "gelu",
    formula: "y = a · Φ(a)",
    rules: &["{gy} · (Φ({a}) + {a} · φ({a}))"],
    doc: "Each element times the share of a normal distribution below it.",
    params: &[
        param("input", Tensor),
        optional("approximate", Word(&["none", "tanh"]), Attr::Str("none")),
    ],
    check: floats_only,
    kind: Kind::Composite(|c| {
        let x = &wide(&c.src[0]);
        let share = if c.attr(0).as_str() == "tanh" {
            gelu_inner(x).tanh()
        } else {
            (x * std::f64::consts::FRAC_1_SQRT_2).erf()
        };
        Ok((x * 0.5 * (share + 1.0)).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, gy) = (&wide(&b.src[0]), wide(&b.gy));
        if b.attr(0).as_str() == "tanh" {
            let t = gelu_inner(x).tanh();
            let slope = (1.0 + x * x * (3.0 * 0.044715)) * SQRT_2_OVER_PI;
            let dt = (1.0 - &t * &t) * slope;
            return grad1(narrow(b, &(gy * ((&t + 1.0) * 0.5 + x * 0.5 * dt))));
        }
        let cdf = ((x * std::f64::consts::FRAC_1_SQRT_2).erf() + 1.0) * 0.5;
        let pdf = (x * x * -0.5).exp()
            * (0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2);
        grad1(narrow(b, &(gy * (cdf + x * pdf))))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4]", "[3,4] approximate='tanh'"]),
    method: false,
    ..UNARY
};

const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;

fn gelu_inner(x: &crate::GraphValue) -> crate::GraphValue {
    (x + x * x * x * 0.044715) * SQRT_2_OVER_PI
}

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
        let scaled = &b.src[0] * b.attr(0).as_float();
        let threshold = b.gy.number(b.attr(1).as_float());
        let slope = scaled.sigmoid();
        // At the threshold itself the slope is the sigmoid's, and does not bend any more.
        let straight = on(&slope, &crate::ops::convert::DETACH);
        let slope = scaled.lt(&threshold).select(&slope, &straight);
        grad1(scaled.gt(&threshold).select(&b.gy, &(&b.gy * slope)))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4] 2.0", "[3,4] 3.0 threshold=2.5"]),
    method: false,
    ..UNARY
};

//! Activations made of straight lines: `hardtanh`, `hardsigmoid`, `hardswish`, `hardshrink`, `softshrink`.
//!
//! Their gradients at the corners are PyTorch's: an interval's ends are outside it, and NaN is in no interval.

use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Backprop, Infinities, Kind, Op, Promote, SAVE_A, Vjp, optional, param, samples,
};
use crate::ops::shared::{floats_only, linked, narrow, not_bool, on2, wide};
use crate::ops::{UNARY, grad1, same_as_first};
use crate::{Error, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &HARDTANH,
    &HARDSIGMOID,
    &HARDSWISH,
    &HARDSHRINK,
    &SOFTSHRINK,
];

/// One operand, differentiated by looking at it.
pub(in crate::ops) const CORNERS: Op = Op {
    promote: Promote::Keep,
    saves: [SAVE_A; 3],
    method: false,
    functional: true,
    ..UNARY
};

/// The gradient where the operand is strictly between two numbers.
pub(in crate::ops) fn inside(b: &Backprop, low: f64, high: f64) -> GraphValue {
    // A bound is not rounded to a half-width float.
    let x = wide(&b.src[0]);
    let open = on2(
        &x.gt(&x.number(low)),
        &crate::ops::compare::LOGICAL_AND,
        &x.lt(&x.number(high)),
    );
    linked(&open.select(&b.gy, &b.gy.number(0.0)), &b.src[0])
}

/// The gradient where the operand is strictly outside of −λ … λ.
fn outside(b: &Backprop) -> GraphValue {
    let x = wide(&b.src[0]);
    let lambda = b.attr(0).as_float();
    let open = on2(
        &x.gt(&x.number(lambda)),
        &crate::ops::compare::LOGICAL_OR,
        &x.lt(&x.number(-lambda)),
    );
    linked(&open.select(&b.gy, &b.gy.number(0.0)), &b.src[0])
}

/// min(max(x, min), max)
pub static HARDTANH: Op = Op {
    name: "hardtanh",
    grad_fn: "HardtanhBackward0",
    symbol: "hardtanh",
    formula: "y = min(max(a, min), max)",
    rules: &["{gy} where min < {a} < max, else 0"],
    doc: "Each element, or the nearer end where it lies outside an interval.",
    params: &[
        param("input", Tensor),
        optional("min_val", Float, Attr::Float(-1.0)),
        optional("max_val", Float, Attr::Float(1.0)),
    ],
    check: not_bool,
    infer: |op, src, attrs| {
        let (low, high) = (attrs[0].as_float(), attrs[1].as_float());
        if low > high {
            return Err(Error::value(format!(
                "hardtanh: min_val cannot be greater than max_val, got {low} and {high}"
            )));
        }
        same_as_first(op, src, attrs)
    },
    // An unsigned integer is never below 0: a negative bound would wrap.
    prepare: Some(|_, src, attrs| {
        let dtype = src[0].dtype();
        if !dtype.is_float() && !dtype.is_signed() && attrs[0].as_float() < 0.0 {
            attrs[0] = Attr::Int(0);
        }
        Ok(())
    }),
    kind: Kind::Elementwise(body!(|x, low, high| high.min(&low.max(x)))),
    vjp: Vjp::Rule(|b| grad1(inside(b, b.attr(0).as_float(), b.attr(1).as_float()))),
    exact: true,
    samples: samples(&["[3,4]", "[5] -0.5 0.75"]),
    infinities: Infinities::Chooses,
    ..CORNERS
};

/// min(max(x + 3, 0), 6) / 6
pub static HARDSIGMOID: Op = Op {
    name: "hardsigmoid",
    grad_fn: "HardsigmoidBackward0",
    symbol: "hardσ",
    formula: "y = min(max(a + 3, 0), 6) / 6",
    rules: &["{gy} / 6 where −3 < {a} < 3, else 0"],
    doc: "A sigmoid of three straight lines.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| {
        let six = x.constant(6.0);
        let up = x.add(&x.constant(3.0));
        six.min(&x.constant(0.0).max(&up)).div(&six)
    })),
    vjp: Vjp::Rule(|b| {
        // PyTorch's sixth is a float32 whatever the dtype is.
        let sixth = wide(&b.gy) * f64::from(1.0f32 / 6.0f32);
        let zero = b.gy.number(0.0);
        let within = inside_mask(b, 3.0);
        grad1(within.select(&narrow(b, &sixth), &zero))
    }),
    ..CORNERS
};

/// Where the operand is strictly within −bound … bound.
fn inside_mask(b: &Backprop, bound: f64) -> GraphValue {
    let x = &b.src[0];
    on2(
        &x.gt(&x.number(-bound)),
        &crate::ops::compare::LOGICAL_AND,
        &x.lt(&x.number(bound)),
    )
}

/// x · min(max(x + 3, 0), 6) / 6
pub static HARDSWISH: Op = Op {
    name: "hardswish",
    grad_fn: "HardswishBackward0",
    symbol: "hardswish",
    formula: "y = a · min(max(a + 3, 0), 6) / 6",
    rules: &["0 where {a} ≤ −3, {gy} where {a} ≥ 3, else {gy} · ({a} / 3 + ½)"],
    doc: "Each element times its hardsigmoid.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| {
        let six = x.constant(6.0);
        let up = x.add(&x.constant(3.0));
        x.mul(&six.min(&x.constant(0.0).max(&up))).div(&six)
    })),
    vjp: Vjp::Rule(|b| {
        let (x, gy) = (wide(&b.src[0]), wide(&b.gy));
        let (zero, low, high) = (gy.number(0.0), x.le(&x.number(-3.0)), x.ge(&x.number(3.0)));
        // The inner choice gives a second derivative of plain 0 beyond the corners.
        let beyond = on2(&low, &crate::ops::compare::LOGICAL_OR, &high);
        let between = &gy * beyond.select(&zero, &(&x / 3.0 + 0.5));
        grad1(narrow(b, &high.select(&gy, &low.select(&zero, &between))))
    }),
    ..CORNERS
};

/// 0 within −λ … λ, x outside.
pub static HARDSHRINK: Op = Op {
    name: "hardshrink",
    grad_fn: "HardshrinkBackward0",
    symbol: "hardshrink",
    formula: "y = 0 where |a| ≤ λ, else a",
    rules: &["{gy} where |{a}| > λ, else 0"],
    doc: "Each element, or 0 where it is small.",
    params: &[
        param("input", Tensor),
        optional("lambd", Float, Attr::Float(0.5)),
    ],
    check: floats_only,
    kind: Kind::Elementwise(body!(|x, lambda| {
        x.abs().le(lambda).select(&x.constant(0.0), x)
    })),
    vjp: Vjp::Rule(|b| grad1(outside(b))),
    exact: true,
    samples: samples(&["[3,4]", "[5] 1.25"]),
    method: true,
    ..CORNERS
};

/// Toward 0 by λ, not past it.
pub static SOFTSHRINK: Op = Op {
    name: "softshrink",
    grad_fn: "SoftshrinkBackward0",
    symbol: "softshrink",
    formula: "y = a − λ where a > λ, a + λ where a < −λ, else 0",
    rules: &["{gy} where |{a}| > λ, else 0"],
    doc: "Each element moved toward 0 by a distance, but not past it.",
    infer: |op, src, attrs| {
        let lambda = attrs[0].as_float();
        // NaN is no distance either.
        if !matches!(lambda.partial_cmp(&0.0), Some(order) if order.is_ge()) {
            return Err(Error::runtime(format!(
                "softshrink: lambd must be greater than or equal to 0, got {lambda}"
            )));
        }
        same_as_first(op, src, attrs)
    },
    kind: Kind::Elementwise(body!(|x, lambda| {
        let inside = x.eq(x).select(&x.constant(0.0), x);
        let below = x.lt(&lambda.neg()).select(&x.add(lambda), &inside);
        lambda.lt(x).select(&x.sub(lambda), &below)
    })),
    method: false,
    ..HARDSHRINK
};

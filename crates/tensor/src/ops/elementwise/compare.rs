//! Comparisons, closeness and logic: `eq` … `ge`, `isclose`, `logical_and` … `logical_not`.

use crate::dtype::DType;
use crate::op::ParamKind::{Bool, Float, Tensor};
use crate::op::{Attr, Kind, Op, Out, Promote, Vjp, example, optional, param, samples};
use crate::ops::maximum::{both, either, is_nan};
use crate::ops::shared::{UNARY_PREDICATE, on};
use crate::ops::{BASE, BINARY, broadcast_bool};
use crate::{Error, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &EQ,
    &NE,
    &LT,
    &LE,
    &GT,
    &GE,
    &ISCLOSE,
    &LOGICAL_AND,
    &LOGICAL_OR,
    &LOGICAL_XOR,
    &LOGICAL_NOT,
];

const PREDICATE: Op = Op {
    infer: broadcast_bool,
    vjp: Vjp::None("its result is true or false"),
    ..BINARY
};

/// a = b
pub static EQ: Op = Op {
    name: "eq",
    symbol: "=",
    formula: "y = (a = b)",
    doc: "Where two tensors are equal.",
    kind: Kind::Elementwise(body!(|a, b| a.eq(b))),
    ..PREDICATE
};

/// a ≠ b
pub static NE: Op = Op {
    name: "ne",
    symbol: "≠",
    formula: "y = (a ≠ b)",
    doc: "Where two tensors differ.",
    kind: Kind::Elementwise(body!(|a, b| a.eq(b).not())),
    ..PREDICATE
};

/// a < b
pub static LT: Op = Op {
    name: "lt",
    symbol: "<",
    formula: "y = (a < b)",
    doc: "Where the first tensor is less than the second.",
    kind: Kind::Elementwise(body!(|a, b| a.lt(b))),
    ..PREDICATE
};

/// a ≤ b
pub static LE: Op = Op {
    name: "le",
    symbol: "≤",
    formula: "y = (a ≤ b)",
    doc: "Where the first tensor is less than or equal to the second.",
    kind: Kind::Elementwise(body!(|a, b| a.le(b))),
    ..PREDICATE
};

/// a > b
pub static GT: Op = Op {
    name: "gt",
    symbol: ">",
    formula: "y = (a > b)",
    doc: "Where the first tensor is greater than the second.",
    kind: Kind::Elementwise(body!(|a, b| b.lt(a))),
    ..PREDICATE
};

/// a ≥ b
pub static GE: Op = Op {
    name: "ge",
    symbol: "≥",
    formula: "y = (a ≥ b)",
    doc: "Where the first tensor is greater than or equal to the second.",
    kind: Kind::Elementwise(body!(|a, b| b.le(a))),
    ..PREDICATE
};

/// |a − b| ≤ atol + rtol · |b|
pub static ISCLOSE: Op = Op {
    name: "isclose",
    symbol: "≈",
    formula: "y = |a − b| ≤ atol + rtol · |b|",
    doc: "Where two tensors are equal within a tolerance.",
    params: &[
        param("input", Tensor),
        param("other", Tensor),
        optional("rtol", Float, Attr::Float(1e-5)),
        optional("atol", Float, Attr::Float(1e-8)),
        optional("equal_nan", Bool, Attr::Bool(false)),
    ],
    infer: |op, src, attrs| {
        if src[0].dtype != src[1].dtype {
            return Err(Error::runtime(format!(
                "isclose: {} did not match {}; convert one of them with .to()",
                src[0].dtype.scalar_name(),
                src[1].dtype.scalar_name()
            )));
        }
        for (name, tolerance) in [("rtol", &attrs[0]), ("atol", &attrs[1])] {
            // NaN is no tolerance either.
            if !matches!(tolerance.as_float().partial_cmp(&0.0), Some(order) if order.is_ge()) {
                return Err(Error::runtime(format!(
                    "isclose: {name} must be greater than or equal to zero, got {}",
                    tolerance.as_float()
                )));
            }
        }
        crate::ops::broadcast_bool(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let (rtol, atol) = (c.attr(0).as_float(), c.attr(1).as_float());
        let (x, y) = (&c.src[0], &c.src[1]);
        let mut close = x.eq(y);
        if c.attr(2).as_bool() && x.dtype().is_float() {
            close = either(&close, &both(&is_nan(x), &is_nan(y)));
        }
        if rtol == 0.0 && atol == 0.0 {
            return Ok(close);
        }
        let float = match x.dtype() {
            dtype if dtype.is_float() => dtype.compute(),
            _ => DType::F32,
        };
        let (x, y) = (x.to(float), y.to(float));
        let error = (&x - &y).abs();
        let finite = on(&error, &crate::ops::finite::ISFINITE);
        let allowed = (y * rtol).abs() + atol;
        Ok(either(&close, &both(&finite, &error.le(&allowed))))
    }),
    vjp: Vjp::None("its result is true or false"),
    samples: samples(&["[2,3] [3]", "[4] [4] rtol=0.5 atol=0.25 equal_nan=true"]),
    example: example("torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.1]))"),
    promote: Promote::Keep,
    out: Out::None,
    ..BASE
};

/// a ∧ b
pub static LOGICAL_AND: Op = Op {
    name: "logical_and",
    symbol: "and",
    formula: "y = a and b",
    doc: "Where both tensors are true (not zero).",
    kind: Kind::Elementwise(body!(|a, b| a.and(b))),
    ..PREDICATE
};

/// a ∨ b
pub static LOGICAL_OR: Op = Op {
    name: "logical_or",
    symbol: "or",
    formula: "y = a or b",
    doc: "Where at least one of two tensors is true (not zero).",
    kind: Kind::Elementwise(body!(|a, b| a.or(b))),
    ..PREDICATE
};

/// a ⊻ b
pub static LOGICAL_XOR: Op = Op {
    name: "logical_xor",
    symbol: "xor",
    formula: "y = a xor b",
    doc: "Where exactly one of two tensors is true (not zero).",
    kind: Kind::Elementwise(body!(|a, b| a.not().eq(&b.not()).not())),
    ..PREDICATE
};

/// x = 0
pub static LOGICAL_NOT: Op = Op {
    name: "logical_not",
    symbol: "not",
    formula: "y = not a",
    doc: "Where an element is zero or false.",
    kind: Kind::Elementwise(body!(|x| x.not())),
    out: Out::Cast,
    ..UNARY_PREDICATE
};

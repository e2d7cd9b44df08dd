//! Comparisons, logic, and choosing by a condition.

use smallvec::smallvec;

use crate::Error;
use crate::body;
use crate::dtype::{self, DType};
use crate::op::ParamKind::Tensor;
use crate::op::{Kind, Meta, Op, Out, Promote, SAVE_A, SAVE_B, Vjp, param, samples};
use crate::op::{PythonFace, face};
use crate::ops::shared::check_value;
use crate::ops::{BASE, BINARY, broadcast_bool};
use crate::shape;

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &EQ,
    &NE,
    &LT,
    &LE,
    &GT,
    &GE,
    &LOGICAL_AND,
    &LOGICAL_OR,
    &LOGICAL_XOR,
    &WHERE,
    &MASKED_FILL,
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

/// condition ? a : b
pub static WHERE: Op = Op {
    name: "where",
    python: face(&PythonFace {
        has_method: true,
        of_torch: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "WhereBackward0",
    symbol: "where",
    formula: "y = b where a, else c",
    rules: &["", "{gy} where {a}, else 0", "0 where {a}, else {gy}"],
    doc: "The second tensor where the condition holds, the third elsewhere.",
    params: &[
        param("condition", Tensor),
        param("input", Tensor),
        param("other", Tensor),
    ],
    promote: Promote::Rest,
    infer: |op, src, attrs| {
        if src[0].dtype != DType::Bool {
            return Err(Error::runtime(format!(
                "where: expected condition to be a boolean tensor, but got a tensor with dtype {}; compare it with something, such as x != 0",
                src[0].dtype.scalar_name()
            )));
        }
        crate::ops::broadcast_all(op, src, attrs)
    },
    prepare: Some(|op, src, _| {
        let sides = src[1..].iter().map(|s| (s.dtype(), s.node().rank()));
        // Sides that do not meet are refused when they are asked to.
        let Ok(dtype) = dtype::promote(sides) else {
            return Ok(());
        };
        let numbers = src[1..].iter().filter_map(|s| {
            let node = s.node();
            node.number.filter(|_| node.is_python_number)
        });
        numbers
            .into_iter()
            .try_for_each(|number| number.check_fits_or_half(op.name, dtype))
    }),
    kind: Kind::Elementwise(body!(|c, a, b| c.select(a, b))),
    vjp: Vjp::Rule(|b| {
        let zero = b.gy.number(0.0);
        let condition = &b.src[0];
        Ok(smallvec![
            None,
            b.needs(1).then(|| condition.select(&b.gy, &zero)),
            b.needs(2).then(|| condition.select(&zero, &b.gy)),
        ])
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[2,1]? [2,3] [3]"]),
    method: false,
    ..BASE
};

/// The tensor, with a number where the mask holds.
pub static MASKED_FILL: Op = Op {
    name: "masked_fill",
    element_by_element: true,
    grad_fn: "MaskedFillBackward0",
    symbol: "fill",
    formula: "y = value where b, else a",
    rules: &["0 where {b}, else {gy}"],
    doc: "A tensor with a value put in where a mask is true.",
    params: &[
        param("input", Tensor),
        param("mask", Tensor),
        param("value", Tensor),
    ],
    infer: |op, src, _| {
        if src[1].dtype != DType::Bool {
            return Err(Error::runtime(format!(
                "masked_fill: expected a boolean mask, got {}; compare something to get one",
                src[1].dtype
            )));
        }
        if !src[2].shape.is_empty() {
            return Err(Error::runtime(format!(
                "masked_fill: value must be a number or a 0-dimensional tensor, got shape {}",
                shape::show(&src[2].shape)
            )));
        }
        let shape = shape::broadcast(op.name, &src[0].shape, &src[1].shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    prepare: Some(|op, src, _| check_value(op, &src[0], &src[2])),
    kind: Kind::Composite(|c| {
        let value = c.src[2].to(c.node.dtype);
        Ok(c.src[1].select(&value, &c.src[0]))
    }),
    vjp: Vjp::Rule(|b| {
        let zero = b.gy.number(0.0);
        let mask = &b.src[1];
        Ok(smallvec![
            b.needs(0).then(|| mask.select(&zero, &b.gy)),
            None,
            b.needs(2).then(|| mask.select(&b.gy, &zero)),
        ])
    }),
    saves: [SAVE_B; 3],
    numbers: 0b100,
    samples: samples(&["[2,3] [3]? []"]),
    out: Out::None,
    ..BASE
};

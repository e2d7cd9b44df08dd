//! The larger and the smaller of two where NaN is skipped, bounds that are tensors, and closeness.
//!
//! The engine sums each gradient back to its operand's shape, so the rules need not.

use smallvec::smallvec;

use crate::body;
use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::op::ParamKind::{Bool, Float, Tensor};
use crate::op::{
    Attr, Backprop, Grads, Kind, Op, Out, Promote, SAVE_A, SAVE_B, SAVE_C, Vjp, attr_scalar,
    example, optional, param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::shared::{on, on2};
use crate::ops::{BASE, BINARY};
use crate::{Error, Result, Scalar};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &FMAX,
    &FMIN,
    &CLAMP_MIN,
    &CLAMP_MAX,
    &CLAMP_TENSOR,
    &ISCLOSE,
];

fn both(a: &GraphValue, b: &GraphValue) -> GraphValue {
    on2(a, &crate::ops::compare::LOGICAL_AND, b)
}

fn either(a: &GraphValue, b: &GraphValue) -> GraphValue {
    on2(a, &crate::ops::compare::LOGICAL_OR, b)
}

fn is_nan(x: &GraphValue) -> GraphValue {
    on(x, &crate::ops::unary::ISNAN)
}

/// The larger of both, the other where one is NaN; of equal ones the first.
pub static FMAX: Op = Op {
    name: "fmax",
    grad_fn: "FmaxBackward0",
    symbol: "fmax",
    formula: "y = max(a, b), NaN skipped",
    rules: &[
        "{gy} where {a} > {b}, half where equal",
        "{gy} where {b} > {a}, half where equal",
    ],
    doc: "The larger of two tensors, element by element; where one is NaN, the other.",
    kind: Kind::Elementwise(body!(|a, b| b.le(a).or(&b.eq(b).not()).select(a, b))),
    vjp: Vjp::Rule(|b| {
        let (x, y) = (&b.src[0], &b.src[1]);
        let skipped = is_nan(y);
        pick(b, &either(&x.ge(y), &skipped), &either(&x.gt(y), &skipped))
    }),
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    ..BINARY
};

/// The smaller of both, the other where one is NaN; of equal ones the first.
pub static FMIN: Op = Op {
    name: "fmin",
    grad_fn: "FminBackward0",
    symbol: "fmin",
    formula: "y = min(a, b), NaN skipped",
    rules: &[
        "{gy} where {a} < {b}, half where equal",
        "{gy} where {b} < {a}, half where equal",
    ],
    doc: "The smaller of two tensors, element by element; where one is NaN, the other.",
    kind: Kind::Elementwise(body!(|a, b| a.le(b).or(&b.eq(b).not()).select(a, b))),
    vjp: Vjp::Rule(|b| {
        let (x, y) = (&b.src[0], &b.src[1]);
        let skipped = is_nan(y);
        pick(b, &either(&x.le(y), &skipped), &either(&x.lt(y), &skipped))
    }),
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    ..BINARY
};

/// The gradient, halved on a tie: to the first where it won, to the second unless the first alone
/// won.
fn pick(b: &Backprop, won: &GraphValue, won_alone: &GraphValue) -> Result<Grads> {
    let zero = b.gy.number(0.0);
    let halved = b.src[0].eq(&b.src[1]).select(&(&b.gy * 0.5), &b.gy);
    Ok(smallvec![
        b.needs(0).then(|| won.select(&halved, &zero)),
        b.needs(1).then(|| won_alone.select(&zero, &halved)),
    ])
}

/// The gradient of an end that is a number: it flows strictly inside.
fn is_number(bound: &GraphValue) -> bool {
    bound.node().number.is_some()
}

/// Refuses bounds of `clamp` that leave nothing of a dtype's range; what only lies outside of it is no
/// bound at all. Floats are refused where they do not fit.
pub(in crate::ops) fn check_bounds(op: &Op, attrs: &[Attr], dtype: DType) -> Result<()> {
    for (at, word) in ["min", "max"].into_iter().enumerate() {
        let Some(number) = attr_scalar(&attrs[at]) else {
            continue;
        };
        if dtype.is_float() {
            number.check_fits(op.name, dtype)?;
            continue;
        }
        let (low, high) = dtype.int_range();
        let number = i128::from(number.as_i64());
        if at == 0 && number > high || at == 1 && number < low {
            return Err(Error::runtime(format!(
                "clamp: Clamp {word} value {number} is outside the representable range of {}, {low} … {high}",
                dtype.scalar_name()
            )));
        }
    }
    Ok(())
}

/// A bound within the range of an integer type, where [`check_bounds`] lets it pass.
pub(in crate::ops) fn bound(attr: &Attr, dtype: DType) -> Option<Scalar> {
    let number = attr_scalar(attr)?;
    if !dtype.is_int() {
        return Some(number);
    }
    let (low, high) = dtype.int_range();
    let within = i128::from(number.as_i64()).clamp(low, high);
    Some(i64::try_from(within).map_or(Scalar::UInt(u64::MAX), Scalar::Int))
}

/// max(a, b); what `clamp` with only `min` is where that is a tensor.
pub static CLAMP_MIN: Op = Op {
    name: "clamp_min",
    grad_fn: "ClampMinBackward1",
    grad_fn_for: |node| {
        let bound = node.src.borrow().get(1)?.number;
        bound.map(|_| "ClampMinBackward0")
    },
    symbol: "clamp",
    formula: "y = max(a, b)",
    rules: &[
        "{gy} where {a} > {b}, half where equal",
        "{gy} where {b} > {a}, half where equal",
    ],
    doc: "Each element, or its lower bound where it lies below that.",
    params: &[param("input", Tensor), param("min", Tensor)],
    kind: Kind::Elementwise(body!(|x, low| low.max(x))),
    vjp: Vjp::Rule(|b| {
        let (x, low) = (&b.src[0], &b.src[1]);
        if is_number(low) {
            let zero = b.gy.number(0.0);
            return Ok(smallvec![Some(x.gt(low).select(&b.gy, &zero)), None]);
        }
        crate::ops::binary::pick(b, |x, y| x.lt(y))
    }),
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    samples: samples(&["[2,3] [3]", "[5] 0.3"]),
    out: Out::Same,
    ..BINARY
};

/// min(a, b); what `clamp` with only `max` is where that is a tensor.
pub static CLAMP_MAX: Op = Op {
    name: "clamp_max",
    grad_fn: "ClampMaxBackward1",
    grad_fn_for: |node| {
        let bound = node.src.borrow().get(1)?.number;
        bound.map(|_| "ClampMaxBackward0")
    },
    formula: "y = min(a, b)",
    rules: &[
        "{gy} where {a} < {b}, half where equal",
        "{gy} where {b} < {a}, half where equal",
    ],
    doc: "Each element, or its upper bound where it lies above that.",
    params: &[param("input", Tensor), param("max", Tensor)],
    kind: Kind::Elementwise(body!(|x, high| high.min(x))),
    vjp: Vjp::Rule(|b| {
        let (x, high) = (&b.src[0], &b.src[1]);
        if is_number(high) {
            let zero = b.gy.number(0.0);
            return Ok(smallvec![Some(x.lt(high).select(&b.gy, &zero)), None]);
        }
        crate::ops::binary::pick(b, |x, y| x.gt(y))
    }),
    out: Out::Same,
    ..CLAMP_MIN
};

/// min(max(a, b), c): the Python module chooses it where both bounds are given and one is a tensor.
pub static CLAMP_TENSOR: Op = Op {
    name: "clamp_tensor",
    python: face(&PythonFace {
        part_of: "clamp",
        ..PythonFace::PLAIN
    }),
    grad_fn: "ClampBackward0",
    symbol: "clamp",
    formula: "y = min(max(a, b), c)",
    rules: &[
        "{gy} where {b} < {a} < {c}, half at an end",
        "{gy} where {a} < {b} < {c}",
        "{gy} where {a} > {c} or {b} > {c}",
    ],
    doc: "Each element, moved to the nearer end where it lies outside an interval of its own.",
    params: &[
        param("input", Tensor),
        param("min", Tensor),
        param("max", Tensor),
    ],
    kind: Kind::Elementwise(body!(|x, low, high| high.min(&low.max(x)))),
    vjp: Vjp::Rule(bounded),
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    exact: true,
    samples: samples(&[
        "[2,3] [3]@-0.9..-0.2 [2,1]@0.2..0.9",
        "[5] -0.4 [5]@0.1..0.8",
    ]),
    method: false,
    out: Out::Same,
    ..BINARY
};

fn bounded(b: &Backprop) -> Result<Grads> {
    let (x, low, high) = (&b.src[0], &b.src[1], &b.src[2]);
    let zero = b.gy.number(0.0);
    let half = &b.gy * 0.5;
    let crossed = low.gt(high);
    // Only an open interval has ends to share with.
    let open = low.lt(high);
    let outside = either(&either(&x.lt(low), &x.gt(high)), &crossed);
    let at_end = both(&open, &either(&x.eq(low), &x.eq(high)));
    let own = || outside.select(&zero, &at_end.select(&half, &b.gy));
    let lower = || {
        let tie = both(&open, &x.eq(low)).select(&half, &zero);
        both(&low.le(high), &x.lt(low)).select(&b.gy, &tie)
    };
    let upper = || {
        let tie = both(&open, &x.eq(high)).select(&half, &zero);
        either(&x.gt(high), &crossed).select(&b.gy, &tie)
    };
    Ok(smallvec![
        b.needs(0).then(own),
        b.needs(1).then(lower),
        b.needs(2).then(upper),
    ])
}

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
        let finite = on(&error, &crate::ops::unary::ISFINITE);
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

//! Elements kept within bounds: `clamp` with numbers and with tensors, `clamp_min`, `clamp_max`.

use smallvec::smallvec;

use crate::dtype::{DType, Scalar};
use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Backprop, Grads, Infinities, Kind, Op, Out, PythonFace, SAVE_A, SAVE_B, SAVE_C, Vjp,
    attr_scalar, face, optional, param, samples,
};
use crate::ops::maximum::{both, either};
use crate::ops::shared::{KEEP, on2};
use crate::ops::{BINARY, grad1};
use crate::{Error, Result, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[&CLAMP, &CLAMP_MIN, &CLAMP_MAX, &CLAMP_TENSOR];

/// Into an interval; the gradient at its ends is 0.
pub static CLAMP: Op = Op {
    name: "clamp",
    element_by_element: true,
    grad_fn: "ClampBackward1",
    symbol: "clamp",
    formula: "y = min(max(a, min), max)",
    rules: &["{gy} where min < {a} < max, else 0"],
    doc: "Each element, moved to the nearer end where it lies outside an interval.",
    params: &[
        param("input", Tensor),
        optional("min", Float, Attr::None),
        optional("max", Float, Attr::None),
    ],
    infer: |op, src, attrs| {
        if attrs.iter().all(|a| *a == Attr::None) {
            return Err(crate::Error::runtime(
                "clamp: at least one of 'min' or 'max' must not be None",
            ));
        }
        let floats = attrs.iter().any(|a| matches!(a, Attr::Float(_)));
        let dtype = match src[0].dtype {
            dtype if dtype.is_float() => dtype,
            _ if floats => crate::DType::F32,
            crate::DType::Bool => crate::DType::I64,
            dtype => dtype,
        };
        check_bounds(op, attrs, dtype)?;
        Ok(crate::op::Meta {
            shape: src[0].shape.clone(),
            dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let mut y = c.src[0].to(c.node.dtype);
        let bound = |at: usize| bound(c.attr(at), c.node.dtype);
        if let Some(low) = bound(0) {
            let low = y.engine().number(low, y.dtype());
            // Of equal zeros the operand's own stays.
            y = crate::GraphValue::new(y.engine(), low).maximum(&y);
        }
        if let Some(high) = bound(1) {
            let high = y.engine().number(high, y.dtype());
            y = on2(
                &crate::GraphValue::new(y.engine(), high),
                &crate::ops::maximum::MINIMUM,
                &y,
            );
        }
        Ok(y)
    }),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        let zero = b.gy.number(0.0);
        let mut grad = b.gy.clone();
        if *b.attr(0) != Attr::None {
            grad = x.gt(&x.number(b.attr(0).as_float())).select(&grad, &zero);
        }
        if *b.attr(1) != Attr::None {
            grad = x.lt(&x.number(b.attr(1).as_float())).select(&grad, &zero);
        }
        grad1(grad)
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4] -0.7 0.9", "[5] max=0.3", "[5] min=-0.3"]),
    out: Out::Same,
    infinities: Infinities::Chooses,
    ..KEEP
};

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
        crate::ops::maximum::pick(b, |x, y| x.lt(y))
    }),
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    samples: samples(&["[2,3] [3]", "[5] 0.3"]),
    out: Out::Same,
    infinities: Infinities::Chooses,
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
        crate::ops::maximum::pick(b, |x, y| x.gt(y))
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
    infinities: Infinities::Chooses,
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

/// The gradient of an end that is a number: it flows strictly inside.
fn is_number(bound: &GraphValue) -> bool {
    bound.node().number.is_some()
}

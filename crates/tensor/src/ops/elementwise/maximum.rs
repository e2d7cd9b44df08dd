//! The larger and the smaller of two: `maximum` and `minimum`, and `fmax` and `fmin`, which skip NaN.
//!
//! The engine sums each gradient back to its operand's shape, so the rules need not.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::{Backprop, Grads, Infinities, Kind, Op, SAVE_A, SAVE_B, Vjp};
use crate::ops::BINARY;
use crate::ops::shared::{on, on2};
use crate::{Result, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[&MAXIMUM, &MINIMUM, &FMAX, &FMIN];

/// The larger of both; where they are equal each gets half of the gradient.
pub static MAXIMUM: Op = Op {
    name: "maximum",
    grad_fn: "MaximumBackward0",
    symbol: "max",
    formula: "y = max(a, b)",
    rules: &[
        "{gy} where {a} > {b}, half where equal",
        "{gy} where {b} > {a}, half where equal",
    ],
    doc: "The larger of two tensors, element by element; NaN if either is.",
    kind: Kind::Elementwise(body!(|a, b| a.max(b))),
    vjp: Vjp::Rule(|b| pick(b, |x, y| x.lt(y))),
    saves: [SAVE_A | SAVE_B; 3],
    infinities: Infinities::Chooses,
    ..BINARY
};

/// The smaller of both; where they are equal each gets half of the gradient.
pub static MINIMUM: Op = Op {
    name: "minimum",
    grad_fn: "MinimumBackward0",
    symbol: "min",
    formula: "y = min(a, b)",
    rules: &[
        "{gy} where {a} < {b}, half where equal",
        "{gy} where {b} < {a}, half where equal",
    ],
    doc: "The smaller of two tensors, element by element; NaN if either is.",
    kind: Kind::Elementwise(body!(|a, b| a.min(b))),
    vjp: Vjp::Rule(|b| pick(b, |x, y| x.gt(y))),
    saves: [SAVE_A | SAVE_B; 3],
    infinities: Infinities::Chooses,
    ..BINARY
};

/// The gradient to the operand that was picked, halves to both on a tie.
pub(crate) fn pick(
    b: &crate::op::Backprop,
    loses: fn(&crate::GraphValue, &crate::GraphValue) -> crate::GraphValue,
) -> crate::Result<crate::op::Grads> {
    let (x, y) = (&b.src[0], &b.src[1]);
    let zero = b.gy.number(0.0);
    let halved = x.eq(y).select(&(&b.gy * 0.5), &b.gy);
    Ok(smallvec![
        b.needs(0).then(|| loses(x, y).select(&zero, &halved)),
        b.needs(1).then(|| loses(y, x).select(&zero, &halved)),
    ])
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
        pick_numbers(b, &either(&x.ge(y), &skipped), &either(&x.gt(y), &skipped))
    }),
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    infinities: Infinities::Chooses,
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
        pick_numbers(b, &either(&x.le(y), &skipped), &either(&x.lt(y), &skipped))
    }),
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    infinities: Infinities::Chooses,
    ..BINARY
};

/// The gradient, halved on a tie: to the first where it won, to the second unless the first alone
/// won.
fn pick_numbers(b: &Backprop, won: &GraphValue, won_alone: &GraphValue) -> Result<Grads> {
    let zero = b.gy.number(0.0);
    let halved = b.src[0].eq(&b.src[1]).select(&(&b.gy * 0.5), &b.gy);
    Ok(smallvec![
        b.needs(0).then(|| won.select(&halved, &zero)),
        b.needs(1).then(|| won_alone.select(&zero, &halved)),
    ])
}

pub(in crate::ops) fn is_nan(x: &GraphValue) -> GraphValue {
    on(x, &crate::ops::finite::ISNAN)
}

pub(in crate::ops) fn both(a: &GraphValue, b: &GraphValue) -> GraphValue {
    on2(a, &crate::ops::compare::LOGICAL_AND, b)
}

pub(in crate::ops) fn either(a: &GraphValue, b: &GraphValue) -> GraphValue {
    on2(a, &crate::ops::compare::LOGICAL_OR, b)
}

//! Rounding: `floor`, `ceil`, `round` with and without decimals, `trunc`, and the fraction that is left.

use crate::body;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{Attr, Attrs, Kind, Op, PythonFace, Vjp, face, optional, param, samples};
use crate::ops::grad1;
use crate::ops::shared::{KEEP, STEP, floats_only, not_bool, on};

/// The ops of this family.
pub static OPS: &[&Op] = &[&FLOOR, &CEIL, &ROUND, &ROUND_DECIMALS, &TRUNC, &FRAC];

/// ⌊x⌋
pub static FLOOR: Op = Op {
    name: "floor",
    grad_fn: "FloorBackward0",
    symbol: "⌊·⌋",
    formula: "y = ⌊a⌋",
    doc: "The largest integer not above each element.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.floor())),
    ..STEP
};

/// ⌈x⌉
pub static CEIL: Op = Op {
    name: "ceil",
    grad_fn: "CeilBackward0",
    symbol: "⌈·⌉",
    formula: "y = ⌈a⌉",
    doc: "The smallest integer not below each element.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.ceil())),
    ..STEP
};

/// Nearest integer, ties to even.
pub static ROUND: Op = Op {
    name: "round",
    grad_fn: "RoundBackward0",
    symbol: "round",
    formula: "y = round(a)",
    doc: "The nearest integer, or the nearest number with so many decimals; halves go to the even one.",
    params: &[
        param("input", Tensor),
        optional("decimals", Int, Attr::Int(0)),
    ],
    variant: |op, attrs| with_decimals(op, attrs),
    samples: samples(&["[3,4]", "[]", "[19]"]),
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.round())),
    ..STEP
};

/// `round`, or what it is with decimals.
pub(crate) fn with_decimals(plain: &'static Op, attrs: Attrs) -> (&'static Op, Attrs) {
    match attrs.first() {
        None | Some(Attr::Int(0)) => (plain, Attrs::new()),
        Some(_) => (&ROUND_DECIMALS, attrs),
    }
}

/// What `round` is where `decimals` are given.
pub static ROUND_DECIMALS: Op = Op {
    name: "round_decimals",
    python: face(&PythonFace {
        part_of: "round",
        ..PythonFace::PLAIN
    }),
    grad_fn: "RoundBackward1",
    symbol: "round",
    formula: "y = round(a · 10^decimals) / 10^decimals",
    rules: &["0"],
    doc: "Each element rounded to so many decimals: what round with decimals is.",
    params: &[param("input", Tensor), param("decimals", Int)],
    check: floats_only,
    kind: Kind::Composite(|c| {
        let decimals = c.attr(0).as_int();
        let power = 10f64.powi(decimals.unsigned_abs().min(1000) as i32);
        let x = crate::ops::shared::wide(&c.src[0]);
        let round = |x: &crate::GraphValue| on(x, &ROUND);
        let y = if decimals < 0 {
            round(&(x / power)) * power
        } else {
            round(&(x * power)) / power
        };
        Ok(y.to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.zeros_like())),
    domain: (0.501, 0.549),
    samples: samples(&["[2,3] 1", "[2,3]@6.0..14.0 -1"]),
    method: false,
    ..KEEP
};

/// Toward zero.
pub static TRUNC: Op = Op {
    name: "trunc",
    grad_fn: "TruncBackward0",
    symbol: "trunc",
    formula: "y = trunc(a)",
    doc: "Each element without its fraction.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.trunc())),
    ..STEP
};

/// x − trunc x
pub static FRAC: Op = Op {
    name: "frac",
    grad_fn: "FracBackward0",
    symbol: "frac",
    formula: "y = a − trunc(a)",
    rules: &["{gy}"],
    doc: "The fraction of each element, with its sign.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| x.sub(&x.trunc()))),
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
    domain: (0.1, 0.9),
    exact: true,
    ..KEEP
};

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn no_decimals_are_a_plain_round() {
        let (op, attrs) = with_decimals(&ROUND, smallvec![Attr::Int(0)]);
        assert_eq!((op.name, attrs.len()), ("round", 0));
    }
}

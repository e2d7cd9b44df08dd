//! Signs and sizes: `abs`, `sign`, `sgn`, `signbit`, `copysign`.

use smallvec::smallvec;

use crate::alu::{Alu, AluOps, Body};
use crate::body;
use crate::op::{Infinities, Kind, Op, Out, Promote, SAVE_A, SAVE_Y, Vjp};
use crate::ops::shared::{KEEP, STEP, not_bool};
use crate::ops::{BINARY, broadcast_bool, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[&ABS, &SIGN, &SGN, &SIGNBIT, &COPYSIGN];

/// |x|; the gradient at 0 is 0.
pub static ABS: Op = Op {
    name: "abs",
    grad_fn: "AbsBackward0",
    symbol: "|·|",
    formula: "y = |a|",
    rules: &["{gy} · sign({a})"],
    doc: "The distance of each element from zero.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.abs())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * b.src[0].sign())),
    saves: [SAVE_A; 3],
    ..KEEP
};

/// −1, 0 or 1.
pub static SIGN: Op = Op {
    name: "sign",
    grad_fn: "SignBackward0",
    symbol: "sign",
    formula: "y = sign(a)",
    doc: "−1, 0 or 1: the sign of each element.",
    kind: Kind::Elementwise(body!(|x| x.sign())),
    infinities: Infinities::Asks,
    ..STEP
};

/// −1, 0 or 1: `sign` under its complex name.
pub static SGN: Op = Op {
    name: "sgn",
    grad_fn: "SgnBackward0",
    doc: "−1, 0 or 1: the sign of each element, as sign for real numbers.",
    saves: [SAVE_A | SAVE_Y; 3],
    exact: true,
    out: Out::Same,
    ..SIGN
};

/// Whether the sign is set: of −0 and of some NaN too.
pub static SIGNBIT: Op = Op {
    name: "signbit",
    symbol: "−?",
    formula: "y = the sign bit of a",
    doc: "Where the sign of an element is set: negative numbers, and −0.",
    infer: broadcast_bool,
    kind: Kind::Elementwise(Body {
        scalar: |x| sign_bit(&x[0]),
        expr: |x| sign_bit(&x[0]),
    }),
    vjp: Vjp::None("its result is true or false"),
    exact: true,
    ..KEEP
};

fn sign_bit<L: Alu>(x: &L) -> L {
    let zero = x.constant(0.0);
    if x.dtype().is_float() {
        return x.constant(1.0).copysign(x).lt(&zero);
    }
    x.lt(&zero)
}

/// The size of the first with the sign of the second, −0 included.
pub static COPYSIGN: Op = Op {
    name: "copysign",
    grad_fn: "CopysignBackward0",
    symbol: "±",
    formula: "y = |a| · sign(b)",
    rules: &["{gy} · {y} / {a}, 0 where {a} = 0", "0"],
    doc: "The size of the first tensor with the sign of the second.",
    promote: Promote::Float,
    kind: Kind::Elementwise(body!(|a, b| a.copysign(b))),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        let zero = b.gy.number(0.0);
        let sign = || x.eq(&zero).select(&zero, &(&b.y / x));
        Ok(smallvec![
            b.needs(0).then(|| &b.gy * sign()),
            b.needs(1).then(|| b.gy.zeros_like()),
        ])
    }),
    saves: [SAVE_A | SAVE_Y, SAVE_Y, 0],
    domain: (0.3, 2.0),
    exact: true,
    ..BINARY
};

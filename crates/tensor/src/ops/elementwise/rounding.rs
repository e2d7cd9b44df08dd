//! What is left of a number: its fraction, its sign, its first decimals, or another number in the
//! place of NaN and the infinities. `floor`, `ceil`, `round` and `trunc` are in `unary`.

use crate::alu::{Alu, AluOps, Body};
use crate::body;
use crate::dtype::DType;
use crate::op::ParamKind::{Float, Int, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Op, Out, Promote, SAVE_A, SAVE_Y, Vjp, example, optional, param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::shared::{floats_only, on};
use crate::ops::{UNARY, broadcast_bool, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[&FRAC, &ROUND_DECIMALS, &NAN_TO_NUM, &SGN, &SIGNBIT];

const KEEP: Op = Op {
    promote: Promote::Keep,
    out: Out::Same,
    ..UNARY
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
        let round = |x: &crate::GraphValue| on(x, &crate::ops::unary::ROUND);
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

/// Largest finite number of a float.
fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f64::from(half::f16::MAX),
        DType::BF16 => f64::from(half::bf16::MAX),
        DType::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

/// Numbers for what is none.
pub static NAN_TO_NUM: Op = Op {
    name: "nan_to_num",
    grad_fn: "NanToNumBackward0",
    symbol: "num",
    formula: "y = a, with numbers for NaN and ±∞",
    rules: &["{gy} where {a} is finite, else 0"],
    doc: "Each element, with a number where it is NaN or infinite: 0 and the largest ones, unless others are given.",
    params: &[
        param("input", Tensor),
        optional("nan", Float, Attr::None),
        optional("posinf", Float, Attr::None),
        optional("neginf", Float, Attr::None),
    ],
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        if !x.dtype().is_float() {
            return Ok(on(x, &crate::ops::convert::CLONE));
        }
        let number = |i: usize, default: f64| {
            x.number(match c.attr(i) {
                Attr::None => default,
                given => given.as_float(),
            })
        };
        let most = largest(x.dtype());
        let infinity = |value: f64| x.eq(&x.number(value));
        let y = infinity(f64::INFINITY).select(&number(1, most), x);
        let y = infinity(f64::NEG_INFINITY).select(&number(2, -most), &y);
        Ok(on(x, &crate::ops::unary::ISNAN).select(&number(0, 0.0), &y))
    }),
    vjp: Vjp::Rule(|b| {
        let finite = on(&b.src[0], &crate::ops::unary::ISFINITE);
        grad1(&b.gy * finite.to(b.gy.dtype()))
    }),
    saves: [SAVE_A; 3],
    exact: true,
    samples: samples(&["[2,3]", "[4] nan=1.5 posinf=2 neginf=-3"]),
    example: example("torch.nan_to_num(torch.tensor([float('nan'), float('inf'), 1.0]))"),
    ..KEEP
};

/// −1, 0 or 1: `sign` under its complex name.
pub static SGN: Op = Op {
    name: "sgn",
    grad_fn: "SgnBackward0",
    doc: "−1, 0 or 1: the sign of each element, as sign for real numbers.",
    saves: [SAVE_A | SAVE_Y; 3],
    exact: true,
    out: Out::Same,
    ..crate::ops::unary::SIGN
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

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn no_decimals_are_a_plain_round() {
        let (op, attrs) = with_decimals(&super::super::unary::ROUND, smallvec![Attr::Int(0)]);
        assert_eq!((op.name, attrs.len()), ("round", 0));
    }
}

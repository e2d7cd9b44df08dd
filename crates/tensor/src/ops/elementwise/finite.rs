//! NaN and the infinities: `isnan`, `isinf`, `isfinite`, and `nan_to_num`, which puts numbers in their place.

use crate::alu::{Alu, AluOps};
use crate::body;
use crate::dtype::DType;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{Attr, Infinities, Kind, Op, Out, SAVE_A, Vjp, example, optional, param, samples};
use crate::ops::grad1;
use crate::ops::shared::{KEEP, UNARY_PREDICATE, on};

/// The ops of this family.
pub static OPS: &[&Op] = &[&ISNAN, &ISINF, &ISFINITE, &NAN_TO_NUM];

/// x ≠ x
pub static ISNAN: Op = Op {
    name: "isnan",
    symbol: "nan?",
    formula: "y = a is NaN",
    doc: "Where an element is not a number.",
    kind: Kind::Elementwise(body!(|x| x.eq(x).not())),
    out: Out::None,
    ..UNARY_PREDICATE
};

/// |x| = ∞
pub static ISINF: Op = Op {
    name: "isinf",
    symbol: "inf?",
    formula: "y = |a| is ∞",
    doc: "Where an element is infinite.",
    kind: Kind::Elementwise(body!(|x| is_infinite(x))),
    out: Out::None,
    ..UNARY_PREDICATE
};

fn is_infinite<L: Alu>(x: &L) -> L {
    if !x.dtype().is_float() {
        return x.eq(x).not();
    }
    x.abs().eq(&x.constant(f64::INFINITY))
}

/// Neither NaN nor infinite.
pub static ISFINITE: Op = Op {
    name: "isfinite",
    symbol: "finite?",
    formula: "y = a is finite",
    doc: "Where an element is neither infinite nor NaN.",
    kind: Kind::Elementwise(body!(|x| is_finite(x))),
    out: Out::None,
    ..UNARY_PREDICATE
};

fn is_finite<L: Alu>(x: &L) -> L {
    is_infinite(x).or(&x.eq(x).not()).not()
}

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
        Ok(on(x, &ISNAN).select(&number(0, 0.0), &y))
    }),
    vjp: Vjp::Rule(|b| {
        let finite = on(&b.src[0], &ISFINITE);
        grad1(&b.gy * finite.to(b.gy.dtype()))
    }),
    saves: [SAVE_A; 3],
    exact: true,
    samples: samples(&["[2,3]", "[4] nan=1.5 posinf=2 neginf=-3"]),
    example: example("torch.nan_to_num(torch.tensor([float('nan'), float('inf'), 1.0]))"),
    infinities: Infinities::Chooses,
    ..KEEP
};

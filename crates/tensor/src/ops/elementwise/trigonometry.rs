//! Trigonometric and hyperbolic functions and their inverses, `atan2` and `hypot`. All take integers as float32;
//! outside its domain a function is NaN.

use smallvec::smallvec;

use crate::body;
use crate::graph::GraphValue;
use crate::op::{Kind, Op, Poles, Promote, SAVE_A, SAVE_B, SAVE_Y, Vjp, example};
use crate::ops::shared::{narrow, on, some_float, wide};
use crate::ops::{BINARY, UNARY, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &SIN, &COS, &TAN, &ASIN, &ACOS, &ATAN, &ATAN2, &SINH, &COSH, &TANH, &ASINH, &ACOSH, &ATANH,
    &HYPOT, &DEG2RAD, &RAD2DEG,
];

fn rsqrt(x: &GraphValue) -> GraphValue {
    on(x, &crate::ops::power::RSQRT)
}

/// sin x
pub static SIN: Op = Op {
    name: "sin",
    grad_fn: "SinBackward0",
    symbol: "sin",
    formula: "y = sin a",
    rules: &["{gy} · cos({a})"],
    doc: "The sine of each element, in radians.",
    kind: Kind::Elementwise(body!(|x| x.sin())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * b.src[0].cos())),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// cos x
pub static COS: Op = Op {
    name: "cos",
    grad_fn: "CosBackward0",
    symbol: "cos",
    formula: "y = cos a",
    rules: &["−{gy} · sin({a})"],
    doc: "The cosine of each element, in radians.",
    kind: Kind::Elementwise(body!(|x| x.cos())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * -b.src[0].sin())),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// tan x
pub static TAN: Op = Op {
    name: "tan",
    grad_fn: "TanBackward0",
    symbol: "tan",
    formula: "y = tan a",
    rules: &["{gy} · (1 + {y}²)"],
    doc: "The tangent of each element, in radians.",
    kind: Kind::Elementwise(body!(|x| x.tan())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * (1.0 + &b.y * &b.y))),
    saves: [SAVE_Y; 3],
    domain: (-1.2, 1.2),
    ..UNARY
};

/// arcsin x
pub static ASIN: Op = Op {
    name: "asin",
    grad_fn: "AsinBackward0",
    symbol: "arcsin",
    formula: "y = arcsin a",
    rules: &["{gy} / √(1 − {a}²)"],
    doc: "The angle whose sine each element is, from −π/2 to π/2.",
    kind: Kind::Elementwise(body!(|x| x.asin())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy * rsqrt(&(1.0 - x * x)))
    }),
    saves: [SAVE_A; 3],
    domain: (-0.9, 0.9),
    ..UNARY
};

/// arccos x
pub static ACOS: Op = Op {
    name: "acos",
    grad_fn: "AcosBackward0",
    symbol: "arccos",
    formula: "y = arccos a",
    rules: &["−{gy} / √(1 − {a}²)"],
    doc: "The angle whose cosine each element is, from 0 to π.",
    kind: Kind::Elementwise(body!(|x| x.acos())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy * -rsqrt(&(1.0 - x * x)))
    }),
    saves: [SAVE_A; 3],
    domain: (-0.9, 0.9),
    ..UNARY
};

/// arctan x
pub static ATAN: Op = Op {
    name: "atan",
    grad_fn: "AtanBackward0",
    symbol: "arctan",
    formula: "y = arctan a",
    rules: &["{gy} / ({a}² + 1)"],
    doc: "The angle whose tangent each element is, from −π/2 to π/2.",
    kind: Kind::Elementwise(body!(|x| x.atan())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy / (x * x + 1.0))
    }),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// The angle of the point (b, a).
pub static ATAN2: Op = Op {
    name: "atan2",
    grad_fn: "Atan2Backward0",
    symbol: "atan2",
    formula: "y = the angle of (b, a)",
    rules: &["{gy} · {b} / ({a}² + {b}²)", "−{gy} · {a} / ({a}² + {b}²)"],
    doc: "The angle, from −π to π, between the first axis and the point with this height and that width.",
    promote: Promote::Float,
    kind: Kind::Elementwise(body!(|a, b| a.atan2(b))),
    vjp: Vjp::Rule(|b| {
        let (x, y, gy) = (&b.src[0], &b.src[1], &b.gy);
        let square = x * x + y * y;
        // At the origin there is no angle: the gradient is 0.
        let zero = gy.number(0.0);
        let share = square.eq(&zero).select(&zero, &(1.0 / &square));
        Ok(smallvec![
            b.needs(0).then(|| gy * y * &share),
            b.needs(1).then(|| gy * -x * &share),
        ])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    domain: (0.3, 2.0),
    example: example("torch.atan2(torch.tensor([1.0, -1.0]), torch.tensor([1.0, -1.0]))"),
    ..BINARY
};

/// (eˣ − e⁻ˣ) / 2
pub static SINH: Op = Op {
    name: "sinh",
    grad_fn: "SinhBackward0",
    symbol: "sinh",
    formula: "y = (e^a − e^−a) / 2",
    rules: &["{gy} · cosh({a})"],
    doc: "The hyperbolic sine of each element.",
    kind: Kind::Elementwise(body!(|x| x.sinh())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * on(&b.src[0], &COSH))),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// (eˣ + e⁻ˣ) / 2
pub static COSH: Op = Op {
    name: "cosh",
    grad_fn: "CoshBackward0",
    symbol: "cosh",
    formula: "y = (e^a + e^−a) / 2",
    rules: &["{gy} · sinh({a})"],
    doc: "The hyperbolic cosine of each element.",
    kind: Kind::Elementwise(body!(|x| x.cosh())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * on(&b.src[0], &SINH))),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// tanh x
pub static TANH: Op = Op {
    name: "tanh",
    grad_fn: "TanhBackward0",
    symbol: "tanh",
    formula: "y = tanh a",
    rules: &["{gy} · (1 − {y}²)"],
    doc: "The hyperbolic tangent of each element: squeezes every number into −1 … 1.",
    kind: Kind::Elementwise(body!(|x| x.tanh())),
    vjp: Vjp::Rule(|b| {
        let y = wide(&b.y);
        grad1(narrow(b, &(wide(&b.gy) * (1.0 - &y * &y))))
    }),
    saves: [SAVE_Y; 3],
    functional: true,
    ..UNARY
};

/// ln(x + √(x² + 1))
pub static ASINH: Op = Op {
    name: "asinh",
    grad_fn: "AsinhBackward0",
    symbol: "arsinh",
    formula: "y = arsinh a",
    rules: &["{gy} / √({a}² + 1)"],
    doc: "The inverse hyperbolic sine of each element.",
    kind: Kind::Elementwise(body!(|x| x.asinh())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy * rsqrt(&(x * x + 1.0)))
    }),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// ln(x + √(x² − 1))
pub static ACOSH: Op = Op {
    name: "acosh",
    grad_fn: "AcoshBackward0",
    symbol: "arcosh",
    formula: "y = arcosh a",
    rules: &["{gy} / √({a}² − 1)"],
    doc: "The inverse hyperbolic cosine of each element; NaN below 1.",
    kind: Kind::Elementwise(body!(|x| x.acosh())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy * rsqrt(&(x * x - 1.0)))
    }),
    saves: [SAVE_A; 3],
    domain: (1.3, 3.0),
    example: example("torch.acosh(torch.tensor([1.0, 2.0]))"),
    ..UNARY
};

/// ½ ln((1 + x) / (1 − x))
pub static ATANH: Op = Op {
    name: "atanh",
    grad_fn: "AtanhBackward0",
    symbol: "artanh",
    formula: "y = artanh a",
    rules: &["{gy} / (1 − {a}²)"],
    doc: "The inverse hyperbolic tangent of each element.",
    kind: Kind::Elementwise(body!(|x| x.atanh())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy / (1.0 - x * x))
    }),
    saves: [SAVE_A; 3],
    domain: (-0.9, 0.9),
    poles: Poles::Elsewhere,
    ..UNARY
};

/// √(a² + b²), without leaving the range of floats on the way.
pub static HYPOT: Op = Op {
    name: "hypot",
    grad_fn: "HypotBackward0",
    symbol: "hypot",
    formula: "y = √(a² + b²)",
    rules: &["{gy} · {a} / {y}", "{gy} · {b} / {y}"],
    doc: "The length of the longest side of a right triangle with these two others.",
    check: some_float,
    kind: Kind::Elementwise(body!(|a, b| a.hypot(b))),
    vjp: Vjp::Rule(|b| {
        let share = |x: &GraphValue| &b.gy * x / &b.y;
        Ok(smallvec![
            b.needs(0).then(|| share(&b.src[0])),
            b.needs(1).then(|| share(&b.src[1])),
        ])
    }),
    saves: [SAVE_A | SAVE_Y, SAVE_B | SAVE_Y, 0],
    domain: (0.3, 2.0),
    example: example("torch.hypot(torch.tensor([3.0]), torch.tensor([4.0]))"),
    ..BINARY
};

/// x · π / 180
pub static DEG2RAD: Op = Op {
    name: "deg2rad",
    grad_fn: "Deg2RadBackward0",
    symbol: "°→rad",
    formula: "y = a · π / 180",
    rules: &["{gy} · π / 180"],
    doc: "Angles in degrees as radians.",
    kind: Kind::Elementwise(body!(|x| x.mul(&x.constant(std::f64::consts::PI / 180.0)))),
    vjp: Vjp::Rule(|b| grad1(on(&b.gy, &DEG2RAD))),
    ..UNARY
};

/// x · 180 / π
pub static RAD2DEG: Op = Op {
    name: "rad2deg",
    grad_fn: "Rad2DegBackward0",
    symbol: "rad→°",
    formula: "y = a · 180 / π",
    rules: &["{gy} · 180 / π"],
    doc: "Angles in radians as degrees.",
    kind: Kind::Elementwise(body!(|x| x.mul(&x.constant(180.0 / std::f64::consts::PI)))),
    vjp: Vjp::Rule(|b| grad1(on(&b.gy, &RAD2DEG))),
    ..UNARY
};

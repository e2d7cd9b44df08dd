//! Quotients and remainders: `div` and its rounding modes, `floor_divide`, `remainder`, `fmod`.
//!
//! The engine sums each gradient back to its operand's shape, so the rules need not.

use smallvec::smallvec;

use crate::alu::{Alu, AluOps, Body, Value};
use crate::dtype::{Scalar, promote};
use crate::graph::Operand;
use crate::op::ParamKind::{Tensor, Word};
use crate::op::{
    Attr, Attrs, Kind, Op, Poles, Promote, PythonFace, SAVE_A, SAVE_B, Vjp, example, face,
    optional, param, samples,
};
use crate::ops::BINARY;
use crate::ops::arithmetic::PAIRS;
use crate::ops::shared::{not_bool, on2};
use crate::{Error, Result, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &DIV,
    &DIV_FLOOR,
    &DIV_TRUNC,
    &FLOOR_DIVIDE,
    &REMAINDER,
    &FMOD,
];

/// a / b, in floats.
pub static DIV: Op = Op {
    name: "div",
    grad_fn: "DivBackward0",
    symbol: "÷",
    formula: "y = a / b",
    rules: &["{gy} / {b}", "−{gy} · {a} / {b}²"],
    doc: "The quotient of two tensors, element by element; integers are divided as floats, unless it is rounded.",
    params: &[
        param("input", Tensor),
        param("other", Tensor),
        optional("rounding_mode", Word(&["floor", "trunc"]), Attr::None),
    ],
    variant: |op, attrs| with_rounding(op, &attrs),
    samples: PAIRS,
    exact: true,
    promote: Promote::Float,
    wide_numbers: true,
    prepare: Some(|op, src, attrs| match attrs.first() {
        Some(Attr::Str(_)) => check_divisor(op, src),
        _ => Ok(()),
    }),
    kind: Kind::Elementwise(body!(|a, b| a.div(b))),
    vjp: Vjp::Rule(|b| {
        let (x, d) = (&b.src[0], &b.src[1]);
        Ok(smallvec![
            b.needs(0).then(|| &b.gy / d),
            b.needs(1).then(|| -&b.gy * ((x / d) / d)),
        ])
    }),
    saves: [SAVE_B, SAVE_A | SAVE_B, 0],
    domain: (0.5, 2.0),
    poles: Poles::Zero(1),
    ..BINARY
};

/// `div`, or what it is with a rounding mode.
pub(crate) fn with_rounding(plain: &'static Op, attrs: &Attrs) -> (&'static Op, Attrs) {
    let op = match attrs.first() {
        Some(Attr::Str("floor")) => &DIV_FLOOR,
        Some(Attr::Str("trunc")) => &DIV_TRUNC,
        _ => plain,
    };
    (op, Attrs::new())
}

/// What `div` with `rounding_mode='floor'` is; of integers, an integer.
pub static DIV_FLOOR: Op = Op {
    name: "div_floor",
    python: face(&PythonFace {
        part_of: "div",
        ..PythonFace::PLAIN
    }),
    grad_fn: "DivBackward2",
    symbol: "⌊÷⌋",
    formula: "y = ⌊a / b⌋",
    rules: &["0", "0"],
    doc: "The quotient rounded down: what div with rounding_mode='floor' is.",
    check: not_bool,
    wide_numbers: true,
    prepare: Some(|op, src, _| check_divisor(op, src)),
    kind: FLOOR_DIVIDE.kind,
    vjp: Vjp::Rule(|b| {
        let flat = |i: usize| b.needs(i).then(|| b.gy.zeros_like());
        Ok(smallvec![flat(0), flat(1)])
    }),
    domain: (0.6, 0.95),
    method: false,
    saves: [SAVE_B, SAVE_A | SAVE_B, 0],
    poles: Poles::Zero(1),
    ..BINARY
};

/// What `div` with `rounding_mode='trunc'` is; of integers, an integer.
pub static DIV_TRUNC: Op = Op {
    name: "div_trunc",
    python: face(&PythonFace {
        part_of: "div",
        ..PythonFace::PLAIN
    }),
    symbol: "trunc÷",
    formula: "y = trunc(a / b)",
    doc: "The quotient without its fraction: what div with rounding_mode='trunc' is.",
    kind: Kind::Elementwise(Body {
        scalar: |x| trunc_divide(&x[0], &x[1]),
        expr: |x| trunc_divide(&x[0], &x[1]),
    }),
    poles: Poles::Zero(1),
    ..DIV_FLOOR
};

fn trunc_divide<L: Alu>(a: &L, b: &L) -> L {
    if a.dtype().is_float() {
        return a.div(b).trunc();
    }
    // Without the remainder the division is exact, so that rounding down does nothing.
    a.sub(&a.fmod(b)).div(b)
}

/// ⌊a / b⌋ as Python's `//`: the exact quotient rounded, not a rounded quotient.
pub(crate) fn floor_divide<L: Alu>(a: &L, b: &L) -> L {
    let quotient = a.div(b);
    if !a.dtype().is_float() {
        return quotient;
    }
    let zero = a.constant(0.0);
    let left = a.fmod(b);
    let exact = a.sub(&left).div(b);
    let opposite = left.lt(&zero).eq(&b.lt(&zero)).not();
    let down = left.eq(&zero).not().and(&opposite);
    let exact = down.select(&exact.sub(&a.constant(1.0)), &exact);
    let floor = exact.floor();
    let near = a.constant(0.5).lt(&exact.sub(&floor));
    let rounded = near.select(&floor.add(&a.constant(1.0)), &floor);
    let rounded = exact.eq(&zero).select(&zero.copysign(&quotient), &rounded);
    b.eq(&zero).select(&quotient, &rounded)
}

/// ⌊a / b⌋
pub static FLOOR_DIVIDE: Op = Op {
    name: "floor_divide",
    symbol: "//",
    formula: "y = ⌊a / b⌋",
    doc: "The quotient rounded down, as Python's //.",
    check: not_bool,
    wide_numbers: true,
    prepare: Some(|op, src, _| check_divisor(op, src)),
    kind: Kind::Elementwise(crate::alu::Body {
        scalar: |x| floor_divide(&x[0], &x[1]),
        expr: |x| floor_divide(&x[0], &x[1]),
    }),
    // As in PyTorch: it may be called on the tape, but not differentiated.
    vjp: Vjp::Rule(|_| {
        Err(crate::Error::runtime(
            "floor_divide: the derivative is not implemented; use div(..., rounding_mode='floor'), whose gradient is 0",
        ))
    }),
    samples: samples(&["[5]<9 [5]>4", "[3]<9 [2,1]>4"]),
    example: example("torch.floor_divide(torch.tensor([7, -7]), torch.tensor([2, 2]))"),
    poles: Poles::Zero(1),
    ..BINARY
};

/// The remainder with the sign of the divisor.
pub static REMAINDER: Op = Op {
    name: "remainder",
    grad_fn: "RemainderBackward1",
    grad_fn_for: |node| {
        let divisor = node.src.borrow().get(1)?.number;
        divisor.map(|_| "RemainderBackward0")
    },
    symbol: "%",
    formula: "y = a − b · ⌊a / b⌋",
    rules: &["{gy}", "−{gy} · ⌊{a} / {b}⌋"],
    doc: "What division leaves, with the sign of the divisor, as Python's %.",
    check: not_bool,
    prepare: Some(|op, src, _| check_divisor(op, src)),
    kind: Kind::Elementwise(body!(|a, b| a.rem(b))),
    vjp: Vjp::Rule(|b| {
        let whole = || on2(&b.src[0], &DIV_FLOOR, &b.src[1]);
        Ok(smallvec![
            Some(b.gy.clone()),
            b.needs(1).then(|| -&b.gy * whole())
        ])
    }),
    saves: [0, SAVE_A | SAVE_B, 0],
    domain: (0.6, 0.95),
    ..BINARY
};

/// What division leaves, with the sign of the dividend.
pub static FMOD: Op = Op {
    name: "fmod",
    grad_fn: "FmodBackward1",
    grad_fn_for: |node| {
        let divisor = node.src.borrow().get(1)?.number;
        divisor.map(|_| "FmodBackward0")
    },
    symbol: "fmod",
    formula: "y = a − b · trunc(a / b)",
    rules: &["{gy}", "−{gy} · trunc({a} / {b})"],
    doc: "What division leaves, with the sign of the dividend, as C's fmod.",
    check: not_bool,
    prepare: Some(|op, src, _| check_divisor(op, src)),
    kind: Kind::Elementwise(body!(|a, b| a.fmod(b))),
    vjp: Vjp::Rule(|b| {
        let whole = || on2(&b.src[0], &DIV_TRUNC, &b.src[1]);
        Ok(smallvec![
            Some(b.gy.clone()),
            b.needs(1).then(|| -&b.gy * whole())
        ])
    }),
    saves: [0, SAVE_A | SAVE_B, 0],
    domain: (0.6, 0.95),
    exact: true,
    ..BINARY
};

/// Refuses an integer divisor of 0 as PyTorch does on a CPU, at the line that divides: operands and
/// divisor in the dtype in which they meet. A divisor on another device is not read, and one that a step
/// makes while it is captured is not there: then the quotient and the remainder are 0 (on a GPU PyTorch
/// promises no number either).
pub(crate) fn check_divisor(op: &Op, src: &[Operand]) -> Result<()> {
    if !cfg!(feature = "full") {
        return Ok(());
    }
    let (all, shapes) = (src.iter().map(|s| (s.dtype(), s.node().rank())), src.iter());
    if src.iter().any(|s| s.dtype().is_float()) || shapes.into_iter().any(|s| s.numel() == 0) {
        return Ok(());
    }
    let (Ok(dtype), Some(divisor)) = (promote(all), src.get(1)) else {
        return Ok(());
    };
    // Of bools there is no quotient: the op's check says so.
    if !dtype.is_int() {
        return Ok(());
    }
    let values = match divisor.node().number {
        Some(number) => vec![number],
        None if divisor
            .engine()
            .device_kind(divisor.device())
            .starts_with("cpu") =>
        {
            divisor.to_check()?
        }
        None => return Ok(()),
    };
    let is_zero = |value: &Scalar| !Value::from_scalar(*value, dtype).truth();
    match values.iter().position(is_zero) {
        Some(at) => Err(Error::runtime(format!(
            "{}: ZeroDivisionError: element {at} of the divisor is 0, by which {dtype} cannot be divided; divide floats, or replace zeros with torch.where first",
            op.name
        ))),
        None => Ok(()),
    }
}

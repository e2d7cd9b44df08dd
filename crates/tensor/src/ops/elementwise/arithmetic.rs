//! Arithmetic of two and three operands beyond `binary`: division that rounds, remainders,
//! angles and lengths, blends.
//!
//! The engine sums each gradient back to its operand's shape, so the rules need not.

use smallvec::smallvec;

use crate::alu::{Alu, AluOps, Body, Value};
use crate::body;
use crate::dtype::{DType, promote};
use crate::graph::GraphValue;
use crate::graph::Operand;
use crate::node::NodeRef;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Meta, Op, Promote, SAVE_A, SAVE_B, SAVE_C, SAVE_Y, Vjp, example, optional,
    param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::shared::{check_option, floats_only, narrow, not_bool, on2, some_float, wide};
use crate::ops::{BINARY, broadcast_all};
use crate::{Error, Result, Scalar};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &ADD_SCALED,
    &SUB_SCALED,
    &DIV_FLOOR,
    &DIV_TRUNC,
    &FMOD,
    &ATAN2,
    &HYPOT,
    &COPYSIGN,
    &LERP,
    &ADDCMUL,
    &ADDCDIV,
];

/// The shape and dtype of `a + alpha · b`.
fn scaled(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let meta = broadcast_all(op, src, attrs)?;
    match attrs[0] {
        Attr::Float(_) if !meta.dtype.is_float() => Err(Error::runtime(format!(
            "{}: for integers alpha must be an integer, got {}",
            op.name,
            attrs[0].as_float()
        ))),
        Attr::Bool(_) if meta.dtype != DType::Bool => Err(Error::runtime(format!(
            "{}: alpha may be a bool only where the result is bool, not {}; write it as a number",
            op.name, meta.dtype
        ))),
        _ => {
            check_option(op, &attrs[0], meta.dtype)?;
            Ok(meta)
        }
    }
}

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

/// What `add` is where `alpha` is given.
pub static ADD_SCALED: Op = Op {
    name: "add_scaled",
    python: face(&PythonFace {
        part_of: "add",
        ..PythonFace::PLAIN
    }),
    grad_fn: "AddBackward0",
    symbol: "+",
    formula: "y = a + alpha · b",
    rules: &["{gy}", "alpha · {gy}"],
    doc: "The first tensor plus a multiple of the second: what add with alpha is.",
    params: &[
        param("input", Tensor),
        param("other", Tensor),
        param("alpha", Float),
    ],
    infer: scaled,
    kind: Kind::Elementwise(body!(|a, b, alpha| a.add(&b.mul(alpha)))),
    vjp: Vjp::Rule(|b| {
        let other = || narrow(b, &(wide(&b.gy) * b.attr(0).as_float()));
        Ok(smallvec![Some(b.gy.clone()), b.needs(1).then(other)])
    }),
    samples: samples(&["[2,3] [3] 2", "[3,1] [2] -0.5"]),
    method: false,
    ..BINARY
};

/// What `sub` is where `alpha` is given.
pub static SUB_SCALED: Op = Op {
    name: "sub_scaled",
    python: face(&PythonFace {
        part_of: "sub",
        ..PythonFace::PLAIN
    }),
    grad_fn: "SubBackward0",
    symbol: "−",
    formula: "y = a − alpha · b",
    rules: &["{gy}", "−alpha · {gy}"],
    doc: "The first tensor minus a multiple of the second: what sub with alpha is.",
    check: |op, src| (crate::ops::binary::SUB.check)(op, src),
    kind: Kind::Elementwise(body!(|a, b, alpha| a.sub(&b.mul(alpha)))),
    vjp: Vjp::Rule(|b| {
        let other = || narrow(b, &(wide(&b.gy) * -b.attr(0).as_float()));
        Ok(smallvec![Some(b.gy.clone()), b.needs(1).then(other)])
    }),
    ..ADD_SCALED
};

/// `add` and `sub` without `alpha`, or the op with it.
pub(crate) fn with_alpha(
    plain: &'static Op,
    scaled: &'static Op,
    attrs: Attrs,
) -> (&'static Op, Attrs) {
    match attrs.first() {
        None | Some(Attr::None | Attr::Int(1)) => (plain, Attrs::new()),
        Some(_) => (scaled, attrs),
    }
}

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
    kind: crate::ops::binary::FLOOR_DIVIDE.kind,
    vjp: Vjp::Rule(|b| {
        let flat = |i: usize| b.needs(i).then(|| b.gy.zeros_like());
        Ok(smallvec![flat(0), flat(1)])
    }),
    domain: (0.6, 0.95),
    method: false,
    saves: [SAVE_B, SAVE_A | SAVE_B, 0],
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
        let share = |x: &GraphValue| narrow(b, &(wide(&b.gy) * wide(x) / wide(&b.y)));
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

/// A blend: the first where the weight is 0, the second where it is 1.
pub static LERP: Op = Op {
    name: "lerp",
    grad_fn: "LerpBackward1",
    grad_fn_for: |node| {
        let weight = node.src.borrow().get(2)?.number;
        weight.map(|_| "LerpBackward0")
    },
    symbol: "lerp",
    formula: "y = a + c · (b − a)",
    rules: &["{gy} · (1 − {c})", "{gy} · {c}", "{gy} · ({b} − {a})"],
    doc: "A blend of two tensors: the first where the weight is 0, the second where it is 1.",
    params: &[
        param("input", Tensor),
        param("end", Tensor),
        param("weight", Tensor),
    ],
    check: |op, src| {
        floats_only(op, src)?;
        let other = src[1..]
            .iter()
            .find(|s| s.dtype != src[0].dtype && !s.is_python_number && !s.shape.is_empty());
        match other {
            Some(other) => Err(Error::runtime(format!(
                "lerp: expected end and weight in the dtype of input, {}, got {}; convert it with .to()",
                src[0].dtype, other.dtype
            ))),
            None => Ok(()),
        }
    },
    wide_numbers: true,
    // From the nearer end, so that both are met exactly.
    kind: Kind::Elementwise(body!(|a, b, weight| {
        let one = weight.constant(1.0);
        let way = b.sub(a);
        weight.abs().lt(&weight.constant(0.5)).select(
            &a.add(&weight.mul(&way)),
            &b.sub(&way.mul(&one.sub(weight))),
        )
    })),
    vjp: Vjp::Rule(|b| {
        let weight = &b.src[2];
        Ok(smallvec![
            b.needs(0).then(|| &b.gy * (1.0 - weight)),
            b.needs(1).then(|| &b.gy * weight),
            b.needs(2).then(|| &b.gy * (&b.src[1] - &b.src[0])),
        ])
    }),
    saves: [SAVE_C, SAVE_C, SAVE_A | SAVE_B | SAVE_C],
    samples: samples(&["[2,3] [3] [2,1]", "[2,3] [2,3] 0.25", "[3] [3] 0.75"]),
    example: example("torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.25)"),
    ..BINARY
};

/// a + value · b · c
pub static ADDCMUL: Op = Op {
    name: "addcmul",
    grad_fn: "AddcmulBackward0",
    symbol: "+×",
    formula: "y = a + value · b · c",
    rules: &["{gy}", "{gy} · value · {c}", "{gy} · value · {b}"],
    doc: "A tensor plus a multiple of the product of two others.",
    params: &[
        param("input", Tensor),
        param("tensor1", Tensor),
        param("tensor2", Tensor),
        optional("value", Float, Attr::Int(1)),
    ],
    check: not_bool,
    infer: |op, src, attrs| {
        let meta = broadcast_all(op, src, attrs)?;
        check_option(op, &attrs[0], meta.dtype)?;
        Ok(meta)
    },
    kind: Kind::Elementwise(body!(|a, b, c, value| a.add(&value.mul(b).mul(c)))),
    vjp: Vjp::Rule(|b| {
        let value = b.attr(0).as_float();
        let times = |other: &GraphValue| narrow(b, &(wide(&b.gy) * (wide(other) * value)));
        Ok(smallvec![
            Some(b.gy.clone()),
            b.needs(1).then(|| times(&b.src[2])),
            b.needs(2).then(|| times(&b.src[1])),
        ])
    }),
    saves: [0, SAVE_C, SAVE_B],
    samples: samples(&["[2,3] [2,3] [2,3]", "[2,3] [3] [2,1] value=-0.5"]),
    example: example(
        "torch.addcmul(torch.tensor([1.0, 1.0]), torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0]), value=0.1)",
    ),
    ..BINARY
};

/// a + value · b / c
pub static ADDCDIV: Op = Op {
    name: "addcdiv",
    grad_fn: "AddcdivBackward0",
    symbol: "+÷",
    formula: "y = a + value · b / c",
    rules: &["{gy}", "{gy} · value / {c}", "−{gy} · value · {b} / {c}²"],
    doc: "A tensor plus a multiple of the quotient of two others.",
    check: |_, src| {
        if src[1..].iter().all(|s| !s.dtype.is_float()) {
            return Err(Error::runtime(
                "addcdiv: division of integers is not defined; convert tensor1 or tensor2 with .float()",
            ));
        }
        Ok(())
    },
    kind: Kind::Elementwise(body!(|a, b, c, value| a.add(&value.mul(b).div(c)))),
    vjp: Vjp::Rule(|b| {
        let value = b.attr(0).as_float();
        let (gy, x, d) = (wide(&b.gy), wide(&b.src[1]), wide(&b.src[2]));
        Ok(smallvec![
            Some(b.gy.clone()),
            b.needs(1).then(|| narrow(b, &(&gy * (value / &d)))),
            b.needs(2)
                .then(|| narrow(b, &(-&gy * (&x * value / (&d * &d))))),
        ])
    }),
    domain: (0.5, 2.0),
    example: example(
        "torch.addcdiv(torch.tensor([1.0, 1.0]), torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0]), value=0.1)",
    ),
    saves: [SAVE_C, SAVE_C, SAVE_B | SAVE_C],
    ..ADDCMUL
};

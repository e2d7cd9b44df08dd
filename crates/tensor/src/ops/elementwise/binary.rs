//! Elementwise arithmetic of two operands, with broadcasting. The engine sums each gradient back
//! to its operand's shape, so the rules need not.

use smallvec::smallvec;

use crate::body;
use crate::dtype::DType;
use crate::op::ParamKind::{Float, Tensor, Word};
use crate::op::{
    Attr, Kind, Op, Param, Promote, SAVE_A, SAVE_B, SAVE_Y, Vjp, example, optional, param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::arithmetic::{
    ADD_SCALED, DIV_FLOOR, SUB_SCALED, check_divisor, floor_divide, with_alpha, with_rounding,
};
use crate::ops::shared::{not_bool, on2};
use crate::ops::{BINARY, UNARY};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &ADD,
    &SUB,
    &MUL,
    &DIV,
    &POW,
    &POW_SCALAR,
    &REMAINDER,
    &FLOOR_DIVIDE,
    &MAXIMUM,
    &MINIMUM,
];

/// Operands that broadcast.
const PAIRS: &[&str] = samples(&["[2,3] [2,3]", "[3,1] [2,1,4]", "[] [2]"]);

/// `add` and `sub` take a factor for the second operand.
const WITH_ALPHA: &[Param] = &[
    param("input", Tensor),
    param("other", Tensor),
    optional("alpha", Float, Attr::Int(1)),
];

/// a + b
pub static ADD: Op = Op {
    name: "add",
    grad_fn: "AddBackward0",
    symbol: "+",
    formula: "y = a + b",
    rules: &["{gy}", "{gy}"],
    doc: "The sum of two tensors, element by element; of the second a multiple, alpha.",
    params: WITH_ALPHA,
    variant: |op, attrs| with_alpha(op, &ADD_SCALED, attrs),
    samples: PAIRS,
    exact: true,
    kind: Kind::Elementwise(body!(|a, b| a.add(b))),
    vjp: Vjp::Rule(|b| Ok(smallvec![Some(b.gy.clone()), Some(b.gy.clone())])),
    ..BINARY
};

/// a − b
pub static SUB: Op = Op {
    name: "sub",
    grad_fn: "SubBackward0",
    // `1 - x`
    grad_fn_for: |node| node.src.borrow().first()?.number.map(|_| "RsubBackward1"),
    symbol: "−",
    formula: "y = a − b",
    rules: &["{gy}", "−{gy}"],
    doc: "The difference of two tensors, element by element; of the second a multiple, alpha.",
    params: WITH_ALPHA,
    variant: |op, attrs| with_alpha(op, &SUB_SCALED, attrs),
    samples: PAIRS,
    exact: true,
    check: |_, src| {
        if src.iter().any(|s| s.dtype == DType::Bool) {
            return Err(crate::Error::not_implemented(
                "sub: subtraction with a bool tensor is not defined; use logical_not or logical_xor, or convert it with .long()",
            ));
        }
        Ok(())
    },
    kind: Kind::Elementwise(body!(|a, b| a.sub(b))),
    vjp: Vjp::Rule(|b| Ok(smallvec![Some(b.gy.clone()), b.needs(1).then(|| -&b.gy)])),
    ..BINARY
};

/// a · b
pub static MUL: Op = Op {
    name: "mul",
    grad_fn: "MulBackward0",
    symbol: "×",
    formula: "y = a · b",
    rules: &["{gy} · {b}", "{gy} · {a}"],
    doc: "The product of two tensors, element by element.",
    wide_numbers: true,
    kind: Kind::Elementwise(body!(|a, b| a.mul(b))),
    vjp: Vjp::Rule(|b| {
        Ok(smallvec![
            b.needs(0).then(|| &b.gy * &b.src[1]),
            b.needs(1).then(|| &b.gy * &b.src[0]),
        ])
    }),
    saves: [SAVE_B, SAVE_A, 0],
    ..BINARY
};

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
    ..BINARY
};

/// a to the power of b
pub static POW: Op = Op {
    name: "pow",
    grad_fn: "PowBackward1",
    symbol: "^",
    formula: "y = a^b",
    rules: &["{gy} · {b} · {a}^({b} − 1)", "{gy} · {y} · ln {a}"],
    doc: "The first tensor to the power of the second, element by element.",
    check: |_, src| {
        if src.iter().all(|s| s.dtype == DType::Bool) {
            return Err(crate::Error::runtime(
                "pow: not implemented for bool; convert one of them with .long()",
            ));
        }
        Ok(())
    },
    kind: Kind::Elementwise(body!(|a, b| a.pow(b))),
    vjp: Vjp::Rule(|b| {
        let (x, e) = (&b.src[0], &b.src[1]);
        let zero = b.gy.number(0.0);
        let base = || {
            e.eq(&zero)
                .select(&zero, &(&b.gy * (e * x.pow(&(e - 1.0)))))
        };
        // d/db is 0 where the base is 0 and the exponent is not negative: 0^b stays 0.
        let exponent = || {
            let flat = x.eq(&zero).call(
                &crate::ops::compare::LOGICAL_AND,
                &[&e.ge(&zero)],
                smallvec![],
            );
            &b.gy * flat.select(&zero, &(&b.y * x.log()))
        };
        Ok(smallvec![b.needs(0).then(base), b.needs(1).then(exponent)])
    }),
    saves: [SAVE_A | SAVE_B | SAVE_Y; 3],
    domain: (0.3, 2.0),
    ..BINARY
};

/// x to the power of a number; small powers are products, as in PyTorch.
pub static POW_SCALAR: Op = Op {
    name: "pow_scalar",
    python: face(&PythonFace {
        part_of: "pow",
        ..PythonFace::PLAIN
    }),
    element_by_element: true,
    grad_fn: "PowBackward0",
    symbol: "^",
    formula: "y = a^n",
    rules: &["{gy} · n · {a}^(n − 1)"],
    doc: "Each element to the power of a number.",
    params: &[param("input", Tensor), param("exponent", Float)],
    promote: Promote::Keep,
    infer: |op, src, attrs| {
        let whole = matches!(attrs[0], crate::op::Attr::Int(_) | crate::op::Attr::Bool(_));
        let dtype = match src[0].dtype {
            DType::Bool if matches!(attrs[0], crate::op::Attr::Bool(_)) => DType::Bool,
            dtype if !dtype.is_float() && !whole => DType::F32,
            DType::Bool => DType::I64,
            dtype => dtype,
        };
        if dtype.is_int() && attrs[0].as_int() < 0 {
            return Err(crate::Error::runtime(format!(
                "{}: integers to negative integer powers are not allowed (got {}); convert the tensor with .float()",
                op.name,
                attrs[0].as_int()
            )));
        }
        if dtype.is_int() {
            crate::ops::shared::check_option(op, &attrs[0], dtype)?;
        }
        Ok(crate::op::Meta {
            shape: src[0].shape.clone(),
            dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0].to(c.node.dtype);
        Ok(match c.attr(0).as_float() {
            2.0 => x * x,
            3.0 => x * x * x,
            1.0 => x.call(&crate::ops::convert::CLONE, &[], smallvec![]),
            0.5 if x.dtype().is_float() => x.sqrt(),
            -0.5 if x.dtype().is_float() => 1.0 / x.sqrt(),
            -1.0 if x.dtype().is_float() => 1.0 / x,
            -2.0 if x.dtype().is_float() => 1.0 / (x * x),
            e => x.pow(&x.number(e)),
        })
    }),
    vjp: Vjp::Rule(|b| {
        let e = b.attr(0).as_float();
        if e == 0.0 {
            return crate::ops::grad1(b.gy.zeros_like());
        }
        let x = &b.src[0];
        let power = x.call(&POW_SCALAR, &[], smallvec![crate::op::Attr::Float(e - 1.0)]);
        crate::ops::grad1(&b.gy * (power * e))
    }),
    saves: [SAVE_A; 3],
    domain: (0.3, 2.0),
    samples: samples(&[
        "[2,3] 2.0",
        "[2,3] 3.0",
        "[2,3] 0.5",
        "[2,3] -1.0",
        "[2,3] 1.7",
    ]),
    method: false,
    ..UNARY
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
    ..BINARY
};

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

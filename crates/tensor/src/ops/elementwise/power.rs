//! Powers and roots: `pow`, `square`, `sqrt`, `rsqrt`, `reciprocal`.

use smallvec::smallvec;

use crate::body;
use crate::dtype::DType;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Kind, Op, Out, Poles, Promote, PythonFace, SAVE_A, SAVE_B, SAVE_Y, Vjp, face, param, samples,
};
use crate::ops::shared::{KEEP, narrow, wide};
use crate::ops::{BINARY, UNARY, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[&POW, &POW_SCALAR, &SQUARE, &SQRT, &RSQRT, &RECIPROCAL];

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
    with_number: Some(&POW_SCALAR),
    domain: (0.3, 2.0),
    poles: Poles::Zero(0),
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
            // PyTorch rounds this of float16 once, and of bfloat16 after each product.
            3.0 if x.dtype() == DType::F16 => {
                let x = &wide(x);
                (x * x * x).to(c.node.dtype)
            }
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
    poles: Poles::Zero(0),
    ..UNARY
};

/// x²
pub static SQUARE: Op = Op {
    name: "square",
    grad_fn: "PowBackward0",
    symbol: "²",
    formula: "y = a²",
    rules: &["{gy} · 2 · {a}"],
    doc: "Each element times itself.",
    // A bool's square is a number.
    infer: |op, src, attrs| {
        let mut meta = crate::ops::same_as_first(op, src, attrs)?;
        if meta.dtype == crate::DType::Bool {
            meta.dtype = crate::DType::I64;
        }
        Ok(meta)
    },
    kind: Kind::Elementwise(body!(|x| x.mul(x))),
    vjp: Vjp::Rule(|b| grad1(&b.gy * (&b.src[0] * 2.0))),
    saves: [SAVE_A; 3],
    out: Out::Cast,
    ..KEEP
};

/// √x
pub static SQRT: Op = Op {
    name: "sqrt",
    grad_fn: "SqrtBackward0",
    symbol: "√",
    formula: "y = √a",
    rules: &["{gy} / (2 · {y})"],
    doc: "The square root of each element.",
    kind: Kind::Elementwise(body!(|x| x.sqrt())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / (&b.y * 2.0))),
    saves: [SAVE_Y; 3],
    domain: (0.1, 3.0),
    ..UNARY
};

/// 1 / √x
pub static RSQRT: Op = Op {
    name: "rsqrt",
    grad_fn: "RsqrtBackward0",
    symbol: "1/√",
    formula: "y = 1 / √a",
    rules: &["−½ · {gy} · {y}³"],
    doc: "One over the square root of each element.",
    kind: Kind::Elementwise(body!(|x| x.constant(1.0).div(&x.sqrt()))),
    vjp: Vjp::Rule(|b| {
        // PyTorch's power of 3 is two products in bfloat16, and one function in float16.
        let y = match b.y.dtype() {
            DType::BF16 => b.y.clone(),
            _ => wide(&b.y),
        };
        grad1(&b.gy * -0.5 * narrow(b, &(&y * &y * &y)))
    }),
    saves: [SAVE_Y; 3],
    domain: (0.1, 3.0),
    poles: Poles::Zero(0),
    ..UNARY
};

/// 1 / x
pub static RECIPROCAL: Op = Op {
    name: "reciprocal",
    grad_fn: "ReciprocalBackward0",
    symbol: "1/·",
    formula: "y = 1 / a",
    rules: &["−{gy} · {y}²"],
    doc: "One over each element.",
    kind: Kind::Elementwise(body!(|x| x.constant(1.0).div(x))),
    vjp: Vjp::Rule(|b| grad1(-(&b.gy * (&b.y * &b.y)))),
    saves: [SAVE_Y; 3],
    domain: (0.3, 3.0),
    poles: Poles::Zero(0),
    ..UNARY
};

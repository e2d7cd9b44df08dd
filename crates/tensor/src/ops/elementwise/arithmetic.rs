//! Sums, differences and products: `add`, `sub`, `mul`, `neg`, `addcmul`, `addcdiv`, `lerp`. Quotients are in
//! `division`, powers in `power`.
//!
//! The engine sums each gradient back to its operand's shape, so the rules need not.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Meta, Op, Param, Poles, PythonFace, SAVE_A, SAVE_B, SAVE_C, Vjp, example,
    face, optional, param, samples,
};
use crate::ops::shared::{KEEP, check_option, floats_only, narrow, not_bool, wide};
use crate::ops::{BINARY, broadcast_all, grad1};
use crate::{Error, Result, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &ADD,
    &SUB,
    &MUL,
    &NEG,
    &ADD_SCALED,
    &SUB_SCALED,
    &ADDCMUL,
    &ADDCDIV,
    &LERP,
];

/// Operands that broadcast.
pub(in crate::ops) const PAIRS: &[&str] = samples(&["[2,3] [2,3]", "[3,1] [2,1,4]", "[] [2]"]);

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
    check: |op, src| (SUB.check)(op, src),
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

/// −x
pub static NEG: Op = Op {
    name: "neg",
    grad_fn: "NegBackward0",
    symbol: "−",
    formula: "y = −a",
    rules: &["−{gy}"],
    doc: "The negative of each element.",
    check: |_, src| match src[0].dtype {
        crate::DType::Bool => Err(crate::Error::not_implemented(
            "neg: the negative of a bool tensor is not defined; use logical_not, or convert it with .long()",
        )),
        _ => Ok(()),
    },
    kind: Kind::Elementwise(body!(|x| x.neg())),
    vjp: Vjp::Rule(|b| grad1(-&b.gy)),
    ..KEEP
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
        let times = |other: &GraphValue| &b.gy * (other * value);
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
    poles: Poles::Zero(2),
    ..ADDCMUL
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
            b.needs(0).then(|| match weight.node().number {
                Some(number) => &b.gy * (1.0 - number.as_f64()),
                None => &b.gy * (1.0 - weight),
            }),
            b.needs(1).then(|| &b.gy * weight),
            b.needs(2).then(|| &b.gy * (&b.src[1] - &b.src[0])),
        ])
    }),
    saves: [SAVE_C, SAVE_C, SAVE_A | SAVE_B | SAVE_C],
    samples: samples(&["[2,3] [3] [2,1]", "[2,3] [2,3] 0.25", "[3] [3] 0.75"]),
    example: example("torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.25)"),
    ..BINARY
};

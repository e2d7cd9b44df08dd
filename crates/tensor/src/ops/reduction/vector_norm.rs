//! Norms of vectors: `norm` and `vector_norm`.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{self, Bool, Float, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Kind, Meta, Op, Out, Param, SAVE_A, SAVE_Y, Vjp, example,
    optional, param, samples,
};
use crate::ops::grad1;
use crate::ops::reduce::{REDUCE_MAX, REDUCE_MIN, REDUCE_SUM, REDUCTION, asked, infer_reduction};
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&NORM, &VECTOR_NORM];

static NORM_PARAMS: &[Param] = &[
    param("input", Tensor),
    optional("p", Float, Attr::Float(2.0)),
    optional("dim", Ints, Attr::None),
    optional("keepdim", Bool, Attr::Bool(false)),
    optional("dtype", ParamKind::DType, Attr::None),
];

/// The attributes of a reduction: those of a norm after its order.
fn without_order(attrs: &Attrs) -> Attrs {
    attrs[1..].iter().cloned().collect()
}

fn infer_norm(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (from, to) = (src[0].dtype, asked(attrs, 3));
    if !from.is_float() {
        return Err(Error::not_implemented(format!(
            "{}: Expected a floating point or complex tensor as input. Got {}; convert it with .float()",
            op.name,
            from.scalar_name()
        )));
    }
    if let Some(to) = to.filter(|to| !to.is_float()) {
        return Err(Error::runtime(format!(
            "{}: dtype should be floating point or complex, but got {}",
            op.name,
            to.scalar_name()
        )));
    }
    if let Some(to) = to.filter(|to| to.size() < from.size()) {
        return Err(Error::runtime(format!(
            "{}: the dtype of the input ({}) should be convertible without narrowing to the specified dtype ({})",
            op.name,
            from.scalar_name(),
            to.scalar_name()
        )));
    }
    let meta = infer_reduction(op, src, &without_order(attrs))?;
    let p = attrs[0].as_float();
    let dims = crate::ops::dims_of(op, &src[0].shape, &attrs[1])?;
    if (p < 0.0 || p.is_infinite()) && dims.iter().any(|&d| src[0].shape[d] == 0) {
        return Err(Error::runtime(format!(
            "{} cannot compute the {p} norm of an empty dimension of shape {} because the operation does not have an identity",
            op.name,
            shape::show(&src[0].shape)
        )));
    }
    Ok(Meta {
        dtype: to.unwrap_or(meta.dtype),
        ..meta
    })
}

fn power(x: &GraphValue, exponent: f64) -> GraphValue {
    let attrs = smallvec![Attr::Float(exponent)];
    x.call(&crate::ops::power::POW_SCALAR, &[], attrs)
}

fn norm(c: &Call) -> Result<GraphValue> {
    // Halves are rounded once, at the end.
    let x = c.src[0].to(c.node.dtype.compute());
    let dims = crate::ops::dims_of(c.node.op, x.shape(), c.attr(1))?;
    let p = c.attr(0).as_float();
    let norm = match p {
        0.0 => {
            let nonzero = x.call(&crate::ops::compare::NE, &[&x.number(0.0)], smallvec![]);
            nonzero.to(x.dtype()).reduce(&REDUCE_SUM, &dims)
        }
        1.0 => x.abs().reduce(&REDUCE_SUM, &dims),
        2.0 => (&x * &x).reduce(&REDUCE_SUM, &dims).sqrt(),
        f64::INFINITY => x.abs().reduce(&REDUCE_MAX, &dims),
        f64::NEG_INFINITY => x.abs().reduce(&REDUCE_MIN, &dims),
        _ => power(&power(&x.abs(), p).reduce(&REDUCE_SUM, &dims), 1.0 / p),
    };
    Ok(norm.to(c.node.dtype).reshape(&c.node.shape))
}

/// The gradient of a norm, as PyTorch has it where the norm is 0.
fn norm_vjp(b: &Backprop) -> Result<crate::op::Grads> {
    let x = b.src[0].to(b.gy.dtype());
    let dims = crate::ops::dims_of(b.node.op, x.shape(), b.attr(1))?;
    let kept = crate::ops::formula::kept(x.shape(), &dims);
    let (gy, y) = (b.gy.reshape(&kept), b.y.reshape(&kept));
    let zero = x.number(0.0);
    let p = b.attr(0).as_float();
    // 0 where the norm is 0.
    let guarded = |value: &GraphValue| y.eq(&zero).select(&zero, value);
    let grad = match p {
        // PyTorch gives no gradient at all.
        0.0 => return Ok(smallvec![None]),
        1.0 => x.sign() * gy,
        2.0 => &gy * guarded(&(&x / &y)),
        _ if p.is_infinite() => {
            let size = x.abs();
            let nan = size.call(&crate::ops::finite::ISNAN, &[], smallvec![]);
            let reached = size.eq(&y);
            let mask = reached
                .call(&crate::ops::compare::LOGICAL_OR, &[&nan], smallvec![])
                .to(x.dtype());
            let share = &gy / mask.sum(&dims, true);
            x.sign() * (share * mask)
        }
        _ if p < 1.0 => {
            let scaled = x.eq(&zero).select(&zero, &power(&x.abs(), p - 1.0));
            x.sign() * scaled * gy * power(&y, 1.0 - p)
        }
        _ => {
            let scaled = if p < 2.0 {
                x.sign() * power(&x.abs(), p - 1.0)
            } else {
                &x * power(&x.abs(), p - 2.0)
            };
            scaled * guarded(&(gy / power(&y, p - 1.0)))
        }
    };
    grad1(grad.to(b.src[0].dtype()))
}

/// The length of a vector, in the sense of a p-norm.
pub static NORM: Op = Op {
    name: "norm",
    grad_fn: "LinalgVectorNormBackward0",
    symbol: "‖·‖",
    formula: "y = (Σ |a|^p)^(1/p)",
    rules: &["{gy} · {a} / {y} for p = 2"],
    doc: "The p-norm of the elements: by default the Euclidean length.",
    params: NORM_PARAMS,
    infer: infer_norm,
    kind: Kind::Composite(norm),
    vjp: Vjp::Rule(norm_vjp),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&[
        "[2,3]",
        "[2,3] p=1 dim=1",
        "[2,3,2] p=3 dim=(0,2) keepdim=true",
        "[2,3]@0.5..2 p=0.5 dim=0",
        "[2,3]@0.5..2 p=-1.5",
        "[2,3] p=inf dim=1",
        "[2,3]T p=-inf",
        "[2,3] p=1.5",
        "[]",
        "[3] dtype=float64",
    ]),
    example: example("torch.norm(torch.tensor([3.0, 4.0]))"),
    out: Out::Same,
    ..REDUCTION
};

/// `torch.linalg.vector_norm`
pub static VECTOR_NORM: Op = Op {
    name: "vector_norm",
    params: &[
        param("x", Tensor),
        optional("ord", Float, Attr::Float(2.0)),
        optional("dim", Ints, Attr::None),
        optional("keepdim", Bool, Attr::Bool(false)),
        optional("dtype", ParamKind::DType, Attr::None),
    ],
    samples: samples(&["[2,3]", "[2,3] ord=3 dim=1"]),
    example: example("torch.linalg.vector_norm(torch.tensor([3.0, 4.0]), ord=1)"),
    method: false,
    ..NORM
};

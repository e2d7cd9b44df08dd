//! Norms of vectors, distances and angles between them.
//!
//! All are written in other ops and differentiated through them, as PyTorch does. A norm of 0 has no
//! gradient; a length that is kept from 0 by `eps` has one or not as PyTorch has it.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Bool, Float, Int, Tensor};
use crate::op::{
    Attr, Kind, Meta, Op, Out, Promote, SAVE_A, SAVE_B, SAVE_C, SAVE_Y, Vjp, example, optional,
    param, samples,
};
use crate::ops::formula::dropped;
use crate::ops::shared::wide;
use crate::ops::{BASE, dim_of, expect_float};
use crate::shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&NORMALIZE, &COSINE_SIMILARITY, &PAIRWISE_DISTANCE];

/// What is differentiated through the ops it is written in.
pub(in crate::ops) const COMPOSED: Op = Op {
    promote: Promote::Common,
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    method: false,
    out: Out::None,
    functional: true,
    ..BASE
};

/// The p-norm along a dimension, kept with size 1. Where it is 0 it has no gradient, as in PyTorch.
fn norm(x: &GraphValue, dim: usize, p: f64) -> GraphValue {
    exact_norm(&wide(x), dim, p).to(x.dtype())
}

fn exact_norm(x: &GraphValue, dim: usize, p: f64) -> GraphValue {
    let dims = [dim];
    if p == 2.0 {
        let total = (x * x).sum(&dims, true);
        let (zero, one) = (total.number(0.0), total.number(1.0));
        let flat = total.eq(&zero);
        return flat.select(&zero, &flat.select(&one, &total).sqrt());
    }
    let size = x.abs();
    if p == 1.0 {
        return size.sum(&dims, true);
    }
    if p == f64::INFINITY {
        return size.amax(&dims, true);
    }
    let power = |x: &GraphValue, p: f64| {
        x.call(
            &crate::ops::power::POW_SCALAR,
            &[],
            smallvec![Attr::Float(p)],
        )
    };
    let (zero, one) = (x.number(0.0), x.number(1.0));
    let none = size.eq(&zero);
    if p == 0.0 {
        return none.select(&zero, &one).sum(&dims, true);
    }
    let total = none
        .select(&zero, &power(&none.select(&one, &size), p))
        .sum(&dims, true);
    let flat = total.eq(&zero);
    flat.select(&zero, &power(&flat.select(&one, &total), 1.0 / p))
}

/// x / |x|
pub static NORMALIZE: Op = Op {
    name: "normalize",
    grad_fn: "DivBackward0",
    symbol: "unit",
    formula: "y = a / |a|",
    rules: &["({gy} − {y} · Σ {gy} · {y}) / |{a}|"],
    doc: "Vectors along a dimension divided by their length.",
    params: &[
        param("input", Tensor),
        optional("p", Float, Attr::Float(2.0)),
        optional("dim", Int, Attr::Int(1)),
        optional("eps", Float, Attr::Float(1e-12)),
    ],
    promote: Promote::Keep,
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        dim_of(op, &src[0].shape, &attrs[1])?;
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let p = c.attr(0).as_float();
        let eps = c.attr(2).as_float();
        let whole = match c.src[0].shape().is_empty() {
            true => c.src[0].reshape(&[1]),
            false => c.src[0].clone(),
        };
        let dim = dim_of(c.node.op, whole.shape(), c.attr(1))?;
        let length = norm(&whole, dim, p);
        let least = length.number(eps);
        Ok((&whole / length.lt(&least).select(&least, &length)).reshape(&c.node.shape))
    }),
    samples: samples(&["[2,3]", "[2,3] p=1.0 dim=0", "[3] p=3 dim=-1"]),
    example: example("F.normalize(torch.tensor([[3.0, 4.0]]))"),
    ..COMPOSED
};

/// x₁ · x₂ / (|x₁| |x₂|)
pub static COSINE_SIMILARITY: Op = Op {
    name: "cosine_similarity",
    grad_fn: "SumBackward1",
    symbol: "cos",
    formula: "y = a · b / (|a| · |b|)",
    rules: &[
        "{gy} · ({b} / |{b}|, without its part along {a}) / |{a}|",
        "{gy} · ({a} / |{a}|, without its part along {b}) / |{b}|",
    ],
    doc: "The cosine of the angle between vectors along a dimension.",
    params: &[
        param("x1", Tensor),
        param("x2", Tensor),
        optional("dim", Int, Attr::Int(1)),
        optional("eps", Float, Attr::Float(1e-8)),
    ],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let meta = crate::ops::broadcast_all(op, src, attrs)?;
        let dim = dim_of(op, &meta.shape, &attrs[0])?;
        Ok(Meta {
            shape: dropped(&meta.shape, &[dim]),
            ..meta
        })
    },
    kind: Kind::Composite(|c| {
        let mut shape = shape::broadcast(c.node.op.name, c.src[0].shape(), c.src[1].shape())?;
        let dim = dim_of(c.node.op, &shape, c.attr(0))?;
        if shape.is_empty() {
            // A number is a vector of one.
            shape.push(1);
        }
        let eps = c.attr(1).as_float();
        let (a, b) = (c.src[0].expand(&shape), c.src[1].expand(&shape));
        Ok((direction(&a, dim, eps) * direction(&b, dim, eps)).sum(&[dim], false))
    }),
    samples: samples(&[
        "[2,3] [2,3]",
        "[3,2] [3,2] dim=0",
        "[2,1,3] [2,3] dim=-1 eps=0.1",
    ]),
    example: example("F.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))"),
    saves: [SAVE_A, SAVE_B, 0],
    reads: SAVE_A | SAVE_B,
    ..COMPOSED
};

/// A vector divided by its length, which counts as at least `eps`; its gradient does not know of
/// the bound, as in PyTorch.
fn direction(x: &GraphValue, dim: usize, eps: f64) -> GraphValue {
    let length = norm(x, dim, 2.0);
    let fixed = length.call(&crate::ops::convert::DETACH, &[], smallvec![]);
    let least = fixed.number(eps);
    let short = fixed.lt(&least);
    x / short.select(&(&length + (least - &fixed)), &length)
}

/// |x₁ − x₂ + ε|
pub static PAIRWISE_DISTANCE: Op = Op {
    name: "pairwise_distance",
    grad_fn: "NormBackward1",
    symbol: "distance",
    formula: "y = |a − b + eps|",
    rules: &[
        "{gy} · ({a} − {b} + eps) / {y}",
        "−{gy} · ({a} − {b} + eps) / {y}",
    ],
    doc: "The distance between vectors along the last dimension.",
    params: &[
        param("x1", Tensor),
        param("x2", Tensor),
        optional("p", Float, Attr::Float(2.0)),
        optional("eps", Float, Attr::Float(1e-6)),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let meta = crate::ops::broadcast_all(op, src, attrs)?;
        let Some(last) = meta.shape.len().checked_sub(1) else {
            return Err(Error::runtime(
                "pairwise_distance: expected vectors, got numbers of no dimensions",
            ));
        };
        let mut shape = meta.shape.clone();
        match attrs[2].as_bool() {
            true => shape[last] = 1,
            false => shape.truncate(last),
        }
        Ok(Meta { shape, ..meta })
    },
    kind: Kind::Composite(|c| {
        let y = distance(
            &c.src[0],
            &c.src[1],
            c.attr(0).as_float(),
            c.attr(1).as_float(),
        )?;
        Ok(y.reshape(&c.node.shape))
    }),
    samples: samples(&[
        "[2,3] [2,3]",
        "[2,3] [3] p=1.0 keepdim=true",
        "[2,3] [1,3] p=3",
    ]),
    example: example("F.pairwise_distance(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]))"),
    saves: [SAVE_Y; 3],
    reads: SAVE_A | SAVE_B,
    ..COMPOSED
};

/// The distance along the last dimension, kept with size 1.
pub(in crate::ops) fn distance(
    a: &GraphValue,
    b: &GraphValue,
    p: f64,
    eps: f64,
) -> Result<GraphValue> {
    let off = a - b + eps;
    Ok(norm(&off, off.shape().len() - 1, p))
}

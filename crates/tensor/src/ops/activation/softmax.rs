//! Softmax along a dimension: `softmax`, `log_softmax`, `softmin`.

use smallvec::{SmallVec, smallvec};

use crate::fused_op::{Family, FusedOp, Lines, Softmax};
use crate::graph::GraphValue;
use crate::node::Node;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{
    Attr, Attrs, Infinities, Kind, Meta, Op, RoutineKind, SAVE_Y, Vjp, example, param, samples,
};
use crate::ops::fused::{self, LIKE_FIRST};
use crate::ops::reduce::{REDUCE_MAX, REDUCE_SUM};
use crate::ops::shared::{narrow, wide};
use crate::ops::{BASE, dim_of, expect_float, grad1};
use crate::{Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SOFTMAX, &LOG_SOFTMAX, &SOFTMIN];

const ALONG: Op = Op {
    params: &[param("input", Tensor), param("dim", Int)],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        dim_of(op, &src[0].shape, &attrs[0])?;
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    infinities: Infinities::MasksMinus,
    ..BASE
};

/// The dimension as a list; empty for a 0-d tensor.
fn along(op: &Op, x: &GraphValue, attr: &Attr) -> Result<smallvec::SmallVec<[usize; 6]>> {
    let dim = dim_of(op, x.shape(), attr)?;
    Ok(if x.shape().is_empty() {
        smallvec![]
    } else {
        smallvec![dim]
    })
}

/// The gradient of a softmax along a dimension (none of a 0-d tensor), from the result's and the result.
pub(in crate::ops) fn softmax_gradient(
    gy: &GraphValue,
    y: &GraphValue,
    dims: &[usize],
) -> GraphValue {
    if let [dim] = *dims
        && fused::offered_unwalked(gy, Family::Softmax)
    {
        return fused_softmax_gradient(gy, y, dim, false);
    }
    let weighted = gy * y;
    let total = weighted.sum(dims, true);
    weighted - y * total
}

/// eˣ / Σ eˣ
pub static SOFTMAX: Op = Op {
    name: "softmax",
    grad_fn: "SoftmaxBackward0",
    symbol: "softmax",
    formula: "y = e^a / Σ e^a",
    rules: &["({gy} − Σ {gy} · {y}) · {y}"],
    doc: "Exponentials that sum to 1 along a dimension.",
    kind: Kind::Composite(|c| {
        let x = wide(&c.src[0]);
        let dims = along(c.node.op, &x, c.attr(0))?;
        if let [dim] = dims[..]
            && fused::offered_unwalked(&x, Family::Softmax)
        {
            return Ok(fused_softmax(&x, dim, false).to(c.node.dtype));
        }
        let e = (&x - x.reduce(&REDUCE_MAX, &dims)).exp();
        Ok((&e / e.reduce(&REDUCE_SUM, &dims)).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let dims = along(b.node.op, &b.y, b.attr(0))?;
        let (y, gy) = (wide(&b.y), wide(&b.gy));
        grad1(narrow(b, &softmax_gradient(&gy, &y, &dims)))
    }),
    saves: [SAVE_Y; 3],
    samples: samples(&["[2,5] 1", "[3,2,2] 0"]),
    functional: true,
    ..ALONG
};

/// x − ln Σ eˣ
pub static LOG_SOFTMAX: Op = Op {
    name: "log_softmax",
    grad_fn: "LogSoftmaxBackward0",
    symbol: "log softmax",
    formula: "y = a − ln Σ e^a",
    rules: &["{gy} − e^{y} · Σ {gy}"],
    doc: "The logarithm of softmax, safe from overflow.",
    kind: Kind::Composite(|c| {
        let (dtype, x) = (c.node.dtype, wide(&c.src[0]));
        let dims = along(c.node.op, &x, c.attr(0))?;
        // PyTorch has a 16-bit sum, and a 16-bit logarithm of it, along the last dimension.
        let keeps =
            dtype.compute() != dtype && matches!(dims[..], [dim] if dim + 1 == x.shape().len());
        if let [dim] = dims[..]
            && !keeps
            && fused::offered_unwalked(&x, Family::Softmax)
        {
            return Ok(fused_softmax(&x, dim, true).to(dtype));
        }
        let kept = |x: GraphValue| match keeps {
            true => wide(&x.to(dtype)),
            false => x,
        };
        let shifted = &x - x.reduce(&REDUCE_MAX, &dims);
        let total = kept(shifted.exp().reduce(&REDUCE_SUM, &dims));
        Ok((shifted - kept(total.log())).to(dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let dims = along(b.node.op, &b.y, b.attr(0))?;
        let (y, gy) = (wide(&b.y), wide(&b.gy));
        if let [dim] = dims[..]
            && fused::offered_unwalked(&gy, Family::Softmax)
        {
            let gradient = fused_softmax_gradient(&gy, &y, dim, true);
            return grad1(narrow(b, &gradient));
        }
        let total = gy.sum(&dims, true);
        grad1(narrow(b, &(gy - y.exp() * total)))
    }),
    saves: [SAVE_Y; 3],
    samples: samples(&["[2,5] 1", "[3,2,2] 0"]),
    functional: true,
    ..ALONG
};

/// Softmax of the negatives.
pub static SOFTMIN: Op = Op {
    name: "softmin",
    grad_fn: "SoftmaxBackward0",
    symbol: "softmin",
    formula: "y = e^−a / Σ e^−a",
    rules: &["(Σ {gy} · {y} − {gy}) · {y}"],
    doc: "Exponentials of the negatives that sum to 1 along a dimension: the least gets the most.",
    params: &[param("input", Tensor), param("dim", Int)],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        dim_of(op, &src[0].shape, &attrs[0])?;
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let negative = -&c.src[0];
        Ok(negative.call(&SOFTMAX, &[], c.node.attrs.clone()))
    }),
    vjp: Vjp::Rule(|b| {
        let dim = dim_of(b.node.op, b.y.shape(), b.attr(0))?;
        let dims: SmallVec<[usize; 6]> = (0..b.y.shape().len()).filter(|&d| d == dim).collect();
        crate::ops::grad1(-softmax_gradient(&b.gy, &b.y, &dims))
    }),
    saves: [SAVE_Y; 3],
    samples: samples(&["[2,5] 1", "[3,2,2] 0"]),
    example: example("F.softmin(torch.tensor([1.0, 2.0]), dim=0)"),
    method: false,
    functional: true,
    infinities: Infinities::MasksPlus,
    ..BASE
};

/// The lines along dimension `dim` of a shape.
fn lines(shape: &[usize], dim: usize) -> Lines {
    Lines {
        outer: shape::numel(&shape[..dim]),
        n: shape[dim],
        inner: shape::numel(&shape[dim + 1..]),
    }
}

/// Attributes: the dimension, and whether it is the logarithm.
fn fused_softmax_of(node: &Node, gradient: bool) -> FusedOp {
    FusedOp::Softmax(Softmax {
        log: node.attrs[1].as_bool(),
        gradient,
        lines: lines(&node.shape, node.attrs[0].as_int() as usize),
    })
}

static FUSED_SOFTMAX: Op = Op {
    name: "softmax_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| fused_softmax_of(node, false))),
    ..LIKE_FIRST
};

static FUSED_SOFTMAX_GRADIENT: Op = Op {
    name: "softmax_gradient_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| fused_softmax_of(node, true))),
    ..LIKE_FIRST
};

fn fused_attrs(dim: usize, log: bool) -> Attrs {
    smallvec![Attr::Int(dim as i64), Attr::Bool(log)]
}

/// A fused_softmax fused_attrs a dimension, or its logarithm.
fn fused_softmax(x: &GraphValue, dim: usize, log: bool) -> GraphValue {
    x.call(&FUSED_SOFTMAX, &[], fused_attrs(dim, log))
}

/// The gradient of that, from the result's and the result.
fn fused_softmax_gradient(gy: &GraphValue, y: &GraphValue, dim: usize, log: bool) -> GraphValue {
    gy.call(&FUSED_SOFTMAX_GRADIENT, &[y], fused_attrs(dim, log))
}

//! Losses, and what they share: the parameter `reduction`, which is one of `mean`, `sum`, `none`, and its shapes and
//! gradients.

pub mod binary_cross_entropy;
pub mod cross_entropy;
pub mod distances;
pub mod likelihood;
pub mod margin;
pub mod regression;

use crate::Result;
use crate::graph::GraphValue;
use crate::node::{Node, NodeRef};
use crate::op::ParamKind::{Tensor, Word};
use crate::op::{Attr, Attrs, Meta, Op, Out, Param, SAVE_A, SAVE_B, optional, param, samples};
use crate::ops::formula::all_dims;
use crate::ops::shared::held;
use crate::ops::{BASE, expect_float};
use crate::shape::{self, Shape};

pub(in crate::ops) const REDUCTIONS: Param = optional(
    "reduction",
    Word(&["mean", "sum", "none"]),
    Attr::Str("mean"),
);

static PAIR_PARAMS: &[Param] = &[param("input", Tensor), param("target", Tensor), REDUCTIONS];

/// A loss of two tensors that broadcast.
pub(in crate::ops) const PAIR: Op = Op {
    params: PAIR_PARAMS,
    promote: crate::op::Promote::Common,
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let meta = crate::ops::broadcast_all(op, src, attrs)?;
        Ok(reduced(meta, attrs[0].as_str()))
    },
    saves: [SAVE_A | SAVE_B; 3],
    samples: samples(&[
        "[2,3] [2,3] reduction='mean'",
        "[2,3] [2,3] reduction='sum'",
        "[2,3] [2,3] reduction='none'",
    ]),
    method: false,
    out: Out::None,
    functional: true,
    ..BASE
};

pub(in crate::ops) fn reduced(meta: Meta, reduction: &str) -> Meta {
    if reduction == "none" {
        meta
    } else {
        Meta {
            shape: Shape::new(),
            ..meta
        }
    }
}

/// Applies a reduction to losses of elements.
pub(in crate::ops) fn reduce(losses: GraphValue, reduction: &str) -> GraphValue {
    let dims = all_dims(losses.shape());
    match reduction {
        "none" => losses,
        "sum" => losses.sum(&dims, false),
        _ => {
            let n = losses.node().numel() as f64;
            losses.sum(&dims, false) / n
        }
    }
}

/// The gradient of each element's loss, for a gradient of the reduced loss.
pub(in crate::ops) fn spread(gy: &GraphValue, shape: &[usize], reduction: &str) -> GraphValue {
    match reduction {
        "none" => gy.clone(),
        "sum" => gy.expand(shape),
        _ => (gy / shape::numel(shape) as f64).expand(shape),
    }
}

/// The gradient of a reduced loss from the slope of each element's, in PyTorch's order: the share of an element in the
/// mean is a number of the slope's dtype, and meets the slope before the gradient that came in.
pub(in crate::ops) fn share(slope: &GraphValue, gy: &GraphValue, reduction: &str) -> GraphValue {
    let gy = gy.expand(slope.shape());
    match reduction {
        "mean" => {
            let n = slope.node().numel() as f64;
            slope * held(1.0 / n, slope.dtype()) * gy
        }
        _ => slope * gy,
    }
}

/// The gradient of a reduced loss from that of each element's, in the order of losses that PyTorch averages at their end.
pub(in crate::ops) fn average(gradient: GraphValue, reduction: &str) -> GraphValue {
    match reduction {
        "mean" => {
            let n = gradient.node().numel() as f64;
            gradient / n
        }
        _ => gradient,
    }
}

pub(in crate::ops) const INPUT: Param = param("input", Tensor);

pub(in crate::ops) const TARGET: Param = param("target", Tensor);

pub(in crate::ops) fn infer_pair(
    op: &Op,
    src: &[NodeRef],
    attrs: &Attrs,
    reduction: usize,
) -> Result<Meta> {
    expect_float(op, &src[0])?;
    let meta = crate::ops::broadcast_all(op, src, attrs)?;
    Ok(reduced(meta, attrs[reduction].as_str()))
}

/// PyTorch's name of the last op of a loss: its reduction, or `none`.
pub(in crate::ops) fn reduction_name(reduction: &str, none: &'static str) -> &'static str {
    match reduction {
        "none" => none,
        "sum" => "SumBackward0",
        _ => "MeanBackward0",
    }
}

/// The attribute that holds the reduction: the last word.
pub(in crate::ops) fn reduction_of(node: &Node) -> &'static str {
    let words = node.attrs.iter().rev().map(Attr::as_str);
    words
        .into_iter()
        .find(|word| !word.is_empty())
        .unwrap_or("mean")
}

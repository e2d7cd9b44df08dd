//! The ops behind [`crate::fused_op`]: what composites become on a device that has them as one kernel.
//!
//! Invariant: a composite's formula stays the one definition of its values. A layer takes its place only where
//! [`offered`] says so, and the gradient of a layer is written in ops that have gradients themselves.

pub(in crate::ops) mod pool;

use smallvec::smallvec;

use crate::Result;
use crate::dtype::DType;
use crate::fused_op::{Attention, FusedOp, Lines, Norm, Softmax};
use crate::graph::GraphValue;
use crate::node::Node;
use crate::op::{
    Attr, Attrs, Backprop, Grads, Kind, Meta, Op, RoutineKind, SAVE_A, SAVE_B, SAVE_C, Vjp,
};
use crate::ops::{BASE, norm};
use crate::shape::{self, Shape};

/// Whether the device of `x` computes layers of its dtype in one kernel. An engine without
/// explanations has no such device.
pub(in crate::ops) fn offered(x: &GraphValue) -> bool {
    cfg!(feature = "explain")
        && x.dtype() == DType::F32
        && x.node().numel() > 0
        && x.engine().backend(x.node().device).has_layers()
}

/// The same, and nothing walks back through what is made now: a layer without a gradient will do.
pub(in crate::ops) fn offered_unwalked(x: &GraphValue) -> bool {
    offered(x) && !x.engine().grad_enabled()
}

/// A layer whose result has the shape of its first operand. The op that it is part of has the gradient.
pub(in crate::ops) const LIKE_FIRST: Op = Op {
    vjp: Vjp::None("it is part of an op that has a gradient"),
    method: false,
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
fn softmax_of(node: &Node, gradient: bool) -> FusedOp {
    FusedOp::Softmax(Softmax {
        log: node.attrs[1].as_bool(),
        gradient,
        lines: lines(&node.shape, node.attrs[0].as_int() as usize),
    })
}

static SOFTMAX: Op = Op {
    name: "softmax_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| softmax_of(node, false))),
    ..LIKE_FIRST
};

static SOFTMAX_GRADIENT: Op = Op {
    name: "softmax_gradient_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| softmax_of(node, true))),
    ..LIKE_FIRST
};

fn along(dim: usize, log: bool) -> Attrs {
    smallvec![Attr::Int(dim as i64), Attr::Bool(log)]
}

/// A softmax along a dimension, or its logarithm.
pub(in crate::ops) fn softmax(x: &GraphValue, dim: usize, log: bool) -> GraphValue {
    x.call(&SOFTMAX, &[], along(dim, log))
}

/// The gradient of that, from the result's and the result.
pub(in crate::ops) fn softmax_gradient(
    gy: &GraphValue,
    y: &GraphValue,
    dim: usize,
    log: bool,
) -> GraphValue {
    gy.call(&SOFTMAX_GRADIENT, &[y], along(dim, log))
}

/// Attributes: the dimensions of a row, from the last one on, and eps.
fn norm_of(node: &Node, gradient: bool) -> FusedOp {
    let first = node.shape.len() - node.attrs[0].as_int() as usize;
    let rows = shape::numel(&node.shape[..first]);
    let affine = node.src().len() - 1 - usize::from(gradient);
    let sizes = [rows, shape::numel(&node.shape[first..])];
    let mut norm = Norm::new(sizes, node.attrs[1].as_float());
    norm.weight = affine > 0;
    norm.bias = affine > 1;
    norm.gradient = gradient;
    FusedOp::Norm(norm)
}

/// Operands: x, the weight and the bias, as many as there are.
static LAYER_NORM: Op = Op {
    name: "layer_norm_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| norm_of(node, false))),
    vjp: Vjp::Rule(layer_norm_vjp),
    saves: [SAVE_A | SAVE_B; 3],
    ..LIKE_FIRST
};

/// Operands: the result's gradient, x and the weight, if there is one.
static LAYER_NORM_GRADIENT: Op = Op {
    name: "layer_norm_gradient",
    kind: Kind::Composite(|c| {
        let (gy, x) = (&c.src[0], &c.src[1]);
        if offered_unwalked(gy) {
            let others: Vec<&GraphValue> = c.src[1..].iter().collect();
            return Ok(gy.call(&LAYER_NORM_GRADIENT_LAYER, &others, c.node.attrs.clone()));
        }
        let n_dims = x.shape().len();
        let dims = (n_dims - c.attr(0).as_int() as usize..n_dims).collect();
        let norm = norm::Norm::along(x, dims, c.attr(1).as_float());
        let weighted = match c.src.get(2) {
            Some(weight) => gy * weight,
            None => gy.clone(),
        };
        let (normal, scale) = norm.normalised(x);
        Ok(norm.gradient(&weighted, &normal, &scale))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    method: false,
    ..BASE
};

static LAYER_NORM_GRADIENT_LAYER: Op = Op {
    name: "layer_norm_gradient_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| norm_of(node, true))),
    ..LIKE_FIRST
};

fn layer_norm_vjp(b: &Backprop) -> Result<Grads> {
    let (x, attrs) = (&b.src[0], &b.node.attrs);
    let rows: Vec<usize> = (0..x.shape().len() - attrs[0].as_int() as usize).collect();
    let mut grads: Grads = smallvec![b.needs(0).then(|| {
        let others: Vec<&GraphValue> = std::iter::once(x).chain(b.src.get(1)).collect();
        b.gy.call(&LAYER_NORM_GRADIENT, &others, attrs.clone())
    })];
    if b.src.len() > 1 {
        let normal = || x.call(&LAYER_NORM, &[], attrs.clone());
        grads.push(b.needs(1).then(|| (&b.gy * normal()).sum(&rows, false)));
    }
    if b.src.len() > 2 {
        grads.push(b.needs(2).then(|| b.gy.sum(&rows, false)));
    }
    Ok(grads)
}

/// A layer norm over the last `dims` dimensions; `affine` are the weight and the bias, as many as there are.
pub(in crate::ops) fn layer_norm(
    x: &GraphValue,
    affine: &[GraphValue],
    dims: usize,
    eps: f64,
) -> GraphValue {
    let affine: Vec<&GraphValue> = affine.iter().collect();
    let attrs = smallvec![Attr::Int(dims as i64), Attr::Float(eps)];
    x.call(&LAYER_NORM, &affine, attrs)
}

/// Attributes: whether it is causal, and what multiplies the scores.
static ATTENTION: Op = Op {
    name: "attention_layer",
    infer: |_, src, _| {
        let (q, v) = (&src[0], &src[2]);
        let shape: Shape = smallvec![q.shape[0], q.shape[1], v.shape[2]];
        Ok(Meta {
            shape,
            dtype: q.dtype,
        })
    },
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        let src = node.src();
        let (q, k) = (&src[0].shape, &src[1].shape);
        let sizes = [q[0], q[1], k[1], q[2], node.shape[2]];
        let (causal, scale) = (node.attrs[0].as_bool(), node.attrs[1].as_float());
        FusedOp::Attention(Attention::new(sizes, causal, scale))
    })),
    // The weights are computed again: keeping them is what a layer spares.
    vjp: Vjp::Rule(|b| {
        let (q, k, v) = (&b.src[0], &b.src[1], &b.src[2]);
        let (causal, scale) = (b.attr(0).as_bool(), b.attr(1).as_float());
        let weights = crate::ops::attention::weights(&(q.matmul(&k.t()) * scale), causal)?;
        let along =
            crate::ops::softmax::softmax_gradient(&b.gy.matmul(&v.t()), &weights, &[2]) * scale;
        Ok(smallvec![
            b.needs(0).then(|| along.matmul(k)),
            b.needs(1).then(|| along.t().matmul(q)),
            b.needs(2).then(|| weights.t().matmul(&b.gy)),
        ])
    }),
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    ..LIKE_FIRST
};

/// Most elements a row of queries, keys or values.
const WIDEST: usize = 128;

/// Attention of `[batch, rows, width]` each, where it is offered and its rows fit.
pub(in crate::ops) fn attention(
    q: &GraphValue,
    k: &GraphValue,
    v: &GraphValue,
    causal: bool,
    scale: f64,
) -> Option<GraphValue> {
    let sizes = [q.shape()[2], v.shape()[2]];
    let fits = sizes.iter().all(|size| (1..=WIDEST).contains(size)) && k.shape()[1] > 0;
    let attrs = smallvec![Attr::Bool(causal), Attr::Float(scale)];
    (fits && offered(q)).then(|| q.call(&ATTENTION, &[k, v], attrs))
}

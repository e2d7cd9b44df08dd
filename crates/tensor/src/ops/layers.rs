//! The ops behind [`crate::layer`]: what composites become on a device that has them as one kernel.
//!
//! Invariant: a composite's formula stays the one definition of its values. A layer takes its place only where
//! [`offered`] says so, and the gradient of a layer is written in ops that have gradients themselves.

use smallvec::smallvec;

use super::BASE;
use crate::dtype::DType;
use crate::layer::{Layer, Lines, Softmax};
use crate::node::Node;
use crate::op::{Attr, Attrs, Kind, Op, RoutineKind, Vjp};
use crate::shape;
use crate::var::Var;

/// Whether the device of `x` computes layers of its dtype in one kernel. An engine without
/// explanations has no such device.
pub(super) fn offered(x: &Var) -> bool {
    cfg!(feature = "explain")
        && x.dtype() == DType::F32
        && x.node().numel() > 0
        && x.engine().backend(x.node().device).has_layers()
}

/// The same, and nothing walks back through what is made now: a layer without a gradient will do.
pub(super) fn offered_unwalked(x: &Var) -> bool {
    offered(x) && !x.engine().grad_enabled()
}

/// A layer whose result has the shape of its first operand. The op that it is part of has the gradient.
const LIKE_FIRST: Op = Op {
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
fn softmax_of(node: &Node, gradient: bool) -> Layer {
    Layer::Softmax(Softmax {
        log: node.attrs[1].as_bool(),
        gradient,
        lines: lines(&node.shape, node.attrs[0].as_int() as usize),
    })
}

static SOFTMAX: Op = Op {
    name: "softmax_layer",
    kind: Kind::Routine(RoutineKind::Layer(|node| softmax_of(node, false))),
    ..LIKE_FIRST
};

static SOFTMAX_GRADIENT: Op = Op {
    name: "softmax_gradient_layer",
    kind: Kind::Routine(RoutineKind::Layer(|node| softmax_of(node, true))),
    ..LIKE_FIRST
};

fn along(dim: usize, log: bool) -> Attrs {
    smallvec![Attr::Int(dim as i64), Attr::Bool(log)]
}

/// A softmax along a dimension, or its logarithm.
pub(super) fn softmax(x: &Var, dim: usize, log: bool) -> Var {
    x.call(&SOFTMAX, &[], along(dim, log))
}

/// The gradient of that, from the result's and the result.
pub(super) fn softmax_gradient(gy: &Var, y: &Var, dim: usize, log: bool) -> Var {
    gy.call(&SOFTMAX_GRADIENT, &[y], along(dim, log))
}

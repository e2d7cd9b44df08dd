//! Where a composite becomes one kernel ([`crate::fused_op`]): softmax, `layer_norm`, attention, convolutions and pools have
//! an op for it, beside their formula.
//!
//! Invariant: a composite's formula stays the one definition of its values. A layer takes its place only where
//! [`offered`] says so, and the gradient of a layer is written in ops that have gradients themselves.

use crate::dtype::DType;
use crate::fused_op::Family;
use crate::graph::GraphValue;
use crate::op::{Op, Vjp};
use crate::ops::BASE;

/// Whether the device of `x` computes layers of this family and its dtype in one kernel. A build without
/// `codegen` has no such device.
pub(in crate::ops) fn offered(x: &GraphValue, family: Family) -> bool {
    cfg!(feature = "codegen")
        && x.dtype() == DType::F32
        && x.node().numel() > 0
        && x.engine().0.modes.layers.get()
        && x.engine()
            .backend(x.node().device)
            .supports_fused_op(family)
}

/// The same, and no backward pass goes through what is made now: a layer without a gradient will do.
pub(in crate::ops) fn offered_unwalked(x: &GraphValue, family: Family) -> bool {
    offered(x, family) && !x.engine().grad_enabled()
}

/// A layer whose result has the shape of its first operand. The op that it is part of has the gradient.
pub(in crate::ops) const LIKE_FIRST: Op = Op {
    vjp: Vjp::None("it is part of an op that has a gradient"),
    method: false,
    ..BASE
};

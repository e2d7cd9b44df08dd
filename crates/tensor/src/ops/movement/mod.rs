//! Movement: the same elements through another view, or copied to other places.
//!
//! A view copies nothing, and its gradient is the inverse movement. The gradient of a view that picks elements is the
//! incoming one put in their places; where a view names an element twice (`unfold`, `as_strided`), its gradients are
//! added up.

pub mod cat;
pub mod diagonal;
pub mod expand;
pub mod flip;
pub mod grid;
pub mod interpolate;
pub mod pad;
pub mod permute;
pub mod pixel_shuffle;
pub mod repeat;
pub mod reshape;
pub mod slice;
pub mod split;
pub mod strided;

use crate::op::ParamKind::Tensor;
use crate::op::{Backprop, Grads, Kind, Op, Out, Vjp, param};
use crate::ops::{BASE, grad1};
use crate::shape::Shape;
use crate::view::View;
use crate::{Error, Result};

/// A movement of one tensor.
pub(in crate::ops) const MOVE: Op = Op {
    params: &[param("input", Tensor)],
    out: Out::None,
    ..BASE
};

/// Back to the shape of the operand.
pub(in crate::ops) const RESHAPED: Op = Op {
    rules: &["{gy}, in the shape of {a}"],
    kind: Kind::Movement(|view, node| view.reshape(&node.shape)),
    vjp: Vjp::Rule(|b| grad1(b.gy.reshape(b.src[0].shape()))),
    grad_fn_for: copied,
    ..MOVE
};

/// PyTorch's name where strides did not allow a view.
fn copied(node: &crate::node::Node) -> Option<&'static str> {
    let src = node.src.borrow();
    let copy = src.first()?;
    std::ptr::eq(copy.op, &crate::ops::convert::CONTIGUOUS).then_some("UnsafeViewBackward0")
}

/// The gradient of elements that a movement picked: in their places, zero elsewhere.
pub(crate) fn placed(b: &Backprop) -> Result<Grads> {
    let from = b.src[0].shape();
    let Kind::Movement(movement) = b.node.op.kind else {
        return Err(Error::runtime(format!("{}: not a view", b.node.op.name)));
    };
    let at = movement(&View::contiguous(from), b.node)
        .ok_or_else(|| Error::runtime(format!("{}: not a view of {from:?}", b.node.op.name)))?;
    grad1(b.gy.zeros_like_shape(from).add_at(&at, &b.gy))
}

/// A movement that picks elements.
pub(in crate::ops) const PICK: Op = Op {
    rules: &["{gy} in its place, 0 elsewhere"],
    vjp: Vjp::Rule(placed),
    exact: true,
    out: Out::None,
    ..BASE
};

/// A shape's leading part with other last sizes.
pub(in crate::ops) fn ending(shape: &[usize], last: usize, sizes: &[usize]) -> Shape {
    let mut shape = Shape::from_slice(&shape[..shape.len() - last]);
    shape.extend_from_slice(sizes);
    shape
}

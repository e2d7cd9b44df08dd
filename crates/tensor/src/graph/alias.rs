//! Nodes that stand for another node's value: leaves of computed values, and values with another place on the
//! tape.

use smallvec::{SmallVec, smallvec};

use super::primitive::{BASE, LEAF, grad1};
use super::{Engine, GraphValue, NodeParts, NodeRef};
use crate::op::{Attrs, Infinities, Op};
use crate::view::View;

/// A value written behind the tape's back (`x.detach().add_(1)`): the gradient goes on to the old
/// node as if nothing had happened.
static DATA: Op = Op {
    name: "data",
    grad_fn: "",
    // The function is still the one that made the tensor.
    grad_fn_for: |node| node.src.borrow().first().map(|made| made.grad_name),
    vjp: crate::op::Vjp::Rule(|b| grad1(b.gy.clone())),
    infinities: Infinities::Chooses,
    ..BASE
};

/// The node that a value was on the tape before it was written behind the tape's back.
pub(crate) fn stands_before(mut node: NodeRef) -> NodeRef {
    while std::ptr::eq(node.op, &DATA) {
        let Some(before) = node.src().first().cloned() else {
            break;
        };
        node = before;
    }
    node
}

impl Engine {
    /// A tensor's node after a write that the tape did not see: a leaf is the same leaf, and the gradient of a
    /// result goes on to the node that it was.
    pub(crate) fn rewritten(&self, was: &NodeRef, value: NodeRef) -> NodeRef {
        if !was.needs_grad {
            return value;
        }
        match was.slot() {
            Some(slot) if was.is_leaf() => {
                let parts = NodeParts {
                    slot: Some(slot.clone()),
                    ..NodeParts::default()
                };
                // Written or not, it is the leaf that its line made.
                let span = self.replace_span(was.span);
                let leaf = self.alias(&LEAF, smallvec![value], true, parts);
                self.replace_span(span);
                leaf
            }
            _ => self.alias(
                &DATA,
                smallvec![was.clone(), value],
                true,
                NodeParts::default(),
            ),
        }
    }

    /// An alias of its last source: a leaf, or a value with another place on the tape.
    pub(crate) fn alias(
        &self,
        op: &'static Op,
        src: SmallVec<[NodeRef; 3]>,
        needs_grad: bool,
        parts: NodeParts,
    ) -> NodeRef {
        self.internal_scope(|| self.alias_made(op, src, needs_grad, parts))
    }

    /// As [`Engine::alias`], as a call of the learner's.
    pub(crate) fn alias_made(
        &self,
        op: &'static Op,
        mut src: SmallVec<[NodeRef; 3]>,
        needs_grad: bool,
        parts: NodeParts,
    ) -> NodeRef {
        let last = src.len() - 1;
        let row_major = self
            .static_view(&src[last])
            .is_some_and(|v| v == View::contiguous(&src[last].shape));
        if !row_major {
            let value = GraphValue::new(self, src[last].clone());
            let grad = self.set_grad_enabled(false);
            src[last] = self.internal_scope(|| value.contiguous().into_node());
            self.set_grad_enabled(grad);
        }
        let (shape, dtype) = (src[last].shape.clone(), src[last].dtype);
        self.node(op, src, Attrs::new(), shape, dtype, needs_grad, parts)
    }
}

/// Whether a node is a value that was written behind the tape's back.
pub(crate) fn is_written_behind(node: &NodeRef) -> bool {
    std::ptr::eq(node.op, &DATA)
}

//! Where elements lie, for those who show memory.
//!
//! Looking computes nothing but what is asked for, and reads no more of a buffer than that.

use crate::Result;
use crate::backend::Buffer;
use crate::engine::Engine;
use crate::node::NodeRef;
use crate::shape;
use crate::var::Var;
use crate::view::View;

impl Engine {
    /// The buffer that holds a node's elements and how they lie in it; none before it was computed,
    /// and none for a constant, which needs no memory.
    pub fn place(&self, node: &NodeRef) -> Option<(Buffer, View)> {
        let (base, view) = self.base(node)?;
        Some((base.value()?, view))
    }

    /// The bytes of a node's first elements in row-major order, at most `len` of them.
    ///
    /// # Errors
    /// What running the graph says.
    pub fn read_first(&self, node: &NodeRef, len: usize) -> Result<Vec<u8>> {
        if node.numel() <= len {
            return self.read(node);
        }
        let grad = self.set_grad_enabled(false);
        // Leading dimensions are cut, which copies nothing: a view may stand for far more elements
        // than its buffer holds.
        let first = self.inside(|| {
            let mut first = Var::new(self, node.clone());
            for dim in 0..node.shape.len() {
                let inner = shape::numel(&node.shape[dim + 1..]);
                let rows = len.div_ceil(inner.max(1)).min(node.shape[dim]);
                first = first.slice(dim, 0, rows, 1);
                if rows > 1 {
                    break;
                }
            }
            first.into_node()
        });
        self.set_grad_enabled(grad);
        let mut bytes = self.read(&self.settle(first)?)?;
        bytes.truncate(len * node.dtype.size());
        Ok(bytes)
    }
}

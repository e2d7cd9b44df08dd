//! Where elements lie, for those who show memory.
//!
//! Looking computes nothing but what is asked for, and reads no more of a buffer than that.

use crate::Result;
use crate::backend::Buffer;
use crate::engine::Engine;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::Attr;
use crate::ops;
use crate::shape::{self, Shape};
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
        let first = self.internal_scope(|| {
            let mut first = GraphValue::new(self, node.clone());
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

    /// The bytes of a node with the middle of each long dimension left out, and their shape: `edge`
    /// elements from either end of a dimension that has more than twice as many.
    ///
    /// Nothing else of the node is copied, so that a view of a few elements or a constant may stand for
    /// any number of them.
    ///
    /// # Errors
    /// What running the graph says.
    pub fn read_edges(&self, node: &NodeRef, edge: usize) -> Result<(Vec<u8>, Shape)> {
        let is_cut = |size: usize| size > edge.saturating_mul(2);
        let cut: Vec<usize> = (0..node.shape.len())
            .filter(|&dim| is_cut(node.shape[dim]))
            .collect();
        if cut.is_empty() {
            return Ok((self.read(node)?, node.shape.clone()));
        }
        let mut shape = node.shape.clone();
        for &dim in &cut {
            shape[dim] = 2 * edge;
        }
        if edge == 0 {
            return Ok((Vec::new(), shape));
        }
        let grad = self.set_grad_enabled(false);
        let edges = self.internal_scope(|| {
            let mut edges = GraphValue::new(self, node.clone());
            for &dim in &cut {
                // Two windows of `edge` elements, the second at the end: still a view.
                let attrs = [dim, edge, node.shape[dim] - edge].map(|n| Attr::Int(n as i64));
                edges = edges.call(
                    &ops::strided::TENSOR_UNFOLD,
                    &[],
                    attrs.into_iter().collect(),
                );
            }
            // The windows stand last, in the order of their dimensions: each back beside its own.
            let mut windows = node.shape.len()..;
            let order: Vec<usize> = (0..node.shape.len())
                .flat_map(|dim| {
                    let window = cut.contains(&dim).then(|| windows.next()).flatten();
                    std::iter::once(dim).chain(window)
                })
                .collect();
            edges.permute(&order).reshape(&shape).into_node()
        });
        self.set_grad_enabled(grad);
        Ok((self.read(&self.settle(edges)?)?, shape))
    }
}

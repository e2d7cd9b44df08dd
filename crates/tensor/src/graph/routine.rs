//! Which routine computes a node: what an op's [`RoutineKind::Of`](crate::op::RoutineKind::Of) calls.
//!
//! Each function reads the sizes off a node and its sources, which are row-major by then.

use super::node::{Node, NodeRef};
use crate::kernel::{Factor, Routine, ScanOp, ScatterReduce, Special};
use crate::shape;

/// The dimension in attribute 0 of a node, between the product of those before and of those after.
pub(crate) fn around(node: &Node) -> (usize, usize, usize) {
    let dim = node.attrs[0].as_int() as usize;
    (
        shape::numel(&node.shape[..dim]),
        node.shape[dim],
        shape::numel(&node.shape[dim + 1..]),
    )
}

/// Rows of source 0 at the indices in source 1.
pub(crate) fn gather(node: &Node, src: &[NodeRef]) -> Option<Routine> {
    let [rows, inner] = src[0].shape[..] else {
        return None;
    };
    Some(Routine::Gather {
        dtype: node.dtype,
        rows,
        inner,
        n: src[1].numel(),
    })
}

/// Rows of source 1 added at the indices in source 0.
pub(crate) fn scatter_add(node: &Node, src: &[NodeRef]) -> Option<Routine> {
    Some(Routine::ScatterAdd {
        dtype: node.dtype,
        rows: node.shape[0],
        inner: src[1].shape[1],
        n: src[0].numel(),
    })
}

/// Rows of source 2 put at the indices in source 1, as attribute 0 says.
pub(crate) fn scatter(node: &Node, src: &[NodeRef]) -> Option<Routine> {
    let [rows, inner] = node.shape[..] else {
        return None;
    };
    Some(Routine::Scatter {
        dtype: node.dtype,
        how: ScatterReduce::named(node.attrs[0].as_str()),
        rows,
        inner,
        n: src[1].numel(),
    })
}

/// A running value along the dimension in attribute 0.
pub(crate) fn scan(op: ScanOp, node: &Node, src: &[NodeRef]) -> Option<Routine> {
    let (outer, n, inner) = around(node);
    Some(Routine::Scan {
        op,
        dtype: src[0].dtype,
        outer,
        n,
        inner,
    })
}

/// The order along the dimension in attribute 0; attribute 1: the largest first.
pub(crate) fn argsort(node: &Node, src: &[NodeRef]) -> Option<Routine> {
    let (outer, n, inner) = around(node);
    Some(Routine::ArgSort {
        dtype: src[0].dtype,
        descending: node.attrs[1].as_bool(),
        outer,
        n,
        inner,
    })
}

/// Where the values of source 1 go into the rows of source 0; attribute 0: after equal ones.
pub(crate) fn search_sorted(node: &Node, src: &[NodeRef]) -> Option<Routine> {
    Some(Routine::SearchSorted {
        dtype: src[0].dtype,
        right: node.attrs[0].as_bool(),
        rows: node.shape[0],
        n: src[0].shape[1],
        m: node.shape[1],
    })
}

/// The function in attribute 0 of each element.
pub(crate) fn special(node: &Node, _: &[NodeRef]) -> Option<Routine> {
    let at = usize::try_from(node.attrs[0].as_int()).ok()?;
    Some(Routine::Special {
        function: *Special::ALL.get(at)?,
        dtype: node.dtype,
        len: node.numel(),
    })
}

/// Bytes as elements of the node's dtype.
pub(crate) fn bits(node: &Node, _: &[NodeRef]) -> Option<Routine> {
    Some(Routine::Bits {
        to: node.dtype,
        len: node.numel(),
    })
}

/// Matrices factored; attribute 0: columns of Q, attribute 1: whether errors name the matrix.
pub(crate) fn factor(kind: Factor, node: &Node, src: &[NodeRef]) -> Option<Routine> {
    let [batch, m, n] = src[0].shape[..] else {
        return None;
    };
    Some(Routine::Factor {
        kind,
        dtype: node.dtype,
        sizes: [batch, m, n],
        k: match src.get(1) {
            Some(right) => right.shape[2],
            None => node.attrs[0].as_int() as usize,
        },
        batched: node.attrs[1].as_bool(),
    })
}

//! Slices of a dimension chosen by a list of indices: `index_select`, and rows for the ops that need them.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{Infinities, Kind, Meta, Op, SAVE_B, Vjp, param, samples};
use crate::ops::gather::{checked, expect_index, take_checked};
use crate::ops::{BASE, dim_of};
use crate::{Error, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&INDEX_SELECT];

/// Whole slices along a dimension, by a list of indices.
pub static INDEX_SELECT: Op = Op {
    name: "index_select",
    grad_fn: "IndexSelectBackward0",
    symbol: "[i]",
    formula: "y[…, i, …] = a[…, b[i], …]",
    rules: &["{gy} added up where it was read"],
    doc: "Slices chosen along a dimension by a 1-d tensor of indices.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
    ],
    infer: |op, src, attrs| {
        expect_index(op, &src[1])?;
        let dim = dim_of(op, &src[0].shape, &attrs[0])?;
        if src[1].shape.len() > 1 {
            return Err(Error::index(format!(
                "index_select(): Index is supposed to be a vector, but got dim: {} with type: Long and size: {}",
                src[1].shape.len(),
                shape::show(&src[1].shape)
            )));
        }
        let mut shape = src[0].shape.clone();
        if let Some(size) = shape.get_mut(dim) {
            *size = src[1].numel();
        }
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (x, index) = (&c.src[0], &c.src[1]);
        if x.shape().is_empty() {
            return Ok(x.contiguous());
        }
        let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
        Ok(select_rows(x, dim, &index.reshape(&[index.node().numel()])).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        if x.shape().is_empty() {
            return Ok(smallvec![Some(b.gy.clone()), None]);
        }
        let dim = dim_of(b.node.op, x.shape(), b.attr(0))?;
        Ok(smallvec![
            Some(add_rows(&b.gy, x.shape(), dim, &b.src[1])),
            None
        ])
    }),
    saves: [SAVE_B; 3],
    samples: samples(&["[2,4] 1 [5]<4"]),
    infinities: Infinities::Chooses,
    ..BASE
};

/// The dimensions with `dim` in front.
fn to_front(n_dims: usize, dim: usize) -> SmallVec<[usize; 6]> {
    std::iter::once(dim)
        .chain((0..n_dims).filter(|&d| d != dim))
        .collect()
}

/// The inverse of [`to_front`].
fn from_front(n_dims: usize, dim: usize) -> SmallVec<[usize; 6]> {
    (0..n_dims)
        .map(|d| match d {
            d if d == dim => 0,
            d if d < dim => d + 1,
            d => d,
        })
        .collect()
}

pub(crate) fn select_rows(x: &GraphValue, dim: usize, index: &GraphValue) -> GraphValue {
    let index = &index.to(DType::I64);
    let n_dims = x.shape().len();
    let front = x.permute(&to_front(n_dims, dim));
    let inner = shape::numel(&front.shape()[1..]);
    let rows = front.contiguous().reshape(&[x.shape()[dim], inner]);
    let n = x.shape()[dim];
    let taken = take_checked(&rows, &checked(index, index, n, n as i64), n, false);
    let mut shape = front.shape().clone();
    shape[0] = index.node().numel();
    taken.reshape(&shape).permute(&from_front(n_dims, dim))
}

pub(crate) fn add_rows(
    gy: &GraphValue,
    from: &[usize],
    dim: usize,
    index: &GraphValue,
) -> GraphValue {
    let n_dims = from.len();
    let front = gy.permute(&to_front(n_dims, dim));
    let inner = shape::numel(&front.shape()[1..]);
    let n = index.node().numel();
    let sum = front
        .contiguous()
        .reshape(&[n, inner])
        .scatter_add_rows(&index.to(DType::I64).reshape(&[n]), from[dim]);
    let mut shape = front.shape().clone();
    shape[0] = from[dim];
    sum.reshape(&shape).permute(&from_front(n_dims, dim))
}

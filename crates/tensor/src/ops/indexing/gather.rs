//! Single elements chosen by integer tensors: `gather`, `take`, `take_along_dim`.
//!
//! All are written in the ops of `primitives`. An index out of range is raised where the call is made
//! (`check_indices` in `check`).

use smallvec::smallvec;

use crate::dtype::{DType, Scalar};
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{
    Attr, Infinities, Kind, Meta, Op, SAVE_A, SAVE_B, Vjp, example, optional, param, samples,
};
use crate::ops::index_add::outside;
use crate::ops::scatter::SCATTER_ADD;
use crate::ops::{BASE, dim_of};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&GATHER, &TAKE, &TAKE_ALONG_DIM];

pub(crate) fn expect_index(op: &Op, index: &NodeRef) -> Result<()> {
    if matches!(index.dtype, DType::I64 | DType::I32) {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "{}(): Expected dtype int32 or int64 for index, got {}; convert it with .long()",
        op.name, index.dtype
    )))
}

impl GraphValue {
    pub(crate) fn integer(&self, value: i64) -> GraphValue {
        GraphValue::new(
            self.engine(),
            self.engine().number(Scalar::Int(value), DType::I64),
        )
    }

    /// `0 … n − 1` along dimension `dim` of `n_dims`.
    pub(crate) fn positions_along(
        &self,
        dim: usize,
        n: usize,
        n_dims: usize,
    ) -> Result<GraphValue> {
        let mut shape = shape::Shape::from_elem(1, n_dims);
        shape[dim] = n;
        Ok(GraphValue::new(self.engine(), self.engine().arange(n)?).reshape(&shape))
    }
}

/// Flat positions in a row-major `shape` for an index along `dim`; other coordinates are the
/// position's own. Out-of-range indices stay out of range, so that the routine finds them.
pub(crate) fn flat_index(index: &GraphValue, shape: &[usize], dim: usize) -> Result<GraphValue> {
    let index = &index.to(DType::I64);
    let strides = shape::contiguous_strides(shape);
    let total = shape::numel(shape) as i64;
    let mut flat = index * index.integer(strides[dim] as i64);
    for d in (0..shape.len()).filter(|&d| d != dim && index.shape()[d] > 1) {
        let along = index.positions_along(d, index.shape()[d], shape.len())?;
        flat = flat + along * index.integer(strides[d] as i64);
    }
    Ok(checked(index, &flat, shape[dim], total))
}

/// `flat` where `index` lies in `0..n`; the negative index or `total + index` elsewhere.
pub(in crate::ops) fn checked(
    index: &GraphValue,
    flat: &GraphValue,
    n: usize,
    total: i64,
) -> GraphValue {
    let above = index + index.integer(total);
    let checked = index.ge(&index.integer(n as i64)).select(&above, flat);
    index.lt(&index.integer(0)).select(index, &checked)
}

pub(crate) fn take_checked(
    source: &GraphValue,
    index: &GraphValue,
    n: usize,
    wraps: bool,
) -> GraphValue {
    source.call(
        &crate::ops::primitives::GATHER_ROWS,
        &[index],
        smallvec![Attr::Int(n as i64), Attr::Bool(wraps)],
    )
}

/// `y[i][j] = a[index[i][j]][j]` for dimension 0, and so on.
pub static GATHER: Op = Op {
    name: "gather",
    grad_fn: "GatherBackward0",
    symbol: "gather",
    formula: "y[…, i, …] = a[…, b[i], …]",
    rules: &["{gy} added up where it was read"],
    doc: "Elements chosen along a dimension by a tensor of indices.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
    ],
    infer: |op, src, attrs| {
        let dim = dim_of(op, &src[0].shape, &attrs[0])?;
        let (from, index) = (&src[0].shape, &src[1].shape);
        // An empty index names nothing, whatever its dtype and shape.
        if src[1].numel() > 0 {
            expect_index(op, &src[1])?;
        }
        let fits = src[1].numel() == 0
            || from.len().max(1) == index.len().max(1)
                && (0..from.len().min(index.len())).all(|d| d == dim || index[d] <= from[d]);
        if !fits {
            return Err(Error::runtime(format!(
                "{}: index of shape {} does not fit input of shape {}: it needs as many dimensions and, apart from dimension {dim}, no larger sizes",
                op.name,
                shape::show(index),
                shape::show(from)
            )));
        }
        Ok(Meta {
            shape: index.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        if c.node.numel() == 0 {
            return Ok(c.src[1].to(c.node.dtype).contiguous());
        }
        let n_dims = x.shape().len().max(1);
        let from = match x.shape().is_empty() {
            true => shape::Shape::from_elem(1, 1),
            false => x.shape().clone(),
        };
        let dim = dim_of(c.node.op, &from, c.attr(0))?;
        let index = if c.src[1].shape().len() == n_dims {
            c.src[1].clone()
        } else {
            c.src[1].reshape(&[1])
        };
        let n = index.node().numel();
        let flat = flat_index(&index, &from, dim)?.reshape(&[n]);
        let rows = x.contiguous().reshape(&[shape::numel(&from), 1]);
        Ok(take_checked(&rows, &flat, from[dim], false).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let zeros = b.gy.zeros_like_shape(b.src[0].shape());
        let grad = zeros.call(
            &SCATTER_ADD,
            &[&b.src[1], &b.gy],
            smallvec![b.attr(0).clone()],
        );
        Ok(smallvec![Some(grad), None])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    samples: samples(&["[3,4] 0 [2,4]<3"]),
    infinities: Infinities::Chooses,
    ..BASE
};

/// Indices below zero counted from the end.
pub(in crate::ops) fn wrapped(index: &GraphValue, n: usize) -> GraphValue {
    let index = index.to(DType::I64);
    let zero = index.integer(0);
    index
        .lt(&zero)
        .select(&(&index + index.integer(n as i64)), &index)
}

fn expect_long(op: &Op, index: &NodeRef) -> Result<()> {
    if index.dtype == DType::I64 {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "{}(): Expected a long tensor for index, but got {}; convert it with .long()",
        op.name,
        index.dtype.scalar_name()
    )))
}

/// Elements by their place in the flattened tensor.
pub static TAKE: Op = Op {
    name: "take",
    grad_fn: "TakeBackward0",
    symbol: "[i]",
    formula: "y[i] = a.flatten()[b[i]]",
    rules: &["{gy} added up where it was read"],
    doc: "Elements chosen by their place in the flattened tensor.",
    params: &[param("input", Tensor), param("index", Tensor)],
    prepare: Some(|op, src, _| {
        expect_long(op, &src[1].node())?;
        let n = src[0].numel() as i64;
        if n == 0 && src[1].numel() > 0 {
            return Err(Error::index("take(): tried to take from an empty tensor"));
        }
        match outside(&src[1], -n..n)? {
            Some(i) => Err(Error::index(format!(
                "take: out of range: tried to access index {i} on a tensor of {n} elements."
            ))),
            None => Ok(()),
        }
    }),
    infer: |op, src, _| {
        expect_long(op, &src[1])?;
        Ok(Meta {
            shape: src[1].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (n, len) = (c.src[0].node().numel(), c.src[1].node().numel());
        let index = wrapped(&c.src[1], n).reshape(&[len]);
        Ok(c.src[0]
            .reshape(&[n, 1])
            .gather_rows(&index)
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let (n, len) = (b.src[0].node().numel(), b.src[1].node().numel());
        let index = wrapped(&b.src[1], n).reshape(&[len]);
        let grad = b.gy.reshape(&[len, 1]).scatter_add_rows(&index, n);
        Ok(smallvec![Some(grad.reshape(b.src[0].shape())), None])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    samples: samples(&["[4] [2]<4", "[2,3]T [2,2]<6"]),
    example: example("torch.take(torch.tensor([[4.0, 5.0], [6.0, 7.0]]), torch.tensor([0, 3]))"),
    infinities: Infinities::Chooses,
    ..BASE
};

/// The shape of the index of `take_along_dim`, and what the operand is stretched to.
fn along(from: &[usize], index: &[usize], attr: &Attr) -> Result<(usize, Shape, Shape)> {
    if from.is_empty() {
        return Err(Error::index(
            "take_along_dim: Dimension specified but tensor has no dimensions; leave dim out",
        ));
    }
    let dim = shape::dim("take_along_dim", attr.as_int(), from.len())?;
    if from.len() != index.len() {
        return Err(Error::runtime(format!(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions for input, and {} dimensions for indices",
            from.len(),
            index.len()
        )));
    }
    let (mut x, mut i) = (Shape::from_slice(from), Shape::from_slice(index));
    if let (Some(n), Some(m)) = (x.get_mut(dim), i.get_mut(dim)) {
        (*n, *m) = (1, 1);
    }
    let common = shape::broadcast("take_along_dim", &x, &i)?;
    let (mut x, mut i) = (common.clone(), common);
    if let (Some(n), Some(m)) = (x.get_mut(dim), i.get_mut(dim)) {
        (*n, *m) = (from[dim], index[dim]);
    }
    shape::check_size("take_along_dim", &x)?;
    shape::check_size("take_along_dim", &i)?;
    Ok((dim, x, i))
}

/// `gather` with indices that broadcast.
pub static TAKE_ALONG_DIM: Op = Op {
    name: "take_along_dim",
    grad_fn: "GatherBackward0",
    symbol: "gather",
    formula: "y[…, i, …] = a[…, b[i], …]",
    rules: &["{gy} added up where it was read"],
    doc: "Elements chosen along a dimension by indices that broadcast, such as those of argsort.",
    params: &[
        param("input", Tensor),
        param("indices", Tensor),
        optional("dim", Int, Attr::None),
    ],
    prepare: Some(|_, src, attrs| {
        let shape = src[0].shape();
        let n = match attrs[0] {
            Attr::None => src[0].numel(),
            _ => along(&shape, &src[1].shape(), &attrs[0])
                .map(|(dim, x, _)| x.get(dim).copied().unwrap_or(1))?,
        } as i64;
        match outside(&src[1], -n..n)? {
            Some(i) => Err(Error::runtime(format!(
                "take_along_dim: index {i} is out of bounds for a dimension with size {n}"
            ))),
            None => Ok(()),
        }
    }),
    infer: |_, src, attrs| {
        if src[1].dtype != DType::I64 {
            return Err(Error::runtime(format!(
                "torch.take_along_dim(): dtype of indices should be Long but got {}; convert them with .long()",
                src[1].dtype.scalar_name()
            )));
        }
        let shape = match attrs[0] {
            Attr::None => smallvec![src[1].numel()],
            _ => along(&src[0].shape, &src[1].shape, &attrs[0])?.2,
        };
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (mut x, mut index) = (c.src[0].clone(), c.src[1].clone());
        let mut attr = c.attr(0).clone();
        if attr == Attr::None {
            x = x.reshape(&[x.node().numel()]);
            index = index.reshape(&[index.node().numel()]);
            attr = Attr::Int(0);
        }
        let (dim, from, to) = along(x.shape(), index.shape(), &attr)?;
        let (x, index) = (x.expand(&from), index.expand(&to));
        let index = wrapped(&index, from.get(dim).copied().unwrap_or(1));
        Ok(x.call(&GATHER, &[&index], smallvec![Attr::Int(dim as i64)]))
    }),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&["[2,3] [2,2]<3 dim=1", "[1,3] [2,2]<3 dim=1", "[2,3]T [2]<6"]),
    example: example(
        "torch.take_along_dim(torch.tensor([[3.0, 1.0, 2.0]]), torch.tensor([[1, 2, 0]]), dim=1)",
    ),
    saves: [SAVE_A; 3],
    reads: SAVE_B,
    infinities: Infinities::Chooses,
    ..BASE
};

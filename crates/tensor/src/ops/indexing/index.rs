//! Choosing elements by integer tensors, and putting values at places.
//!
//! Every op here is written in the routines of `place`. An index out of range is raised where the
//! call is made ([`check_indices`]).

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{
    Attr, Kind, Meta, Op, Out, SAVE_A, SAVE_B, SAVE_OPERANDS, Vjp, example, optional, param,
    samples,
};
use crate::ops::{BASE, dim_of, scatter};
use crate::shape;
use crate::{Error, Result, Scalar};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &GATHER,
    &INDEX_SELECT,
    &SCATTER_ADD,
    &EMBEDDING,
    &crate::ops::one_hot::ONE_HOT,
];

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
fn checked(index: &GraphValue, flat: &GraphValue, n: usize, total: i64) -> GraphValue {
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
        &crate::ops::place::TAKE,
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
    ..BASE
};

/// The inverse of `gather`: values added up where indices point.
pub static SCATTER_ADD: Op = Op {
    name: "scatter_add",
    grad_fn: "ScatterAddBackward0",
    symbol: "scatter+",
    formula: "y = a; y[…, b[i], …] += c[…, i, …]",
    rules: &["{gy}", "", "{gy} gathered at {b}"],
    doc: "Values added into a tensor at indices along a dimension.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
        param("src", Tensor),
    ],
    infer: scatter::infer,
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let p = scatter::places(x, &c.src[1], &c.src[2], c.attr(0), c.node.op)?;
        let sums = p.values.put_add(&p.flat, x.node().numel());
        Ok(crate::ops::shared::added(x, &sums.reshape(x.shape())))
    }),
    vjp: Vjp::Rule(|b| {
        let values = || scatter::uncropped(b, scatter::gathered(b, &b.gy));
        Ok(smallvec![Some(b.gy.clone()), None, b.needs(2).then(values)])
    }),
    saves: [0, 0, SAVE_B],
    samples: samples(&["[3,4] 0 [2,3]<3 [2,4]"]),
    ..BASE
};

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
        .put_add(&index.to(DType::I64).reshape(&[n]), from[dim]);
    let mut shape = front.shape().clone();
    shape[0] = from[dim];
    sum.reshape(&shape).permute(&from_front(n_dims, dim))
}

/// Rows of a table.
pub static EMBEDDING: Op = Op {
    name: "embedding",
    grad_fn: "EmbeddingBackward0",
    symbol: "embed",
    formula: "y[i] = b[a[i]]",
    rules: &["", "{gy} added up row by row"],
    doc: "Rows of a table, one for each index.",
    params: &[
        param("input", Tensor),
        param("weight", Tensor),
        optional("padding_idx", Int, Attr::None),
        optional("scale_grad_by_freq", Bool, Attr::Bool(false)),
    ],
    infer: |op, src, attrs| {
        if src[0].dtype != DType::I32 {
            expect_index(op, &src[0])?;
        }
        if src[1].shape.len() != 2 {
            return Err(Error::runtime(format!(
                "embedding: 'weight' must be 2-D, got shape {}",
                shape::show(&src[1].shape)
            )));
        }
        let rows = src[1].shape[0] as i64;
        let padding = attrs.first().filter(|a| **a != Attr::None);
        if let Some(padding) = padding
            .map(Attr::as_int)
            .filter(|i| *i < -rows || *i >= rows)
        {
            return Err(Error::value(format!(
                "Padding_idx must be within num_embeddings: got {padding} for {rows} rows"
            )));
        }
        let mut shape = src[0].shape.clone();
        shape.push(src[1].shape[1]);
        Ok(Meta {
            shape,
            dtype: src[1].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let index = c.src[0].to(DType::I64).reshape(&[c.src[0].node().numel()]);
        Ok(select_rows(&c.src[1], 0, &index).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let (n, rows) = (b.src[0].node().numel(), b.src[1].shape()[0]);
        let index = b.src[0].to(DType::I64).reshape(&[n]);
        let mut gy = b.gy.contiguous().reshape(&[n, b.src[1].shape()[1]]);
        // Calls made before there were options have no attributes.
        if let Some(padding) = b.node.attrs.first().filter(|a| **a != Attr::None) {
            let padding = match padding.as_int() {
                i if i < 0 => i + rows as i64,
                i => i,
            };
            let fixed = index.eq(&index.integer(padding)).reshape(&[n, 1]);
            gy = fixed.select(&gy.number(0.0), &gy);
        }
        if b.node.attrs.get(1).is_some_and(Attr::as_bool) {
            let ones = gy.number(1.0).expand(&[n, 1]);
            gy = gy / ones.put_add(&index, rows).take(&index);
        }
        Ok(smallvec![None, Some(gy.put_add(&index, rows))])
    }),
    saves: [SAVE_A; 3],
    // The options change the gradient, not the value: golden numbers check them, differences cannot.
    samples: samples(&["[2,3]<4 [4,3]"]),
    example: example("F.embedding(torch.tensor([1, 0]), torch.eye(2))"),
    method: false,
    out: Out::None,
    ..BASE
};

/// Indexing by one to several integer tensors, as `x[i]`, `x[i, j]` do: they broadcast together
/// and stand for the leading dimensions. Negative indices count from the end. Attribute 0, if there
/// is one, names the dimensions for error messages.
pub static INDEX: Op = Op {
    name: "index",
    indexes: true,
    grad_fn: "IndexBackward0",
    symbol: "[i]",
    formula: "y[i] = a[b[i]]",
    rules: &["{gy} added up where it was read"],
    doc: "Elements or slices chosen by integer tensors.",
    infer: |op, src, _| {
        let (x, indices) = (&src[0], &src[1..]);
        if indices.len() > x.shape.len() {
            return Err(Error::index(format!(
                "too many indices for tensor of dimension {}",
                x.shape.len()
            )));
        }
        let mut shape = shape::Shape::new();
        for index in indices {
            expect_index(op, index)?;
            shape = shape::broadcast(op.name, &shape, &index.shape)?;
        }
        shape.extend_from_slice(&x.shape[indices.len()..]);
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let flat = leading_index(&c.src)?;
        let (rows, inner) = leading(&c.src);
        let taken = c.src[0].contiguous().reshape(&[rows, inner]);
        let n = c.src[0].shape()[0];
        let taken = match c.src.len() {
            2 => take_checked(&taken, &flat, n, true),
            _ => taken.take(&flat),
        };
        Ok(taken.reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let flat = leading_index(&b.src)?;
        let (rows, inner) = leading(&b.src);
        let gy = b.gy.contiguous().reshape(&[flat.node().numel(), inner]);
        let mut grads: crate::op::Grads =
            smallvec![Some(gy.put_add(&flat, rows).reshape(b.src[0].shape()))];
        grads.resize(b.src.len(), None);
        Ok(grads)
    }),
    saves: [SAVE_OPERANDS & !SAVE_A; 3],
    method: false,
    ..BASE
};

/// Rows and row length of a source whose leading dimensions are indexed.
pub(crate) fn leading(src: &[GraphValue]) -> (usize, usize) {
    let (rows, inner) = src[0].shape().split_at(src.len() - 1);
    (shape::numel(rows), shape::numel(inner))
}

/// Flat row numbers for broadcast indices of the leading dimensions.
pub(crate) fn leading_index(src: &[GraphValue]) -> Result<GraphValue> {
    let (x, indices) = (&src[0], &src[1..]);
    let mut shape = shape::Shape::new();
    for index in indices {
        shape = shape::broadcast("index", &shape, index.shape())?;
    }
    let sizes = &x.shape()[..indices.len()];
    let strides = shape::contiguous_strides(sizes);
    let total = shape::numel(sizes) as i64;
    let mut flat: Option<GraphValue> = None;
    let mut outside: Option<GraphValue> = None;
    for ((index, &n), &stride) in indices.iter().zip(sizes).zip(&strides) {
        let n = index.integer(n as i64);
        let zero = index.integer(0);
        let wrapped = index.lt(&zero).select(&(index + &n), index);
        let bad = wrapped.lt(&zero).call(
            &crate::ops::compare::LOGICAL_OR,
            &[&wrapped.ge(&n)],
            smallvec![],
        );
        let step = &wrapped * index.integer(stride as i64);
        flat = Some(flat.map_or_else(|| step.clone(), |sum| sum + &step));
        // Keeps the index as it was given, for the message.
        let report = wrapped
            .lt(&zero)
            .select(&wrapped, &(&wrapped + index.integer(total)));
        outside = Some(match outside {
            None => bad.select(&report, &zero),
            Some(seen) => seen.eq(&zero).select(&bad.select(&report, &zero), &seen),
        });
    }
    let (Some(flat), Some(outside)) = (flat, outside) else {
        return Err(Error::index("index: no index given"));
    };
    let zero = flat.integer(0);
    let flat = outside.eq(&zero).select(&flat, &outside);
    let n = shape::numel(&shape);
    Ok(flat.expand(&shape).contiguous().reshape(&[n]))
}

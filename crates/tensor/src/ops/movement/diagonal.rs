//! Diagonals and triangles of matrices: `diagonal`, `diag`, `diag_embed`, `diagflat`, `tril`, `triu`.

use crate::graph::GraphValue;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{
    Attr, Attrs, Infinities, Kind, Meta, Op, Out, Vjp, example, optional, param, samples,
};
use crate::ops::movement::PICK;
use crate::ops::{BASE, grad1};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&DIAGONAL, &DIAG_EMBED, &DIAG, &DIAGFLAT, &TRIL, &TRIU];

/// The two dimensions that a diagonal runs along.
pub(crate) fn plane(op: &Op, n_dims: usize, dim1: i64, dim2: i64) -> Result<(usize, usize)> {
    if n_dims == 0 {
        return Err(Error::runtime(format!(
            "{}: a 0-dim tensor has no diagonal",
            op.name
        )));
    }
    let (a, b) = (
        shape::dim(op.name, dim1, n_dims)?,
        shape::dim(op.name, dim2, n_dims)?,
    );
    if a == b {
        return Err(Error::runtime(format!(
            "{}: diagonal dimensions cannot be identical {dim1}, {dim2}",
            op.name
        )));
    }
    Ok((a, b))
}

/// A diagonal of a plane of each matrix, as the last dimension.
pub(crate) fn diagonal_view(view: &View, offset: i64, dim1: usize, dim2: usize) -> View {
    let (rows, columns) = (view.shape[dim1] as i64, view.shape[dim2] as i64);
    let (row, column) = (offset.min(0).saturating_neg(), offset.max(0));
    let n = rows
        .saturating_sub(row)
        .min(columns.saturating_sub(column))
        .max(0);
    let step = view.strides[dim1] + view.strides[dim2];
    let mut out = view.clone();
    if n > 0 {
        out.offset += row as isize * view.strides[dim1] + column as isize * view.strides[dim2];
    }
    for d in [dim1.max(dim2), dim1.min(dim2)] {
        out.shape.remove(d);
        out.strides.remove(d);
    }
    out.shape.push(n as usize);
    out.strides.push(step);
    out
}

/// Elements on a diagonal.
pub static DIAGONAL: Op = Op {
    name: "diagonal",
    grad_fn: "DiagonalBackward0",
    symbol: "diag",
    formula: "y[…, i] = a[…, i, i + offset]",
    doc: "The elements on a diagonal of two dimensions, as the last dimension: a view.",
    params: &[
        param("input", Tensor),
        optional("offset", Int, Attr::Int(0)),
        optional("dim1", Int, Attr::Int(0)),
        optional("dim2", Int, Attr::Int(1)),
    ],
    infer: |op, src, attrs| {
        let (a, b) = plane(op, src[0].shape.len(), attrs[1].as_int(), attrs[2].as_int())?;
        let view = diagonal_view(&View::contiguous(&src[0].shape), attrs[0].as_int(), a, b);
        Ok(Meta {
            shape: view.shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim1, dim2) = (node.attrs[1].as_int(), node.attrs[2].as_int());
        let (a, b) = plane(node.op, view.shape.len(), dim1, dim2).ok()?;
        Some(diagonal_view(view, node.attrs[0].as_int(), a, b))
    }),
    samples: samples(&[
        "[3,4]",
        "[3,4]T offset=1",
        "[2,3,2] offset=-1 dim1=-1 dim2=1",
    ]),
    example: example("torch.diagonal(torch.arange(9.0).reshape(3, 3))"),
    ..PICK
};

/// The shape that a diagonal is written into, and where.
fn embedded(op: &Op, from: &[usize], attrs: &Attrs) -> Result<(Shape, View)> {
    let offset = attrs[0].as_int();
    let mut shape = Shape::from_slice(from);
    let n = shape.pop().ok_or_else(|| {
        Error::index(format!("{}: a 0-dim tensor has no last dimension", op.name))
    })?;
    let beside = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let size = n.saturating_add(beside);
    let (a, b) = plane(op, from.len() + 1, attrs[1].as_int(), attrs[2].as_int())?;
    shape.insert(a.min(b), size);
    shape.insert(a.max(b), size);
    shape::check_size(op.name, &shape)?;
    let at = diagonal_view(&View::contiguous(&shape), offset, a, b);
    Ok((shape, at))
}

/// A diagonal in a matrix of zeros.
pub static DIAG_EMBED: Op = Op {
    name: "diag_embed",
    grad_fn: "DiagEmbedBackward0",
    symbol: "diag",
    formula: "y[…, i, i + offset] = a[…, i]",
    rules: &["the diagonal of {gy}"],
    doc: "Matrices of zeros with the last dimension on a diagonal.",
    params: &[
        param("input", Tensor),
        optional("offset", Int, Attr::Int(0)),
        optional("dim1", Int, Attr::Int(-2)),
        optional("dim2", Int, Attr::Int(-1)),
    ],
    infer: |op, src, attrs| {
        Ok(Meta {
            shape: embedded(op, &src[0].shape, attrs)?.0,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (shape, at) = embedded(c.node.op, c.src[0].shape(), &c.node.attrs)?;
        Ok(GraphValue::write_parts(&c.src, &[at], &shape))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&DIAGONAL, &[], b.node.attrs.clone()))),
    exact: true,
    samples: samples(&["[3]", "[2,3] 1 0 2", "[2,2]T offset=-1"]),
    example: example("torch.diag_embed(torch.tensor([1.0, 2.0]))"),
    out: Out::None,
    infinities: Infinities::Chooses,
    ..BASE
};

fn on_diagonal(diagonal: i64) -> Attrs {
    [diagonal, 0, 1].into_iter().map(Attr::Int).collect()
}

/// A matrix from its diagonal, or the diagonal of a matrix.
pub static DIAG: Op = Op {
    name: "diag",
    grad_fn: "DiagEmbedBackward0",
    grad_fn_for: |node| {
        (node.src.borrow().first()?.shape.len() == 2).then_some("DiagonalBackward0_copy")
    },
    symbol: "diag",
    formula: "y[i, i + k] = a[i], or y[i] = a[i, i + k]",
    rules: &["{gy} in its place, or from its place"],
    doc: "A matrix with a vector on a diagonal; or the diagonal of a matrix, copied.",
    params: &[
        param("input", Tensor),
        optional("diagonal", Int, Attr::Int(0)),
    ],
    infer: |op, src, attrs| {
        let attrs = on_diagonal(attrs[0].as_int());
        match src[0].shape.len() {
            1 => (DIAG_EMBED.infer)(&DIAG_EMBED, src, &attrs),
            2 => (DIAGONAL.infer)(&DIAGONAL, src, &attrs),
            n => Err(Error::runtime(format!(
                "{}(): Supports 1D or 2D tensors. Got {n}D; use diagonal or diag_embed",
                op.name
            ))),
        }
    },
    kind: Kind::Composite(|c| {
        let attrs = on_diagonal(c.attr(0).as_int());
        Ok(match c.src[0].shape().len() {
            1 => c.src[0].call(&DIAG_EMBED, &[], attrs),
            _ => c.src[0].call(&DIAGONAL, &[], attrs),
        })
    }),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&["[3]", "[2] -1", "[2,3] 1"]),
    example: example("torch.diag(torch.tensor([1.0, 2.0, 3.0]))"),
    infinities: Infinities::Chooses,
    ..BASE
};

/// All elements on a diagonal.
pub static DIAGFLAT: Op = Op {
    name: "diagflat",
    grad_fn: "DiagEmbedBackward0",
    grad_fn_for: |_| None,
    doc: "A matrix with all elements of a tensor on a diagonal.",
    params: &[
        param("input", Tensor),
        optional("offset", Int, Attr::Int(0)),
    ],
    infer: |op, src, attrs| {
        Ok(Meta {
            shape: embedded(op, &[src[0].numel()], &on_diagonal(attrs[0].as_int()))?.0,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let flat = c.src[0].reshape(&[c.src[0].node().numel()]);
        Ok(flat.call(&DIAG_EMBED, &[], on_diagonal(c.attr(0).as_int())))
    }),
    samples: samples(&["[2,2]", "[] 1"]),
    example: example("torch.diagflat(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))"),
    out: Out::None,
    ..DIAG
};

/// A triangle of each matrix; the rest is zero.
const TRIANGLE: Op = Op {
    params: &[
        param("input", Tensor),
        optional("diagonal", Int, Attr::Int(0)),
    ],
    infer: |op, src, _| {
        if src[0].shape.len() < 2 {
            return Err(Error::runtime(format!(
                "{}: input tensor must have at least 2 dimensions, got shape {}",
                op.name,
                shape::show(&src[0].shape)
            )));
        }
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    infinities: Infinities::Chooses,
    ..BASE
};

/// Where row + diagonal ≥ column.
fn lower_mask(x: &GraphValue, diagonal: i64) -> crate::Result<GraphValue> {
    let n = x.shape().len();
    let (rows, columns) = (x.shape()[n - 2], x.shape()[n - 1]);
    let engine = x.engine();
    let row = GraphValue::new(engine, engine.arange(rows)?).reshape(&[rows, 1]);
    let column = GraphValue::new(engine, engine.arange(columns)?).reshape(&[1, columns]);
    Ok((row + row_number(x, diagonal)).ge(&column))
}

fn row_number(x: &GraphValue, diagonal: i64) -> GraphValue {
    GraphValue::new(
        x.engine(),
        x.engine()
            .number(crate::Scalar::Int(diagonal), crate::DType::I64),
    )
}

/// The lower triangle.
pub static TRIL: Op = Op {
    name: "tril",
    grad_fn: "TrilBackward0",
    symbol: "tril",
    formula: "y = the lower triangle of a",
    rules: &["the lower triangle of {gy}"],
    doc: "The lower triangle of each matrix; the rest is zero.",
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        Ok(lower_mask(x, c.attr(0).as_int())?.select(x, &x.number(0.0)))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&TRIL, &[], b.node.attrs.clone()))),
    samples: samples(&["[3,4] -1", "[3,4] 0", "[3,4] 1"]),
    ..TRIANGLE
};

/// The upper triangle.
pub static TRIU: Op = Op {
    name: "triu",
    grad_fn: "TriuBackward0",
    symbol: "triu",
    formula: "y = the upper triangle of a",
    rules: &["the upper triangle of {gy}"],
    doc: "The upper triangle of each matrix; the rest is zero.",
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let below = c.attr(0).as_int().saturating_sub(1);
        Ok(lower_mask(x, below)?.select(&x.number(0.0), x))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&TRIU, &[], b.node.attrs.clone()))),
    samples: samples(&["[3,4] -1", "[3,4] 0", "[3,4] 1"]),
    ..TRIANGLE
};

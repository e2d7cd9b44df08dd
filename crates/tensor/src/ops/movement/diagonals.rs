//! Matrices made of diagonals and blocks, and tensors stacked by rows, columns or depth: pieces
//! written into zeros.

use smallvec::SmallVec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Int, Tensor, Tensors};
use crate::op::{
    Attr, Attrs, Call, Kind, Meta, Op, Out, Promote, Vjp, example, optional, param, samples,
};
use crate::ops::join::{CAT, STACK};
use crate::ops::views::{DIAGONAL, diagonal_view, plane};
use crate::ops::{BASE, grad1};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &DIAG_EMBED,
    &DIAG,
    &DIAGFLAT,
    &BLOCK_DIAG,
    &HSTACK,
    &VSTACK,
    &DSTACK,
    &COLUMN_STACK,
    &CARTESIAN_PROD,
];

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

/// Rows and columns of a block: a vector is a row, a number a block of one.
fn block(part: &[usize]) -> (usize, usize) {
    match part {
        [] => (1, 1),
        [n] => (1, *n),
        [rows, columns, ..] => (*rows, *columns),
    }
}

/// Blocks along the diagonal.
pub static BLOCK_DIAG: Op = Op {
    name: "block_diag",
    grad_fn: "BlockDiagBackward0",
    symbol: "blocks",
    formula: "y = a, b, … along the diagonal",
    rules: &["its block of {gy}"],
    doc: "Matrices along the diagonal of a matrix of zeros.",
    params: &[param("tensors", Tensors)],
    promote: Promote::Common,
    infer: |op, src, _| {
        let mut shape = Shape::from_elem(0, 2);
        for (i, part) in src.iter().enumerate() {
            if part.shape.len() > 2 {
                return Err(Error::runtime(format!(
                    "block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {} dimensions",
                    part.shape.len()
                )));
            }
            let (rows, columns) = block(&part.shape);
            shape[0] += rows;
            shape[1] += columns;
        }
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let whole = View::contiguous(&c.node.shape);
        let (mut row, mut column) = (0, 0);
        let mut at = Vec::new();
        let mut parts: SmallVec<[GraphValue; 3]> = SmallVec::new();
        for part in &c.src {
            let (rows, columns) = block(part.shape());
            at.push(whole.slice(0, row, rows, 1).slice(1, column, columns, 1));
            parts.push(part.reshape(&[rows, columns]));
            row += rows;
            column += columns;
        }
        Ok(GraphValue::write_parts(&parts, &at, &c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let (mut row, mut column) = (0, 0);
        Ok(b.src
            .iter()
            .map(|part| {
                let (rows, columns) = block(part.shape());
                (row, column) = (row + rows, column + columns);
                part.node().needs_grad.then(|| {
                    let rows_of = b.gy.slice(0, row - rows, rows, 1);
                    rows_of
                        .slice(1, column - columns, columns, 1)
                        .reshape(part.shape())
                })
            })
            .collect())
    }),
    exact: true,
    samples: samples(&["{[2,2] [1,3]}", "{[2] [] [2,1]}"]),
    example: example("torch.block_diag(torch.ones(2, 2), torch.tensor([[5.0]]))"),
    method: false,
    out: Out::None,
    ..BASE
};

/// As what a part is stacked, and along which dimension.
fn stacked(op: &Op, part: &[usize]) -> (Shape, usize) {
    let shape = |sizes: &[usize]| Shape::from_slice(sizes);
    match (op.name, part) {
        ("hstack", []) => (shape(&[1]), 0),
        ("hstack", [n]) => (shape(&[*n]), 0),
        ("column_stack", []) => (shape(&[1, 1]), 1),
        ("column_stack", [n]) => (shape(&[*n, 1]), 1),
        ("vstack", []) => (shape(&[1, 1]), 0),
        ("vstack", [n]) => (shape(&[1, *n]), 0),
        ("dstack", []) => (shape(&[1, 1, 1]), 2),
        ("dstack", [n]) => (shape(&[1, *n, 1]), 2),
        ("dstack", [n, m]) => (shape(&[*n, *m, 1]), 2),
        ("vstack", _) => (shape(part), 0),
        ("dstack", _) => (shape(part), 2),
        _ => (shape(part), 1),
    }
}

fn lower_stack(c: &Call) -> Result<GraphValue> {
    let parts: Vec<GraphValue> = (c.src.iter())
        .map(|part| part.reshape(&stacked(c.node.op, part.shape()).0))
        .collect();
    let (_, dim) = stacked(c.node.op, c.src[0].shape());
    let others: Vec<&GraphValue> = parts[1..].iter().collect();
    Ok(parts[0].call(&CAT, &others, [Attr::Int(dim as i64)].into_iter().collect()))
}

/// Joined along the dimension that the name says.
const STACKED: Op = Op {
    grad_fn: "CatBackward0",
    symbol: "cat",
    formula: "y = [a, b, …]",
    rules: &["its part of {gy}"],
    params: &[param("tensors", Tensors)],
    promote: Promote::Common,
    infer: |op, src, _| {
        let (mut total, dim) = stacked(op, &src[0].shape);
        let first = total.clone();
        total[dim] = 0;
        for (i, part) in src.iter().enumerate() {
            let (shape, _) = stacked(op, &part.shape);
            let fits = shape.len() == total.len()
                && (0..shape.len()).all(|d| d == dim || shape[d] == total[d]);
            if !fits {
                return Err(Error::runtime(format!(
                    "{}: Sizes of tensors must match except in dimension {dim}: tensor 0 counts as {}, tensor {i} as {}",
                    op.name,
                    shape::show(&first),
                    shape::show(&shape)
                )));
            }
            total[dim] += shape[dim];
        }
        shape::check_size(op.name, &total)?;
        Ok(Meta {
            shape: total,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(lower_stack),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&["{[2] [2]}", "{[2,2] [2,2]}", "{[] []}"]),
    method: false,
    out: Out::Cast,
    ..BASE
};

/// Side by side.
pub static HSTACK: Op = Op {
    name: "hstack",
    doc: "Tensors side by side: joined along the columns, vectors end to end.",
    example: example("torch.hstack((torch.ones(2), torch.zeros(3)))"),
    ..STACKED
};

/// On top of each other.
pub static VSTACK: Op = Op {
    name: "vstack",
    doc: "Tensors on top of each other: joined along the rows, a vector being a row.",
    example: example("torch.vstack((torch.ones(2), torch.zeros(2)))"),
    ..STACKED
};

/// Behind each other.
pub static DSTACK: Op = Op {
    name: "dstack",
    doc: "Tensors behind each other: joined along the third dimension.",
    example: example("torch.dstack((torch.ones(2), torch.zeros(2)))"),
    ..STACKED
};

/// As columns.
pub static COLUMN_STACK: Op = Op {
    name: "column_stack",
    doc: "Tensors side by side, a vector being a column.",
    example: example("torch.column_stack((torch.ones(2), torch.zeros(2)))"),
    ..STACKED
};

/// Every combination.
pub static CARTESIAN_PROD: Op = Op {
    name: "cartesian_prod",
    grad_fn: "StackBackward0",
    symbol: "×",
    formula: "y = every (a, b, …)",
    rules: &["{gy}, summed over what the others are"],
    doc: "Every combination of the elements of vectors, one row each; one vector stays as it is.",
    params: &[param("tensors", Tensors)],
    infer: |op, src, _| {
        let mut n = 1usize;
        for vector in src {
            if vector.shape.len() != 1 {
                return Err(Error::runtime(format!(
                    "cartesian_prod: Expect a 1D vector, but got shape {}",
                    shape::show(&vector.shape)
                )));
            }
            if vector.dtype != src[0].dtype {
                return Err(Error::runtime(format!(
                    "cartesian_prod: expects all tensors to have the same dtype, got {} and {}",
                    src[0].dtype, vector.dtype
                )));
            }
            n = n.saturating_mul(vector.numel());
        }
        let shape: Shape = match src.len() {
            1 => Shape::from_slice(&[n]),
            many => Shape::from_slice(&[n, many]),
        };
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let sizes: Shape = c.src.iter().map(|vector| vector.node().numel()).collect();
        let columns: Vec<GraphValue> = (c.src.iter().enumerate())
            .map(|(i, vector)| {
                let mut along = Shape::from_elem(1, sizes.len());
                along[i] = sizes[i];
                let n = shape::numel(&sizes);
                vector.reshape(&along).expand(&sizes).reshape(&[n])
            })
            .collect();
        if columns.len() == 1 {
            return Ok(columns[0].clone());
        }
        let others: Vec<&GraphValue> = columns[1..].iter().collect();
        Ok(columns[0].call(&STACK, &others, [Attr::Int(1)].into_iter().collect()))
    }),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&["{[2] [3]}", "{[2]}", "{[2] [1] [2]}"]),
    example: example("torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))"),
    method: false,
    out: Out::None,
    ..BASE
};

//! Tensors joined to one: `cat`, `stack`, `hstack`, `vstack`, `dstack`, `column_stack`, `block_diag`. The result is a new
//! buffer, made of whole pieces of others.

use smallvec::SmallVec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Int, Tensors};
use crate::op::{
    Attr, Call, Infinities, Kind, Meta, Op, Out, Param, Promote, Vjp, example, optional, param,
    samples,
};
use crate::ops::{BASE, dim_of};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &CAT,
    &STACK,
    &HSTACK,
    &VSTACK,
    &DSTACK,
    &COLUMN_STACK,
    &BLOCK_DIAG,
];

static JOIN_PARAMS: &[Param] = &[
    param("tensors", Tensors),
    optional("dim", Int, Attr::Int(0)),
];

/// Joined along a dimension.
pub static CAT: Op = Op {
    name: "cat",
    grad_fn: "CatBackward0",
    symbol: "cat",
    formula: "y = [a, b, …]",
    rules: &["its part of {gy}"],
    doc: "Tensors joined along a dimension.",
    params: JOIN_PARAMS,
    promote: crate::op::Promote::Common,
    infer: |op, src, attrs| {
        let first = src
            .iter()
            .find(|s| !is_nothing(&s.shape))
            .unwrap_or(&src[0]);
        let mut shape = first.shape.clone();
        if src.iter().any(|s| s.shape.is_empty()) {
            return Err(Error::runtime(
                "cat: zero-dimensional tensors cannot be concatenated; use stack",
            ));
        }
        let dim = dim_of(op, &shape, &attrs[0])?;
        shape[dim] = 0;
        for (i, other) in src
            .iter()
            .enumerate()
            .filter(|(_, s)| !is_nothing(&s.shape))
        {
            let fits = other.shape.len() == shape.len()
                && (0..shape.len()).all(|d| d == dim || other.shape[d] == shape[d]);
            if !fits {
                return Err(Error::runtime(format!(
                    "cat: sizes of tensors must match except in dimension {dim}: one tensor has shape {} and tensor {i} has {}",
                    shape::show(&first.shape),
                    shape::show(&other.shape)
                )));
            }
            shape[dim] += other.shape[dim];
        }
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let dim = dim_of(c.node.op, &c.node.shape, c.attr(0))?;
        let whole = View::contiguous(&c.node.shape);
        let mut start = 0;
        let mut parts = Vec::new();
        let joined: SmallVec<[GraphValue; 3]> = c
            .src
            .iter()
            .filter(|part| !is_nothing(part.shape()))
            .cloned()
            .collect();
        if joined.is_empty() {
            return Ok(c.src[0].contiguous());
        }
        for part in &joined {
            parts.push(whole.slice(dim, start, part.shape()[dim], 1));
            start += part.shape()[dim];
        }
        Ok(GraphValue::write_parts(&joined, &parts, &c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let dim = dim_of(b.node.op, &b.node.shape, b.attr(0))?;
        let mut start = 0;
        Ok(b.src
            .iter()
            .map(|part| {
                if is_nothing(part.shape()) {
                    return part.node().needs_grad.then(|| part.zeros_like());
                }
                let len = part.shape()[dim];
                start += len;
                part.node()
                    .needs_grad
                    .then(|| b.gy.slice(dim, start - len, len, 1))
            })
            .collect())
    }),
    samples: samples(&["{[2,3] [1,3] [2,3]}", "{[2,3] [2,1]} dim=1"]),
    method: false,
    out: Out::Cast,
    infinities: Infinities::Chooses,
    ..BASE
};

/// An empty vector joins with anything, as it always has in PyTorch.
fn is_nothing(part: &[usize]) -> bool {
    *part == [0]
}

/// Joined along a new dimension.
pub static STACK: Op = Op {
    name: "stack",
    grad_fn: "StackBackward0",
    symbol: "stack",
    formula: "y = [a, b, …]",
    rules: &["its part of {gy}"],
    doc: "Tensors of one shape joined along a new dimension.",
    params: JOIN_PARAMS,
    promote: crate::op::Promote::Common,
    check: |_, src| match src {
        [] => Err(Error::runtime(
            "stack: expected a non-empty list of tensors, got none",
        )),
        _ => Ok(()),
    },
    infer: |op, src, attrs| {
        let mut shape = src[0].shape.clone();
        if let Some(other) = src.iter().find(|s| s.shape != shape) {
            return Err(Error::runtime(format!(
                "stack expects each tensor to be equal size, but got {} and {}",
                shape::show(&shape),
                shape::show(&other.shape)
            )));
        }
        let dim = shape::dim(op.name, attrs[0].as_int(), shape.len() + 1)?;
        shape.insert(dim, src.len());
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let dim = dim_of(c.node.op, &c.node.shape, c.attr(0))?;
        let parts: SmallVec<[GraphValue; 3]> =
            c.src.iter().map(|part| part.unsqueeze(dim)).collect();
        let whole = View::contiguous(&c.node.shape);
        let at: Vec<View> = (0..parts.len())
            .map(|i| whole.slice(dim, i, 1, 1))
            .collect();
        Ok(GraphValue::write_parts(&parts, &at, &c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let dim = dim_of(b.node.op, &b.node.shape, b.attr(0))?;
        Ok(b.src
            .iter()
            .enumerate()
            .map(|(i, part)| {
                part.node()
                    .needs_grad
                    .then(|| b.gy.slice(dim, i, 1, 1).reshape(part.shape()))
            })
            .collect())
    }),
    samples: samples(&["{[2,3] [2,3]} dim=1"]),
    method: false,
    out: Out::Cast,
    infinities: Infinities::Chooses,
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
    infinities: Infinities::Chooses,
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
    infinities: Infinities::Chooses,
    ..BASE
};

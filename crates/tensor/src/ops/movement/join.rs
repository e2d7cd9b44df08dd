//! Tensors joined to one, and triangles of matrices: new buffers made of whole pieces of others.

use smallvec::SmallVec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Int, Tensor, Tensors};
use crate::op::{Attr, Kind, Meta, Op, Out, Param, Vjp, optional, param, samples};
use crate::op::{PythonFace, face};
use crate::ops::{BASE, dim_of, grad1};
use crate::shape;
use crate::{Error, View};

/// The ops of this family.
pub static OPS: &[&Op] = &[&CAT, &STACK, &TRIL, &TRIU];

static JOIN_PARAMS: &[Param] = &[
    param("tensors", Tensors),
    optional("dim", Int, Attr::Int(0)),
];

/// Joined along a dimension.
pub static CAT: Op = Op {
    name: "cat",
    python: face(&PythonFace {
        of_torch: true,
        ..PythonFace::PLAIN
    }),
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
    ..BASE
};

/// An empty vector joins with anything, as it always has in PyTorch.
fn is_nothing(part: &[usize]) -> bool {
    *part == [0]
}

/// Joined along a new dimension.
pub static STACK: Op = Op {
    name: "stack",
    python: face(&PythonFace {
        of_torch: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "StackBackward0",
    symbol: "stack",
    formula: "y = [a, b, …]",
    rules: &["its part of {gy}"],
    doc: "Tensors of one shape joined along a new dimension.",
    params: JOIN_PARAMS,
    promote: crate::op::Promote::Common,
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
    ..BASE
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

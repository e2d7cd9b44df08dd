//! The same elements in another shape: `reshape`, `view`, `flatten`, `unflatten`, `squeeze`, `unsqueeze`.

use smallvec::{SmallVec, smallvec};

use crate::Error;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Kind, Meta, Op, Out, PythonFace, Vjp, example, face, optional, param, samples,
};
use crate::ops::movement::RESHAPED;
use crate::ops::{BASE, dim_of, grad1};
use crate::shape::{self, Shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&RESHAPE, &FLATTEN, &SQUEEZE, &UNSQUEEZE, &VIEW, &UNFLATTEN];

/// Another shape with as many elements.
pub static RESHAPE: Op = Op {
    name: "reshape",
    grad_fn: "ViewBackward0",
    symbol: "reshape",
    formula: "y = a, in another shape",
    doc: "The same elements in another shape; one size may be −1. A copy only if strides do not allow a view.",
    params: &[param("input", Tensor), param("shape", Ints)],
    infer: |op, src, attrs| {
        let shape = shape::infer_size(op.name, attrs[0].as_ints(), src[0].numel())?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[2,6] (3,-1)", "[4] (2,1,2)"]),
    ..RESHAPED
};

/// Another shape, never by a copy.
pub static VIEW: Op = Op {
    name: "view",
    python: face(&PythonFace {
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    symbol: "view",
    doc: "The same elements in another shape, never a copy; one size may be −1.",
    prepare: Some(|_, src, attrs| {
        let sizes = shape::infer_size("view", attrs[0].as_ints(), src[0].numel())?;
        if src[0].view().reshape(&sizes).is_none() {
            return Err(Error::runtime(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
            ));
        }
        Ok(())
    }),
    exact: true,
    samples: samples(&["[2,6] (3,-1)", "[4] (2,1,2)"]),
    ..RESHAPE
};

/// Several dimensions as one.
pub static FLATTEN: Op = Op {
    name: "flatten",
    grad_fn: "ViewBackward0",
    symbol: "flatten",
    formula: "y = a, dimensions merged",
    doc: "Several neighbouring dimensions as one.",
    params: &[
        param("input", Tensor),
        optional("start_dim", Int, Attr::Int(0)),
        optional("end_dim", Int, Attr::Int(-1)),
    ],
    infer: |op, src, attrs| {
        let from = &src[0].shape;
        let start = dim_of(op, from, &attrs[0])?;
        let end = dim_of(op, from, &attrs[1])?;
        if from.is_empty() {
            return Ok(Meta {
                shape: smallvec![1],
                dtype: src[0].dtype,
            });
        }
        if start > end {
            return Err(Error::runtime(format!(
                "flatten: start_dim {start} must not come after end_dim {end}"
            )));
        }
        let mut shape = Shape::from_slice(&from[..start]);
        shape.push(shape::numel(&from[start..=end]));
        shape.extend_from_slice(&from[end + 1..]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[2,3,2] 1"]),
    ..RESHAPED
};

/// One dimension as several.
pub static UNFLATTEN: Op = Op {
    name: "unflatten",
    grad_fn: "ViewBackward0",
    symbol: "unflatten",
    formula: "y = a, one dimension split",
    rules: &["{gy}, in the shape of {a}"],
    doc: "One dimension split into several; one size may be −1.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("sizes", Ints),
    ],
    infer: |op, src, attrs| {
        let from = &src[0].shape;
        let dim = dim_of(op, from, &attrs[0])?;
        let sizes = attrs[1].as_ints();
        if sizes.is_empty() {
            return Err(Error::runtime("unflatten: sizes must be non-empty"));
        }
        let n = from.get(dim).copied().ok_or_else(|| {
            Error::runtime("unflatten: a 0-dim tensor has no dimension to split; use reshape")
        })?;
        let parts = shape::infer_size(op.name, sizes, n).map_err(|_| {
            Error::runtime(format!(
                "unflatten: Provided sizes {sizes:?} don't multiply up to the size of dim {dim} ({n}) in the input tensor"
            ))
        })?;
        let mut shape = Shape::from_slice(&from[..dim]);
        shape.extend_from_slice(&parts);
        shape.extend_from_slice(&from[dim + 1..]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| view.reshape(&node.shape)),
    vjp: Vjp::Rule(|b| grad1(b.gy.reshape(b.src[0].shape()))),
    exact: true,
    samples: samples(&["[6,2] 0 (2,3)", "[4,3]T -2 (-1,2)"]),
    example: example("torch.unflatten(torch.arange(6.0), 0, (2, 3))"),
    out: Out::None,
    ..BASE
};

/// Without dimensions of size 1.
pub static SQUEEZE: Op = Op {
    name: "squeeze",
    grad_fn: "SqueezeBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("SqueezeBackward1"),
    symbol: "squeeze",
    formula: "y = a, without dimensions of size 1",
    doc: "Without its dimensions of size 1, all of them or those named.",
    params: &[param("input", Tensor), optional("dim", Ints, Attr::None)],
    infer: |op, src, attrs| {
        // Where dimensions are named, an empty list names none.
        let dims = match &attrs[0] {
            Attr::Ints(list) if list.is_empty() => SmallVec::new(),
            dims => shape::dims(op.name, dims.as_ints(), src[0].shape.len())?,
        };
        let shape = (0..src[0].shape.len())
            .filter(|d| !(dims.contains(d) && src[0].shape[*d] == 1))
            .map(|d| src[0].shape[d])
            .collect();
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[1,3,1]", "[1,3,1] (0)"]),
    ..RESHAPED
};

/// With a dimension of size 1.
pub static UNSQUEEZE: Op = Op {
    name: "unsqueeze",
    grad_fn: "UnsqueezeBackward0",
    symbol: "unsqueeze",
    formula: "y = a, with a dimension of size 1",
    doc: "With a dimension of size 1 put in.",
    params: &[param("input", Tensor), param("dim", Int)],
    infer: |op, src, attrs| {
        let mut shape = src[0].shape.clone();
        let dim = shape::dim(op.name, attrs[0].as_int(), shape.len() + 1)?;
        shape.insert(dim, 1);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[2,3] 1"]),
    ..RESHAPED
};

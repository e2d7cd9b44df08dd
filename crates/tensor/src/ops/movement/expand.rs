//! Dimensions of size 1 read as larger ones: `expand`, `broadcast_to`. Nothing is copied; `repeat` copies.

use crate::Error;
use crate::op::ParamKind::{Ints, Tensor};
use crate::op::{Kind, Meta, Op, PythonFace, Vjp, example, face, param, samples};
use crate::ops::grad1;
use crate::ops::movement::MOVE;
use crate::shape::{self, Shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&EXPAND, &BROADCAST_TO];

/// Size-1 dimensions stretched.
pub static EXPAND: Op = Op {
    name: "expand",
    python: face(&PythonFace {
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "ExpandBackward0",
    symbol: "expand",
    formula: "y = a, stretched",
    rules: &["{gy}, summed over what was stretched"],
    doc: "Dimensions of size 1 stretched to a size, new ones added in front; −1 keeps a size.",
    params: &[param("input", Tensor), param("size", Ints)],
    infer: |op, src, attrs| {
        let list = attrs[0].as_ints();
        let from = &src[0].shape;
        let wrong = |why: &str| {
            Error::runtime(format!(
                "expand: cannot expand shape {} to {list:?}: {why}",
                shape::show(from)
            ))
        };
        if list.len() < from.len() {
            return Err(wrong(
                "the number of sizes must be at least the number of dimensions",
            ));
        }
        let added = list.len() - from.len();
        let mut shape = Shape::new();
        for (i, &size) in list.iter().enumerate() {
            let old = i.checked_sub(added).map(|d| from[d]);
            shape.push(match (old, size) {
                (Some(old), -1) => old,
                (None, -1) => return Err(wrong("-1 is not allowed for a new dimension")),
                (_, size) if size < 0 => return Err(wrong("sizes may not be negative")),
                (Some(old), size) if old as i64 == size || old == 1 => shape::size(op.name, size)?,
                (None, size) => shape::size(op.name, size)?,
                (Some(old), size) => {
                    return Err(wrong(&format!("size {size} at dimension {i} does not match {old}, and only size 1 stretches")));
                }
            });
        }
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| Some(view.expand(&node.shape))),
    vjp: Vjp::Rule(|b| grad1(b.gy.sum_to(b.src[0].shape()))),
    samples: samples(&["[3,1] (2,-1,4)"]),
    ..MOVE
};

/// `expand` under NumPy's name.
pub static BROADCAST_TO: Op = Op {
    name: "broadcast_to",
    doc: "Dimensions of size 1 stretched to a size, as broadcasting does it; NumPy's name of expand.",
    exact: true,
    samples: samples(&["[3,1] (2,-1,4)"]),
    example: example("torch.broadcast_to(torch.arange(3.0), (2, 3))"),
    ..EXPAND
};

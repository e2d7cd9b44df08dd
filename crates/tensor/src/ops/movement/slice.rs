//! Parts of a dimension: `narrow`, `select`, and the slice behind `x[start:end:step]`.

use crate::op::ParamKind::{Int, Tensor};
use crate::op::{Kind, Meta, Op, Vjp, param, samples};
use crate::ops::movement::MOVE;
use crate::ops::{dim_of, grad1};
use crate::view::View;
use crate::{Error, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&NARROW, &SELECT];

/// Elements `start, start + step, …`: attribute 0 holds dim, start, length and step.
pub static SLICE: Op = Op {
    name: "slice",
    grad_fn: "SliceBackward0",
    symbol: "[:]",
    formula: "y = part of a",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "Part of one dimension.",
    infer: |op, src, attrs| {
        let &[dim, start, len, step] = attrs[0].as_ints() else {
            return Err(Error::type_("slice: expected dim, start, length and step"));
        };
        let mut shape = src[0].shape.clone();
        let dim = shape::dim(op.name, dim, shape.len())?;
        let n = shape.get(dim).copied().unwrap_or(0) as i64;
        let last = (start as i128) + (len as i128 - 1) * (step as i128);
        let inside = |i: i128| (0..i128::from(n)).contains(&i);
        if len < 0 || len > 0 && !(inside(i128::from(start)) && inside(last)) {
            return Err(Error::index(format!(
                "slice: {len} elements from {start} by {step} do not lie in dimension {dim} with size {n}"
            )));
        }
        shape[dim] = len as usize;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let &[dim, start, len, step] = node.attrs[0].as_ints() else {
            return None;
        };
        Some(view.slice(dim as usize, start as usize, len as usize, step as isize))
    }),
    vjp: Vjp::Rule(|b| {
        let &[dim, start, len, step] = b.attr(0).as_ints() else {
            return Err(Error::type_("slice: expected dim, start, length and step"));
        };
        let shape = b.src[0].shape();
        let at = View::contiguous(shape).slice(
            dim as usize,
            start as usize,
            len as usize,
            step as isize,
        );
        grad1(b.gy.zeros_like_shape(shape).write_at(&at, &b.gy))
    }),
    method: false,
    ..MOVE
};

/// `length` elements of a dimension.
pub static NARROW: Op = Op {
    name: "narrow",
    grad_fn: "SliceBackward0",
    symbol: "[:]",
    formula: "y = part of a",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "Some neighbouring elements of one dimension.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("start", Int),
        param("length", Int),
    ],
    infer: |op, src, attrs| {
        if src[0].shape.is_empty() {
            return Err(Error::runtime(
                "narrow() cannot be applied to a 0-dim tensor.",
            ));
        }
        let dim = dim_of(op, &src[0].shape, &attrs[0])?;
        let n = src[0].shape[dim] as i64;
        let (start, len) = (attrs[1].as_int(), attrs[2].as_int());
        if len < 0 {
            return Err(Error::runtime(format!(
                "narrow(): length must be non-negative, got {len}"
            )));
        }
        if start < -n || start > n {
            return Err(Error::index(format!(
                "narrow: start out of range (expected to be in range of [{}, {n}], but got {start})",
                -n
            )));
        }
        let start = if start < 0 { start + n } else { start };
        if start.saturating_add(len) > n {
            return Err(Error::runtime(format!(
                "narrow: start ({start}) + length ({len}) exceeds dimension size ({n})"
            )));
        }
        let mut shape = src[0].shape.clone();
        shape[dim] = len as usize;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim, start) = narrow_start(node, &view.shape)?;
        Some(view.slice(dim, start, node.shape[dim], 1))
    }),
    vjp: Vjp::Rule(|b| {
        let shape = b.src[0].shape();
        let Some((dim, start)) = narrow_start(b.node, shape) else {
            return Err(Error::index("narrow: dimension out of range"));
        };
        let at = View::contiguous(shape).slice(dim, start, b.node.shape[dim], 1);
        grad1(b.gy.zeros_like_shape(shape).write_at(&at, &b.gy))
    }),
    samples: samples(&["[2,5] 1 1 3"]),
    ..MOVE
};

fn narrow_start(node: &crate::node::Node, from: &[usize]) -> Option<(usize, usize)> {
    let dim = dim_of(node.op, from, &node.attrs[0]).ok()?;
    let start = node.attrs[1].as_int();
    let start = if start < 0 {
        start + from[dim] as i64
    } else {
        start
    };
    Some((dim, start as usize))
}

/// One element of a dimension, which goes.
pub static SELECT: Op = Op {
    name: "select",
    grad_fn: "SelectBackward0",
    symbol: "[i]",
    formula: "y = a[i]",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "One index of a dimension; the dimension goes.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Int),
    ],
    infer: |op, src, attrs| {
        if src[0].shape.is_empty() {
            return Err(Error::index(
                "select() cannot be applied to a 0-dim tensor.",
            ));
        }
        let dim = dim_of(op, &src[0].shape, &attrs[0])?;
        let (n, index) = (src[0].shape[dim] as i64, attrs[1].as_int());
        if index < -n || index >= n {
            return Err(Error::index(format!(
                "index {index} is out of bounds for dimension {dim} with size {n}"
            )));
        }
        let mut shape = src[0].shape.clone();
        shape.remove(dim);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim, index) = select_index(node, &view.shape)?;
        let mut view = view.slice(dim, index, 1, 1);
        view.shape.remove(dim);
        view.strides.remove(dim);
        Some(view)
    }),
    vjp: Vjp::Rule(|b| {
        let shape = b.src[0].shape();
        let Some((dim, index)) = select_index(b.node, shape) else {
            return Err(Error::index("select: dimension out of range"));
        };
        let at = View::contiguous(shape).slice(dim, index, 1, 1);
        grad1(
            b.gy.zeros_like_shape(shape)
                .write_at(&at, &b.gy.unsqueeze(dim)),
        )
    }),
    samples: samples(&["[2,5] 1 -2"]),
    ..MOVE
};

fn select_index(node: &crate::node::Node, from: &[usize]) -> Option<(usize, usize)> {
    let dim = dim_of(node.op, from, &node.attrs[0]).ok()?;
    let index = node.attrs[1].as_int();
    let index = if index < 0 {
        index + from[dim] as i64
    } else {
        index
    };
    Some((dim, index as usize))
}

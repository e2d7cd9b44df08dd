//! Totals, means and extremes.

use glowgrad::DType;
use glowgrad::op::Attr;

use super::{Row, float, row};
use crate::export::call::{Call, Outcome, Result1};
use crate::export::writer::{Id, Writer};

pub(super) static ROWS: &[Row] = &[
    row("sum", |c| total(c, "ReduceSum")),
    row("mean", |c| total(c, "ReduceMean")),
    row("prod", |c| total(c, "ReduceProd")),
    row("logsumexp", |c| total(c, "ReduceLogSumExp")),
    row("amax", |c| extreme(c, "ReduceMax")),
    row("amin", |c| extreme(c, "ReduceMin")),
    row("max", |c| whole(c, "ReduceMax")),
    row("min", |c| whole(c, "ReduceMin")),
    row("max_dim", |c| extreme(c, "ReduceMax")),
    row("min_dim", |c| extreme(c, "ReduceMin")),
    row("argmax", |c| place(c, "ArgMax")),
    row("argmin", |c| place(c, "ArgMin")),
];

impl Writer {
    /// A reduction along axes.
    pub(super) fn reduce(&mut self, op: &'static str, x: Id, axes: &[i64], keep: bool) -> Id {
        let dtype = self.dtype(x);
        if axes.is_empty() {
            // One element; without axes ONNX would reduce over all.
            return self.unary("Identity", x);
        }
        let axes = self.ints(axes);
        (self.make(op).on(&[x, axes]))
            .int("keepdims", i64::from(keep))
            .one(dtype)
    }
}

/// The type in which elements are added up: halves in float32, integers in the widest.
fn wide(dtype: DType) -> DType {
    match dtype {
        DType::Bool => DType::I64,
        dtype => dtype.compute(),
    }
}

fn total(c: &mut Call, op: &'static str) -> Result1 {
    let (dims, keep) = (c.dims(0)?, c.attr(1).as_bool());
    // The elements take the result's type before they are added up.
    let dtype = c.node.dtype;
    let is_plain = matches!(op, "ReduceSum" | "ReduceProd");
    // A mean of nothing is NaN, and not every runtime says so.
    if !is_plain && (c.shape(0).is_empty() || c.src[0].numel() == 0) {
        return Ok(Outcome::Lower);
    }
    let x = c.x_as(0, dtype)?;
    let x = c.cast(x, wide(dtype));
    let y = c.reduce(op, x, &dims, keep);
    Ok(c.cast(y, dtype).into())
}

fn extreme(c: &mut Call, op: &'static str) -> Result1 {
    let (dims, keep) = (c.dims(0)?, c.attr(1).as_bool());
    extreme_of(c, op, &dims, keep)
}

fn whole(c: &mut Call, op: &'static str) -> Result1 {
    let dims: Vec<i64> = (0..c.shape(0).len() as i64).collect();
    extreme_of(c, op, &dims, false)
}

fn extreme_of(c: &mut Call, op: &'static str, dims: &[i64], keep: bool) -> Result1 {
    let dtype = match c.node.dtype {
        dtype if dtype.is_float() => float(dtype),
        dtype => wide(dtype),
    };
    c.through(dtype, |c, x| Ok(c.reduce(op, x, dims, keep)))
}

/// The first of equal ones, as in ONNX.
fn place(c: &mut Call, op: &'static str) -> Result1 {
    let (dim, keep) = (c.attr(0).clone(), c.attr(1).as_bool());
    if c.shape(0).is_empty() || dim == Attr::None {
        return Ok(Outcome::Lower);
    }
    let dim = c.dim(0)? as i64;
    let dtype = match c.src[0].dtype {
        dtype if dtype.is_float() => float(dtype),
        dtype => wide(dtype),
    };
    let x = c.x_as(0, dtype)?;
    let found = c.make(op).on(&[x]).int("axis", dim);
    Ok((found.int("keepdims", i64::from(keep)).one(DType::I64)).into())
}

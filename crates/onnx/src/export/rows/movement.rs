//! Views.
//!
//! A view of the engine is a rule from an index to a place. The known ones become ONNX's operators; what is left
//! (diagonals, `as_strided`) becomes the places themselves, as an index.

use glowgrad::node::Node;
use glowgrad::{Error, Result, View};

use super::{Row, row};
use crate::export::call::{Call, Outcome, Result1, sizes};
use crate::export::writer::{Id, Writer};

pub(super) static ROWS: &[Row] = &[
    row("reshape", reshaped),
    row("view", reshaped),
    row("unflatten", reshaped),
    row("flatten", flattened),
    row("squeeze", reshaped),
    row("unsqueeze", unsqueezed),
    row("permute", permuted),
    row("transpose", permuted),
    row("t", permuted),
    row("swapaxes", permuted),
    row("movedim", permuted),
    row("expand", expanded),
    row("broadcast_to", expanded),
    row("slice", sliced),
    row("narrow", narrowed),
    row("select", selected),
    row("flip", flipped),
    row("windows", windows),
    row("tensor_unfold", unfolded),
];

/// Most elements of an index that stands for a view.
pub(super) const MOST_PLACES: usize = 1 << 24;

impl Writer {
    /// Elements of a row of them, by their places, in the shape that the places have.
    pub(super) fn at_places(&mut self, flat: Id, view: &View) -> Id {
        let places: Vec<i64> = view.positions().map(|at| at as i64).collect();
        let places = self.indices(&places, &view.shape);
        self.gather(flat, places, 0)
    }

    /// Elements `start, start + step, …` of an axis.
    pub(super) fn slice(&mut self, x: Id, axis: usize, start: i64, len: i64, step: i64) -> Id {
        // A step backwards ends before the first element.
        let end = match start + len * step {
            end if len == 0 => end.min(start),
            end if end < 0 => i64::MIN,
            end => end,
        };
        self.slices(x, &[axis as i64], &[start], &[end], &[step])
    }

    pub(super) fn slices(
        &mut self,
        x: Id,
        axes: &[i64],
        starts: &[i64],
        ends: &[i64],
        steps: &[i64],
    ) -> Id {
        let dtype = self.dtype(x);
        let [starts, ends, axes, steps] = [starts, ends, axes, steps].map(|list| self.ints(list));
        self.make("Slice")
            .on(&[x, starts, ends, axes, steps])
            .one(dtype)
    }
}

/// A view that has no row.
pub(super) fn any(c: &mut Call, movement: fn(&View, &Node) -> Option<View>) -> Result1 {
    let view = movement(&View::contiguous(c.shape(0)), c.node);
    let view = view.ok_or_else(|| {
        Error::runtime(format!(
            "{}: internal error: no view of its source; please report this",
            c.node.op.name
        ))
    })?;
    if view.numel() > MOST_PLACES {
        return Ok(Outcome::Refused(format!(
            "a view of {} elements that ONNX has no operator for would need as many indices; take a smaller part first",
            view.numel()
        )));
    }
    let x = c.x(0)?;
    let flat = c.flat(x);
    Ok(c.at_places(flat, &view).into())
}

fn reshaped(c: &mut Call) -> Result1 {
    let (x, shape) = (c.x(0)?, c.node.shape.clone());
    if c.shape(0) == &shape[..] {
        return Ok(x.into());
    }
    Ok(c.reshape(x, &shape).into())
}

/// All but the first dimension is ONNX's own.
fn flattened(c: &mut Call) -> Result1 {
    let n = c.shape(0).len();
    let (dims, is_rows) = (
        c.node.shape.len(),
        c.node.shape.first() == c.shape(0).first(),
    );
    if n < 2 || dims != 2 || !is_rows {
        return reshaped(c);
    }
    let x = c.x(0)?;
    let dtype = c.node.dtype;
    Ok((c.make("Flatten").on(&[x]).int("axis", 1).one(dtype)).into())
}

fn unsqueezed(c: &mut Call) -> Result1 {
    let dim = glowgrad::shape::dim("unsqueeze", c.attr(0).as_int(), c.node.shape.len())?;
    let x = c.x(0)?;
    Ok(c.unsqueeze(x, &[dim as i64]).into())
}

/// The order of dimensions is read off a view whose strides number them.
fn permuted(c: &mut Call) -> Result1 {
    let glowgrad::op::Kind::Movement(movement) = c.node.op.kind else {
        return Ok(Outcome::Lower);
    };
    let shape = &c.src[0].shape;
    let numbered = View {
        shape: shape.clone(),
        strides: (0..shape.len() as isize).collect(),
        offset: 0,
    };
    let Some(moved) = movement(&numbered, c.node) else {
        return Ok(Outcome::Lower);
    };
    let order: Vec<i64> = moved.strides.iter().map(|&s| s as i64).collect();
    let x = c.x(0)?;
    Ok(c.transpose(x, &order).into())
}

fn expanded(c: &mut Call) -> Result1 {
    let (x, shape) = (c.x(0)?, c.node.shape.clone());
    if c.shape(0) == &shape[..] {
        return Ok(x.into());
    }
    Ok(c.expand(x, &shape).into())
}

fn sliced(c: &mut Call) -> Result1 {
    let &[dim, start, len, step] = c.attr(0).as_ints() else {
        return Ok(Outcome::Lower);
    };
    let x = c.x(0)?;
    Ok(c.slice(x, dim as usize, start, len, step).into())
}

/// An index, or one from the end, as one from the start.
fn from_start(c: &Call, dim: usize, i: i64) -> i64 {
    match i < 0 {
        true => i + c.shape(0)[dim] as i64,
        false => i,
    }
}

fn narrowed(c: &mut Call) -> Result1 {
    let dim = c.dim(0)?;
    let start = from_start(c, dim, c.attr(1).as_int());
    let len = c.node.shape[dim] as i64;
    let x = c.x(0)?;
    Ok(c.slice(x, dim, start, len, 1).into())
}

fn selected(c: &mut Call) -> Result1 {
    let dim = c.dim(0)?;
    let at = from_start(c, dim, c.attr(1).as_int());
    let x = c.x(0)?;
    let at = c.indices(&[at], &[]);
    Ok(c.gather(x, at, dim as i64).into())
}

fn flipped(c: &mut Call) -> Result1 {
    let dims = c.attr(0).as_ints().to_vec();
    let n = c.shape(0).len();
    let axes = glowgrad::shape::dims("flip", &dims, n)?;
    // Without dimensions nothing is turned.
    let axes: Vec<i64> = match dims.is_empty() {
        true => Vec::new(),
        false => axes.iter().map(|&d| d as i64).collect(),
    };
    let x = c.x(0)?;
    if axes.is_empty() {
        return Ok(x.into());
    }
    let each = |i: i64| vec![i; axes.len()];
    Ok(c.slices(x, &axes, &each(-1), &each(i64::MIN), &each(-1))
        .into())
}

/// Windows of one dimension, with their elements as the last dimension.
fn windows_along(c: &mut Call, window: [i64; 5]) -> Result<Id> {
    let [dim, size, step, dilation, count] = window;
    let places: Vec<i64> = (0..count)
        .flat_map(|i| (0..size).map(move |k| i * step + k * dilation))
        .collect();
    let index = c.indices(&places, &[count as usize, size as usize]);
    let x = c.x(0)?;
    let n = c.shape(0).len() as i64;
    let y = c.gather(x, index, dim);
    let order: Vec<i64> = (0..=n).filter(|&d| d != dim + 1).chain([dim + 1]).collect();
    Ok(c.transpose(y, &order))
}

fn windows(c: &mut Call) -> Result1 {
    match *c.attr(0).as_ints() {
        [dim, size, step, dilation, count] => {
            Ok(windows_along(c, [dim, size, step, dilation, count])?.into())
        }
        _ => Ok(Outcome::Lower),
    }
}

fn unfolded(c: &mut Call) -> Result1 {
    if c.shape(0).is_empty() {
        return Ok(Outcome::Lower);
    }
    let dim = c.dim(0)?;
    let count = sizes(&c.node.shape)[dim];
    let (size, step) = (c.attr(1).as_int(), c.attr(2).as_int());
    Ok(windows_along(c, [dim as i64, size, step, 1, count])?.into())
}

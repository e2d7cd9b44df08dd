//! Elements by index, and elements put at indices.

use glowgrad::DType;
use glowgrad::op::Attr;

use super::{Row, row};
use crate::export::call::{Call, Outcome, Result1};
use crate::export::writer::Id;

pub(super) static ROWS: &[Row] = &[
    row("embedding", embedding),
    row("index_select", index_select),
    row("gather", gather),
    row("take", take),
    row("index", index),
    row("scatter", scatter),
    row("scatter_add", |c| scatter_with(c, "add")),
    row("scatter_reduce", scatter_reduce),
];

fn embedding(c: &mut Call) -> Result1 {
    let (index, table) = (c.x(0)?, c.x(1)?);
    Ok(c.gather(table, index, 0).into())
}

fn index_select(c: &mut Call) -> Result1 {
    if c.shape(0).is_empty() {
        return Ok(Outcome::Lower);
    }
    let dim = c.dim(0)? as i64;
    let x = c.x(0)?;
    let mut index = c.x(1)?;
    if c.shape(1).is_empty() {
        index = c.unsqueeze(index, &[0]);
    }
    Ok(c.gather(x, index, dim).into())
}

/// Whether the operands have dimensions, as many each, and elements.
fn are_alike(c: &Call) -> bool {
    let n = c.shape(0).len();
    n > 0 && c.src.iter().all(|s| s.shape.len() == n && s.numel() > 0)
}

fn gather(c: &mut Call) -> Result1 {
    if !are_alike(c) {
        return Ok(Outcome::Lower);
    }
    let dim = c.dim(0)? as i64;
    let (x, index) = (c.x(0)?, c.x(1)?);
    let dtype = c.node.dtype;
    let gather = c.make("GatherElements").on(&[x, index]);
    Ok(gather.int("axis", dim).one(dtype).into())
}

/// By places in the row of all elements.
fn take(c: &mut Call) -> Result1 {
    let (x, index) = (c.x(0)?, c.x(1)?);
    let flat = c.flat(x);
    Ok(c.gather(flat, index, 0).into())
}

/// Of the leading dimensions, by indices that broadcast.
fn index(c: &mut Call) -> Result1 {
    let n = c.src.len() - 1;
    let x = c.x(0)?;
    if n == 1 {
        let index = c.x(1)?;
        return Ok(c.gather(x, index, 0).into());
    }
    let rest = c.shape(0).len() - n;
    let together = c.node.shape[..c.node.shape.len() - rest].to_vec();
    let last = together.len() as i64;
    let mut parts: Vec<Id> = Vec::new();
    for i in 1..=n {
        let mut part = c.x_as(i, DType::I64)?;
        if c.shape(i) != &together[..] {
            part = c.expand(part, &together);
        }
        parts.push(c.unsqueeze(part, &[last]));
    }
    let index = (c.make("Concat").on(&parts))
        .int("axis", last)
        .one(DType::I64);
    let dtype = c.node.dtype;
    Ok(c.make("GatherND").on(&[x, index]).one(dtype).into())
}

fn scatter(c: &mut Call) -> Result1 {
    match c.attr(2).as_str() {
        "add" => scatter_with(c, "add"),
        "multiply" => scatter_with(c, "mul"),
        _ => scatter_with(c, "none"),
    }
}

/// With what is there already counted in; a mean needs a count.
fn scatter_reduce(c: &mut Call) -> Result1 {
    let includes = c.attr(2).as_bool();
    match c.attr(1).as_str() {
        "sum" if includes => scatter_with(c, "add"),
        "prod" if includes => scatter_with(c, "mul"),
        "amax" if includes => scatter_with(c, "max"),
        "amin" if includes => scatter_with(c, "min"),
        _ => Ok(Outcome::Lower),
    }
}

/// Source 2, as much of it as there are indices, put into source 0.
fn scatter_with(c: &mut Call, reduction: &'static str) -> Result1 {
    if !are_alike(c) || *c.attr(0) == Attr::None {
        return Ok(Outcome::Lower);
    }
    let dim = c.dim(0)? as i64;
    // What is combined is in a type of arithmetic.
    let dtype = match (reduction, c.node.dtype) {
        ("none", dtype) => dtype,
        (_, DType::Bool) => DType::I64,
        (_, dtype) => dtype.compute(),
    };
    let index = c.x(1)?;
    let mut values = c.x_as(2, dtype)?;
    let cut: Vec<usize> = (0..c.shape(1).len())
        .filter(|&d| c.shape(1)[d] != c.shape(2)[d])
        .collect();
    for d in cut {
        let n = c.shape(1)[d] as i64;
        values = c.slice(values, d, 0, n, 1);
    }
    c.through(dtype, |c, x| {
        let scatter = c.make("ScatterElements").on(&[x, index, values]);
        let scatter = scatter.int("axis", dim);
        Ok(match reduction {
            "none" => scatter.one(dtype),
            how => scatter.text("reduction", how).one(dtype),
        })
    })
}

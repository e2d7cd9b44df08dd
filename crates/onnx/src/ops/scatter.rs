//! Elements written by index.

use glowgrad::{Error, Result, Tensor};

use super::indexing::{rows_of, wrapped};
use super::one;
use crate::call::{Methods, args, axis, listed, sizes};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("Scatter", 9, scatter_elements).until(10),
    one("ScatterElements", 11, scatter_elements),
    one("ScatterND", 11, scatter_nd),
    one("TensorScatter", 24, tensor_scatter),
];

/// The engine's word for a way to join what is there and what is written; none where it is overwritten.
fn reduction(c: &Call) -> Result<Option<&'static str>> {
    Ok(Some(match c.text_or("reduction", "none") {
        "none" => return Ok(None),
        "add" => "sum",
        "mul" => "prod",
        "max" => "amax",
        "min" => "amin",
        other => return Err(c.unknown("reduction", other, "none, add, mul, max or min")),
    }))
}

fn scatter_elements(c: &Call) -> Result<Tensor> {
    let (x, index, updates) = (c.x(0)?, c.x(1)?, c.x(2)?);
    let at = axis(c.int_or("axis", 0), x.rank())?;
    let index = wrapped(index, x.shape()[at])?;
    match reduction(c)? {
        None => x.with("scatter", args![at as i64, index, updates]),
        Some(way) => x.with(
            "scatter_reduce",
            args![at as i64, index, updates, way, true],
        ),
    }
}

fn scatter_nd(c: &Call) -> Result<Tensor> {
    let (x, indices, updates) = (c.x(0)?, c.x(1)?, c.x(2)?);
    let rows = rows_of(x, indices, 0)?;
    let n = rows.places.numel();
    let shape = x.shape();
    let flat = x.shaped(&[rows.n_rows, rows.row_len])?;
    let updates = updates.shaped(&[n, rows.row_len])?;
    let index = (rows.places.unsqueeze(1)?)
        .expand(&sizes(&[n, rows.row_len]))?
        .contiguous()?;
    let written = match reduction(c)? {
        None => flat.with("scatter", args![0i64, index, updates])?,
        Some(way) => flat.with("scatter_reduce", args![0i64, index, updates, way, true])?,
    };
    written.shaped(&shape)
}

/// Writes new steps of sequences into a cache, from a step of each on.
fn tensor_scatter(c: &Call) -> Result<Tensor> {
    let (past, update) = (c.x(0)?, c.x(1)?);
    let (shape, new) = (past.shape(), update.shape());
    let at = axis(c.int_or("axis", -2), shape.len())?;
    let batch = shape[0];
    let starts = c.list(2)?.unwrap_or_else(|| vec![0; batch]);
    let circular = match c.text_or("mode", "linear") {
        "linear" => false,
        "circular" => true,
        other => return Err(c.unknown("mode", other, "linear or circular")),
    };
    if at == 0 || starts.len() != batch || new.len() != shape.len() {
        return Err(Error::value(format!(
            "{} starts and an update of shape {} came for a cache of shape {}; expected a start for each of its first dimension",
            starts.len(),
            glowgrad::shape::show(&new),
            glowgrad::shape::show(&shape)
        )));
    }
    let (n, steps) = (shape[at] as i64, new[at]);
    let places = listed(batch.saturating_mul(steps), |i| {
        let place = starts[i / steps].saturating_add((i % steps) as i64);
        if circular {
            place.rem_euclid(n.max(1))
        } else {
            place
        }
    })?;
    let mut line = vec![1; shape.len()];
    (line[0], line[at]) = (batch, steps);
    let index = (Tensor::from_i64(c.engine, &places, &line)?)
        .expand(&sizes(&new))?
        .contiguous()?;
    past.with("scatter", args![at as i64, index, update])
}

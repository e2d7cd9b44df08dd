//! Borders: `Pad`, `CenterCropPad`.

use glowgrad::{Error, Result, Scalar, Tensor};

use super::one;
use crate::call::{Methods, args, axes, full, integers, listed};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("Pad", 2, |c| {
        let pads = c.ints("pads").ok_or_else(|| c.lacks("pads"))?;
        padded(c, &pads, None, Scalar::Float(c.float_or("value", 0.0)))
    })
    .until(10),
    one("Pad", 11, |c| {
        let value = match c.get(2) {
            Some(value) => value.item()?,
            None => Scalar::Int(0),
        };
        padded(c, &integers(c.x(1)?)?, c.list(3)?, value)
    }),
    one("CenterCropPad", 18, center_crop_pad),
];

fn padded(c: &Call, pads: &[i64], along: Option<Vec<i64>>, value: Scalar) -> Result<Tensor> {
    let x = c.x(0)?;
    let rank = x.rank();
    let along = match along {
        Some(list) => axes(&list, rank)?,
        None => (0..rank).collect(),
    };
    if pads.len() != 2 * along.len() {
        return Err(Error::value(format!(
            "{} pads came for {} axes; expected two for each",
            pads.len(),
            along.len()
        )));
    }
    let mut widths = vec![(0, 0); rank];
    for (i, &at) in along.iter().enumerate() {
        widths[at] = (pads[i], pads[along.len() + i]);
    }
    match c.text_or("mode", "constant") {
        "constant" => with_border(x, &widths, value),
        mode @ ("reflect" | "edge" | "wrap") => repeated(x, &widths, mode),
        other => Err(c.unknown("mode", other, "constant, reflect, edge or wrap")),
    }
}

/// A border of one number; a negative width crops.
pub(super) fn with_border(x: &Tensor, widths: &[(i64, i64)], value: Scalar) -> Result<Tensor> {
    if widths.iter().all(|&width| width == (0, 0)) {
        return Ok(x.clone());
    }
    // The engine names the last dimension first, and keeps the type of a number's kind alone.
    let pads: Vec<i64> = widths.iter().rev().flat_map(|&(a, b)| [a, b]).collect();
    let is_empty = x.numel() == 0;
    if is_empty || !x.dtype().is_float() {
        return joined(x, widths, value);
    }
    x.with("pad", args![pads, "constant", value.as_f64()])
}

/// The same by joining blocks, which works for every type.
fn joined(x: &Tensor, widths: &[(i64, i64)], value: Scalar) -> Result<Tensor> {
    let mut y = x.clone();
    for (at, &(before, after)) in widths.iter().enumerate() {
        let n = y.shape()[at] as i64;
        let (start, end) = ((-before).clamp(0, n), n + after.min(0));
        let inside = y.narrow(at, start as usize, (end - start).max(0) as usize)?;
        let block = |len: i64| -> Result<Tensor> {
            let mut shape = y.shape();
            shape[at] = glowgrad::shape::size("pad", len)?;
            Tensor::full(y.engine(), &shape, value, y.dtype())
        };
        let mut parts = Vec::new();
        if before > 0 {
            parts.push(block(before)?);
        }
        parts.push(inside);
        if after > 0 {
            parts.push(block(after)?);
        }
        y = crate::call::op(x.engine(), "cat", args![parts.as_slice(), at as i64])?;
    }
    Ok(y)
}

/// A border of the tensor's own elements.
fn repeated(x: &Tensor, widths: &[(i64, i64)], mode: &str) -> Result<Tensor> {
    let mut y = x.clone();
    for (at, &(before, after)) in widths.iter().enumerate() {
        if (before, after) == (0, 0) {
            continue;
        }
        let n = y.shape()[at] as i64;
        if n == 0 {
            return Err(Error::value(format!(
                "axis {at} is empty; mode {mode:?} has nothing to repeat"
            )));
        }
        let total = before.saturating_add(n).saturating_add(after);
        let total = glowgrad::shape::size("pad", total)?;
        let from = |i: i64| match mode {
            "edge" => i.clamp(0, n - 1),
            "wrap" => i.rem_euclid(n),
            _ if n == 1 => 0,
            _ => {
                let i = i.rem_euclid(2 * (n - 1));
                i.min(2 * (n - 1) - i)
            }
        };
        let places = listed(total, |i| from(i as i64 - before))?;
        let places = Tensor::from_i64(x.engine(), &places, &[places.len()])?;
        y = y.with("index_select", args![at as i64, places])?;
    }
    Ok(y)
}

fn center_crop_pad(c: &Call) -> Result<Tensor> {
    let (x, target) = (c.x(0)?, integers(c.x(1)?)?);
    let rank = x.rank();
    let along = match c.ints("axes") {
        Some(list) => axes(&list, rank)?,
        None => (0..rank).collect(),
    };
    if along.len() != target.len() {
        return Err(Error::value(format!(
            "{} sizes came for {} axes; expected one for each",
            target.len(),
            along.len()
        )));
    }
    let mut widths = vec![(0, 0); rank];
    for (&at, &size) in along.iter().zip(&target) {
        let n = x.shape()[at] as i64;
        let more = glowgrad::shape::size("CenterCropPad", size)? as i64 - n;
        let before = match more < 0 {
            true => -(-more / 2),
            false => more / 2,
        };
        widths[at] = (before, more - before);
    }
    let zero = full(c.engine, &[], 0.0, x.dtype())?.item()?;
    with_border(x, &widths, zero)
}

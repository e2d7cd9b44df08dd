//! Tensors joined, padded, repeated; and triangles.

use glowgrad::op::Attr;
use glowgrad::{DType, Scalar};

use super::{Row, row};
use crate::export::call::{Call, Outcome, Result1, scalar, sizes};
use crate::export::writer::{Id, Writer};

pub(super) static ROWS: &[Row] = &[
    row("cat", cat),
    row("stack", stack),
    row("pad", pad),
    row("repeat", repeat),
    row("tile", repeat),
    row("tril", |c| triangle(c, 0)),
    row("triu", |c| triangle(c, 1)),
    row("pixel_shuffle", pixel_shuffle),
];

impl Writer {
    /// Values one after the other along an axis.
    pub(super) fn concat(&mut self, parts: &[Id], axis: i64) -> Id {
        let dtype = self.dtype(parts[0]);
        self.make("Concat").on(parts).int("axis", axis).one(dtype)
    }

    /// Zeros around the last dimensions of so many.
    pub(super) fn zeros_around(
        &mut self,
        x: Id,
        n_dims: usize,
        before: &[i64],
        after: &[i64],
    ) -> Id {
        let dtype = self.dtype(x);
        let side = |widths: &[i64]| {
            let mut side = vec![0; n_dims - widths.len()];
            side.extend(widths);
            side
        };
        let pads = [side(before), side(after)].concat();
        let pads = self.ints(&pads);
        self.make("Pad").on(&[x, pads]).one(dtype)
    }
}

/// A vector without elements joins with anything.
fn cat(c: &mut Call) -> Result1 {
    let parts: Vec<usize> = (0..c.src.len()).filter(|&i| c.shape(i) != [0]).collect();
    if parts.is_empty() || c.node.shape.is_empty() {
        return Ok(Outcome::Lower);
    }
    let dim = glowgrad::shape::dim("cat", c.attr(0).as_int(), c.node.shape.len())?;
    let dtype = c.node.dtype;
    let mut ids = Vec::new();
    for i in parts {
        ids.push(c.x_as(i, dtype)?);
    }
    Ok(match ids[..] {
        [one] => one.into(),
        _ => c.concat(&ids, dim as i64).into(),
    })
}

fn stack(c: &mut Call) -> Result1 {
    let dim = glowgrad::shape::dim("stack", c.attr(0).as_int(), c.node.shape.len())? as i64;
    let dtype = c.node.dtype;
    let mut ids = Vec::new();
    for i in 0..c.src.len() {
        let x = c.x_as(i, dtype)?;
        ids.push(c.unsqueeze(x, &[dim]));
    }
    Ok(match ids[..] {
        [one] => one.into(),
        _ => c.concat(&ids, dim).into(),
    })
}

/// Negative widths crop, of constant borders alone.
fn pad(c: &mut Call) -> Result1 {
    let n = c.shape(0).len();
    let widths = c.attr(0).as_ints().to_vec();
    let mode = c.attr(1).as_str();
    let onnx = match mode {
        "constant" => "constant",
        "reflect" => "reflect",
        "replicate" => "edge",
        "circular" if c.opset >= 19 => "wrap",
        _ => return Ok(Outcome::Lower),
    };
    let crops = widths.iter().any(|&w| w < 0);
    if n == 0 || mode != "constant" && crops {
        return Ok(Outcome::Lower);
    }
    // The last dimension first, its two sides side by side; in ONNX all befores, then all afters.
    let mut pads = vec![0; 2 * n];
    for (i, pair) in widths.as_chunks::<2>().0.iter().enumerate() {
        pads[n - 1 - i] = pair[0];
        pads[2 * n - 1 - i] = pair[1];
    }
    let dtype = c.node.dtype;
    let x = c.x(0)?;
    let number = scalar(c.attr(2)).filter(|v| mode == "constant" && v.as_f64() != 0.0);
    let value = number.map(|number| c.number(number, dtype));
    let pads = c.ints(&pads);
    let pad = c.make("Pad").on(&[x, pads]).or_none(value);
    Ok(pad.text("mode", onnx).one(dtype).into())
}

fn repeat(c: &mut Call) -> Result1 {
    let times = c.attr(0).as_ints().to_vec();
    let n = times.len().max(c.shape(0).len());
    let mut x = c.x(0)?;
    let new: Vec<i64> = (0..(n - c.shape(0).len()) as i64).collect();
    if !new.is_empty() {
        x = c.unsqueeze(x, &new);
    }
    let mut each = vec![1; n - times.len()];
    each.extend(times);
    if each.is_empty() {
        return Ok(x.into());
    }
    let each = c.ints(&each);
    Ok(c.pair("Tile", x, each).into())
}

fn triangle(c: &mut Call, upper: i64) -> Result1 {
    let dtype = c.node.dtype;
    if !matches!(dtype, DType::F32 | DType::F64 | DType::I64 | DType::Bool) {
        return Ok(Outcome::Lower);
    }
    // Beyond its sides a matrix has nothing: no diagonal is further away.
    let most = sizes(c.shape(0)).iter().copied().max().unwrap_or(0);
    let diagonal = match c.attr(0) {
        Attr::Int(k) => (*k).clamp(-most, most),
        _ => 0,
    };
    let x = c.x(0)?;
    let k = c.number(Scalar::Int(diagonal), DType::I64);
    let trilu = c.make("Trilu").on(&[x, k]);
    Ok(trilu.int("upper", upper).one(dtype).into())
}

/// Of images in a batch; the order of channels is ONNX's `CRD`.
fn pixel_shuffle(c: &mut Call) -> Result1 {
    if c.shape(0).len() != 4 || !matches!(c.node.dtype, DType::F32 | DType::F64) {
        return Ok(Outcome::Lower);
    }
    let (x, dtype, size) = (c.x(0)?, c.node.dtype, c.attr(0).as_int());
    let shuffle = c.make("DepthToSpace").on(&[x]).int("blocksize", size);
    Ok(shuffle.text("mode", "CRD").one(dtype).into())
}

//! Running totals, order, and the largest few.

use glowgrad::DType;

use super::{Row, float, row};
use crate::export::call::{Call, Outcome, Result1};

pub(super) static ROWS: &[Row] = &[row("cumsum", cumsum), row("topk", topk)];

fn cumsum(c: &mut Call) -> Result1 {
    if c.shape(0).is_empty() {
        return Ok(Outcome::Lower);
    }
    let dim = c.dim(0)? as i64;
    let dtype = c.node.dtype;
    let wide = match dtype {
        DType::Bool => DType::I64,
        dtype => dtype.compute(),
    };
    let x = c.x_as(0, dtype)?;
    let x = c.cast(x, wide);
    let axis = c.number(glowgrad::Scalar::Int(dim), DType::I64);
    let sums = c.make("CumSum").on(&[x, axis]).one(wide);
    Ok(c.cast(sums, dtype).into())
}

/// Where the largest few are; the op of the same name with two operands takes the elements there.
fn topk(c: &mut Call) -> Result1 {
    if c.src.len() != 1 || c.shape(0).is_empty() {
        return Ok(Outcome::Lower);
    }
    let (k, dim) = (c.attr(0).as_int(), c.dim(1)? as i64);
    let largest = i64::from(c.attr(2).as_bool());
    let dtype = match c.src[0].dtype {
        dtype if dtype.is_float() => float(dtype),
        DType::U64 => return Ok(Outcome::Lower),
        _ => DType::I64,
    };
    let x = c.x_as(0, dtype)?;
    let k = c.ints(&[k]);
    let topk = c.make("TopK").on(&[x, k]);
    let topk = topk.int("axis", dim).int("largest", largest);
    Ok(topk.many(&[dtype, DType::I64])[1].into())
}

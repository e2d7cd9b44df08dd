//! Numbers as bytes with a scale and a zero point, and back.

use glowgrad::{DType, Error, Result, Tensor};

use super::convolution::{Windows, conv};
use super::elementwise::dtype;
use super::{many, one};
use crate::call::{Methods, args, axis, beside, full};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("QuantizeLinear", 10, |c| {
        let to = match (c.get(2), dtype(c, "output_dtype")?) {
            (Some(zero), _) => zero.dtype(),
            (None, Some(to)) => to,
            (None, None) => DType::U8,
        };
        let x = c.x(0)?;
        let scale = spread(c, x, c.x(1)?)?;
        let zero = c.get(2).map(|zero| spread(c, x, zero)).transpose()?;
        quantized(x, &scale, zero.as_ref(), to)
    }),
    one("DequantizeLinear", 10, |c| {
        let x = c.x(0)?;
        let scale = c.x(1)?;
        let to = dtype(c, "output_dtype")?.unwrap_or(scale.dtype());
        let zero = c.get(2).map(|zero| spread(c, x, zero)).transpose()?;
        numbers(x, &spread(c, x, scale)?, zero.as_ref())?.to(to)
    }),
    many("DynamicQuantizeLinear", 11, dynamic),
    one("QLinearMatMul", 10, |c| {
        let a = of_operand(c, 0, 0)?;
        let b = of_operand(c, 3, 1)?;
        let zero = c.x(7)?;
        quantized(&a.matmul(&b)?, c.x(6)?, Some(zero), zero.dtype())
    }),
    one("QLinearConv", 10, qlinear_conv),
];

/// A scale or zero point beside the tensor that it is for: one number, one for each place of an axis, or one for each
/// block along it.
fn spread(c: &Call, x: &Tensor, each: &Tensor) -> Result<Tensor> {
    let (shape, given) = (x.shape(), each.shape());
    if each.numel() == 1 {
        return each.shaped(&[]);
    }
    let at = axis(c.int_or("axis", 1), shape.len())?;
    if given.len() == 1 && given[0] == shape[at] {
        return beside(each, shape.len(), at);
    }
    let block = usize::try_from(c.int_or("block_size", 0)).unwrap_or(0);
    let fits = given.len() == shape.len() && given[at].saturating_mul(block) >= shape[at];
    if !fits || block == 0 {
        return Err(Error::value(format!(
            "scales of shape {} came for an input of shape {}; expected one, one for each place of axis {at}, or one for each block",
            glowgrad::shape::show(&given),
            glowgrad::shape::show(&shape)
        )));
    }
    each.with("repeat_interleave", args![block as i64, at as i64])?
        .narrow(at, 0, shape[at])
}

/// round(x / scale) + zero, within the type's bounds.
fn quantized(x: &Tensor, scale: &Tensor, zero: Option<&Tensor>, to: DType) -> Result<Tensor> {
    if to.is_float() || to == DType::Bool {
        return Err(Error::not_implemented(format!(
            "the result is to be {to}; expected integers"
        )));
    }
    let (low, high) = to.int_range();
    let whole = x
        .to(DType::F32)?
        .div(&scale.to(DType::F32)?)?
        .one("round")?;
    let moved = match zero {
        Some(zero) => whole.add(&zero.to(DType::F32)?)?,
        None => whole,
    };
    moved.with("clamp", args![low as f64, high as f64])?.to(to)
}

/// (x − zero) · scale
fn numbers(x: &Tensor, scale: &Tensor, zero: Option<&Tensor>) -> Result<Tensor> {
    let x = x.to(DType::F32)?;
    let x = match zero {
        Some(zero) => x.sub(&zero.to(DType::F32)?)?,
        None => x,
    };
    x.mul(&scale.to(DType::F32)?)
}

/// Operand `first` of a product with its scale and zero point; several of them are for rows of the left one, for columns
/// of the right one.
fn of_operand(c: &Call, first: usize, side: usize) -> Result<Tensor> {
    let x = c.x(first)?;
    let beside = |each: &Tensor| match (each.numel(), side, each.rank()) {
        (1, ..) => each.shaped(&[]),
        (_, 0, 1) => each.unsqueeze(1),
        _ => Ok(each.clone()),
    };
    numbers(
        x,
        &beside(c.x(first + 1)?)?,
        Some(&beside(c.x(first + 2)?)?),
    )
}

fn qlinear_conv(c: &Call) -> Result<Tensor> {
    let (x, w) = (c.x(0)?, c.x(3)?);
    // One number, or one for each output channel.
    let by_output = |each: &Tensor| match each.numel() {
        1 => each.shaped(&[]),
        _ => beside(each, w.rank(), 0),
    };
    let one = |i: usize| c.x(i)?.shaped(&[]);
    let (x_scale, w_scale) = (one(1)?, c.x(4)?);
    let x_numbers = numbers(x, &x_scale, Some(&one(2)?))?;
    let w_numbers = numbers(w, &by_output(w_scale)?, Some(&by_output(c.x(5)?)?))?;
    let bias = match c.get(8) {
        Some(bias) => Some(numbers(bias, &x_scale.mul(w_scale)?, None)?),
        None => None,
    };
    let windows = Windows::of(c, &x_numbers, Some(w))?;
    let y = conv(c, &x_numbers, &w_numbers, bias.as_ref(), &windows)?;
    let zero = one(7)?;
    quantized(&y, &one(6)?, Some(&zero), zero.dtype())
}

/// To uint8, with a scale that holds the smallest, the largest and 0.
fn dynamic(c: &Call) -> Result<Vec<Tensor>> {
    let x = c.x(0)?;
    let zero = full(c.engine, &[], 0.0, x.dtype())?;
    let most = x.one("max")?.pair("maximum", &zero)?;
    let least = x.one("min")?.pair("minimum", &zero)?;
    let scale = most.sub(&least)?.div(&c.number(255.0))?;
    let point = zero.sub(&least)?.div(&scale)?.one("round")?;
    let point = point.with("clamp", args![0.0, 255.0])?.to(DType::U8)?;
    Ok(vec![
        quantized(x, &scale, Some(&point), DType::U8)?,
        scale,
        point,
    ])
}

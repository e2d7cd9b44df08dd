//! Norms.

use glowgrad::{DType, Result, Scalar};

use super::{Row, float, row};
use crate::export::call::{Call, Outcome, Result1};
use crate::export::writer::Id;

pub(super) static ROWS: &[Row] = &[
    row("batch_norm_eval", batch_norm),
    row("layer_norm", layer_norm),
    row("rms_norm", rms_norm),
    row("instance_norm", instance_norm),
    row("group_norm", group_norm),
];

/// Source `i`, or a number for each of `shape`.
fn given(c: &mut Call, i: usize, number: i64, shape: &[usize], dtype: DType) -> Result<Id> {
    match i < c.src.len() {
        true => c.x_as(i, dtype),
        false => Ok(c.filled(Scalar::Int(number), dtype, shape)),
    }
}

/// The scale at source `i` and the bias after it, each with a number for each channel; 1 and 0 where there are none.
fn affine(c: &mut Call, i: usize, dtype: DType) -> Result<[Id; 2]> {
    let channels = [c.shape(0)[1]];
    Ok([
        given(c, i, 1, &channels, dtype)?,
        given(c, i + 1, 0, &channels, dtype)?,
    ])
}

/// With statistics that were gathered before.
fn batch_norm(c: &mut Call) -> Result1 {
    let eps = c.attr(0).as_float();
    if !c.fits(&[eps]) {
        return Ok(Outcome::Lower);
    }
    let dtype = float(c.node.dtype);
    let [mean, variance] = [c.x_as(1, dtype)?, c.x_as(2, dtype)?];
    let [scale, bias] = affine(c, 3, dtype)?;
    c.through(dtype, |c, x| {
        let norm = c
            .make("BatchNormalization")
            .on(&[x, scale, bias, mean, variance]);
        Ok(norm.number("epsilon", eps).one(dtype))
    })
}

/// In float32 at the most: ONNX takes the statistics in it.
fn layer_norm(c: &mut Call) -> Result1 {
    let eps = c.attr(1).as_float();
    if c.node.dtype == DType::F64 {
        return Ok(Outcome::Lower);
    }
    let dtype = float(c.node.dtype);
    let n = c.attr(0).as_ints().len();
    let tail = c.shape(0)[c.shape(0).len() - n..].to_vec();
    let scale = given(c, 1, 1, &tail, dtype)?;
    let bias = match c.src.len() {
        3.. => Some(c.x_as(2, dtype)?),
        _ => None,
    };
    c.through(dtype, |c, x| {
        let norm = c.make("LayerNormalization").on(&[x, scale]).or_none(bias);
        Ok((norm.int("axis", -(n as i64)).number("epsilon", eps)).one(dtype))
    })
}

fn rms_norm(c: &mut Call) -> Result1 {
    // Without a number eps is the type's own, which the composition knows.
    let eps = c.attr(1).clone();
    if c.opset < 23 || c.node.dtype != DType::F32 || eps == glowgrad::op::Attr::None {
        return Ok(Outcome::Lower);
    }
    let n = c.attr(0).as_ints().len();
    let tail = c.shape(0)[c.shape(0).len() - n..].to_vec();
    let scale = given(c, 1, 1, &tail, DType::F32)?;
    let x = c.x(0)?;
    let norm = c.make("RMSNormalization").on(&[x, scale]);
    let norm = norm.int("axis", -(n as i64));
    Ok(norm
        .number("epsilon", eps.as_float())
        .one(DType::F32)
        .into())
}

fn instance_norm(c: &mut Call) -> Result1 {
    let eps = c.attr(0).as_float();
    if c.shape(0).len() < 3 || !c.fits(&[eps]) {
        return Ok(Outcome::Lower);
    }
    let dtype = float(c.node.dtype);
    let [scale, bias] = affine(c, 1, dtype)?;
    c.through(dtype, |c, x| {
        let norm = c.make("InstanceNormalization").on(&[x, scale, bias]);
        Ok(norm.number("epsilon", eps).one(dtype))
    })
}

/// Before version 21 the operator had a weight for each group, not for each channel.
fn group_norm(c: &mut Call) -> Result1 {
    let (groups, eps) = (c.attr(0).as_int(), c.attr(1).as_float());
    if c.opset < 21 || c.shape(0).len() < 3 || c.node.dtype == DType::F64 {
        return Ok(Outcome::Lower);
    }
    let dtype = float(c.node.dtype);
    let [scale, bias] = affine(c, 1, dtype)?;
    c.through(dtype, |c, x| {
        let norm = c.make("GroupNormalization").on(&[x, scale, bias]);
        Ok((norm.int("num_groups", groups).number("epsilon", eps)).one(dtype))
    })
}

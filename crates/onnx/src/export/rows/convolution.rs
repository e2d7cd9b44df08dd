//! Convolutions.

use glowgrad::op::Attr;

use super::{Row, float, row};
use crate::export::call::{Call, Outcome, Result1};

pub(super) static ROWS: &[Row] = &[
    row("conv1d", conv),
    row("conv2d", conv),
    row("conv3d", conv),
    row("conv_transpose1d", transposed),
    row("conv_transpose2d", transposed),
];

/// A number for each dimension.
pub(super) fn each(attr: &Attr, dims: usize) -> Vec<i64> {
    match attr.as_ints() {
        [one] => vec![*one; dims],
        list => list.to_vec(),
    }
}

/// Zeros before each dimension, then after.
fn pads(attr: &Attr, dims: usize) -> Vec<i64> {
    let sides = each(attr, dims);
    match sides.len() == 2 * dims {
        true => sides,
        false => [sides.clone(), sides].concat(),
    }
}

fn conv(c: &mut Call) -> Result1 {
    let dims = usize::from(c.node.op.spatial);
    let [strides, dilations] = [0, 2].map(|i| each(c.attr(i), dims));
    let (pads, group) = (pads(c.attr(1), dims), c.attr(3).as_int());
    layer(c, "Conv", |draft| {
        (draft.ints("strides", &strides).ints("pads", &pads))
            .ints("dilations", &dilations)
            .int("group", group)
    })
}

fn transposed(c: &mut Call) -> Result1 {
    let dims = usize::from(c.node.op.spatial);
    let [strides, more, dilations] = [0, 2, 4].map(|i| each(c.attr(i), dims));
    let (pads, group) = (pads(c.attr(1), dims), c.attr(3).as_int());
    layer(c, "ConvTranspose", |draft| {
        (draft.ints("strides", &strides).ints("pads", &pads))
            .ints("output_padding", &more)
            .ints("dilations", &dilations)
            .int("group", group)
    })
}

type NodeBuilder<'w> = crate::export::writer::NodeBuilder<'w>;

/// Input, weight and bias in an operator, with a batch of one where there is none.
fn layer(
    c: &mut Call,
    op: &'static str,
    attributes: impl FnOnce(NodeBuilder<'_>) -> NodeBuilder<'_>,
) -> Result1 {
    let dtype = float(c.node.dtype);
    if !dtype.is_float() {
        return Ok(Outcome::Lower);
    }
    let kernel: Vec<i64> = c.shape(1)[2..].iter().map(|&n| n as i64).collect();
    let batched = c.shape(0).len() == kernel.len() + 2;
    let w = c.x_as(1, dtype)?;
    let bias = match c.src.len() {
        2 => None,
        _ => Some(c.x_as(2, dtype)?),
    };
    c.through(dtype, |c, x| {
        let x = if batched { x } else { c.unsqueeze(x, &[0]) };
        let draft = c.make(op).on(&[x, w]).or_none(bias);
        let y = attributes(draft.ints("kernel_shape", &kernel)).one(dtype);
        Ok(if batched { y } else { c.squeeze(y, &[0]) })
    })
}

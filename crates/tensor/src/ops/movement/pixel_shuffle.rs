//! Channels as pixels and back: `pixel_shuffle`, `pixel_unshuffle`.

use smallvec::SmallVec;

use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{Attrs, Infinities, Kind, Meta, Op, Out, Vjp, example, param, samples};
use crate::ops::BASE;
use crate::ops::movement::ending;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&PIXEL_SHUFFLE, &PIXEL_UNSHUFFLE];

fn shuffle_factor(op: &Op, x: &NodeRef, attrs: &Attrs) -> Result<usize> {
    let factor = attrs[0].as_int();
    if x.shape.len() < 3 {
        return Err(Error::runtime(format!(
            "{} expects input to have at least 3 dimensions, but got input with {} dimension(s)",
            op.name,
            x.shape.len()
        )));
    }
    if !(1..=i64::from(u16::MAX)).contains(&factor) {
        return Err(Error::runtime(format!(
            "{} expects a positive {}, but got {factor}",
            op.name, op.params[1].name
        )));
    }
    Ok(factor as usize)
}

/// Dimensions `[…, 1, 2, 3, 4, 5]` in another order, those in front left alone.
fn reorder(x: &GraphValue, order: [usize; 5]) -> GraphValue {
    let first = x.shape().len() - 5;
    let all: SmallVec<[usize; 6]> = (0..first).chain(order.map(|d| first + d)).collect();
    x.permute(&all)
}

/// Channels as pixels.
pub static PIXEL_SHUFFLE: Op = Op {
    name: "pixel_shuffle",
    grad_fn: "PixelShuffleBackward0",
    symbol: "shuffle",
    formula: "y[c, r·h + i, r·w + j] = a[r²·c + r·i + j, h, w]",
    rules: &["{gy}, put back"],
    doc: "Groups of r² channels laid out as squares of r by r pixels.",
    params: &[param("input", Tensor), param("upscale_factor", Int)],
    infer: |op, src, attrs| {
        let r = shuffle_factor(op, &src[0], attrs)?;
        let shape = &src[0].shape;
        let (c, h, w) = last_three(shape);
        if !c.is_multiple_of(r * r) {
            return Err(Error::runtime(format!(
                "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)={c} is not divisible by {}",
                r * r
            )));
        }
        Ok(Meta {
            shape: ending(shape, 3, &[c / (r * r), h * r, w * r]),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (x, r) = (&c.src[0], c.attr(0).as_int() as usize);
        let (channels, h, w) = last_three(x.shape());
        let apart = x.reshape(&ending(x.shape(), 3, &[channels / (r * r), r, r, h, w]));
        Ok(reorder(&apart, [0, 3, 1, 4, 2]).reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&["[1,4,2,3] 2", "[8,1,2] 2"]),
    example: example("F.pixel_shuffle(torch.arange(4.0).reshape(1, 4, 1, 1), 2)"),
    method: false,
    out: Out::None,
    functional: true,
    infinities: Infinities::Chooses,
    ..BASE
};

fn last_three(shape: &[usize]) -> (usize, usize, usize) {
    let n = shape.len();
    (shape[n - 3], shape[n - 2], shape[n - 1])
}

/// Pixels as channels.
pub static PIXEL_UNSHUFFLE: Op = Op {
    name: "pixel_unshuffle",
    grad_fn: "PixelUnshuffleBackward0",
    symbol: "unshuffle",
    formula: "y[r²·c + r·i + j, h, w] = a[c, r·h + i, r·w + j]",
    rules: &["{gy}, put back"],
    doc: "Squares of r by r pixels as r² channels: the inverse of pixel_shuffle.",
    params: &[param("input", Tensor), param("downscale_factor", Int)],
    infer: |op, src, attrs| {
        let r = shuffle_factor(op, &src[0], attrs)?;
        let shape = &src[0].shape;
        let (c, h, w) = last_three(shape);
        for (name, n, dim) in [("height", h, -2), ("width", w, -1)] {
            if !n.is_multiple_of(r) {
                return Err(Error::runtime(format!(
                    "pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={n} is not divisible by {r}"
                )));
            }
        }
        Ok(Meta {
            shape: ending(shape, 3, &[c * r * r, h / r, w / r]),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (x, r) = (&c.src[0], c.attr(0).as_int() as usize);
        let (channels, h, w) = last_three(x.shape());
        let apart = x.reshape(&ending(x.shape(), 3, &[channels, h / r, r, w / r, r]));
        Ok(reorder(&apart, [0, 2, 4, 1, 3]).reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&["[1,1,4,2] 2", "[2,2,2] 2"]),
    example: example("F.pixel_unshuffle(torch.arange(4.0).reshape(1, 1, 2, 2), 2)"),
    method: false,
    out: Out::None,
    functional: true,
    infinities: Infinities::Chooses,
    ..BASE
};

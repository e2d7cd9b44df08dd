//! Convolutions: `conv1d`, `conv2d`, `conv3d`, and the checks of arguments that the transposed ones share.
//!
//! Sizes are checked before anything of that size is made; the work is left to the three ops of `factors`.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::{Node, NodeRef};
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Grads, Kind, Meta, Op, Out, Param, SAVE_A, SAVE_B, Vjp, example,
    optional, param, samples,
};
use crate::ops::BASE;
use crate::ops::factors::{correlate, spatial, spread};
use crate::ops::im2col::Motion;
use crate::ops::shared::wide;
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&CONV1D, &CONV2D, &CONV3D];

/// One number for every dimension, or a number for each; none below `least`.
pub(in crate::ops) fn per_dim(
    op: &Op,
    name: &str,
    attr: &Attr,
    dims: usize,
    least: i64,
) -> Result<Shape> {
    let list = attr.as_ints();
    if list.len() != 1 && list.len() != dims {
        return Err(Error::runtime(format!(
            "{}: expected {name} to be a single integer value or a list of {dims} values to match the convolution dimensions, but got {name}={list:?}",
            op.name
        )));
    }
    if let Some(&wrong) = list.iter().find(|&&n| n < least) {
        let kind = if least > 0 {
            "non-positive"
        } else {
            "negative"
        };
        return Err(Error::runtime(format!(
            "{}: {kind} {name} is not supported, got {wrong}; it must be at least {least}",
            op.name
        )));
    }
    if let Some(&wrong) = list.iter().find(|&&n| n > i64::from(i32::MAX)) {
        return Err(Error::runtime(format!(
            "{}: {name}={wrong} is too large; it may be at most {}",
            op.name,
            i32::MAX
        )));
    }
    Ok((0..dims)
        .map(|d| list[d.min(list.len() - 1)] as usize)
        .collect())
}

/// A call's motion, with the zeros after the input.
pub(in crate::ops) fn motion(op: &Op, dims: usize, list: [&Attr; 4]) -> Result<(Motion, Shape)> {
    let [stride, padding, dilation, groups] = list;
    let groups = groups.as_int();
    if groups < 1 {
        return Err(Error::runtime(format!(
            "{}: non-positive groups is not supported, got {groups}",
            op.name
        )));
    }
    // What `padding='same'` becomes may differ on the two sides: first all before, then all after.
    let sides = padding.as_ints();
    let (before, after) = if sides.len() == 2 * dims && dims > 0 {
        let side = |list: &[i64]| per_dim(op, "padding", &Attr::ints(list), dims, 0);
        (side(&sides[..dims])?, side(&sides[dims..])?)
    } else {
        let both = per_dim(op, "padding", padding, dims, 0)?;
        (both.clone(), both)
    };
    let motion = Motion {
        stride: per_dim(op, "stride", stride, dims, 1)?,
        before,
        dilation: per_dim(op, "dilation", dilation, dims, 1)?,
        groups: groups as usize,
    };
    Ok((motion, after))
}

/// The spatial dimensions of an op.
pub(in crate::ops) fn dims_of(op: &Op) -> usize {
    usize::from(op.spatial)
}

pub(in crate::ops) fn motion_of(node: &Node) -> Result<(Motion, Shape)> {
    let a = &node.attrs;
    let list = match a.len() {
        4 => [&a[0], &a[1], &a[2], &a[3]],
        _ => [&a[0], &a[1], &a[4], &a[3]],
    };
    motion(node.op, dims_of(node.op), list)
}

pub(in crate::ops) fn too_large(op: &Op) -> Error {
    Error::runtime(format!(
        "{}: the sizes are too large to count; use a smaller input, padding or dilation",
        op.name
    ))
}

/// What both directions ask of their operands: dimensions, dtypes, bias. `channels` is the weight's
/// number of results.
pub(in crate::ops) fn check_operands(op: &Op, src: &[NodeRef], channels: usize) -> Result<()> {
    let (x, w, dims) = (&src[0], &src[1], dims_of(op));
    if w.shape.len() != dims + 2 || w.shape[2..].contains(&0) {
        return Err(Error::runtime(format!(
            "{}: expected weight with {} dimensions, none of them empty, but got weight of size {}",
            op.name,
            dims + 2,
            shape::show(&w.shape)
        )));
    }
    if x.shape.len() != dims + 1 && x.shape.len() != dims + 2 {
        return Err(Error::runtime(format!(
            "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}",
            dims + 1,
            dims + 2,
            op.name,
            shape::show(&x.shape)
        )));
    }
    if let Some(other) = src.iter().find(|s| s.dtype != x.dtype) {
        return Err(Error::runtime(format!(
            "{}: expected scalar type {} but found {}: input, weight and bias must have one dtype; convert with .to()",
            op.name,
            x.dtype.scalar_name(),
            other.dtype.scalar_name()
        )));
    }
    if x.dtype == DType::Bool {
        return Err(Error::runtime(format!(
            "{}: not implemented for bool; convert with .float()",
            op.name
        )));
    }
    if let Some(bias) = src.get(2)
        && bias.shape[..] != [channels]
    {
        return Err(Error::runtime(format!(
            "{}: Given weight of size {}, expected bias to be 1-dimensional with {channels} elements, but got bias of size {} instead",
            op.name,
            shape::show(&w.shape),
            shape::show(&bias.shape)
        )));
    }
    Ok(())
}

pub(in crate::ops) fn channels_of(x: &NodeRef, dims: usize) -> usize {
    x.shape[x.shape.len() - dims - 1]
}

/// A result's shape, with or without a batch as the input has one. The columns of windows must fit
/// into memory too.
pub(in crate::ops) fn finish(
    op: &Op,
    x: &NodeRef,
    channels: usize,
    space: &[usize],
    rows: u128,
) -> Result<Meta> {
    let batched = x.shape.len() == space.len() + 2;
    let batch = if batched { x.shape[0] } else { 1 };
    let mut shape = Shape::new();
    if batched {
        shape.push(batch);
    }
    shape.push(channels);
    shape.extend_from_slice(space);
    shape::check_size(op.name, &shape)?;
    let rows = usize::try_from(rows).map_err(|_| too_large(op))?;
    shape::check_size(op.name, &[rows, batch, shape::numel(space)])?;
    Ok(Meta {
        shape,
        dtype: x.dtype,
    })
}

fn infer_conv(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (x, w, dims) = (&src[0], &src[1], dims_of(op));
    let (motion, after) = motion(op, dims, [&attrs[0], &attrs[1], &attrs[2], &attrs[3]])?;
    check_operands(op, src, w.shape.first().copied().unwrap_or(0))?;
    let groups = motion.groups;
    if !w.shape[0].is_multiple_of(groups) || w.shape[0] < groups {
        return Err(Error::runtime(format!(
            "{}: Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size {} instead",
            op.name,
            shape::show(&w.shape)
        )));
    }
    let (channels, wanted) = (channels_of(x, dims), w.shape[1] * groups);
    if channels != wanted {
        return Err(Error::runtime(format!(
            "{}: Given groups={groups}, weight of size {}, expected input{} to have {wanted} channels, but got {channels} channels instead",
            op.name,
            shape::show(&w.shape),
            shape::show(&x.shape)
        )));
    }
    let space = &x.shape[x.shape.len() - dims..];
    let mut counts = Shape::new();
    for d in 0..dims {
        let padded = space[d] as u128 + motion.before[d] as u128 + after[d] as u128;
        let reach = motion.dilation[d] as u128 * (w.shape[2 + d] as u128 - 1) + 1;
        if reach > padded {
            let by = |list: Vec<u128>| {
                let words: Vec<String> = list.iter().map(ToString::to_string).collect();
                format!("({})", words.join(" x "))
            };
            let whole = |d: usize| (space[d] + motion.before[d] + after[d]) as u128;
            let taken = |d: usize| motion.dilation[d] as u128 * (w.shape[2 + d] as u128 - 1) + 1;
            return Err(Error::runtime(format!(
                "{}: Calculated padded input size per channel: {}. Kernel size: {}. Kernel size can't be greater than actual input size; use a smaller kernel or more padding",
                op.name,
                by((0..dims).map(whole).collect()),
                by((0..dims).map(taken).collect())
            )));
        }
        let count = (padded - reach) / motion.stride[d] as u128 + 1;
        counts.push(usize::try_from(count).map_err(|_| too_large(op))?);
    }
    let rows = channels as u128 * w.shape[2..].iter().map(|&n| n as u128).product::<u128>();
    finish(op, x, w.shape[0], &counts, rows)
}

/// An input or gradient with a batch dimension.
pub(in crate::ops) fn batched(x: &GraphValue, dims: usize) -> GraphValue {
    if x.shape().len() == dims + 1 {
        x.unsqueeze(0)
    } else {
        x.clone()
    }
}

/// Without a batch, PyTorch takes the dimension it put in away again.
fn conv_name(node: &Node) -> Option<&'static str> {
    (node.shape.len() == dims_of(node.op) + 1).then_some("SqueezeBackward1")
}

pub(in crate::ops) fn with_bias(
    y: GraphValue,
    bias: Option<&GraphValue>,
    shape: &[usize],
) -> GraphValue {
    let y = match bias {
        Some(bias) => {
            let mut along = Shape::from_elem(1, y.shape().len());
            along[1] = bias.shape()[0];
            y + bias.reshape(&along)
        }
        None => y,
    };
    y.reshape(shape)
}

/// The gradient of a bias: the sum over all but the channels.
pub(in crate::ops) fn bias_grad(b: &Backprop, gy: &GraphValue, grads: &mut Grads) {
    if b.src.len() > 2 {
        let others: SmallVec<[usize; 6]> = (0..gy.shape().len()).filter(|&d| d != 1).collect();
        grads.push(b.needs(2).then(|| gy.sum(&others, false)));
    }
}

static CONV_PARAMS: &[Param] = &[
    param("input", Tensor),
    param("weight", Tensor),
    optional("bias", Tensor, Attr::None),
    optional("stride", Ints, Attr::Int(1)),
    optional("padding", Ints, Attr::Int(0)),
    optional("dilation", Ints, Attr::Int(1)),
    optional("groups", Int, Attr::Int(1)),
];

/// A convolution; its name says over how many dimensions.
pub(in crate::ops) const CONV: Op = Op {
    grad_fn: "ConvolutionBackward0",
    grad_fn_for: conv_name,
    symbol: "conv",
    formula: "y[o, j] = Σ a[c, stride · j + dilation · k − padding] · b[o, c, k] + c[o]",
    rules: &[
        "{gy} spread by {b}: a transposed convolution",
        "{a} at each place of the kernel, times {gy}, summed",
        "Σ {gy} of each channel",
    ],
    params: CONV_PARAMS,
    infer: infer_conv,
    kind: Kind::Composite(|c| {
        let (motion, _) = motion_of(c.node)?;
        let dims = dims_of(c.node.op);
        let count = &c.node.shape[c.node.shape.len() - dims..];
        // Of 16-bit floats, convolution and sum are rounded together, once.
        let bias = c.src.get(2).map(wide);
        let [x, w] = [0, 1].map(|i| match &bias {
            Some(_) => wide(&c.src[i]),
            None => c.src[i].clone(),
        });
        let y = motion.convolve(&batched(&x, dims), &w, count);
        Ok(with_bias(y, bias.as_ref(), &c.node.shape).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let (motion, _) = motion_of(b.node)?;
        let dims = dims_of(b.node.op);
        let (x, w, gy) = (batched(&b.src[0], dims), &b.src[1], batched(&b.gy, dims));
        let input = || spread(&gy, w, &motion, spatial(&x)).reshape(b.src[0].shape());
        let weight = || correlate(&x, &gy, &motion, spatial(w));
        let mut grads: Grads = smallvec![b.needs(0).then(input), b.needs(1).then(weight)];
        bias_grad(b, &gy, &mut grads);
        Ok(grads)
    }),
    saves: [SAVE_A | SAVE_B; 3],
    domain: (-1.0, 1.0),
    method: false,
    out: Out::None,
    functional: true,
    ..BASE
};

/// Over signals.
pub static CONV1D: Op = Op {
    name: "conv1d",
    spatial: 1,
    doc: "A kernel moved along a signal: at each place, the sum of products with what is under it.",
    samples: samples(&[
        "[2,2,5] [3,2,3] [3]",
        "[1,4,6] [2,2,2] stride=2 padding=1 groups=2",
        "[2,7] [1,2,3] dilation=2 padding=(0,1)",
    ]),
    example: example(
        "F.conv1d(torch.tensor([[[1.0, 2.0, 3.0, 4.0]]]), torch.tensor([[[1.0, -1.0]]]))",
    ),
    ..CONV
};

/// Over images.
pub static CONV2D: Op = Op {
    name: "conv2d",
    spatial: 2,
    doc: "A kernel moved over an image: at each place, the sum of products with what is under it.",
    samples: samples(&[
        "[2,2,4,4] [3,2,2,3] [3] padding=1",
        "[1,2,5,4]T [4,1,2,2] [4] stride=(2,1) groups=2",
        "[1,1,5,5] [2,1,2,2] dilation=(2,1) stride=2 padding=(1,0)",
    ]),
    example: example("F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), padding=1)"),
    ..CONV
};

/// Over volumes.
pub static CONV3D: Op = Op {
    name: "conv3d",
    spatial: 3,
    doc: "A kernel moved through a volume: at each place, the sum of products with what is under it.",
    samples: samples(&["[1,2,3,3,2] [2,2,2,2,1] [2] stride=(1,2,1) padding=(1,0,0)"]),
    example: example("F.conv3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 1, 1))"),
    ..CONV
};

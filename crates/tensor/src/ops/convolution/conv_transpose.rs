//! Transposed convolutions: `conv_transpose1d`, `conv_transpose2d`.

use smallvec::smallvec;

use crate::node::NodeRef;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Grads, Kind, Meta, Op, Param, Vjp, example, optional, param, samples,
};
use crate::ops::conv::{
    CONV, batched, bias_grad, channels_of, check_operands, dims_of, finish, motion, motion_of,
    per_dim, too_large, with_bias,
};
use crate::ops::factors::{conv, correlate, spatial};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&CONV_TRANSPOSE1D, &CONV_TRANSPOSE2D];

fn infer_transpose(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (x, w, dims) = (&src[0], &src[1], dims_of(op));
    let (motion, after) = motion(op, dims, [&attrs[0], &attrs[1], &attrs[4], &attrs[3]])?;
    let more = per_dim(op, "output_padding", &attrs[2], dims, 0)?;
    let groups = motion.groups;
    let out = w.shape.get(1).map_or(0, |&n| n * groups);
    check_operands(op, src, out)?;
    let channels = channels_of(x, dims);
    if channels != w.shape[0] || !channels.is_multiple_of(groups) {
        return Err(Error::runtime(format!(
            "{}: Given transposed=1, groups={groups}, weight of size {}, expected input{} to have {} channels, divisible by the groups, but got {channels} channels instead",
            op.name,
            shape::show(&w.shape),
            shape::show(&x.shape),
            w.shape[0]
        )));
    }
    let space = &x.shape[x.shape.len() - dims..];
    let mut counts = Shape::new();
    for d in 0..dims {
        if more[d] >= motion.stride[d].max(motion.dilation[d]) {
            return Err(Error::runtime(format!(
                "{}: output padding must be smaller than either stride or dilation, but got output_padding: {} stride: {} dilation: {}",
                op.name, more[d], motion.stride[d], motion.dilation[d]
            )));
        }
        let wide = |n: usize| n as i128;
        let size =
            (wide(space[d]) - 1) * wide(motion.stride[d]) - wide(motion.before[d]) - wide(after[d])
                + wide(motion.dilation[d]) * (wide(w.shape[2 + d]) - 1)
                + wide(more[d])
                + 1;
        if size < 1 || space[d] == 0 {
            return Err(Error::runtime(format!(
                "{}: Given input size per channel: {}. Calculated output size per channel: {size} in dimension {d}. Output size is too small; use less padding",
                op.name,
                shape::show(space)
            )));
        }
        counts.push(usize::try_from(size).map_err(|_| too_large(op))?);
    }
    let rows = channels as u128 * w.shape[2..].iter().map(|&n| n as u128).product::<u128>();
    finish(op, x, out, &counts, rows)
}

static TRANSPOSE_PARAMS: &[Param] = &[
    param("input", Tensor),
    param("weight", Tensor),
    optional("bias", Tensor, Attr::None),
    optional("stride", Ints, Attr::Int(1)),
    optional("padding", Ints, Attr::Int(0)),
    optional("output_padding", Ints, Attr::Int(0)),
    optional("groups", Int, Attr::Int(1)),
    optional("dilation", Ints, Attr::Int(1)),
];

/// What a convolution's gradient does to its input, as an op.
const CONV_TRANSPOSE: Op = Op {
    symbol: "convᵀ",
    formula: "y[o, stride · j + dilation · k − padding] += a[c, j] · b[c, o, k]; y[o] += c[o]",
    rules: &[
        "{gy} convolved by {b}",
        "{gy} at each place of the kernel, times {a}, summed",
        "Σ {gy} of each channel",
    ],
    params: TRANSPOSE_PARAMS,
    infer: infer_transpose,
    kind: Kind::Composite(|c| {
        let (motion, _) = motion_of(c.node)?;
        let dims = dims_of(c.node.op);
        let size = &c.node.shape[c.node.shape.len() - dims..];
        let y = motion.spread(&batched(&c.src[0], dims), &c.src[1], size);
        Ok(with_bias(y, c.src.get(2), &c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let (motion, _) = motion_of(b.node)?;
        let dims = dims_of(b.node.op);
        let (x, w, gy) = (batched(&b.src[0], dims), &b.src[1], batched(&b.gy, dims));
        let input = || conv(&gy, w, &motion, spatial(&x)).reshape(b.src[0].shape());
        let weight = || correlate(&gy, &x, &motion, spatial(w));
        let mut grads: Grads = smallvec![b.needs(0).then(input), b.needs(1).then(weight)];
        bias_grad(b, &gy, &mut grads);
        Ok(grads)
    }),
    functional: true,
    ..CONV
};

/// Over signals.
pub static CONV_TRANSPOSE1D: Op = Op {
    name: "conv_transpose1d",
    spatial: 1,
    doc: "Each element of a signal spread by a kernel, overlaps added up: what a convolution's gradient does.",
    samples: samples(&[
        "[2,2,3] [2,3,2] [3] stride=2 padding=1 output_padding=1",
        "[1,4,3] [4,1,3] groups=2 dilation=2",
    ]),
    example: example(
        "F.conv_transpose1d(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[1.0, 0.5]]]), stride=2)",
    ),
    ..CONV_TRANSPOSE
};

/// Over images.
pub static CONV_TRANSPOSE2D: Op = Op {
    name: "conv_transpose2d",
    spatial: 2,
    doc: "Each element of an image spread by a kernel, overlaps added up: what a convolution's gradient does.",
    samples: samples(&[
        "[2,2,3,2] [2,2,2,3] [2] stride=(2,1)",
        "[2,2,3] [2,1,3,3] padding=2 stride=2 output_padding=1",
    ]),
    example: example(
        "F.conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), stride=2)",
    ),
    ..CONV_TRANSPOSE
};

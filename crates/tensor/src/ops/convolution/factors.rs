//! The three factors of a convolution, each an op that is linear in the other two:
//! `Σ x[n, c, s·j + d·k − p] · w[o, c, k] · y[n, o, j]`. [`CONVOLUTION`] gives the factor of y,
//! [`CONVOLUTION_TRANSPOSE`] that of x, [`CONVOLUTION_WEIGHT`] that of w.
//!
//! The gradient of each is the other two, so that gradients have gradients of any order. What a learner calls, and every
//! check of its arguments, is in `conv` and `conv_transpose`.

use smallvec::smallvec;

use crate::Result;
use crate::fused_op::{Convolution, FusedOp, Wanted};
use crate::graph::GraphValue;
use crate::node::{Node, NodeRef};
use crate::op::{Attrs, Kind, Meta, Op, RoutineKind, SAVE_A, SAVE_B, Vjp};
use crate::ops::im2col::Motion;
use crate::ops::{BASE, fused, sizes};
use crate::shape::Shape;

/// The spatial sizes of a value `[N, C, *]` or a weight `[O, C, *]`.
pub(in crate::ops) fn spatial(x: &GraphValue) -> &[usize] {
    &x.shape()[2..]
}

pub(in crate::ops) fn conv(
    x: &GraphValue,
    w: &GraphValue,
    motion: &Motion,
    count: &[usize],
) -> GraphValue {
    x.call(&CONVOLUTION, &[w], motion.attrs(count))
}

pub(in crate::ops) fn spread(
    y: &GraphValue,
    w: &GraphValue,
    motion: &Motion,
    size: &[usize],
) -> GraphValue {
    y.call(&CONVOLUTION_TRANSPOSE, &[w], motion.attrs(size))
}

pub(in crate::ops) fn correlate(
    x: &GraphValue,
    y: &GraphValue,
    motion: &Motion,
    kernel: &[usize],
) -> GraphValue {
    x.call(&CONVOLUTION_WEIGHT, &[y], motion.attrs(kernel))
}

/// One of the three factors; attribute 4 holds the result's spatial sizes.
const FACTOR: Op = Op {
    grad_fn: "ConvolutionBackward0",
    saves: [SAVE_A | SAVE_B; 3],
    method: false,
    ..BASE
};

fn infer_factor(src: &[NodeRef], attrs: &Attrs, first: usize, second: usize) -> Result<Meta> {
    let mut shape: Shape = smallvec![first, second];
    shape.extend(sizes(&attrs[4]));
    Ok(Meta {
        shape,
        dtype: src[0].dtype,
    })
}

/// `[N, O, *]` from `[N, C, *]` and `[O, C/groups, *]`.
pub(crate) static CONVOLUTION: Op = Op {
    name: "convolution",
    infer: |_, src, attrs| infer_factor(src, attrs, src[0].shape[0], src[1].shape[0]),
    kind: Kind::Composite(|c| {
        let motion = Motion::of(&c.node.attrs);
        Ok(motion.convolve(&c.src[0], &c.src[1], &c.node.shape[2..]))
    }),
    vjp: Vjp::Rule(|b| {
        let motion = Motion::of(&b.node.attrs);
        let (x, w) = (&b.src[0], &b.src[1]);
        Ok(smallvec![
            b.needs(0).then(|| spread(&b.gy, w, &motion, spatial(x))),
            b.needs(1).then(|| correlate(x, &b.gy, &motion, spatial(w))),
        ])
    }),
    ..FACTOR
};

/// `[N, C, *]` from `[N, O, *]` and `[O, C/groups, *]`.
pub(crate) static CONVOLUTION_TRANSPOSE: Op = Op {
    name: "convolution_transpose",
    infer: |_, src, attrs| {
        let channels = src[1].shape[1] * attrs[3].as_int() as usize;
        infer_factor(src, attrs, src[0].shape[0], channels)
    },
    kind: Kind::Composite(|c| {
        let motion = Motion::of(&c.node.attrs);
        Ok(motion.spread(&c.src[0], &c.src[1], &c.node.shape[2..]))
    }),
    vjp: Vjp::Rule(|b| {
        let motion = Motion::of(&b.node.attrs);
        let (y, w) = (&b.src[0], &b.src[1]);
        Ok(smallvec![
            b.needs(0).then(|| conv(&b.gy, w, &motion, spatial(y))),
            b.needs(1).then(|| correlate(&b.gy, y, &motion, spatial(w))),
        ])
    }),
    ..FACTOR
};

/// `[O, C/groups, *]` from `[N, C, *]` and `[N, O, *]`.
pub(crate) static CONVOLUTION_WEIGHT: Op = Op {
    name: "convolution_weight",
    infer: |_, src, attrs| {
        let channels = src[0].shape[1] / attrs[3].as_int() as usize;
        infer_factor(src, attrs, src[1].shape[1], channels)
    },
    kind: Kind::Composite(|c| {
        let motion = Motion::of(&c.node.attrs);
        Ok(motion.correlate(&c.src[0], &c.src[1], &c.node.shape[2..]))
    }),
    vjp: Vjp::Rule(|b| {
        let motion = Motion::of(&b.node.attrs);
        let (x, y) = (&b.src[0], &b.src[1]);
        Ok(smallvec![
            b.needs(0).then(|| spread(y, &b.gy, &motion, spatial(x))),
            b.needs(1).then(|| conv(x, &b.gy, &motion, spatial(y))),
        ])
    }),
    ..FACTOR
};

/// One of the three as one kernel: `[parts, *shape]`. Attribute 4 holds the whole shape, attribute 5 the parts.
const FUSED_FACTOR: Op = Op {
    infer: |_, src, attrs| {
        let mut shape: Shape = smallvec![attrs[5].as_int() as usize];
        shape.extend(sizes(&attrs[4]));
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    ..fused::LIKE_FIRST
};

fn fused_convolution(node: &Node, wanted: Wanted) -> FusedOp {
    let src = node.src();
    let whole =
        Motion::of(&node.attrs).layer_sizes(wanted, &src[0].shape, &src[1].shape, &node.shape[1..]);
    FusedOp::Convolution(Convolution {
        parts: node.shape[0],
        ..whole
    })
}

pub(in crate::ops) static FUSED_CONVOLUTION: Op = Op {
    name: "convolution_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        fused_convolution(node, Wanted::Result)
    })),
    ..FUSED_FACTOR
};

pub(in crate::ops) static FUSED_CONVOLUTION_TRANSPOSE: Op = Op {
    name: "convolution_transpose_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        fused_convolution(node, Wanted::Input)
    })),
    ..FUSED_FACTOR
};

pub(in crate::ops) static FUSED_CONVOLUTION_WEIGHT: Op = Op {
    name: "convolution_weight_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        fused_convolution(node, Wanted::Weight)
    })),
    ..FUSED_FACTOR
};

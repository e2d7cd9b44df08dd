//! `avg_pool1d` … `avg_pool3d`, `adaptive_avg_pool1d`, `adaptive_avg_pool2d`.

use smallvec::SmallVec;

use crate::fused_op::{Divisor, Family, PoolOf};
use crate::graph::GraphValue;
use crate::op::ParamKind::{Bool, Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Op, Out, Param, RoutineKind, SAVE_A, Vjp, example, optional, param, samples,
};
use crate::ops::fused::{self, LIKE_FIRST};
use crate::ops::pooling::{
    ADAPTIVE_PARAMS, MOST_ELEMENTS, elements, fused_pool, infer_pool, is_even, last_dims,
    of_planes, of_windows, windows_on,
};
use crate::ops::window_layout::{WindowLayout, layouts_of, patches, spread, window_layouts};
use crate::ops::{BASE, grad1, sizes};
use crate::shape::Shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &AVG_POOL1D,
    &AVG_POOL2D,
    &AVG_POOL3D,
    &ADAPTIVE_AVG_POOL1D,
    &ADAPTIVE_AVG_POOL2D,
];

static AVG_PARAMS: &[Param] = &[
    param("input", Tensor),
    param("kernel_size", Ints),
    optional("stride", Ints, Attr::None),
    optional("padding", Ints, Attr::Int(0)),
    optional("ceil_mode", Bool, Attr::Bool(false)),
    optional("count_include_pad", Bool, Attr::Bool(true)),
    optional("divisor_override", Int, Attr::None),
];

/// A pool's mean; the name says over how many dimensions.
const AVG_POOL: Op = Op {
    symbol: "avg pool",
    formula: "y = the mean of a in each window",
    rules: &["{gy} / n, to every element of each window"],
    params: AVG_PARAMS,
    infer: |op, src, attrs| {
        if attrs
            .get(5)
            .is_some_and(|n| *n != Attr::None && n.as_int() == 0)
        {
            return Err(Error::runtime(format!(
                "{}: divisor must be not zero; leave divisor_override out to divide by the window's size",
                op.name
            )));
        }
        infer_pool(op, src, attrs)
    },
    kind: Kind::Composite(mean),
    vjp: Vjp::Lowered,
    saves: [SAVE_A; 3],
    method: false,
    out: Out::None,
    functional: true,
    ..BASE
};

fn mean(c: &crate::op::Call) -> Result<GraphValue> {
    let x = &c.src[0];
    let layouts = window_layouts(c.node.op, &c.node.attrs, x.shape())?;
    let by = divisor_attr(&c.node.attrs);
    if is_even(&layouts) {
        let mut attrs = windows_on(x, &layouts);
        attrs.push(by);
        return Ok(x.call(&EVEN_MEAN, &[], attrs));
    }
    mean_over(x, &layouts, &by)
}

fn mean_over(x: &GraphValue, layouts: &[WindowLayout], by: &Attr) -> Result<GraphValue> {
    let windows = patches(x, layouts, &x.number(0.0))?;
    let total = windows.sum(&last_dims(&windows, layouts.len()), false);
    let space = &x.shape()[x.shape().len() - layouts.len()..];
    Ok(total / divisor(by, x, space, layouts)?)
}

/// The means of even windows, with the gradient written out. Attributes: the layouts, the sizes of a plane, what is
/// divided by.
static EVEN_MEAN: Op = Op {
    name: "even_mean",
    infer: of_windows,
    kind: Kind::Composite(|c| {
        let (x, layouts) = (&c.src[0], layouts_of(c.attr(0)));
        if elements(&layouts) <= MOST_ELEMENTS && fused::offered_unwalked(x, Family::Pool) {
            return Ok(x.call(&FUSED_AVG_POOL, &[], c.node.attrs.clone()));
        }
        mean_over(x, &layouts, c.attr(2))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&EVEN_MEAN_GRADIENT, &[], b.node.attrs.clone()))),
    method: false,
    ..BASE
};

/// What the gradients of such means send back to the planes; either is the other's gradient.
static EVEN_MEAN_GRADIENT: Op = Op {
    name: "even_mean_gradient",
    infer: of_planes,
    kind: Kind::Composite(|c| {
        let gy = &c.src[0];
        if fused::offered_unwalked(gy, Family::Pool) {
            return Ok(gy.call(&FUSED_AVG_POOL_GRADIENT, &[], c.node.attrs.clone()));
        }
        let (layouts, space) = (layouts_of(c.attr(0)), sizes(c.attr(1)));
        let share = gy / divisor(c.attr(2), gy, &space, &layouts)?;
        Ok(spread(&share, &layouts, &space))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&EVEN_MEAN, &[], b.node.attrs.clone()))),
    method: false,
    ..BASE
};

/// What a pool's mean divides by, as an attribute: a number, or whether padding counts.
fn divisor_attr(attrs: &Attrs) -> Attr {
    match (attrs.get(5), attrs.get(4)) {
        (Some(number @ Attr::Int(_)), _) => number.clone(),
        (_, Some(padded)) => padded.clone(),
        (_, None) => Attr::Bool(true),
    }
}

/// How many elements each window on planes of these sizes counts: a number where it is the same for all.
fn divisor(
    by: &Attr,
    x: &GraphValue,
    space: &[usize],
    layouts: &[WindowLayout],
) -> Result<GraphValue> {
    if let Attr::Int(n) = by {
        return Ok(x.number(*n as f64));
    }
    let whole = by.as_bool();
    let lengths = |(i, layout): (usize, &WindowLayout)| -> Vec<i64> {
        let n = space[i];
        match *layout {
            WindowLayout::Adaptive { count } => {
                let windows = WindowLayout::uneven(n, count);
                windows.into_iter().map(|(_, len)| len as i64).collect()
            }
            WindowLayout::Even {
                count,
                size,
                step,
                before,
                ..
            } => (0..count)
                .map(|j| {
                    // Positions from the first zero of the padding on. What ceil_mode adds beyond
                    // the padding never counts.
                    let (start, end) = (j * step, (j * step + size).min(n + 2 * before));
                    let inside = end.min(n + before).saturating_sub(start.max(before));
                    (if whole { end - start } else { inside }) as i64
                })
                .collect(),
        }
    };
    let lengths: SmallVec<[Vec<i64>; 3]> = layouts.iter().enumerate().map(lengths).collect();
    if lengths
        .iter()
        .all(|list| list.windows(2).all(|w| w[0] == w[1]))
    {
        let n: i64 = lengths.iter().filter_map(|list| list.first()).product();
        return Ok(x.number(n as f64));
    }
    let mut product: Option<GraphValue> = None;
    for (i, list) in lengths.iter().enumerate() {
        let mut along = Shape::from_elem(1, layouts.len());
        along[i] = list.len();
        let leaf = x.engine().leaf_i64(list, &along)?;
        let leaf = GraphValue::new(x.engine(), leaf);
        product = Some(match product {
            Some(product) => product * leaf,
            None => leaf,
        });
    }
    Ok(product.map_or_else(|| x.number(1.0), |n| n.to(x.dtype())))
}

/// Over signals.
pub static AVG_POOL1D: Op = Op {
    name: "avg_pool1d",
    spatial: 1,
    grad_fn: "SqueezeBackward1",
    doc: "The mean of each window of a signal.",
    // PyTorch has no divisor_override here.
    params: AVG_PARAMS.split_at(6).0,
    samples: samples(&[
        "[2,2,6] 2",
        "[2,7] 3 stride=2 padding=1 ceil_mode=true count_include_pad=false",
    ]),
    example: example("F.avg_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)"),
    ..AVG_POOL
};

/// Over images.
pub static AVG_POOL2D: Op = Op {
    name: "avg_pool2d",
    spatial: 2,
    grad_fn: "AvgPool2DBackward0",
    doc: "The mean of each window of an image.",
    samples: samples(&[
        "[2,2,4,4] 2",
        "[1,5,5] (3,2) stride=2 padding=1 count_include_pad=false",
        "[1,1,4,5]T 3 stride=1 divisor_override=4",
    ]),
    example: example("F.avg_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)"),
    ..AVG_POOL
};

/// Over volumes.
pub static AVG_POOL3D: Op = Op {
    name: "avg_pool3d",
    spatial: 3,
    grad_fn: "AvgPool3DBackward0",
    doc: "The mean of each window of a volume.",
    samples: samples(&["[1,1,3,4,2] (2,2,1) stride=1"]),
    example: example("F.avg_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), 2)"),
    ..AVG_POOL
};

/// Over signals.
pub static ADAPTIVE_AVG_POOL1D: Op = Op {
    name: "adaptive_avg_pool1d",
    spatial: 1,
    grad_fn: "SqueezeBackward1",
    doc: "The means of as many windows of a signal as wanted.",
    params: ADAPTIVE_PARAMS,
    samples: samples(&["[2,2,6] 3", "[2,7] 3"]),
    example: example("F.adaptive_avg_pool1d(torch.tensor([[1.0, 3.0, 2.0]]), 2)"),
    ..AVG_POOL
};

/// Over images.
pub static ADAPTIVE_AVG_POOL2D: Op = Op {
    name: "adaptive_avg_pool2d",
    spatial: 2,
    grad_fn: "AdaptiveAvgPool2DBackward0",
    // To one number a channel, PyTorch takes a mean.
    grad_fn_for: |node| {
        let shape = &node.shape;
        shape[shape.len() - 2..]
            .iter()
            .all(|&n| n == 1)
            .then_some("MeanBackward1")
    },
    doc: "The means of as many windows of an image as wanted.",
    params: ADAPTIVE_PARAMS,
    samples: samples(&["[2,1,4,4] 2", "[1,5,4] (3,2)", "[1,2,3,3] 1"]),
    example: example("F.adaptive_avg_pool2d(torch.arange(12.0).reshape(1, 3, 4), 2)"),
    ..AVG_POOL
};

/// A mean's divisor as an attribute: a number, or whether padding counts.
fn divisor_of(attr: &Attr) -> Divisor {
    match attr {
        Attr::Bool(true) => Divisor::Padded,
        Attr::Bool(false) => Divisor::Inside,
        n => Divisor::Given(n.as_int()),
    }
}

/// The mean of each window.
static FUSED_AVG_POOL: Op = Op {
    name: "avg_pool_layer",
    infer: of_windows,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        fused_pool(node, PoolOf::Mean(divisor_of(&node.attrs[2])), false)
    })),
    ..LIKE_FIRST
};

/// The gradient of that, from the result's.
static FUSED_AVG_POOL_GRADIENT: Op = Op {
    name: "avg_pool_gradient_layer",
    infer: of_planes,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        fused_pool(node, PoolOf::Mean(divisor_of(&node.attrs[2])), true)
    })),
    ..LIKE_FIRST
};

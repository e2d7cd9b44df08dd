//! Pools: windows of an image become their largest element or their mean.
//!
//! A pool is one reduction over windows that are read where they lie. The gradient of a largest
//! element goes where PyTorch sends it: to the first of equals, to the last NaN. A device with layers
//! has pools over even windows, and their gradients, as one kernel each.

use smallvec::{SmallVec, smallvec};

use crate::dtype::{DType, Scalar};
use crate::graph::GraphValue;
use crate::graph::Operand;
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Meta, MultiOutputOp, Op, Out, Param, SAVE_A, SAVE_B, SAVE_C, SAVE_Y, Vjp,
    example, optional, param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::formula::shape_attr;
use crate::ops::fused::{self, pool as layer};
use crate::ops::patches::{Place, patches, places, places_attr, places_of, spread};
use crate::ops::shared::linked;
use crate::ops::{BASE, expect_float, grad1, sizes};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &MAX_POOL1D,
    &MAX_POOL2D,
    &MAX_POOL3D,
    &AVG_POOL1D,
    &AVG_POOL2D,
    &AVG_POOL3D,
    &ADAPTIVE_MAX_POOL1D,
    &ADAPTIVE_MAX_POOL2D,
    &ADAPTIVE_AVG_POOL1D,
    &ADAPTIVE_AVG_POOL2D,
];

/// The calls that also say where the largest elements are.
pub static CALLS: &[&MultiOutputOp] = &[
    &MAX_POOL1D_WITH_INDICES,
    &MAX_POOL2D_WITH_INDICES,
    &MAX_POOL3D_WITH_INDICES,
    &ADAPTIVE_MAX_POOL1D_WITH_INDICES,
    &ADAPTIVE_MAX_POOL2D_WITH_INDICES,
];

fn infer_pool(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let x = &src[0];
    if op.name.contains("avg") {
        expect_float(op, x)?;
    } else if x.dtype == DType::Bool {
        return Err(Error::runtime(format!(
            "{}: not implemented for bool; convert with .float()",
            op.name
        )));
    }
    let places = places(op, attrs, &x.shape)?;
    let mut shape = Shape::from_slice(&x.shape[..x.shape.len() - places.len()]);
    shape.extend(places.iter().map(|place| place.count()));
    shape::check_size(op.name, &shape)?;
    Ok(Meta {
        shape,
        dtype: x.dtype,
    })
}

/// The dimensions that windows add at the end.
fn last_dims(windows: &GraphValue, n: usize) -> SmallVec<[usize; 6]> {
    (windows.shape().len() - n..windows.shape().len()).collect()
}

/// Most elements of a window that one invocation goes through for a result. Those of larger ones are shared, as
/// reductions are.
const MOST_ELEMENTS: usize = 256;

/// Most that one compares for a gradient: what stands in its place waits for the places of the largest.
const MOST_COMPARED: usize = 1 << 14;

/// The elements of a window; of windows that differ, more than any.
fn elements(places: &[Place]) -> usize {
    let size = |place: &Place| match *place {
        Place::Even { size, .. } => size,
        Place::Adaptive { .. } => usize::MAX,
    };
    places.iter().map(size).fold(1, usize::saturating_mul)
}

/// Whether windows are all as large and as far apart.
fn is_even(places: &[Place]) -> bool {
    let even = |place: &Place| matches!(place, Place::Even { .. });
    places.iter().all(even)
}

/// The windows on planes as attributes: where they are, and how large a plane is.
fn windows_on(x: &GraphValue, places: &[Place]) -> Attrs {
    let space = &x.shape()[x.shape().len() - places.len()..];
    smallvec![places_attr(places), shape_attr(space)]
}

/// Less than everything, or as little as anything.
fn lowest(x: &GraphValue) -> GraphValue {
    if x.dtype().is_float() {
        return x.number(f64::NEG_INFINITY);
    }
    let least = x.engine().number(Scalar::Int(i64::MIN), x.dtype());
    GraphValue::new(x.engine(), least)
}

fn largest(c: &crate::op::Call) -> Result<GraphValue> {
    let x = &c.src[0];
    let places = places(c.node.op, &c.node.attrs, x.shape())?;
    if elements(&places) <= MOST_ELEMENTS && fused::offered_unwalked(x) {
        return Ok(x.call(&layer::LARGEST, &[], windows_on(x, &places)));
    }
    // Integers in the widest, which has a least number for the padding of all of them.
    let wide = if x.dtype().is_float() {
        x.clone()
    } else {
        x.to(DType::I64)
    };
    let windows = patches(&wide, &places, &lowest(&wide))?;
    let dims = last_dims(&windows, places.len());
    let largest = windows.reduce(&crate::ops::reduce::REDUCE_MAX, &dims);
    Ok(largest.reshape(&c.node.shape).to(x.dtype()))
}

/// Larger than every position, and in 32 bits, so that a GPU can have it.
const NOWHERE: i64 = i32::MAX as i64;

/// Where in its plane each window has its largest element: operands are the pool's input and
/// result, attribute 0 the places.
static POOL_INDEX: Op = Op {
    name: "max_pool_index",
    infer: |_, src, _| {
        Ok(Meta {
            shape: src[1].shape.clone(),
            dtype: DType::I64,
        })
    },
    kind: Kind::Composite(|c| {
        let (x, y) = (&c.src[0], &c.src[1]);
        let places = places_of(c.attr(0));
        let integer = |n: i64| {
            let engine = x.engine();
            GraphValue::new(engine, engine.number(Scalar::Int(n), DType::I64))
        };
        let space = &x.shape()[x.shape().len() - places.len()..];
        let arange = x.engine().arange(shape::numel(space))?;
        let at = GraphValue::new(x.engine(), arange).reshape(space);
        let at = patches(&at, &places, &integer(NOWHERE))?;
        let windows = patches(x, &places, &lowest(x))?;
        let mut kept = y.shape().clone();
        kept.extend(places.iter().map(|_| 1));
        // The first of equals has the least position; NaNs count down, so that the last is least.
        let nan = windows.call(&crate::ops::finite::ISNAN, &[], smallvec![]);
        let reached = windows.eq(&y.reshape(&kept));
        let key = nan.select(
            &(integer(-1) - &at),
            &reached.select(&at, &integer(NOWHERE)),
        );
        let least = key.reduce(
            &crate::ops::reduce::REDUCE_MIN,
            &last_dims(&windows, places.len()),
        );
        let zero = integer(0);
        let found = least.lt(&zero).select(&(integer(-1) - &least), &least);
        Ok(found.reshape(&c.node.shape))
    }),
    vjp: Vjp::None("its result is an index"),
    method: false,
    ..BASE
};

/// The gradient of a max pool: operands are that of the result, the pool's input and the result, attributes the
/// places and the sizes of a plane.
static MAX_GRADIENT: Op = Op {
    name: "max_pool_gradient",
    infer: layer::of_planes,
    kind: Kind::Composite(|c| {
        let (gy, x, y) = (&c.src[0], &c.src[1], &c.src[2]);
        let places = places_of(c.attr(0));
        if elements(&places) <= MOST_COMPARED && fused::offered_unwalked(gy) {
            return Ok(gy.call(&layer::LARGEST_GRADIENT, &[x, y], c.node.attrs.clone()));
        }
        let at = x.call(&POOL_INDEX, &[y], smallvec![c.attr(0).clone()]);
        let first = x.shape().len() - places.len();
        let area = shape::numel(&x.shape()[first..]);
        let mut along = Shape::from_elem(1, x.shape().len());
        along[..first].copy_from_slice(&x.shape()[..first]);
        let planes = x.engine().arange(shape::numel(&x.shape()[..first]))?;
        let area_number = x.engine().number(Scalar::Int(area as i64), DType::I64);
        let planes = GraphValue::new(x.engine(), planes).reshape(&along);
        let at = at + planes * GraphValue::new(x.engine(), area_number);
        let n = gy.node().numel();
        let total = x.node().numel();
        let put = gy.reshape(&[n, 1]).put_add(&at.reshape(&[n]), total);
        Ok(put.reshape(x.shape()))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_B | SAVE_C; 3],
    // Where the largest elements are does not change with them.
    constants: 0b110,
    method: false,
    ..BASE
};

static MAX_PARAMS: &[Param] = &[
    param("input", Tensor),
    param("kernel_size", Ints),
    optional("stride", Ints, Attr::None),
    optional("padding", Ints, Attr::Int(0)),
    optional("dilation", Ints, Attr::Int(1)),
    optional("ceil_mode", Bool, Attr::Bool(false)),
];

/// The largest of each window; its name says over how many dimensions.
const MAX_POOL: Op = Op {
    symbol: "max pool",
    formula: "y = the largest a of each window",
    rules: &["{gy} to the largest element of each window, the first on ties"],
    params: MAX_PARAMS,
    infer: infer_pool,
    kind: Kind::Composite(largest),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        let places = places(b.node.op, &b.node.attrs, x.shape())?;
        let gradient = b.gy.call(&MAX_GRADIENT, &[x, &b.y], windows_on(x, &places));
        grad1(linked(&gradient, x))
    }),
    saves: [SAVE_A; 3],
    reads: SAVE_Y,
    method: false,
    out: Out::None,
    ..BASE
};

/// Over signals.
pub static MAX_POOL1D: Op = Op {
    name: "max_pool1d",
    spatial: 1,
    grad_fn: "SqueezeBackward1",
    doc: "The largest element of each window of a signal.",
    samples: samples(&["[2,2,6] 2", "[2,7] 3 stride=2 padding=1 ceil_mode=true"]),
    example: example("F.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)"),
    ..MAX_POOL
};

/// Over images.
pub static MAX_POOL2D: Op = Op {
    name: "max_pool2d",
    spatial: 2,
    grad_fn: "MaxPool2DWithIndicesBackward0",
    doc: "The largest element of each window of an image.",
    samples: samples(&[
        "[2,2,4,4] 2",
        "[1,5,5] (3,2) stride=2 padding=1",
        "[1,1,5,4]T 2 stride=1 dilation=2",
    ]),
    example: example("F.max_pool2d(torch.arange(16.0).reshape(1, 4, 4), 2)"),
    ..MAX_POOL
};

/// Over volumes.
pub static MAX_POOL3D: Op = Op {
    name: "max_pool3d",
    spatial: 3,
    grad_fn: "MaxPool3DWithIndicesBackward0",
    doc: "The largest element of each window of a volume.",
    samples: samples(&["[1,1,3,4,2] (2,2,1) stride=1"]),
    example: example("F.max_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), 2)"),
    ..MAX_POOL
};

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
    ..BASE
};

fn mean(c: &crate::op::Call) -> Result<GraphValue> {
    let x = &c.src[0];
    let places = places(c.node.op, &c.node.attrs, x.shape())?;
    let by = divisor_attr(&c.node.attrs);
    if is_even(&places) {
        let mut attrs = windows_on(x, &places);
        attrs.push(by);
        return Ok(x.call(&EVEN_MEAN, &[], attrs));
    }
    mean_over(x, &places, &by)
}

fn mean_over(x: &GraphValue, places: &[Place], by: &Attr) -> Result<GraphValue> {
    let windows = patches(x, places, &x.number(0.0))?;
    let total = windows.sum(&last_dims(&windows, places.len()), false);
    let space = &x.shape()[x.shape().len() - places.len()..];
    Ok(total / divisor(by, x, space, places)?)
}

/// The means of even windows, with the gradient written out. Attributes: the places, the sizes of a plane, what is
/// divided by.
static EVEN_MEAN: Op = Op {
    name: "even_mean",
    infer: layer::of_windows,
    kind: Kind::Composite(|c| {
        let (x, places) = (&c.src[0], places_of(c.attr(0)));
        if elements(&places) <= MOST_ELEMENTS && fused::offered_unwalked(x) {
            return Ok(x.call(&layer::MEAN, &[], c.node.attrs.clone()));
        }
        mean_over(x, &places, c.attr(2))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&EVEN_MEAN_GRADIENT, &[], b.node.attrs.clone()))),
    method: false,
    ..BASE
};

/// What the gradients of such means send back to the planes; either is the other's gradient.
static EVEN_MEAN_GRADIENT: Op = Op {
    name: "even_mean_gradient",
    infer: layer::of_planes,
    kind: Kind::Composite(|c| {
        let gy = &c.src[0];
        if fused::offered_unwalked(gy) {
            return Ok(gy.call(&layer::MEAN_GRADIENT, &[], c.node.attrs.clone()));
        }
        let (places, space) = (places_of(c.attr(0)), sizes(c.attr(1)));
        let share = gy / divisor(c.attr(2), gy, &space, &places)?;
        Ok(spread(&share, &places, &space))
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
fn divisor(by: &Attr, x: &GraphValue, space: &[usize], places: &[Place]) -> Result<GraphValue> {
    if let Attr::Int(n) = by {
        return Ok(x.number(*n as f64));
    }
    let whole = by.as_bool();
    let lengths = |(i, place): (usize, &Place)| -> Vec<i64> {
        let n = space[i];
        match *place {
            Place::Adaptive { count } => {
                let windows = Place::uneven(n, count);
                windows.into_iter().map(|(_, len)| len as i64).collect()
            }
            Place::Even {
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
    let lengths: SmallVec<[Vec<i64>; 3]> = places.iter().enumerate().map(lengths).collect();
    if lengths
        .iter()
        .all(|list| list.windows(2).all(|w| w[0] == w[1]))
    {
        let n: i64 = lengths.iter().filter_map(|list| list.first()).product();
        return Ok(x.number(n as f64));
    }
    let mut product: Option<GraphValue> = None;
    for (i, list) in lengths.iter().enumerate() {
        let mut along = Shape::from_elem(1, places.len());
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

static ADAPTIVE_PARAMS: &[Param] = &[param("input", Tensor), param("output_size", Ints)];

/// Over signals.
pub static ADAPTIVE_MAX_POOL1D: Op = Op {
    name: "adaptive_max_pool1d",
    spatial: 1,
    grad_fn: "SqueezeBackward1",
    doc: "The largest elements of as many windows of a signal as wanted.",
    params: ADAPTIVE_PARAMS,
    samples: samples(&["[2,2,6] 3", "[2,7] 3"]),
    example: example("F.adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0]]), 2)"),
    ..MAX_POOL
};

/// Over images.
pub static ADAPTIVE_MAX_POOL2D: Op = Op {
    name: "adaptive_max_pool2d",
    spatial: 2,
    grad_fn: "AdaptiveMaxPool2DBackward0",
    doc: "The largest elements of as many windows of an image as wanted.",
    params: ADAPTIVE_PARAMS,
    samples: samples(&["[2,1,4,4] 2", "[1,5,4] (3,2)"]),
    example: example("F.adaptive_max_pool2d(torch.arange(12.0).reshape(1, 3, 4), 2)"),
    ..MAX_POOL
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

macro_rules! with_indices {
    ($($name:ident $op:ident $text:literal;)*) => {$(
        /// The pool of that name, and where its elements were.
        pub static $name: MultiOutputOp = MultiOutputOp {
            name: $text,
            python: face(&PythonFace {
                part_of: $op.name,
                ..PythonFace::PLAIN
            }),
            doc: "The largest element of each window, and its position in its plane.",
            params: $op.params,
            call: |engine, src, attrs| {
                let y = Operand::apply(engine, &$op, src, attrs.clone())?;
                let places = places(&$op, attrs, &src[0].shape())?;
                let operands = [src[0].clone(), y.clone()];
                let at = Operand::apply(engine, &POOL_INDEX, &operands, smallvec![places_attr(&places)])?;
                Ok(vec![y, at])
            },
            samples: $op.samples,
            method: false,
            ..crate::ops::multi_output::MULTI_OUTPUT
        };
    )*};
}
with_indices! {
    MAX_POOL1D_WITH_INDICES MAX_POOL1D "max_pool1d_with_indices";
    MAX_POOL2D_WITH_INDICES MAX_POOL2D "max_pool2d_with_indices";
    MAX_POOL3D_WITH_INDICES MAX_POOL3D "max_pool3d_with_indices";
    ADAPTIVE_MAX_POOL1D_WITH_INDICES ADAPTIVE_MAX_POOL1D "adaptive_max_pool1d_with_indices";
    ADAPTIVE_MAX_POOL2D_WITH_INDICES ADAPTIVE_MAX_POOL2D "adaptive_max_pool2d_with_indices";
}

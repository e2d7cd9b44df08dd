//! `max_pool1d` … `max_pool3d`, `adaptive_max_pool1d`, `adaptive_max_pool2d`, and the calls that also say where the largest
//! elements are.
//!
//! The gradient goes where PyTorch sends it: to the first of equals, to the last NaN.

use smallvec::smallvec;

use crate::Result;
use crate::dtype::{DType, Scalar};
use crate::fused_op::{Family, PoolOf};
use crate::graph::{GraphValue, Operand};
use crate::op::ParamKind::{Bool, Ints, Tensor};
use crate::op::{
    Attr, Infinities, Kind, Meta, MultiOutputOp, Op, Out, Param, PythonFace, RoutineKind, SAVE_A,
    SAVE_B, SAVE_C, SAVE_Y, Vjp, example, face, optional, param, samples,
};
use crate::ops::fused::{self, LIKE_FIRST};
use crate::ops::pooling::{
    ADAPTIVE_PARAMS, MOST_ELEMENTS, elements, fused_pool, infer_pool, last_dims, of_planes,
    of_windows, windows_on,
};
use crate::ops::shared::linked;
use crate::ops::window_layout::{layouts_attr, layouts_of, patches, window_layouts};
use crate::ops::{BASE, grad1};
use crate::shape::{self, Shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &MAX_POOL1D,
    &MAX_POOL2D,
    &MAX_POOL3D,
    &ADAPTIVE_MAX_POOL1D,
    &ADAPTIVE_MAX_POOL2D,
];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[
    &MAX_POOL1D_WITH_INDICES,
    &MAX_POOL2D_WITH_INDICES,
    &MAX_POOL3D_WITH_INDICES,
    &ADAPTIVE_MAX_POOL1D_WITH_INDICES,
    &ADAPTIVE_MAX_POOL2D_WITH_INDICES,
];

/// Most that one compares for a gradient: what stands in its place waits for the positions of the largest.
const MOST_COMPARED: usize = 1 << 14;

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
    let layouts = window_layouts(c.node.op, &c.node.attrs, x.shape())?;
    if elements(&layouts) <= MOST_ELEMENTS && fused::offered_unwalked(x, Family::Pool) {
        return Ok(x.call(&FUSED_MAX_POOL, &[], windows_on(x, &layouts)));
    }
    // Integers in the widest, which has a least number for the padding of all of them.
    let wide = if x.dtype().is_float() {
        x.clone()
    } else {
        x.to(DType::I64)
    };
    let windows = patches(&wide, &layouts, &lowest(&wide))?;
    let dims = last_dims(&windows, layouts.len());
    let largest = windows.reduce(&crate::ops::reduce::REDUCE_MAX, &dims);
    Ok(largest.reshape(&c.node.shape).to(x.dtype()))
}

/// Larger than every position, and in 32 bits, so that a GPU can have it.
const NOWHERE: i64 = i32::MAX as i64;

/// Where in its plane each window has its largest element: operands are the pool's input and
/// result, attribute 0 the layouts.
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
        let layouts = layouts_of(c.attr(0));
        let integer = |n: i64| {
            let engine = x.engine();
            GraphValue::new(engine, engine.number(Scalar::Int(n), DType::I64))
        };
        let space = &x.shape()[x.shape().len() - layouts.len()..];
        let arange = x.engine().arange(shape::numel(space))?;
        let at = GraphValue::new(x.engine(), arange).reshape(space);
        let at = patches(&at, &layouts, &integer(NOWHERE))?;
        let windows = patches(x, &layouts, &lowest(x))?;
        let mut kept = y.shape().clone();
        kept.extend(layouts.iter().map(|_| 1));
        // The first of equals has the least position; NaNs count down, so that the last is least.
        let nan = windows.call(&crate::ops::finite::ISNAN, &[], smallvec![]);
        let reached = windows.eq(&y.reshape(&kept));
        let key = nan.select(
            &(integer(-1) - &at),
            &reached.select(&at, &integer(NOWHERE)),
        );
        let least = key.reduce(
            &crate::ops::reduce::REDUCE_MIN,
            &last_dims(&windows, layouts.len()),
        );
        let zero = integer(0);
        let found = least.lt(&zero).select(&(integer(-1) - &least), &least);
        Ok(found.reshape(&c.node.shape))
    }),
    vjp: Vjp::None("its result is an index"),
    method: false,
    infinities: Infinities::Asks,
    ..BASE
};

/// The gradient of a max pool: operands are that of the result, the pool's input and the result, attributes the
/// layouts and the sizes of a plane.
static MAX_GRADIENT: Op = Op {
    name: "max_pool_gradient",
    infer: of_planes,
    kind: Kind::Composite(|c| {
        let (gy, x, y) = (&c.src[0], &c.src[1], &c.src[2]);
        let layouts = layouts_of(c.attr(0));
        if elements(&layouts) <= MOST_COMPARED && fused::offered_unwalked(gy, Family::Pool) {
            return Ok(gy.call(&FUSED_MAX_POOL_GRADIENT, &[x, y], c.node.attrs.clone()));
        }
        let at = x.call(&POOL_INDEX, &[y], smallvec![c.attr(0).clone()]);
        let first = x.shape().len() - layouts.len();
        let area = shape::numel(&x.shape()[first..]);
        let mut along = Shape::from_elem(1, x.shape().len());
        along[..first].copy_from_slice(&x.shape()[..first]);
        let planes = x.engine().arange(shape::numel(&x.shape()[..first]))?;
        let area_number = x.engine().number(Scalar::Int(area as i64), DType::I64);
        let planes = GraphValue::new(x.engine(), planes).reshape(&along);
        let at = at + planes * GraphValue::new(x.engine(), area_number);
        let n = gy.node().numel();
        let total = x.node().numel();
        let put = gy
            .reshape(&[n, 1])
            .scatter_add_rows(&at.reshape(&[n]), total);
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
        let layouts = window_layouts(b.node.op, &b.node.attrs, x.shape())?;
        let gradient =
            b.gy.call(&MAX_GRADIENT, &[x, &b.y], windows_on(x, &layouts));
        grad1(linked(&gradient, x))
    }),
    saves: [SAVE_A; 3],
    reads: SAVE_Y,
    method: false,
    out: Out::None,
    functional: true,
    infinities: Infinities::Chooses,
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
            parts: &[&POOL_INDEX],
            call: |engine, src, attrs| {
                let y = Operand::apply(engine, &$op, src, attrs.clone())?;
                let layouts = window_layouts(&$op, attrs, &src[0].shape())?;
                let operands = [src[0].clone(), y.clone()];
                let at = Operand::apply(engine, &POOL_INDEX, &operands, smallvec![layouts_attr(&layouts)])?;
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

/// The largest of each window.
static FUSED_MAX_POOL: Op = Op {
    name: "max_pool_layer",
    infer: of_windows,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        fused_pool(node, PoolOf::Largest, false)
    })),
    ..LIKE_FIRST
};

/// The gradient of that, from the result's, the planes and the result.
static FUSED_MAX_POOL_GRADIENT: Op = Op {
    name: "max_pool_gradient_layer",
    infer: of_planes,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        fused_pool(node, PoolOf::Largest, true)
    })),
    ..LIKE_FIRST
};

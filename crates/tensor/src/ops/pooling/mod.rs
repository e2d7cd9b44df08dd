//! Pools: windows of an image become their largest element or their mean. What they share is here.
//!
//! A pool is one reduction over windows that are read where they lie. A device with layers has pools over even windows,
//! and their gradients, as one kernel each: attributes of those are the layouts of the windows and the sizes of a plane,
//! of means also what they divide by.

pub mod avg_pool;
pub mod max_pool;
pub(crate) mod window_layout;

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::fused_op::{FusedOp, Pool, PoolOf, Windows};
use crate::graph::GraphValue;
use crate::node::{Node, NodeRef};
use crate::op::ParamKind::{Ints, Tensor};
use crate::op::{Attrs, Meta, Op, Param, param};
use crate::ops::formula::shape_attr;
use crate::ops::window_layout::{
    WindowLayout, WindowLayouts, layouts_attr, layouts_of, window_layouts,
};
use crate::ops::{expect_float, sizes};
use crate::shape::{self, Shape};
use crate::{Error, Result};

pub(in crate::ops) fn infer_pool(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let x = &src[0];
    if op.name.contains("avg") {
        expect_float(op, x)?;
    } else if x.dtype == DType::Bool {
        return Err(Error::runtime(format!(
            "{}: not implemented for bool; convert with .float()",
            op.name
        )));
    }
    let layouts = window_layouts(op, attrs, &x.shape)?;
    let mut shape = Shape::from_slice(&x.shape[..x.shape.len() - layouts.len()]);
    shape.extend(layouts.iter().map(|layout| layout.count()));
    shape::check_size(op.name, &shape)?;
    Ok(Meta {
        shape,
        dtype: x.dtype,
    })
}

/// The dimensions that windows add at the end.
pub(in crate::ops) fn last_dims(windows: &GraphValue, n: usize) -> SmallVec<[usize; 6]> {
    (windows.shape().len() - n..windows.shape().len()).collect()
}

/// Most elements of a window that one invocation goes through for a result. Those of larger ones are shared, as
/// reductions are.
pub(in crate::ops) const MOST_ELEMENTS: usize = 256;

/// The elements of a window; of windows that differ, more than any.
pub(in crate::ops) fn elements(layouts: &[WindowLayout]) -> usize {
    let size = |layout: &WindowLayout| match *layout {
        WindowLayout::Even { size, .. } => size,
        WindowLayout::Adaptive { .. } => usize::MAX,
    };
    layouts.iter().map(size).fold(1, usize::saturating_mul)
}

/// Whether windows are all as large and as far apart.
pub(in crate::ops) fn is_even(layouts: &[WindowLayout]) -> bool {
    let even = |layout: &WindowLayout| matches!(layout, WindowLayout::Even { .. });
    layouts.iter().all(even)
}

/// The windows on planes as attributes: where they are, and how large a plane is.
pub(in crate::ops) fn windows_on(x: &GraphValue, layouts: &[WindowLayout]) -> Attrs {
    let space = &x.shape()[x.shape().len() - layouts.len()..];
    smallvec![layouts_attr(layouts), shape_attr(space)]
}

pub(in crate::ops) static ADAPTIVE_PARAMS: &[Param] =
    &[param("input", Tensor), param("output_size", Ints)];

pub(in crate::ops) fn fused_pool(node: &Node, of: PoolOf, gradient: bool) -> FusedOp {
    let (layouts, space) = (layouts_of(&node.attrs[0]), sizes(&node.attrs[1]));
    let mut dims = [Windows::NONE; 3];
    let absent = dims.len() - layouts.len();
    for (dim, (layout, &n)) in dims[absent..].iter_mut().zip(layouts.iter().zip(&space)) {
        // Layers are asked for even windows only.
        if let WindowLayout::Even {
            count,
            size,
            step,
            before,
            dilation,
        } = *layout
        {
            *dim = Windows {
                n,
                count,
                size,
                step,
                before,
                dilation,
            };
        }
    }
    FusedOp::Pool(Pool {
        of,
        gradient,
        planes: shape::numel(&node.shape[..node.shape.len() - layouts.len()]),
        dims,
    })
}

/// The first operand's shape with other last dimensions.
fn ending(src: &[NodeRef], last: &[usize]) -> Result<Meta> {
    let x = &src[0];
    let mut shape = Shape::from_slice(&x.shape[..x.shape.len() - last.len()]);
    shape.extend_from_slice(last);
    Ok(Meta {
        shape,
        dtype: x.dtype,
    })
}

/// One number for each window.
pub(in crate::ops) fn of_windows(_: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let layouts: WindowLayouts = layouts_of(&attrs[0]);
    let counts: Shape = layouts.iter().map(|layout| layout.count()).collect();
    ending(src, &counts)
}

/// One number for each element of the planes.
pub(in crate::ops) fn of_planes(_: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    ending(src, &sizes(&attrs[1]))
}

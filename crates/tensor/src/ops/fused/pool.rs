//! Pools over evenly spaced windows. Attributes of all: the places of the windows, the sizes of a plane; of means
//! also what they divide by.

use super::LIKE_FIRST;
use crate::fused_op::{Divisor, FusedOp, Pool, PoolOf, Windows};
use crate::node::{Node, NodeRef};
use crate::op::{Attr, Attrs, Kind, Meta, Op, RoutineKind};
use crate::ops::patches::{Place, Places, places_of};
use crate::shape::{self, Shape};
use crate::{Result, ops};

/// A mean's divisor as an attribute: a number, or whether padding counts.
fn divisor_of(attr: &Attr) -> Divisor {
    match attr {
        Attr::Bool(true) => Divisor::Padded,
        Attr::Bool(false) => Divisor::Inside,
        n => Divisor::Given(n.as_int()),
    }
}

fn pool(node: &Node, of: PoolOf, gradient: bool) -> FusedOp {
    let (places, space) = (places_of(&node.attrs[0]), ops::sizes(&node.attrs[1]));
    let mut dims = [Windows::NONE; 3];
    let absent = dims.len() - places.len();
    for (dim, (place, &n)) in dims[absent..].iter_mut().zip(places.iter().zip(&space)) {
        // Layers are asked for even windows only.
        if let Place::Even {
            count,
            size,
            step,
            before,
            dilation,
        } = *place
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
        planes: shape::numel(&node.shape[..node.shape.len() - places.len()]),
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
    let places: Places = places_of(&attrs[0]);
    let counts: Shape = places.iter().map(|place| place.count()).collect();
    ending(src, &counts)
}

/// One number for each element of the planes.
pub(in crate::ops) fn of_planes(_: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    ending(src, &ops::sizes(&attrs[1]))
}

/// The largest of each window.
pub(in crate::ops) static LARGEST: Op = Op {
    name: "max_pool_layer",
    infer: of_windows,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        pool(node, PoolOf::Largest, false)
    })),
    ..LIKE_FIRST
};

/// The gradient of that, from the result's, the planes and the result.
pub(in crate::ops) static LARGEST_GRADIENT: Op = Op {
    name: "max_pool_gradient_layer",
    infer: of_planes,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        pool(node, PoolOf::Largest, true)
    })),
    ..LIKE_FIRST
};

/// The mean of each window.
pub(in crate::ops) static MEAN: Op = Op {
    name: "avg_pool_layer",
    infer: of_windows,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        pool(node, PoolOf::Mean(divisor_of(&node.attrs[2])), false)
    })),
    ..LIKE_FIRST
};

/// The gradient of that, from the result's.
pub(in crate::ops) static MEAN_GRADIENT: Op = Op {
    name: "avg_pool_gradient_layer",
    infer: of_planes,
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        pool(node, PoolOf::Mean(divisor_of(&node.attrs[2])), true)
    })),
    ..LIKE_FIRST
};

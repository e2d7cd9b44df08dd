//! What the reductions share: the scheduler's own (`REDUCE_*`), in which all of them are written, and the rules on
//! dimensions, shapes and dtypes. `dim` may be one dimension, several, or none for all.
//!
//! The scheduler's reductions keep reduced dimensions with size 1.

use crate::Result;
use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::kernel::ReduceOp;
use crate::node::NodeRef;
use crate::op::ParamKind::{self, Bool, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Kind, Meta, Op, Out, Param, optional, param, samples,
};
use crate::ops::formula::{dropped, kept};
use crate::ops::{BASE, dims_of};

static PARAMS: &[Param] = &[
    param("input", Tensor),
    optional("dim", Ints, Attr::None),
    optional("keepdim", Bool, Attr::Bool(false)),
];

/// Those whose result may be asked for in another dtype.
pub(in crate::ops) static TOTAL_PARAMS: &[Param] = &[
    param("input", Tensor),
    optional("dim", Ints, Attr::None),
    optional("keepdim", Bool, Attr::Bool(false)),
    optional("dtype", ParamKind::DType, Attr::None),
];

macro_rules! primitive {
    ($($name:ident $op:ident;)*) => {$(
        /// The scheduler's reduction of that name; attribute 0 holds the dimensions.
        pub static $name: Op = Op {
            name: "reduce",
            infer: |op, src, attrs| {
                let dims = dims_of(op, &src[0].shape, &attrs[0])?;
                let arg = matches!(ReduceOp::$op, ReduceOp::ArgMax | ReduceOp::ArgMin);
                let dtype = if arg { DType::I64 } else { src[0].dtype };
                Ok(Meta { shape: kept(&src[0].shape, &dims), dtype })
            },
            kind: Kind::Reduce(ReduceOp::$op),
            method: false,
            ..BASE
        };
    )*};
}

primitive! {
    REDUCE_SUM Sum;
    REDUCE_PROD Prod;
    REDUCE_MAX Max;
    REDUCE_MIN Min;
    REDUCE_ARGMAX ArgMax;
    REDUCE_ARGMIN ArgMin;
}

/// A reduction over `dim` with `keepdim`.
pub(crate) const REDUCTION: Op = Op {
    params: PARAMS,
    infer: infer_reduction,
    samples: samples(&["[2,3]", "[2,3,4] 1 true", "[2,3,4] (-1,0)", "[]"]),
    out: Out::Cast,
    ..BASE
};

pub(crate) fn infer_reduction(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let dims = dims_of(op, &src[0].shape, &attrs[0])?;
    let shape = if attrs[1].as_bool() {
        kept(&src[0].shape, &dims)
    } else {
        dropped(&src[0].shape, &dims)
    };
    Ok(Meta {
        shape,
        dtype: src[0].dtype,
    })
}

/// Sums and products of bools and integers are int64, unless a dtype is asked for.
pub(in crate::ops) fn infer_total(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let meta = infer_reduction(op, src, attrs)?;
    Ok(Meta {
        dtype: asked(attrs, 2).unwrap_or(meta.dtype.max(DType::I64)),
        ..meta
    })
}

/// The dtype that a call asks for, in attribute `at`.
pub(crate) fn asked(attrs: &Attrs, at: usize) -> Option<DType> {
    match attrs.get(at) {
        Some(Attr::DType(dtype)) => Some(*dtype),
        _ => None,
    }
}

pub(crate) type Dims = smallvec::SmallVec<[usize; 6]>;

pub(crate) fn dims(node: &NodeRef, src: &GraphValue) -> Result<Dims> {
    dims_of(node.op, src.shape(), &node.attrs[0])
}

/// Lowers to a scheduler's reduction over the op's dimensions.
pub(crate) fn lower(c: &Call, primitive: &'static Op, dtype: DType) -> Result<GraphValue> {
    let dims = dims(c.node, &c.src[0])?;
    Ok(c.src[0]
        .to(dtype)
        .reduce(primitive, &dims)
        .reshape(&c.node.shape))
}

/// A result or its gradient as it was before its dimensions went.
pub(crate) fn unreduced(b: &Backprop, value: &GraphValue) -> Result<GraphValue> {
    let dims = dims(b.node, &b.src[0])?;
    Ok(value.reshape(&kept(b.src[0].shape(), &dims)))
}

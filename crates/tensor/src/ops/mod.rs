//! The registry: every op, in families. A family's file holds each op whole.

pub mod activation;
pub mod alias;
pub mod arithmetic;
pub mod attention;
pub mod binary;
pub mod bits;
pub mod bounds;
pub mod by_index;
pub mod compare;
pub mod conv;
pub mod convert;
mod convolution;
pub mod counting;
pub mod diagonals;
pub mod distances;
pub mod einsum;
pub mod exponential;
pub mod fold;
pub mod hard;
pub mod index;
pub mod index_put;
pub mod join;
pub mod linalg;
pub mod linalg_factor;
pub mod linear;
pub mod loss;
pub mod loss_margins;
pub mod loss_pairs;
pub mod masks;
pub mod movement;
pub mod nn;
pub mod norm;
pub mod pad;
mod patches;
pub mod pieces;
pub mod place;
pub mod pool;
pub mod product;
pub mod product_add;
pub mod reduce;
pub mod repeats;
pub mod resize;
pub mod rounding;
pub mod scan;
pub mod scatter;
pub mod several;
pub(crate) mod shared;
pub mod smooth;
pub mod sort;
pub mod statistics;
pub mod tensor_product;
pub mod trigonometry;
pub mod unary;
pub mod unique;
pub mod views;
pub mod windows;

use smallvec::SmallVec;

use crate::dtype::DType;
use crate::node::NodeRef;
use crate::op::ParamKind::Tensor;
use crate::op::{Attr, Attrs, Grads, Kind, Meta, Op, Promote, Several, Vjp, param};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// Every op a user can call, basic ones first.
pub fn all() -> impl Iterator<Item = &'static Op> {
    [
        unary::OPS,
        exponential::OPS,
        trigonometry::OPS,
        activation::OPS,
        smooth::OPS,
        hard::OPS,
        rounding::OPS,
        binary::OPS,
        arithmetic::OPS,
        bounds::OPS,
        compare::OPS,
        bits::OPS,
        convert::OPS,
        reduce::OPS,
        scan::OPS,
        sort::OPS,
        statistics::OPS,
        counting::OPS,
        movement::OPS,
        join::OPS,
        index::OPS,
        views::OPS,
        diagonals::OPS,
        repeats::OPS,
        pad::OPS,
        scatter::OPS,
        by_index::OPS,
        masks::OPS,
        linear::OPS,
        product::OPS,
        product_add::OPS,
        tensor_product::OPS,
        linalg::OPS,
        linalg_factor::OPS,
        nn::OPS,
        loss::OPS,
        conv::OPS,
        pool::OPS,
        resize::OPS,
        fold::OPS,
        norm::OPS,
        attention::OPS,
        distances::OPS,
        loss_pairs::OPS,
        loss_margins::OPS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Every call that gives several tensors.
pub fn several() -> impl Iterator<Item = &'static Several> {
    [
        several::CALLS,
        scan::CALLS,
        sort::CALLS,
        statistics::CALLS,
        unique::CALLS,
        linalg_factor::CALLS,
        pieces::CALLS,
        pool::CALLS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// PyTorch's second names: alias, op.
pub fn aliases() -> &'static [(&'static str, &'static str)] {
    alias::ALIASES
}

/// The op of that name, or of which that is another name.
pub fn find(name: &str) -> Option<&'static Op> {
    let alias = alias::ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, name)| *name);
    all().find(|op| op.name == name)
}

/// A leaf: data, or a parameter (then an alias of its value).
pub static LEAF: Op = Op {
    name: "leaf",
    symbol: "",
    ..BASE
};

/// A number.
pub static NUMBER: Op = Op {
    name: "number",
    symbol: "",
    ..BASE
};

/// What a user's own `autograd.Function` made: sources, then the value it is an alias of.
pub static CUSTOM: Op = Op {
    name: "custom",
    symbol: "f",
    ..BASE
};

/// What the definitions below start from.
pub(crate) const BASE: Op = Op {
    name: "",
    grad_fn: "",
    grad_fn_for: |_| None,
    symbol: "",
    formula: "",
    rules: &[],
    doc: "",
    params: &[],
    promote: Promote::Keep,
    variant: |op, attrs| (op, attrs),
    check: |_, _| Ok(()),
    infer: same_as_first,
    prepare: None,
    kind: Kind::Leaf,
    vjp: Vjp::None("it is made, not computed"),
    saves: 0,
    domain: (-2.0, 2.0),
    exact: false,
    wide_numbers: false,
    constants: 0,
    numbers: 0,
    samples: &[],
    example: "",
    method: true,
};

/// An elementwise op of one operand that meets in floats.
pub(crate) const UNARY: Op = Op {
    params: &[param("input", Tensor)],
    promote: Promote::Float,
    ..BASE
};

/// An elementwise op of two operands that meet in their common dtype.
pub(crate) const BINARY: Op = Op {
    params: &[param("input", Tensor), param("other", Tensor)],
    promote: Promote::Common,
    infer: broadcast_all,
    ..BASE
};

/// The result looks like the first operand.
pub(crate) fn same_as_first(_: &Op, src: &[NodeRef], _: &Attrs) -> Result<Meta> {
    Ok(Meta {
        shape: src[0].shape.clone(),
        dtype: src[0].dtype,
    })
}

/// The shape in which all operands meet; the dtype of the last.
pub(crate) fn broadcast_all(op: &Op, src: &[NodeRef], _: &Attrs) -> Result<Meta> {
    let mut shape = src[0].shape.clone();
    for other in &src[1..] {
        shape = shape::broadcast(op.name, &shape, &other.shape)?;
    }
    Ok(Meta {
        shape,
        dtype: src[src.len() - 1].dtype,
    })
}

/// As [`broadcast_all`], in bool.
pub(crate) fn broadcast_bool(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    Ok(Meta {
        dtype: DType::Bool,
        ..broadcast_all(op, src, attrs)?
    })
}

/// Dimensions named by an attribute; all when it is empty.
pub(crate) fn dims_of(op: &Op, node_shape: &[usize], attr: &Attr) -> Result<SmallVec<[usize; 6]>> {
    shape::dims(op.name, attr.as_ints(), node_shape.len())
}

/// The dimension named by an integer attribute.
pub(crate) fn dim_of(op: &Op, node_shape: &[usize], attr: &Attr) -> Result<usize> {
    shape::dim(op.name, attr.as_int(), node_shape.len())
}

/// Sizes from an attribute that was checked when its node was made.
pub(crate) fn sizes(attr: &Attr) -> Shape {
    attr.as_ints().iter().map(|&n| n as usize).collect()
}

/// Raises unless a tensor is of a floating-point type.
pub(crate) fn expect_float(op: &Op, src: &NodeRef) -> Result<()> {
    if src.dtype.is_float() {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "{}: expected a floating-point tensor, got {}; convert it with .float()",
        op.name, src.dtype
    )))
}

/// One gradient.
pub(crate) fn grad1(a: crate::Var) -> Result<Grads> {
    Ok(smallvec::smallvec![Some(a)])
}

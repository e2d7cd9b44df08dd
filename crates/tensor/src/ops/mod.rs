//! The registry: every op, in families. A family's file holds each op whole.

pub mod activation;
pub mod alias;
pub mod attention;
mod convolution;
mod elementwise;
pub(crate) mod formula;
mod fused;
mod indexing;
pub mod linalg;
pub mod loss;
pub mod matmul;
pub mod movement;
pub mod multi_output;
mod normalization;
mod pooling;
mod reduction;
mod sorting;
pub mod special;

pub use activation::{elu, gated, hard, relu, sigmoid, softmax};
pub use convolution::{conv, conv_transpose, fold, windows};
pub(crate) use convolution::{factors, im2col};
pub(crate) use elementwise::shared;
pub use elementwise::{
    arithmetic, bits, clamp, compare, convert, division, exponential, finite, maximum, power,
    rounding, sign, trigonometry,
};
pub(crate) use indexing::check;
pub use indexing::{
    embedding, gather, index, index_add, index_select, masked, nonzero, primitives, scatter,
};
pub use linalg::{decomposition, factorization, solve, spectral};
pub use loss::{binary_cross_entropy, cross_entropy, distances, likelihood, margin, regression};
pub use matmul::{addmm, einsum, linear, mm, tensordot};
pub use movement::{
    cat, diagonal, expand, flip, grid, interpolate, pad, permute, pixel_shuffle, repeat, reshape,
    slice, split, strided,
};
pub use normalization::{batch_norm, group_norm, layer_norm};
pub(crate) use pooling::window_layout;
pub use pooling::{avg_pool, max_pool};
pub use reduction::{any_all, histogram, min_max, reduce, scan, sum, variance, vector_norm};
pub use sorting::{median, searchsorted, sort, unique};
pub use special::{bessel, gamma, normal, polynomials};

pub(crate) use crate::graph::primitive::{BASE, grad1, same_as_first};
pub use crate::graph::primitive::{CUSTOM, LEAF, NUMBER};

use smallvec::SmallVec;

use crate::dtype::DType;
use crate::node::NodeRef;
use crate::op::ParamKind::Tensor;
use crate::op::{Attr, Attrs, Meta, MultiOutputOp, Op, Out, Promote, param};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// Ops that belong together: a chapter of the reference.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its name in an address: `cross-entropy`.
    pub slug: &'static str,
    /// Its name for a reader.
    pub title: &'static str,
    /// Its ops.
    pub ops: &'static [&'static Op],
    /// Its calls that give several tensors.
    pub calls: &'static [&'static MultiOutputOp],
}

const fn family(
    slug: &'static str,
    title: &'static str,
    ops: &'static [&'static Op],
    calls: &'static [&'static MultiOutputOp],
) -> Family {
    Family {
        slug,
        title,
        ops,
        calls,
    }
}

/// Every family, basic ones first.
pub fn families() -> &'static [Family] {
    FAMILIES
}

static FAMILIES: &[Family] = &[
    family("arithmetic", "Sums and products", arithmetic::OPS, &[]),
    family("division", "Quotients and remainders", division::OPS, &[]),
    family("power", "Powers and roots", power::OPS, &[]),
    family(
        "exponential",
        "Exponentials and logarithms",
        exponential::OPS,
        &[],
    ),
    family("trigonometry", "Angles", trigonometry::OPS, &[]),
    family("rounding", "Rounding", rounding::OPS, &[]),
    family("sign", "Signs and sizes", sign::OPS, &[]),
    family("maximum", "The larger and the smaller", maximum::OPS, &[]),
    family("clamp", "Bounds", clamp::OPS, &[]),
    family("finite", "NaN and infinities", finite::OPS, &[]),
    family("compare", "Comparisons and logic", compare::OPS, &[]),
    family("bits", "Bits", bits::OPS, &[]),
    family("relu", "ReLU and its kin", relu::OPS, &[]),
    family("elu", "Exponential linear units", elu::OPS, &[]),
    family("sigmoid", "Sigmoids and softplus", sigmoid::OPS, &[]),
    family("gated", "Gated activations", gated::OPS, &[]),
    family("hard", "Activations made of straight lines", hard::OPS, &[]),
    family("softmax", "Softmax", softmax::OPS, &[]),
    family("convert", "Dtypes and copies", convert::OPS, &[]),
    family("sum", "Totals", sum::OPS, &[]),
    family(
        "min-max",
        "The largest and the smallest",
        min_max::OPS,
        min_max::CALLS,
    ),
    family("any-all", "Any, all, how many", any_all::OPS, &[]),
    family("variance", "Variance", variance::OPS, variance::CALLS),
    family("vector-norm", "Norms", vector_norm::OPS, &[]),
    family("histogram", "Histograms", histogram::OPS, &[]),
    family("scan", "Running totals", scan::OPS, scan::CALLS),
    family("sort", "Order", sort::OPS, sort::CALLS),
    family("median", "Medians", median::OPS, median::CALLS),
    family("searchsorted", "Searching", searchsorted::OPS, &[]),
    family("unique", "Distinct elements", &[], unique::CALLS),
    family("reshape", "Shapes", reshape::OPS, &[]),
    family("permute", "Dimensions in another order", permute::OPS, &[]),
    family("expand", "Broadcasting", expand::OPS, &[]),
    family("repeat", "Repeating", repeat::OPS, &[]),
    family("slice", "Slices", slice::OPS, &[]),
    family("split", "Pieces", &[], split::CALLS),
    family("cat", "Joining", cat::OPS, &[]),
    family("flip", "Turning round", flip::OPS, &[]),
    family("diagonal", "Diagonals and triangles", diagonal::OPS, &[]),
    family("grid", "Grids", grid::OPS, grid::CALLS),
    family("strided", "Views by strides", strided::OPS, &[]),
    family("pad", "Borders", pad::OPS, &[]),
    family("gather", "Picking by index", gather::OPS, &[]),
    family("index-select", "Slices by index", index_select::OPS, &[]),
    family("index-add", "Writing slices by index", index_add::OPS, &[]),
    family("embedding", "Class numbers as rows", embedding::OPS, &[]),
    family("scatter", "Scattering", scatter::OPS, &[]),
    family("masked", "Masks", masked::OPS, &[]),
    family(
        "nonzero",
        "Elements that are not zero",
        nonzero::OPS,
        nonzero::CALLS,
    ),
    family("matmul", "Products of tensors", matmul::OPS, &[]),
    family("mm", "Products by name", mm::OPS, &[]),
    family("addmm", "Products added to a tensor", addmm::OPS, &[]),
    family("tensordot", "Other products", tensordot::OPS, &[]),
    family("linear", "Linear layers", linear::OPS, &[]),
    family("solve", "Linear systems", solve::OPS, &[]),
    family(
        "factorization",
        "Factors of matrices",
        factorization::OPS,
        factorization::CALLS,
    ),
    family(
        "decomposition",
        "Matrices as L times U, and made of them",
        decomposition::OPS,
        decomposition::CALLS,
    ),
    family(
        "spectral",
        "Singular values and eigenvalues",
        spectral::OPS,
        spectral::CALLS,
    ),
    family("regression", "Losses of a difference", regression::OPS, &[]),
    family(
        "cross-entropy",
        "Losses of class scores",
        cross_entropy::OPS,
        &[],
    ),
    family(
        "binary-cross-entropy",
        "Losses of yes-or-no targets",
        binary_cross_entropy::OPS,
        &[],
    ),
    family(
        "likelihood",
        "Losses of distributions",
        likelihood::OPS,
        &[],
    ),
    family("margin", "Losses with margins", margin::OPS, &[]),
    family("conv", "Convolutions", conv::OPS, &[]),
    family(
        "conv-transpose",
        "Transposed convolutions",
        conv_transpose::OPS,
        &[],
    ),
    family(
        "max-pool",
        "Pools of the largest",
        max_pool::OPS,
        max_pool::CALLS,
    ),
    family("avg-pool", "Pools of the mean", avg_pool::OPS, &[]),
    family(
        "interpolate",
        "Images in other sizes",
        interpolate::OPS,
        &[],
    ),
    family(
        "pixel-shuffle",
        "Channels as pixels",
        pixel_shuffle::OPS,
        &[],
    ),
    family("fold", "Patches of images", fold::OPS, &[]),
    family("batch-norm", "Batch norm", batch_norm::OPS, &[]),
    family("layer-norm", "Norms of rows", layer_norm::OPS, &[]),
    family(
        "group-norm",
        "Group and instance norm",
        group_norm::OPS,
        &[],
    ),
    family("attention", "Attention", attention::OPS, &[]),
    family("distances", "Norms and distances", distances::OPS, &[]),
    family("gamma", "The gamma function", gamma::OPS, &[]),
    family("normal", "The normal distribution", normal::OPS, &[]),
    family("bessel", "Bessel functions", bessel::OPS, &[]),
    family(
        "polynomials",
        "Orthogonal polynomials",
        polynomials::OPS,
        &[],
    ),
];

/// Every op a user can call, basic ones first.
pub fn all() -> impl Iterator<Item = &'static Op> {
    FAMILIES.iter().flat_map(|family| family.ops).copied()
}

/// Every call that gives several tensors.
pub fn multi_output() -> impl Iterator<Item = &'static MultiOutputOp> {
    FAMILIES.iter().flat_map(|family| family.calls).copied()
}

/// Whether it has a twin that writes into its tensor, `tanh_`: methods that work element by element.
pub fn has_in_place(op: &Op) -> bool {
    let families = [
        arithmetic::OPS,
        division::OPS,
        power::OPS,
        exponential::OPS,
        trigonometry::OPS,
        rounding::OPS,
        sign::OPS,
        maximum::OPS,
        clamp::OPS,
        finite::OPS,
        compare::OPS,
        bits::OPS,
        gamma::OPS,
        normal::OPS,
        bessel::OPS,
        addmm::OPS,
        activation::IN_PLACE,
        masked::IN_PLACE,
        scatter::IN_PLACE,
        scan::IN_PLACE,
    ];
    let is_in = |family: &[&'static Op]| family.iter().any(|other| std::ptr::eq(*other, op));
    op.method && families.into_iter().any(is_in)
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

/// Ops that no name calls and that a graph has all the same.
#[cfg(feature = "full")]
static UNCALLED: &[&Op] = &[
    &index::INDEX,
    &index::INDEX_PUT,
    &primitives::SCATTER_ROWS,
    &primitives::SCATTER_ADD_ROWS,
    &primitives::COPY_INTO,
    &einsum::EINSUM,
    &slice::SLICE,
    &strided::ALIAS,
];

/// The name that finds an op of a graph: its own; of one that a call of several tensors makes, which may share its name
/// with others, the call's and its place among the call's parts, `sort:1`. None of an op that the registry does not have.
#[cfg(feature = "full")]
pub(crate) fn name_in_graph(op: &'static Op) -> Option<String> {
    if in_graph(op.name).is_some_and(|named| std::ptr::eq(named, op)) {
        return Some(op.name.to_owned());
    }
    multi_output().find_map(|call| {
        let at = call.parts.iter().position(|part| std::ptr::eq(*part, op))?;
        Some(format!("{}:{at}", call.name))
    })
}

/// The op of a name that [`name_in_graph`] gave.
#[cfg(feature = "full")]
pub(crate) fn in_graph(name: &str) -> Option<&'static Op> {
    if let Some((call, at)) = name.split_once(':') {
        let call = multi_output().find(|other| other.name == call)?;
        return call.parts.get(at.parse::<usize>().ok()?).copied();
    }
    let uncalled = || UNCALLED.iter().copied().find(|op| op.name == name);
    all().find(|op| op.name == name).or_else(uncalled)
}

/// An elementwise op of one operand that meets in floats.
pub(crate) const UNARY: Op = Op {
    params: &[param("input", Tensor)],
    promote: Promote::Float,
    out: Out::Cast,
    ..BASE
};

/// An elementwise op of two operands that meet in their common dtype.
pub(crate) const BINARY: Op = Op {
    params: &[param("input", Tensor), param("other", Tensor)],
    promote: Promote::Common,
    infer: broadcast_all,
    out: Out::Cast,
    ..BASE
};

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

//! Order along one dimension: `sort`, `argsort`, `topk`.
//!
//! An index op says where the elements stand, by the scheduler's stable argsort; the values are chosen by it, so that
//! the graph shows both and the gradient goes back to where they were read. NaN is larger than any number.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::routine;
use crate::graph::{Engine, GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{
    Attr, Attrs, Infinities, Kind, Meta, MultiOutputOp, Op, Param, RoutineKind, SAVE_B, Vjp,
    example, optional, param, samples,
};
use crate::ops::formula::kept;
use crate::ops::{BASE, dim_of};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&ARGSORT];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&SORT, &TOPK];

/// The scheduler's argsort: attributes are the dimension and whether the largest comes first.
static ORDER: Op = Op {
    name: "order",
    infer: infer_index,
    kind: Kind::Routine(RoutineKind::Of(routine::argsort)),
    method: false,
    ..BASE
};

fn infer_index(_: &Op, src: &[NodeRef], _: &Attrs) -> Result<Meta> {
    Ok(Meta {
        shape: src[0].shape.clone(),
        dtype: DType::I64,
    })
}

/// The dtype in which routines compare elements of a dtype.
pub(crate) fn sortable(dtype: DType) -> DType {
    match dtype {
        DType::Bool => DType::I64,
        dtype => dtype.compute(),
    }
}

/// A tensor without dimensions counts as one element.
pub(crate) fn at_least_1d(x: &GraphValue) -> GraphValue {
    if x.shape().is_empty() {
        return x.reshape(&[1]);
    }
    x.clone()
}

/// Where the elements of the sorted value stand; the value has dimensions.
pub(crate) fn order(x: &GraphValue, dim: usize, descending: bool) -> GraphValue {
    x.to(sortable(x.dtype())).call(
        &ORDER,
        &[],
        smallvec![Attr::Int(dim as i64), Attr::Bool(descending)],
    )
}

/// The shape of an index into a source along a dimension, with that dimension in place.
fn index_shape(source: &[usize], index: &[usize], dim: usize) -> Shape {
    let mut shape = kept(source, &[dim]);
    if index.len() == source.len() {
        shape[dim] = index[dim];
    }
    shape
}

/// Elements of the first operand at the second's indices along a dimension: all of it, or one index
/// whose dimension may be gone.
pub(crate) const CHOSEN: Op = Op {
    rules: &["{gy} at {b}, 0 elsewhere", ""],
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("indices", Tensor),
    ],
    infer: |_, src, _| {
        Ok(Meta {
            shape: src[1].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (x, index, dim, _) = choice(c.node, &c.src)?;
        let along = smallvec![Attr::Int(dim as i64)];
        Ok(x.call(&crate::ops::gather::GATHER, &[&index], along)
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, index, dim, shape) = choice(b.node, &b.src)?;
        let zeros = b.gy.zeros_like_shape(x.shape());
        let grad = zeros.call(
            &crate::ops::scatter::SCATTER_ADD,
            &[&index, &b.gy.reshape(&shape)],
            smallvec![Attr::Int(dim as i64)],
        );
        Ok(smallvec![Some(grad.reshape(b.src[0].shape())), None])
    }),
    saves: [SAVE_B; 3],
    exact: true,
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

fn choice(node: &NodeRef, src: &[GraphValue]) -> Result<(GraphValue, GraphValue, usize, Shape)> {
    let x = at_least_1d(&src[0]);
    let dim = dim_of(node.op, x.shape(), &node.attrs[0])?;
    let shape = match src[1].shape().is_empty() {
        true => kept(x.shape(), &[dim]),
        false => index_shape(x.shape(), src[1].shape(), dim),
    };
    Ok((x, src[1].reshape(&shape), dim, shape))
}

/// Values and indices: `index` is called as the learner's call was, `values` with what it found;
/// attribute `dim_at` is the dimension.
pub(crate) fn chosen(
    engine: &Engine,
    src: &[Operand],
    attrs: &Attrs,
    index: &'static Op,
    values: &'static Op,
    dim_at: usize,
) -> Result<Vec<Operand>> {
    let index = Operand::apply(engine, index, src, attrs.clone())?;
    let operands = [src[0].clone(), index.clone()];
    let dim = smallvec![attrs[dim_at].clone()];
    let values = Operand::apply(engine, values, &operands, dim)?;
    Ok(vec![values, index])
}

static SORT_PARAMS: &[Param] = &[
    param("input", Tensor),
    optional("dim", Int, Attr::Int(-1)),
    optional("descending", Bool, Attr::Bool(false)),
    optional("stable", Bool, Attr::Bool(false)),
];

/// An op whose result is an index.
pub(in crate::ops) const INDEX_RESULT: Op = Op {
    vjp: Vjp::None("its result is an index"),
    infinities: Infinities::Asks,
    ..BASE
};

/// Where the elements of the sorted tensor stand.
pub static ARGSORT: Op = Op {
    name: "argsort",
    symbol: "argsort",
    formula: "y[i] = where the i-th smallest element is",
    doc: "The indices that sort a tensor along a dimension; equal elements keep their order.",
    params: SORT_PARAMS,
    infer: |op, src, attrs| {
        dim_of(op, &src[0].shape, &attrs[0])?;
        infer_index(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let x = at_least_1d(&c.src[0]);
        let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
        Ok(order(&x, dim, c.attr(1).as_bool()).reshape(&c.node.shape))
    }),
    samples: samples(&["[2,5]", "[3,2,4] dim=0 descending=true", "[3,4]T", "[]"]),
    example: example("torch.argsort(torch.tensor([3.0, 1.0, 2.0]))"),
    ..INDEX_RESULT
};

/// As `argsort`, in the words of `sort`.
static SORT_INDICES: Op = Op {
    name: "sort",
    method: false,
    ..ARGSORT
};

static SORTED: Op = Op {
    name: "sort",
    grad_fn: "SortBackward0",
    symbol: "sort",
    formula: "y = a in order",
    ..CHOSEN
};

/// In order.
pub static SORT: MultiOutputOp = MultiOutputOp {
    name: "sort",
    doc: "The elements in order along a dimension, and where they were; equal ones keep their order.",
    params: SORT_PARAMS,
    fields: &["values", "indices"],
    parts: &[&SORT_INDICES, &SORTED],
    call: |engine, src, attrs| chosen(engine, src, attrs, &SORT_INDICES, &SORTED, 0),
    samples: samples(&["[2,5]", "[3,2,4] dim=0 descending=true", "[3,4]T", "[]"]),
    example: example("torch.sort(torch.tensor([3.0, 1.0, 2.0]))"),
    ..crate::ops::multi_output::MULTI_OUTPUT
};

static TOPK_INDICES: Op = Op {
    name: "topk",
    symbol: "top k",
    infer: |op, src, attrs| {
        if src[0].dtype == DType::Bool {
            return Err(Error::not_implemented(
                "topk: bool tensors have no largest few; convert with .long()",
            ));
        }
        let dim = dim_of(op, &src[0].shape, &attrs[1])?;
        let (k, n) = (attrs[0].as_int(), *src[0].shape.get(dim).unwrap_or(&1));
        if k < 0 || k as u64 > n as u64 {
            return Err(Error::runtime(format!(
                "topk: selected index k out of range: k is {k}, and dimension {dim} of shape {} has {n} elements",
                shape::show(&src[0].shape)
            )));
        }
        let mut shape = src[0].shape.clone();
        if let Some(size) = shape.get_mut(dim) {
            *size = k as usize;
        }
        Ok(Meta {
            shape,
            dtype: DType::I64,
        })
    },
    kind: Kind::Composite(|c| {
        let x = at_least_1d(&c.src[0]);
        let dim = dim_of(c.node.op, x.shape(), c.attr(1))?;
        let k = c.node.shape.get(dim).copied().unwrap_or(1);
        let order = order(&x, dim, c.attr(2).as_bool());
        Ok(order.slice(dim, 0, k, 1).reshape(&c.node.shape))
    }),
    method: false,
    ..INDEX_RESULT
};

static TOPK_VALUES: Op = Op {
    name: "topk",
    grad_fn: "TopkBackward0",
    symbol: "top k",
    formula: "y = the k largest of a",
    ..CHOSEN
};

/// The largest few.
pub static TOPK: MultiOutputOp = MultiOutputOp {
    name: "topk",
    doc: "The k largest (or smallest) elements along a dimension, in order, and where they are.",
    params: &[
        param("input", Tensor),
        param("k", Int),
        optional("dim", Int, Attr::Int(-1)),
        optional("largest", Bool, Attr::Bool(true)),
        optional("sorted", Bool, Attr::Bool(true)),
    ],
    fields: &["values", "indices"],
    parts: &[&TOPK_INDICES, &TOPK_VALUES],
    call: |engine, src, attrs| chosen(engine, src, attrs, &TOPK_INDICES, &TOPK_VALUES, 1),
    samples: samples(&["[2,5] 3", "[3,2,4] 2 dim=0 largest=false", "[] 1"]),
    example: example("torch.topk(torch.tensor([1.0, 4.0, 2.0, 3.0]), k=2)"),
    ..crate::ops::multi_output::MULTI_OUTPUT
};

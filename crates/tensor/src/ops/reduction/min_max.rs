//! The largest and the smallest of many: `max`, `min`, `amax`, `amin`, `aminmax`, `argmax`, `argmin`. The larger of two
//! tensors is in `maximum`.
//!
//! `max` and `min` along a dimension are calls with two results, each of them an op.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Infinities, Kind, Meta, MultiOutputOp, Op, Out, PythonFace,
    SAVE_A, SAVE_Y, Vjp, example, face, optional, param, samples,
};
use crate::ops::formula::kept;
use crate::ops::multi_output::MULTI_OUTPUT;
use crate::ops::reduce::{
    REDUCE_ARGMAX, REDUCE_ARGMIN, REDUCE_MAX, REDUCE_MIN, REDUCTION, dims, infer_reduction, lower,
    unreduced,
};
use crate::ops::{BASE, dim_of, dims_of, grad1};
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &AMAX,
    &AMIN,
    &MAX,
    &MIN,
    &MAX_DIM_VALUES,
    &MIN_DIM_VALUES,
    &ARGMAX,
    &ARGMIN,
];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&MAX_DIM, &MIN_DIM, &AMINMAX];

/// A largest element needs at least one.
fn infer_extreme(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let dims = dims_of(op, &src[0].shape, &attrs[0])?;
    if src[0].numel() == 0 && attrs[0].as_ints().is_empty() {
        let message = format!(
            "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
            op.name
        );
        return Err(if op.name.starts_with("arg") {
            Error::index(message)
        } else {
            Error::runtime(message)
        });
    }
    if let Some(&d) = dims.iter().find(|&&d| src[0].shape[d] == 0) {
        return Err(Error::index(format!(
            "{}(): Expected reduction dim {d} to have non-zero size, got shape {}",
            op.name,
            shape::show(&src[0].shape)
        )));
    }
    infer_reduction(op, src, attrs)
}

/// The gradient of an extreme: shared equally by the elements that reach it.
fn extreme_vjp(b: &Backprop) -> Result<crate::op::Grads> {
    let x = &b.src[0];
    let reached = x.eq(&unreduced(b, &b.y)?).to(x.dtype());
    let n = reached.sum(&dims(b.node, x)?, true);
    grad1(&reached * (unreduced(b, &b.gy)? / n))
}

/// The largest.
pub static AMAX: Op = Op {
    name: "amax",
    grad_fn: "AmaxBackward0",
    symbol: "max",
    formula: "y = max a",
    rules: &["{gy} to the largest element, shared on ties"],
    doc: "The largest element, of all or along dimensions; NaN if there is one.",
    infer: infer_extreme,
    kind: Kind::Composite(|c| lower(c, &REDUCE_MAX, c.node.dtype)),
    vjp: Vjp::Rule(extreme_vjp),
    saves: [SAVE_A | SAVE_Y; 3],
    out: Out::Same,
    infinities: Infinities::Chooses,
    ..REDUCTION
};

/// The smallest.
pub static AMIN: Op = Op {
    name: "amin",
    grad_fn: "AminBackward0",
    symbol: "min",
    formula: "y = min a",
    rules: &["{gy} to the smallest element, shared on ties"],
    doc: "The smallest element, of all or along dimensions; NaN if there is one.",
    infer: infer_extreme,
    kind: Kind::Composite(|c| lower(c, &REDUCE_MIN, c.node.dtype)),
    vjp: Vjp::Rule(extreme_vjp),
    saves: [SAVE_A | SAVE_Y; 3],
    out: Out::Same,
    infinities: Infinities::Chooses,
    ..REDUCTION
};

/// The largest of all.
pub static MAX: Op = Op {
    name: "max",
    grad_fn: "MaxBackward1",
    params: &[param("input", Tensor)],
    infer: infer_whole,
    kind: Kind::Composite(|c| lower_whole(c, &REDUCE_MAX)),
    vjp: Vjp::Rule(whole_extreme_vjp),
    doc: "The largest element of all; NaN if there is one.",
    samples: samples(&["[3,4]", "[]"]),
    ..AMAX
};

/// The smallest of all.
pub static MIN: Op = Op {
    name: "min",
    grad_fn: "MinBackward1",
    params: &[param("input", Tensor)],
    infer: infer_whole,
    kind: Kind::Composite(|c| lower_whole(c, &REDUCE_MIN)),
    vjp: Vjp::Rule(whole_extreme_vjp),
    doc: "The smallest element of all; NaN if there is one.",
    samples: samples(&["[3,4]", "[]"]),
    ..AMIN
};

/// The attributes of a reduction over everything.
fn whole() -> Attrs {
    smallvec![Attr::None, Attr::Bool(false)]
}

fn infer_whole(op: &Op, src: &[NodeRef], _: &Attrs) -> Result<Meta> {
    if src[0].numel() == 0 {
        return Err(Error::runtime(format!(
            "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
            op.name
        )));
    }
    infer_reduction(op, src, &whole())
}

fn lower_whole(c: &Call, primitive: &'static Op) -> Result<GraphValue> {
    let dims = crate::ops::formula::all_dims(c.src[0].shape());
    Ok(c.src[0].reduce(primitive, &dims).reshape(&[]))
}

pub(crate) fn whole_extreme_vjp(b: &Backprop) -> Result<crate::op::Grads> {
    // Where the extreme is NaN, the NaNs reached it.
    let (x, y) = (&b.src[0], &b.y);
    let is_nan = |v: &GraphValue| v.call(&crate::ops::finite::ISNAN, &[], smallvec![]);
    let mask = is_nan(y).select(&is_nan(x), &x.eq(y));
    let n = mask
        .to(x.dtype())
        .sum(&crate::ops::formula::all_dims(x.shape()), false);
    grad1(mask.select(&(&b.gy / n), &b.gy.number(0.0)))
}

/// Values along one dimension; the indices are `argmax`'s. The gradient goes to that one element.
const ONE_OF: Op = Op {
    params: &[
        param("input", Tensor),
        param("dim", Int),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    infer: |op, src, attrs| {
        let dim = dim_of(op, &src[0].shape, &attrs[0])?;
        infer_extreme(
            op,
            src,
            &smallvec![Attr::ints(&[dim as i64]), attrs[1].clone()],
        )
    },
    saves: [0; 3],
    reads: SAVE_A,
    samples: samples(&["[2,5] 1", "[3,2,4] 0 keepdim=true"]),
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

fn one_of_vjp(b: &Backprop, arg: &'static Op) -> Result<crate::op::Grads> {
    let x = &b.src[0];
    if x.shape().is_empty() {
        return grad1(b.gy.clone());
    }
    let dim = dim_of(b.node.op, x.shape(), b.attr(0))?;
    let n = x.shape()[dim];
    let mut along = shape::Shape::from_elem(1, x.shape().len());
    along[dim] = n;
    let positions = GraphValue::new(x.engine(), x.engine().arange(n)?).reshape(&along);
    let chosen = x
        .call(arg, &[], smallvec![Attr::Int(dim as i64), Attr::Bool(true)])
        .eq(&positions);
    grad1(chosen.select(&b.gy.reshape(&kept(x.shape(), &[dim])), &b.gy.number(0.0)))
}

/// The largest along a dimension.
pub static MAX_DIM_VALUES: Op = Op {
    name: "max_dim",
    python: face(&PythonFace {
        part_of: "max",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "MaxBackward0",
    symbol: "max",
    formula: "y = max a",
    rules: &["{gy} to the largest element, the first on ties"],
    doc: "The largest element along a dimension, the first on ties; argmax says where.",
    kind: Kind::Composite(|c| lower(c, &REDUCE_MAX, c.node.dtype)),
    vjp: Vjp::Rule(|b| one_of_vjp(b, &ARGMAX)),
    ..ONE_OF
};

/// The smallest along a dimension.
pub static MIN_DIM_VALUES: Op = Op {
    name: "min_dim",
    python: face(&PythonFace {
        part_of: "min",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "MinBackward0",
    symbol: "min",
    formula: "y = min a",
    rules: &["{gy} to the smallest element, the first on ties"],
    doc: "The smallest element along a dimension, the first on ties; argmin says where.",
    kind: Kind::Composite(|c| lower(c, &REDUCE_MIN, c.node.dtype)),
    vjp: Vjp::Rule(|b| one_of_vjp(b, &ARGMIN)),
    ..ONE_OF
};

/// Along one dimension, or over the flattened tensor.
const ARG: Op = Op {
    params: &[
        param("input", Tensor),
        optional("dim", Int, Attr::None),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    infer: |op, src, attrs| {
        let meta = infer_extreme(op, src, attrs)?;
        Ok(Meta {
            dtype: DType::I64,
            ..meta
        })
    },
    vjp: Vjp::None("its result is an index"),
    samples: samples(&["[2,3]", "[2,3,4] dim=1"]),
    infinities: Infinities::Asks,
    ..BASE
};

fn lower_arg(c: &Call, primitive: &'static Op) -> Result<GraphValue> {
    let x = &c.src[0];
    if *c.attr(0) == Attr::None || x.shape().is_empty() {
        let flat = x.reshape(&[x.node().numel()]);
        return Ok(flat.reduce(primitive, &[0]).reshape(&c.node.shape));
    }
    let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
    Ok(x.reduce(primitive, &[dim]).reshape(&c.node.shape))
}

/// Where the largest is.
pub static ARGMAX: Op = Op {
    name: "argmax",
    symbol: "argmax",
    formula: "y = the index of the largest element",
    doc: "The index of the largest element; the first one on ties.",
    kind: Kind::Composite(|c| lower_arg(c, &REDUCE_ARGMAX)),
    ..ARG
};

/// Where the smallest is.
pub static ARGMIN: Op = Op {
    name: "argmin",
    symbol: "argmin",
    formula: "y = the index of the smallest element",
    doc: "The index of the smallest element; the first one on ties.",
    kind: Kind::Composite(|c| lower_arg(c, &REDUCE_ARGMIN)),
    ..ARG
};

/// `max` along a dimension: the Python module chooses it where a dimension is given.
pub static MAX_DIM: MultiOutputOp = MultiOutputOp {
    name: "max_dim",
    python: face(&PythonFace {
        part_of: "max",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    doc: "The largest elements along a dimension, and where they are.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["values", "indices"],
    call: |engine, src, attrs| {
        Ok(vec![
            Operand::apply(engine, &MAX_DIM_VALUES, src, attrs.clone())?,
            Operand::apply(engine, &ARGMAX, src, attrs.clone())?,
        ])
    },
    samples: samples(&["[2,5] 1", "[3,2,4] dim=0 keepdim=true"]),
    example: example("torch.max(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1)"),
    method: false,
    ..MULTI_OUTPUT
};

/// `min` along a dimension.
pub static MIN_DIM: MultiOutputOp = MultiOutputOp {
    name: "min_dim",
    python: face(&PythonFace {
        part_of: "min",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    doc: "The smallest elements along a dimension, and where they are.",
    call: |engine, src, attrs| {
        Ok(vec![
            Operand::apply(engine, &MIN_DIM_VALUES, src, attrs.clone())?,
            Operand::apply(engine, &ARGMIN, src, attrs.clone())?,
        ])
    },
    example: example("torch.min(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1)"),
    ..MAX_DIM
};

static AMINMAX_MIN: Op = Op {
    name: "aminmax",
    grad_fn: "AminmaxBackward0",
    ..AMIN
};

static AMINMAX_MAX: Op = Op {
    name: "aminmax",
    grad_fn: "AminmaxBackward0",
    ..AMAX
};

/// The smallest and the largest.
pub static AMINMAX: MultiOutputOp = MultiOutputOp {
    name: "aminmax",
    doc: "The smallest and the largest element, of all or along a dimension.",
    params: &[
        param("input", Tensor),
        optional("dim", Int, Attr::None),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["min", "max"],
    parts: &[&AMINMAX_MIN, &AMINMAX_MAX],
    call: |engine, src, attrs| {
        let each = |op| Operand::apply(engine, op, src, attrs.clone());
        Ok(vec![each(&AMINMAX_MIN)?, each(&AMINMAX_MAX)?])
    },
    samples: samples(&["[2,3]", "[2,3] dim=1 keepdim=true"]),
    example: example("torch.aminmax(torch.tensor([1.0, 3.0, 2.0]))"),
    ..crate::ops::multi_output::MULTI_OUTPUT
};

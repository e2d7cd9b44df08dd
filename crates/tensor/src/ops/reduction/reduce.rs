//! Reductions: many elements become one. `dim` may be one dimension, several, or none for all.
//!
//! The public ops are written in the scheduler's reductions (`REDUCE_*`), which keep reduced
//! dimensions with size 1.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::kernel::ReduceOp;
use crate::node::NodeRef;
use crate::op::Counts;
use crate::op::ParamKind::{self, Bool, Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Kind, Meta, Op, Out, Param, SAVE_A, SAVE_Y, Vjp, optional, param,
    samples,
};
use crate::op::{PythonFace, face};
use crate::ops::formula::{count, dropped, kept};
use crate::ops::{BASE, dim_of, dims_of, grad1};
use crate::shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &SUM, &MEAN, &PROD, &AMAX, &AMIN, &MAX, &MIN, &MAX_DIM, &MIN_DIM, &ARGMAX, &ARGMIN, &ANY, &ALL,
];

static PARAMS: &[Param] = &[
    param("input", Tensor),
    optional("dim", Ints, Attr::None),
    optional("keepdim", Bool, Attr::Bool(false)),
];

/// Those whose result may be asked for in another dtype.
static TOTAL_PARAMS: &[Param] = &[
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
fn infer_total(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let meta = infer_reduction(op, src, attrs)?;
    Ok(Meta {
        dtype: asked(attrs, 2).unwrap_or(meta.dtype.max(DType::I64)),
        ..meta
    })
}

/// Of uint8 the answer is uint8, as in PyTorch.
fn infer_bool(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let dtype = match src[0].dtype {
        DType::U8 => DType::U8,
        _ => DType::Bool,
    };
    Ok(Meta {
        dtype,
        ..infer_reduction(op, src, attrs)?
    })
}

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

/// Σ
pub static SUM: Op = Op {
    name: "sum",
    grad_fn: "SumBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("SumBackward1"),
    symbol: "Σ",
    formula: "y = Σ a",
    rules: &["{gy}, to every element that was summed"],
    doc: "The sum of the elements, of all or along dimensions.",
    params: TOTAL_PARAMS,
    infer: infer_total,
    kind: Kind::Composite(|c| lower(c, &REDUCE_SUM, c.node.dtype)),
    vjp: Vjp::Rule(|b| {
        let gy = b.gy.to(b.src[0].dtype());
        grad1(unreduced(b, &gy)?.expand(b.src[0].shape()))
    }),
    out: Out::Computes,
    ..REDUCTION
};

/// Σ / n
pub static MEAN: Op = Op {
    name: "mean",
    counts: Counts::Reduced,
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("MeanBackward1"),
    symbol: "mean",
    formula: "y = Σ a / n",
    rules: &["{gy} / n, to every element"],
    doc: "The mean of the elements, of all or along dimensions.",
    params: TOTAL_PARAMS,
    infer: |op, src, attrs| {
        let dtype = asked(attrs, 2).unwrap_or(src[0].dtype);
        if !dtype.is_float() {
            let which = ["Input", "Optional"][usize::from(asked(attrs, 2).is_some())];
            return Err(Error::not_implemented(format!(
                "mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. Got: {}; convert the tensor with .float()",
                dtype.scalar_name()
            )));
        }
        Ok(Meta {
            dtype,
            ..infer_reduction(op, src, attrs)?
        })
    },
    kind: Kind::Composite(|c| {
        let dims = dims(c.node, &c.src[0])?;
        let n = count(c.src[0].shape(), &dims);
        // The sum of halves may be more than a half holds.
        Ok((lower(c, &REDUCE_SUM, c.node.dtype.compute())? / n).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let n = count(b.src[0].shape(), &dims(b.node, &b.src[0])?);
        let gy = b.gy.to(b.src[0].dtype());
        grad1(unreduced(b, &gy)?.expand(b.src[0].shape()) / n)
    }),
    ..REDUCTION
};

/// Π
pub static PROD: Op = Op {
    name: "prod",
    grad_fn: "ProdBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("ProdBackward1"),
    symbol: "Π",
    formula: "y = Π a",
    rules: &["{gy} · the product of the other elements"],
    doc: "The product of the elements, of all or along one dimension.",
    params: TOTAL_PARAMS,
    infer: infer_total,
    kind: Kind::Composite(|c| lower(c, &REDUCE_PROD, c.node.dtype)),
    vjp: Vjp::Rule(|b| {
        let x = b.src[0].to(b.gy.dtype());
        let to = b.src[0].dtype();
        if x.shape().is_empty() {
            return grad1(b.gy.to(to));
        }
        if x.node().numel() == 0 {
            return grad1(b.gy.zeros_like_shape(x.shape()).to(to));
        }
        // Lines of the elements that were multiplied.
        let dims = dims(b.node, &x)?;
        let order: Dims = (0..x.shape().len())
            .filter(|d| !dims.contains(d))
            .chain(dims.iter().copied())
            .collect();
        let sides = x.permute(&order);
        let n = count(x.shape(), &dims) as usize;
        let lines = sides.contiguous().reshape(&[x.node().numel() / n, n]);
        let others = crate::ops::scan::product_of_others(&lines).reshape(sides.shape());
        let back: Dims = (0..order.len())
            .filter_map(|d| order.iter().position(|&o| o == d))
            .collect();
        grad1((unreduced(b, &b.gy)? * others.permute(&back)).to(to))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    domain: (0.5, 2.0),
    out: Out::Computes,
    ..REDUCTION
};

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
pub static MAX_DIM: Op = Op {
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
pub static MIN_DIM: Op = Op {
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

/// Whether one is true.
pub static ANY: Op = Op {
    name: "any",
    symbol: "any",
    formula: "y = any a",
    doc: "Whether at least one element is true (not zero).",
    infer: infer_bool,
    kind: Kind::Composite(|c| {
        let truth = c.src[0].to(DType::Bool).to(DType::I64);
        let total = truth.reduce(&REDUCE_SUM, &dims(c.node, &c.src[0])?);
        Ok(total
            .to(DType::Bool)
            .to(c.node.dtype)
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::None("its result is true or false"),
    out: Out::Same,
    ..REDUCTION
};

/// Whether all are true.
pub static ALL: Op = Op {
    name: "all",
    symbol: "all",
    formula: "y = all a",
    doc: "Whether every element is true (not zero).",
    infer: infer_bool,
    kind: Kind::Composite(|c| {
        let truth = c.src[0].to(DType::Bool).to(DType::I64);
        let total = truth.reduce(&REDUCE_PROD, &dims(c.node, &c.src[0])?);
        Ok(total
            .to(DType::Bool)
            .to(c.node.dtype)
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::None("its result is true or false"),
    out: Out::Same,
    ..REDUCTION
};

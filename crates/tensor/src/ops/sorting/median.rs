//! One element of a sorted dimension: `median`, `nanmedian`, `kthvalue`; and the most frequent one, `mode`.
//!
//! As in `sort`, one op says where the element stands and another chooses it.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{
    Attr, Attrs, Call, Infinities, Kind, Meta, MultiOutputOp, Op, Out, PythonFace, SAVE_A, SAVE_Y,
    Vjp, example, face, optional, param, samples,
};
use crate::ops::formula::{dropped, kept};
use crate::ops::sort::{CHOSEN, INDEX_RESULT, at_least_1d, chosen, order};
use crate::ops::{BASE, dim_of, reduce};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&MEDIAN, &NANMEDIAN];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&KTHVALUE, &MEDIAN_DIM, &NANMEDIAN_DIM, &MODE];

/// One index along a dimension, which goes or stays with size 1: attributes from `at` on.
pub(crate) fn infer_one(op: &Op, src: &[NodeRef], attrs: &Attrs, at: usize) -> Result<Meta> {
    let x = &src[0].shape;
    let dim = dim_of(op, x, &attrs[at])?;
    if x.get(dim) == Some(&0) {
        return Err(Error::index(format!(
            "{}(): Expected reduction dim {dim} to have non-zero size, got shape {}",
            op.name,
            shape::show(x)
        )));
    }
    let shape = match (x.is_empty(), attrs[at + 1].as_bool()) {
        (true, _) => Shape::new(),
        (false, true) => kept(x, &[dim]),
        (false, false) => dropped(x, &[dim]),
    };
    Ok(Meta {
        shape,
        dtype: DType::I64,
    })
}

static KTHVALUE_INDICES: Op = Op {
    name: "kthvalue",
    symbol: "k-th",
    infer: |op, src, attrs| {
        let meta = infer_one(op, src, attrs, 1)?;
        let dim = dim_of(op, &src[0].shape, &attrs[1])?;
        let (k, n) = (attrs[0].as_int(), *src[0].shape.get(dim).unwrap_or(&1));
        if k < 1 || k as u64 > n as u64 {
            return Err(Error::runtime(format!(
                "kthvalue(): selected number k out of range for dimension {dim}: k is {k}, expected 1 … {n}"
            )));
        }
        Ok(meta)
    },
    kind: Kind::Composite(|c| {
        let x = at_least_1d(&c.src[0]);
        let dim = dim_of(c.node.op, x.shape(), c.attr(1))?;
        let at = c.attr(0).as_int() as usize - 1;
        let order = order(&x, dim, false);
        Ok(order.slice(dim, at, 1, 1).reshape(&c.node.shape))
    }),
    method: false,
    ..INDEX_RESULT
};

static KTHVALUE_VALUES: Op = Op {
    name: "kthvalue",
    grad_fn: "KthvalueBackward0",
    symbol: "k-th",
    formula: "y = the k-th smallest of a",
    ..CHOSEN
};

/// The k-th smallest.
pub static KTHVALUE: MultiOutputOp = MultiOutputOp {
    name: "kthvalue",
    doc: "The k-th smallest element along a dimension, counted from 1, and where it is.",
    params: &[
        param("input", Tensor),
        param("k", Int),
        optional("dim", Int, Attr::Int(-1)),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["values", "indices"],
    parts: &[&KTHVALUE_INDICES, &KTHVALUE_VALUES],
    call: |engine, src, attrs| chosen(engine, src, attrs, &KTHVALUE_INDICES, &KTHVALUE_VALUES, 1),
    samples: samples(&["[2,5] 3", "[3,2,4] 2 dim=0 keepdim=true", "[] 1"]),
    example: example("torch.kthvalue(torch.tensor([3.0, 1.0, 2.0]), k=2)"),
    ..crate::ops::multi_output::MULTI_OUTPUT
};

/// Which of the sorted elements is the median, for each line: the lower of the middle two; with
/// NaNs the first of them, or the median of the others.
fn middle(x: &GraphValue, dim: usize, skips_nan: bool) -> GraphValue {
    let n = x.shape()[dim] as i64;
    let whole = |value: i64| x.integer(value);
    let lower = whole((n - 1).max(0) / 2);
    if !x.dtype().is_float() {
        return lower.expand(&kept(x.shape(), &[dim]));
    }
    let nan = x
        .call(&crate::ops::finite::ISNAN, &[], smallvec![])
        .to(DType::I64);
    let numbers = whole(n) - nan.sum(&[dim], true);
    if skips_nan {
        let least =
            (&numbers - whole(1)).call(&crate::ops::maximum::MAXIMUM, &[&whole(0)], smallvec![]);
        return least.call(
            &crate::ops::division::FLOOR_DIVIDE,
            &[&whole(2)],
            smallvec![],
        );
    }
    numbers.eq(&whole(n)).select(&lower, &numbers)
}

fn median_index(c: &Call, skips_nan: bool) -> Result<GraphValue> {
    let x = at_least_1d(&c.src[0]);
    let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
    let order = order(&x, dim, false);
    let at = middle(&x, dim, skips_nan);
    let index = order.call(
        &crate::ops::gather::GATHER,
        &[&at],
        smallvec![Attr::Int(dim as i64)],
    );
    Ok(index.reshape(&c.node.shape))
}

static MEDIAN_INDICES: Op = Op {
    name: "median",
    symbol: "median",
    infer: |op, src, attrs| infer_one(op, src, attrs, 0),
    kind: Kind::Composite(|c| median_index(c, false)),
    method: false,
    ..INDEX_RESULT
};

static NANMEDIAN_INDICES: Op = Op {
    name: "nanmedian",
    kind: Kind::Composite(|c| median_index(c, true)),
    ..MEDIAN_INDICES
};

static MEDIAN_VALUES: Op = Op {
    name: "median",
    grad_fn: "MedianBackward1",
    symbol: "median",
    formula: "y = the middle one of a in order",
    ..CHOSEN
};

static NANMEDIAN_VALUES: Op = Op {
    name: "nanmedian",
    grad_fn: "NanmedianBackward1",
    ..MEDIAN_VALUES
};

/// `median` along a dimension: the Python module chooses it where a dimension is given.
pub static MEDIAN_DIM: MultiOutputOp = MultiOutputOp {
    name: "median_dim",
    python: face(&PythonFace {
        part_of: "median",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    doc: "The middle element along a dimension, the lower one of two, and where it is.",
    params: &[
        param("input", Tensor),
        optional("dim", Int, Attr::Int(-1)),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["values", "indices"],
    parts: &[&MEDIAN_INDICES, &MEDIAN_VALUES],
    call: |engine, src, attrs| chosen(engine, src, attrs, &MEDIAN_INDICES, &MEDIAN_VALUES, 0),
    samples: samples(&["[2,5] 1", "[3,2,4] dim=0 keepdim=true", "[] 0"]),
    example: example("torch.median(torch.tensor([[3.0, 1.0, 2.0]]), dim=1)"),
    method: false,
    ..crate::ops::multi_output::MULTI_OUTPUT
};

/// `nanmedian` along a dimension.
pub static NANMEDIAN_DIM: MultiOutputOp = MultiOutputOp {
    name: "nanmedian_dim",
    python: face(&PythonFace {
        part_of: "nanmedian",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    doc: "The middle one of the elements that are not NaN along a dimension, and where it is.",
    parts: &[&NANMEDIAN_INDICES, &NANMEDIAN_VALUES],
    call: |engine, src, attrs| chosen(engine, src, attrs, &NANMEDIAN_INDICES, &NANMEDIAN_VALUES, 0),
    example: example("torch.nanmedian(torch.tensor([[3.0, float('nan'), 2.0]]), dim=1)"),
    ..MEDIAN_DIM
};

/// The median of everything. None of nothing: NaN, as PyTorch says.
fn median(c: &Call, skips_nan: bool) -> Result<GraphValue> {
    let x = &c.src[0];
    let n = x.node().numel();
    if n == 0 {
        let nothing = if x.dtype().is_float() {
            x.number(f64::NAN)
        } else {
            // What PyTorch's NaN becomes as an integer.
            x.number(f64::NEG_INFINITY)
        };
        return Ok(nothing.contiguous());
    }
    let flat = x.reshape(&[n]);
    let at = middle(&flat, 0, skips_nan);
    let along: Attrs = smallvec![Attr::Int(0)];
    let index = order(&flat, 0, false).call(&crate::ops::gather::GATHER, &[&at], along.clone());
    Ok(flat
        .call(&crate::ops::gather::GATHER, &[&index], along)
        .reshape(&[]))
}

/// The median of all.
pub static MEDIAN: Op = Op {
    name: "median",
    grad_fn: "MedianBackward0",
    symbol: "median",
    formula: "y = the middle one of a in order",
    rules: &["{gy} to the median, shared on ties"],
    doc: "The middle element of all in order, the lower one of two; NaN if there is one.",
    params: &[param("input", Tensor)],
    infer: |_, src, _| {
        Ok(Meta {
            shape: SmallVec::new(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| median(c, false)),
    vjp: Vjp::Rule(crate::ops::min_max::whole_extreme_vjp),
    saves: [SAVE_A | SAVE_Y; 3],
    exact: true,
    samples: samples(&["[2,3]", "[5]", "[]", "[3,3]T"]),
    example: example("torch.median(torch.tensor([3.0, 1.0, 2.0]))"),
    out: Out::None,
    infinities: Infinities::Chooses,
    ..BASE
};

/// The median of all numbers.
pub static NANMEDIAN: Op = Op {
    name: "nanmedian",
    grad_fn: "NanmedianBackward0",
    doc: "The middle one of the elements that are not NaN, the lower one of two.",
    kind: Kind::Composite(|c| median(c, true)),
    example: example("torch.nanmedian(torch.tensor([3.0, float('nan'), 2.0]))"),
    ..MEDIAN
};

/// Where the last of the most frequent elements is: the longest run in order, the first of them.
static MODE_INDICES: Op = Op {
    name: "mode",
    symbol: "mode",
    infer: |op, src, attrs| infer_one(op, src, attrs, 0),
    kind: Kind::Composite(|c| {
        let x = at_least_1d(&c.src[0]);
        let dim = crate::ops::dim_of(c.node.op, x.shape(), c.attr(0))?;
        let along: Attrs = smallvec![Attr::Int(dim as i64)];
        let order = order(&x, dim, false);
        let sorted = x.call(&crate::ops::gather::GATHER, &[&order], along.clone());
        // How long the run is so far: one more than before where the element is the same.
        let repeats = sorted
            .eq(&crate::ops::scan::after(&sorted, dim, 0.0))
            .to(DType::F64);
        let ones = repeats.number(1.0).expand(repeats.shape());
        let runs = repeats.call(&crate::ops::scan::RECURRENCE, &[&ones], along.clone());
        let longest = runs.reduce(&reduce::REDUCE_ARGMAX, &[dim]);
        let index = order.call(&crate::ops::gather::GATHER, &[&longest], along);
        Ok(index.reshape(&c.node.shape))
    }),
    vjp: Vjp::None("its result is an index"),
    method: false,
    infinities: Infinities::Asks,
    ..crate::ops::BASE
};

static MODE_VALUES: Op = Op {
    name: "mode",
    grad_fn: "ModeBackward0",
    symbol: "mode",
    formula: "y = the most frequent of a",
    ..CHOSEN
};

/// The most frequent.
pub static MODE: MultiOutputOp = MultiOutputOp {
    name: "mode",
    doc: "The most frequent element along a dimension, the smallest of several, and where it was last.",
    params: &[
        param("input", Tensor),
        optional("dim", Int, Attr::Int(-1)),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["values", "indices"],
    parts: &[&MODE_INDICES, &MODE_VALUES],
    call: |engine, src, attrs| chosen(engine, src, attrs, &MODE_INDICES, &MODE_VALUES, 0),
    samples: samples(&["[2,5]", "[3,2,4] dim=0 keepdim=true", "[] 0"]),
    example: example("torch.mode(torch.tensor([1.0, 2.0, 2.0, 3.0]))"),
    ..crate::ops::multi_output::MULTI_OUTPUT
};

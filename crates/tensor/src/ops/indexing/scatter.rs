//! Values put where indices along a dimension point, in the order of the values: `scatter`, `scatter_add`,
//! `scatter_reduce`.

use smallvec::smallvec;

use crate::dtype::{DType, Scalar};
use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Float, Int, Tensor, Word};
use crate::op::{
    Attr, Attrs, Backprop, Call, Grads, Infinities, Kind, Meta, Op, SAVE_A, SAVE_B, SAVE_C, SAVE_Y,
    Vjp, example, optional, param, samples,
};
use crate::ops::gather::{GATHER, flat_index};
use crate::ops::{BASE, dim_of};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SCATTER, &SCATTER_ADD, &SCATTER_REDUCE];

/// Ops of placing and choosing that PyTorch also has in place: `x.scatter_(…)`, `x.index_add_(…)`.
pub static IN_PLACE: &[&Op] = &[
    &SCATTER,
    &SCATTER_REDUCE,
    &SCATTER_ADD,
    &crate::ops::index_add::INDEX_ADD,
    &crate::ops::index_add::INDEX_COPY,
    &crate::ops::index_add::INDEX_FILL,
    &crate::ops::masked::MASKED_SCATTER,
    &crate::ops::diagonal::TRIL,
    &crate::ops::diagonal::TRIU,
];

/// Refuses an index whose values do not lie in the dimension it points along.
pub(crate) fn check_along(op: &Op, x: &Operand, index: &Operand, dim: &Attr) -> Result<()> {
    let shape = x.shape();
    let dim = dim_of(op, &shape, dim)?;
    let n = shape.get(dim).copied().unwrap_or(1) as i64;
    let wrong = index
        .to_check()?
        .into_iter()
        .map(Scalar::as_i64)
        .find(|i| !(0..n).contains(i));
    match wrong {
        Some(i) => Err(Error::runtime(format!(
            "{}: index {i} is out of bounds for dimension {dim} with size {n}",
            op.name
        ))),
        None => Ok(()),
    }
}

pub(in crate::ops) fn infer(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let dim = dim_of(op, &src[0].shape, &attrs[0])?;
    let (x, index, values) = (&src[0].shape, &src[1].shape, &src[2].shape);
    if src[0].dtype != src[2].dtype {
        return Err(Error::runtime(format!(
            "{}(): Expected self.dtype to be equal to src.dtype, got {} and {}; convert src with .to({})",
            op.name, src[0].dtype, src[2].dtype, src[0].dtype
        )));
    }
    let meta = Meta {
        shape: x.clone(),
        dtype: src[0].dtype,
    };
    // An empty index names nothing, whatever its dtype and shape.
    if src[1].numel() == 0 {
        return Ok(meta);
    }
    crate::ops::gather::expect_index(op, &src[1])?;
    if index.len().max(1) != x.len().max(1) || values.len().max(1) != x.len().max(1) {
        return Err(Error::runtime(format!(
            "{}: Index tensor must have the same number of dimensions as self tensor and src: got {}, {} and {}",
            op.name,
            shape::show(index),
            shape::show(x),
            shape::show(values)
        )));
    }
    // No dimensions count as one of size 1.
    let size = |shape: &[usize], d: usize| shape.get(d).copied().unwrap_or(1);
    let fits = (0..index.len())
        .all(|d| (d == dim || index[d] <= size(x, d)) && index[d] <= size(values, d));
    if !fits {
        return Err(Error::runtime(format!(
            "{}: Expected index {} to be no larger than self {} apart from dimension {dim} and to be no larger size than src {}",
            op.name,
            shape::show(index),
            shape::show(x),
            shape::show(values)
        )));
    }
    Ok(meta)
}

/// Flat positions, the values that go there as rows of one, and the base as such.
pub(in crate::ops) struct Places {
    pub(in crate::ops) flat: GraphValue,
    pub(in crate::ops) values: GraphValue,
    base: GraphValue,
}

pub(in crate::ops) fn places(
    x: &GraphValue,
    index: &GraphValue,
    values: &GraphValue,
    dim: &Attr,
    op: &Op,
) -> Result<Places> {
    let one = |shape: &[usize]| match shape {
        [] => Shape::from_elem(1, 1),
        shape => Shape::from_slice(shape),
    };
    let from = one(x.shape());
    let dim = dim_of(op, &from, dim)?;
    let n = index.node().numel();
    let base = x.contiguous().reshape(&[shape::numel(&from), 1]);
    if n == 0 {
        let flat = index.to(DType::I64).reshape(&[0]);
        let nothing = x.number(0.0).expand(&[0, 1]);
        return Ok(Places {
            flat,
            values: nothing,
            base,
        });
    }
    let index = index.reshape(&one(index.shape()));
    let mut values = values.reshape(&one(values.shape()));
    for d in 0..from.len() {
        if values.shape()[d] != index.shape()[d] {
            values = values.slice(d, 0, index.shape()[d], 1);
        }
    }
    Ok(Places {
        flat: flat_index(&index, &from, dim)?.reshape(&[n]),
        values: values.reshape(&[n, 1]),
        base,
    })
}

/// A gradient of what an index names, in the shape of the source that may be larger.
pub(in crate::ops) fn uncropped(b: &Backprop, part: GraphValue) -> GraphValue {
    let whole = b.src[2].shape();
    if part.node().numel() == 0 {
        return part.zeros_like_shape(whole);
    }
    if part.node().numel() == shape::numel(whole) {
        return part.reshape(whole);
    }
    let at = part
        .shape()
        .iter()
        .enumerate()
        .fold(View::contiguous(whole), |view, (d, &n)| {
            view.slice(d, 0, n, 1)
        });
    part.zeros_like_shape(whole).write_at(&at, &part)
}

/// The part of the source that the index names.
fn cropped(b: &Backprop) -> GraphValue {
    let index = b.src[1].shape();
    if b.src[1].node().numel() == 0 {
        return b.src[2].number(0.0).expand(index);
    }
    if b.src[1].node().numel() == b.src[2].node().numel() {
        return b.src[2].reshape(index);
    }
    (index.iter().enumerate()).fold(b.src[2].clone(), |x, (d, &n)| x.slice(d, 0, n, 1))
}

pub(in crate::ops) fn gathered(b: &Backprop, x: &GraphValue) -> GraphValue {
    if b.src[1].node().numel() == 0 {
        return x.number(0.0).expand(b.src[1].shape());
    }
    x.call(&GATHER, &[&b.src[1]], smallvec![b.attr(0).clone()])
}

fn scattered(b: &Backprop, base: &GraphValue, values: &GraphValue) -> GraphValue {
    if b.src[1].node().numel() == 0 {
        return base.clone();
    }
    base.call(
        &SCATTER_ADD,
        &[&b.src[1], values],
        smallvec![b.attr(0).clone()],
    )
}

/// A base with zero where the index points.
fn cleared(b: &Backprop, base: &GraphValue) -> GraphValue {
    let zeros = base.number(0.0).expand(b.src[1].shape());
    let attrs = smallvec![b.attr(0).clone(), Attr::None, Attr::None];
    base.call(&SCATTER, &[&b.src[1], &zeros], attrs)
}

fn in_dtype(number: Scalar, dtype: DType) -> Scalar {
    crate::alu::Value::from_scalar(number, dtype).scalar()
}

/// Whether a source is this number, repeated.
fn is_of(source: &Operand, number: Scalar) -> bool {
    let node = source.node();
    let of = node.src().first().and_then(|repeated| repeated.number);
    of == Some(in_dtype(number, node.dtype))
}

/// A number or a tensor as the source, whichever the call gave.
fn prepare(op: &'static Op, src: &mut Vec<Operand>, attrs: &mut Attrs) -> Result<()> {
    let is_number = src.get(2).is_some_and(|s| s.node().is_python_number);
    let number = match (&src[2..], crate::op::attr_scalar(&attrs[1])) {
        ([], None) => {
            return Err(Error::type_(
                "scatter() missing required argument: give 'src', a tensor, or 'value', a number",
            ));
        }
        // The call of a graph that is read: this function completed it when it was made.
        ([source], Some(number)) if is_of(source, number) => None,
        ([_], Some(_)) => {
            return Err(Error::type_(
                "scatter(): got both 'src' and 'value'; give one of them",
            ));
        }
        ([source], None) if is_number => source.node().number,
        ([], number) => number,
        _ => None,
    };
    if let Some(number) = number {
        number.check_fits(op.name, src[0].dtype())?;
        attrs[1] = match number {
            Scalar::Float(x) => Attr::Float(x),
            other => Attr::Int(other.as_i64()),
        };
        let engine = src[0].engine().clone();
        let value = in_dtype(number, src[0].dtype());
        let value =
            GraphValue::new(&engine, engine.number(value, src[0].dtype())).expand(&src[1].shape());
        src.truncate(2);
        src.push(Operand::from_node(
            &engine,
            engine.settle(value)?.into_node(),
        ));
    }
    check_along(op, &src[0], &src[1], &attrs[0])
}

/// Values put at indices.
pub static SCATTER: Op = Op {
    name: "scatter",
    grad_fn: "ScatterBackward0",
    grad_fn_for: |node| match (&node.attrs[2], &node.attrs[1]) {
        (Attr::Str(_), _) => Some("NotImplemented"),
        (_, Attr::None) => None,
        _ => Some("ScatterBackward1"),
    },
    symbol: "scatter",
    formula: "y = a; y[…, b[i], …] = c[…, i, …]",
    rules: &[
        "0 where {b} points, {gy} elsewhere",
        "",
        "{gy} gathered at {b}",
    ],
    doc: "Values put into a tensor at indices along a dimension; the last of two at one place stays.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
        optional("src", Tensor, Attr::None),
        optional("value", Float, Attr::None),
        optional("reduce", Word(&["add", "multiply"]), Attr::None),
    ],
    prepare: Some(prepare),
    infer,
    kind: Kind::Composite(|c| {
        let p = places(&c.src[0], &c.src[1], &c.src[2], c.attr(0), c.node.op)?;
        let put = match c.attr(2).as_str() {
            "add" => p.base + p.values.scatter_add_rows(&p.flat, c.node.numel()),
            "multiply" => p.base.scatter_rows(&p.flat, &p.values, "prod"),
            _ => p.base.scatter_rows(&p.flat, &p.values, "set"),
        };
        Ok(put.reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let kept = match b.attr(2).as_str() {
            "add" => b.gy.clone(),
            "multiply" => {
                return Err(Error::runtime(
                    "derivative for scatter with reduce='multiply' is not implemented; use scatter_reduce(…, reduce='prod')",
                ));
            }
            _ => cleared(b, &b.gy),
        };
        let values = || uncropped(b, gathered(b, &b.gy));
        Ok(smallvec![
            b.needs(0).then_some(kept),
            None,
            b.needs(2).then(values)
        ])
    }),
    saves: [SAVE_B; 3],
    exact: true,
    numbers: 0b1000,
    samples: samples(&[
        "[3,4] 0 [1,4]<3 [2,4]",
        "[3,2]T 1 [3,1]<2 [3,3]",
        "[3] 0 [2]<3 value=1.5",
    ]),
    example: example("torch.zeros(4).scatter(0, torch.tensor([1, 3]), torch.tensor([5.0, 7.0]))"),
    infinities: Infinities::Chooses,
    ..BASE
};

/// The inverse of `gather`: values added up where indices point.
pub static SCATTER_ADD: Op = Op {
    name: "scatter_add",
    grad_fn: "ScatterAddBackward0",
    symbol: "scatter+",
    formula: "y = a; y[…, b[i], …] += c[…, i, …]",
    rules: &["{gy}", "", "{gy} gathered at {b}"],
    doc: "Values added into a tensor at indices along a dimension.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
        param("src", Tensor),
    ],
    infer,
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let p = places(x, &c.src[1], &c.src[2], c.attr(0), c.node.op)?;
        let sums = p.values.scatter_add_rows(&p.flat, x.node().numel());
        Ok(crate::ops::shared::added(x, &sums.reshape(x.shape())))
    }),
    vjp: Vjp::Rule(|b| {
        let values = || uncropped(b, gathered(b, &b.gy));
        Ok(smallvec![Some(b.gy.clone()), None, b.needs(2).then(values)])
    }),
    saves: [0, 0, SAVE_B],
    samples: samples(&["[3,4] 0 [2,3]<3 [2,4]"]),
    ..BASE
};

/// What leaves a value as it is.
fn identity(x: &GraphValue, how: &str) -> GraphValue {
    let dtype = x.dtype();
    let (low, high) = match dtype.is_float() {
        true => (
            Scalar::Float(f64::NEG_INFINITY),
            Scalar::Float(f64::INFINITY),
        ),
        false => {
            let (low, high) = dtype.int_range();
            let whole = |i: i128| i64::try_from(i).map_or(Scalar::UInt(i as u64), Scalar::Int);
            (whole(low), whole(high))
        }
    };
    let number = match how {
        "prod" => Scalar::Int(1),
        "amax" => low,
        "amin" => high,
        _ => Scalar::Int(0),
    };
    GraphValue::new(x.engine(), x.engine().number(number, x.dtype()))
}

/// How many values go to each place, the element there counting too if it is included.
fn counts(p: &Places, includes: bool) -> GraphValue {
    let ones = p.values.number(1.0).expand(p.values.shape());
    let here = p.base.number(f64::from(u8::from(includes)));
    let counts = here + ones.scatter_add_rows(&p.flat, p.base.shape()[0]);
    counts.maximum(&counts.number(1.0))
}

fn reduce(c: &Call) -> Result<GraphValue> {
    let how = c.attr(1).as_str();
    let includes = c.attr(2).as_bool();
    let mut p = places(&c.src[0], &c.src[1], &c.src[2], c.attr(0), c.node.op)?;
    if !includes {
        let start = identity(&p.base, how).expand(p.values.shape());
        p.base = p.base.scatter_rows(&p.flat, &start, "set");
    }
    let reduced = match how {
        "prod" | "amax" | "amin" => p.base.scatter_rows(&p.flat, &p.values, c.attr(1).as_str()),
        _ => &p.base + p.values.scatter_add_rows(&p.flat, p.base.shape()[0]),
    };
    let reduced = match (how, reduced.dtype().is_float()) {
        ("mean", true) => reduced / counts(&p, includes),
        ("mean", false) => reduced.call(
            &crate::ops::division::FLOOR_DIVIDE,
            &[&counts(&p, includes)],
            smallvec![],
        ),
        _ => reduced,
    };
    Ok(reduced.reshape(&c.node.shape))
}

/// PyTorch's rules (`scatter_reduce_backward`), their sharing of ties included.
fn reduce_vjp(b: &Backprop) -> Result<Grads> {
    let (x, index) = (&b.src[0], &b.src[1]);
    let values = cropped(b);
    let includes = b.attr(2).as_bool();
    let (mut to_self, to_values) = match b.attr(1).as_str() {
        "sum" => (b.gy.clone(), gathered(b, &b.gy)),
        "mean" => {
            let here = x.number(f64::from(u8::from(includes))).expand(x.shape());
            let n = scattered(b, &here, &values.number(1.0).expand(index.shape()));
            let n = n.maximum(&n.number(1.0));
            (&b.gy / &n, gathered(b, &b.gy) / gathered(b, &n))
        }
        "prod" => {
            let again = |base: &GraphValue, values: &GraphValue| match index.node().numel() {
                0 => base.clone(),
                _ => base.call(&SCATTER_REDUCE, &[index, values], b.node.attrs.clone()),
            };
            let (zero, one) = (x.number(0.0), x.number(1.0));
            let nonzero = x.eq(&zero).select(&one, x);
            let to_self = &b.gy * again(&nonzero, &values) / &nonzero;
            let is_zero = values.eq(&zero);
            let zeros = x.number(0.0).expand(x.shape());
            let n_zeros = gathered(b, &scattered(b, &zeros, &is_zero.to(x.dtype())));
            // Where a value is the only zero, what the others make; else the product without it.
            let sole = is_zero.call(
                &crate::ops::compare::LOGICAL_AND,
                &[&n_zeros.eq(&one)],
                smallvec![],
            );
            let others = again(x, &sole.select(&one, &values));
            let alone = gathered(b, &(&b.gy * others));
            let shared = gathered(b, &(&b.gy * &b.y)) / is_zero.select(&one, &values);
            (to_self, sole.select(&alone, &shared))
        }
        _ => {
            let reached = x.eq(&b.y).to(x.dtype());
            let values_reach = values.eq(&gathered(b, &b.y)).to(x.dtype());
            let n = scattered(b, &reached, &values_reach);
            let share = &b.gy / n;
            let to_values = values_reach * gathered(b, &share);
            (reached * share, to_values)
        }
    };
    if !includes {
        to_self = cleared(b, &to_self);
    }
    Ok(smallvec![
        b.needs(0).then_some(to_self),
        None,
        b.needs(2).then(|| uncropped(b, to_values))
    ])
}

/// Values combined at indices.
pub static SCATTER_REDUCE: Op = Op {
    name: "scatter_reduce",
    grad_fn: "ScatterReduceBackward0",
    symbol: "scatter",
    formula: "y = a; y[…, b[i], …] = reduce(y[…, b[i], …], c[…, i, …])",
    rules: &[
        "{gy} · ∂reduce/∂{a}",
        "",
        "{gy} gathered at {b} · ∂reduce/∂{c}",
    ],
    doc: "Values summed, multiplied, averaged or compared at indices along a dimension; with include_self=False, without what was there.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
        param("src", Tensor),
        param("reduce", Word(&["sum", "prod", "mean", "amax", "amin"])),
        optional("include_self", Bool, Attr::Bool(true)),
    ],
    prepare: Some(|op, src, attrs| {
        if attrs[1].as_str() == "mean" && src[0].dtype() == DType::Bool {
            return Err(Error::not_implemented(
                "scatter_reduce: mean is not implemented for bool; convert it with .long() or .float()",
            ));
        }
        check_along(op, &src[0], &src[1], &attrs[0])
    }),
    infer,
    kind: Kind::Composite(reduce),
    vjp: Vjp::Rule(reduce_vjp),
    saves: [SAVE_A | SAVE_B | SAVE_C | SAVE_Y; 3],
    domain: (0.5, 2.0),
    samples: samples(&[
        "[3,2] 0 [4,2]<3 [4,2] 'sum'",
        "[3] 0 [5]<3 [5] 'prod'",
        "[2,3] 1 [2,4]<3 [2,4] 'mean'",
        "[3] 0 [5]<3 [5] 'amax'",
        "[3] 0 [4]<3 [4] 'amin' include_self=false",
        "[3] 0 [4]<3 [4] 'prod' include_self=false",
    ]),
    example: example(
        "torch.zeros(2).scatter_reduce(0, torch.tensor([0, 1, 1]), torch.tensor([1.0, 2.0, 3.0]), 'sum')",
    ),
    infinities: Infinities::Chooses,
    ..BASE
};

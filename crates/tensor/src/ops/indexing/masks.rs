//! Elements chosen by a mask, or by not being zero. How many there are decides shapes, so these
//! calls read their mask: its positions become an operand of the op.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::graph::Operand;
use crate::node::NodeRef;
use crate::op::ParamKind::Tensor;
use crate::op::{Attrs, Kind, Meta, Op, Out, SAVE_A, SAVE_B, Vjp, example, param, samples};
use crate::ops::BASE;
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{DType, Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&MASKED_SELECT, &MASKED_SCATTER, &NONZERO, &ARGWHERE];

/// Row-major places of what is not zero, in a shape that the tensor broadcasts to.
pub(crate) fn places(x: &Operand, shape: &[usize]) -> Result<Vec<i64>> {
    let stretched = View::contiguous(&x.shape()).expand(shape);
    let truth: Vec<bool> = (x.to_scalars()?.into_iter())
        .map(|v| v.as_f64() != 0.0)
        .collect();
    let found = stretched
        .positions()
        .enumerate()
        .filter(|(_, at)| truth[*at]);
    Ok(found.map(|(i, _)| i as i64).collect())
}

fn push_places(src: &mut Vec<Operand>, places: &[i64]) -> Result<()> {
    let engine = src[0].engine().clone();
    let leaf = engine.leaf_i64(places, &[places.len()])?;
    src.push(Operand::from_node(&engine, leaf));
    Ok(())
}

fn expect_mask(op: &Op, mask: &NodeRef) -> Result<()> {
    if mask.dtype == DType::Bool {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "{}: expected BoolTensor for mask, got {}: only boolean masks are supported; compare something to get one, or use .bool()",
        op.name, mask.dtype
    )))
}

fn met(op: &Op, src: &[Operand]) -> Result<Shape> {
    expect_mask(op, &src[1].node())?;
    shape::broadcast(op.name, &src[0].shape(), &src[1].shape())
}

/// An operand stretched to where it meets the mask, as rows of one.
fn rows(x: &GraphValue, mask: &GraphValue) -> Result<GraphValue> {
    let shape = shape::broadcast("mask", x.shape(), mask.shape())?;
    Ok(x.expand(&shape).reshape(&[shape::numel(&shape), 1]))
}

/// Elements where a mask holds.
pub static MASKED_SELECT: Op = Op {
    name: "masked_select",
    grad_fn: "MaskedSelectBackward0",
    symbol: "[mask]",
    formula: "y = a where b",
    rules: &["{gy} where it was chosen, 0 elsewhere"],
    doc: "The elements where a mask is true, as a vector.",
    params: &[param("input", Tensor), param("mask", Tensor)],
    prepare: Some(|op, src, _| {
        let shape = met(op, src)?;
        let found = places(&src[1], &shape)?;
        push_places(src, &found)
    }),
    infer: |op, src, _| {
        expect_mask(op, &src[1])?;
        Ok(Meta {
            shape: smallvec![src.get(2).map_or(0, |places| places.numel())],
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let taken = rows(&c.src[0], &c.src[1])?.take(&c.src[2]);
        Ok(taken.reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    samples: samples(&["[2,3] [2,3]?", "[3] [2,3]?", "[3,2]T [2]?"]),
    example: example(
        "torch.masked_select(torch.tensor([1.0, -2.0, 3.0]), torch.tensor([True, False, True]))",
    ),
    ..BASE
};

/// Values put where a mask holds, one after the other.
pub static MASKED_SCATTER: Op = Op {
    name: "masked_scatter",
    grad_fn: "MaskedScatterBackward0",
    symbol: "[mask]=",
    formula: "y = a; y[b] = c, one after the other",
    rules: &[
        "0 where {b}, {gy} elsewhere",
        "",
        "{gy} where {b}, one after the other",
    ],
    doc: "The elements of another tensor, one after the other, where a mask is true.",
    params: &[
        param("input", Tensor),
        param("mask", Tensor),
        param("source", Tensor),
    ],
    prepare: Some(|op, src, _| {
        let shape = met(op, src)?;
        let found = places(&src[1], &shape)?;
        if found.len() > src[2].numel() {
            return Err(Error::runtime(format!(
                "masked_scatter: Number of elements of source < number of ones in mask: got {} for {}",
                src[2].numel(),
                found.len()
            )));
        }
        push_places(src, &found)
    }),
    infer: |op, src, _| {
        expect_mask(op, &src[1])?;
        if src[0].dtype != src[2].dtype {
            return Err(Error::runtime(format!(
                "masked_scatter: expected self and source to have same dtypes but got {} and {}; convert source with .to({})",
                src[0].dtype.scalar_name(),
                src[2].dtype.scalar_name(),
                src[0].dtype
            )));
        }
        Ok(Meta {
            shape: shape::broadcast(op.name, &src[0].shape, &src[1].shape)?,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (source, places) = (&c.src[2], &c.src[3]);
        let n = places.node().numel();
        let values = source
            .reshape(&[source.node().numel(), 1])
            .slice(0, 0, n, 1);
        let put = rows(&c.src[0], &c.src[1])?.put(places, &values, "set");
        Ok(put.reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_B; 3],
    exact: true,
    samples: samples(&["[2,3] [2,3]? [6]", "[2,3]T [3]? [3,2]"]),
    example: example(
        "torch.zeros(3).masked_scatter(torch.tensor([True, False, True]), torch.tensor([5.0, 7.0]))",
    ),
    out: Out::None,
    ..BASE
};

/// The indices of what is not zero, one row each.
fn prepare_indices(src: &mut Vec<Operand>, _: &mut Attrs) -> Result<()> {
    let shape = src[0].shape();
    let strides = shape::contiguous_strides(&shape);
    let found = places(&src[0], &shape)?;
    let index: Vec<i64> = (found.iter())
        .flat_map(|at| {
            strides
                .iter()
                .zip(&shape)
                .map(move |(&s, &n)| at / s as i64 % n as i64)
        })
        .collect();
    let engine = src[0].engine().clone();
    let leaf = engine.leaf_i64(&index, &[found.len(), shape.len()])?;
    src.push(Operand::from_node(&engine, leaf));
    Ok(())
}

/// Where elements are not zero.
pub static NONZERO: Op = Op {
    name: "nonzero",
    symbol: "≠ 0",
    formula: "y = the indices i with a[i] ≠ 0",
    doc: "The indices of the elements that are not zero, one row each.",
    params: &[param("input", Tensor)],
    prepare: Some(|_, src, attrs| prepare_indices(src, attrs)),
    infer: |_, src, _| {
        Ok(Meta {
            shape: src
                .get(1)
                .map_or_else(|| smallvec![0, 0], |index| index.shape.clone()),
            dtype: DType::I64,
        })
    },
    kind: Kind::Composite(|c| Ok(c.src[1].clone())),
    vjp: Vjp::None("its result is an index"),
    exact: true,
    samples: samples(&["[2,3]", "[]", "[4]"]),
    example: example("torch.nonzero(torch.tensor([0.0, 3.0, 0.0, 4.0]))"),
    ..BASE
};

/// NumPy's name of `nonzero`.
pub static ARGWHERE: Op = Op {
    name: "argwhere",
    doc: "The indices of the elements that are not zero, one row each: NumPy's name of nonzero.",
    example: example("torch.argwhere(torch.tensor([0.0, 3.0, 0.0, 4.0]))"),
    out: Out::None,
    ..NONZERO
};

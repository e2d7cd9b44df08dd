//! Results of a decomposition that come in one row each, and how they are cut out of it.
//!
//! The decomposition is a node, with one gradient rule for all of its results; each result is a node that reads its part.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::{Attr, Attrs, Kind, Meta, Op, Vjp};
use crate::ops::shared::on2;
use crate::ops::{BASE, cat};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// Numbers of each row of the operand, from the first attribute on, in the shape of the second.
pub(super) const PART: Op = Op {
    name: "part",
    symbol: "part",
    formula: "y = one of the results",
    rules: &["{gy}, among zeros for the other results"],
    doc: "One result of a decomposition.",
    infer: |_, src, attrs| {
        let Some((_, batch)) = src[0].shape.split_last() else {
            return Err(Error::runtime("part: expected rows"));
        };
        let mut shape = Shape::from_slice(batch);
        shape.extend(attrs[1].as_ints().iter().map(|&n| n as usize));
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let from = c.attr(0).as_int() as usize;
        let len = c.attr(1).as_ints().iter().map(|&n| n as usize).product();
        Ok(x.slice(x.shape().len() - 1, from, len, 1)
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    method: false,
    ..BASE
};

/// Which part.
pub(super) fn part_attrs(from: usize, sizes: &[usize]) -> Attrs {
    let sizes: SmallVec<[i64; 6]> = sizes.iter().map(|&n| n as i64).collect();
    smallvec![Attr::Int(from as i64), Attr::Ints(sizes)]
}

/// A part in a formula.
pub(super) fn cut(packed: &GraphValue, from: usize, sizes: &[usize]) -> GraphValue {
    let last = packed.shape().len() - 1;
    let mut shape = Shape::from_slice(&packed.shape()[..last]);
    shape.extend(sizes.iter().copied());
    packed
        .slice(last, from, shape::numel(sizes), 1)
        .reshape(&shape)
}

/// A part as a user's result.
pub(super) fn result(
    packed: &Operand,
    op: &'static Op,
    from: usize,
    sizes: &[usize],
) -> Result<Operand> {
    Operand::apply(
        packed.engine(),
        op,
        std::slice::from_ref(packed),
        part_attrs(from, sizes),
    )
}

/// Shape and dtype of a node that holds `len` numbers for each matrix.
pub(super) fn rows(x: &NodeRef, len: usize) -> Meta {
    let mut shape = Shape::from_slice(super::batch(&x.shape));
    shape.push(len);
    Meta {
        shape,
        dtype: x.dtype,
    }
}

/// Raises unless it is matrices that LAPACK takes apart: what `kernel` is called where PyTorch has none.
pub(super) fn expect(name: &str, kernel: &str, x: &NodeRef) -> Result<()> {
    if x.shape.len() < 2 {
        return Err(Error::runtime(format!(
            "linalg.{name}: The input tensor A must have at least 2 dimensions. Got shape {}",
            shape::show(&x.shape)
        )));
    }
    if !matches!(x.dtype, DType::F32 | DType::F64) {
        return Err(Error::not_implemented(format!(
            "linalg.{name}: \"{kernel}\" not implemented for '{}'; convert it with .float()",
            x.dtype.scalar_name()
        )));
    }
    Ok(())
}

/// As [`expect`], of square matrices.
pub(super) fn expect_square(name: &str, kernel: &str, x: &NodeRef) -> Result<()> {
    expect(name, kernel, x)?;
    let (m, n) = super::sizes(&x.shape);
    if m != n {
        return Err(Error::runtime(format!(
            "linalg.{name}: A must be batches of square matrices, but they are {m} by {n} matrices"
        )));
    }
    Ok(())
}

/// The matrix 1 of n rows, of a value's dtype.
pub(super) fn one(like: &GraphValue, n: usize) -> Result<GraphValue> {
    let engine = like.engine();
    let positions = GraphValue::new(engine, engine.arange(n)?);
    Ok(positions.unsqueeze(1).eq(&positions).to(like.dtype()))
}

/// A vector as a diagonal matrix.
pub(super) fn diagonal(x: &GraphValue) -> Result<GraphValue> {
    let n = x.shape().len();
    let one = one(x, x.shape()[n - 1])?;
    Ok(x.unsqueeze(n) * one)
}

/// The elements on the diagonal.
pub(super) fn diagonal_of(x: &GraphValue) -> GraphValue {
    let attrs = smallvec![Attr::Int(0), Attr::Int(-2), Attr::Int(-1)];
    x.call(&crate::ops::diagonal::DIAGONAL, &[], attrs)
}

/// On and below a diagonal.
pub(super) fn lower(x: &GraphValue, diagonal: i64) -> GraphValue {
    x.call(
        &crate::ops::diagonal::TRIL,
        &[],
        smallvec![Attr::Int(diagonal)],
    )
}

/// On and above the diagonal.
pub(super) fn upper(x: &GraphValue) -> GraphValue {
    x.call(&crate::ops::diagonal::TRIU, &[], smallvec![Attr::Int(0)])
}

/// Two values side by side along one of the last two dimensions: 0 is rows, 1 columns.
pub(super) fn beside(a: &GraphValue, b: &GraphValue, which: usize) -> GraphValue {
    let dim = a.shape().len() - 2 + which;
    a.call(&cat::CAT, &[b], smallvec![Attr::Int(dim as i64)])
}

/// Part of the rows (0) or columns (1).
pub(super) fn some(x: &GraphValue, which: usize, from: usize, len: usize) -> GraphValue {
    x.slice(x.shape().len() - 2 + which, from, len, 1)
}

/// `a / b`, and 0 where both are 0: no gradient came in there.
pub(super) fn quotient(a: &GraphValue, b: &GraphValue) -> GraphValue {
    let zero = |x: &GraphValue| x.eq(&x.number(0.0));
    let nothing = on2(&zero(a), &crate::ops::compare::LOGICAL_AND, &zero(b));
    a / nothing.select(&a.number(1.0), b)
}

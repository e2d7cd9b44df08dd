//! Linear algebra of batches of matrices, and what it shares: the scheduler's routine behind it and the rules on shapes.
//!
//! The gradients are written in these same ops, so that they have gradients again.

pub mod decomposition;
pub mod factorization;
pub mod indefinite;
mod packed;
pub mod solve;
pub mod spectral;

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::{GraphValue, routine};
use crate::kernel::{Decomposition, Factor};
use crate::node::{Node, NodeRef};
use crate::op::{Attr, Attrs, Call, Kind, Meta, Op, RoutineKind};
use crate::ops::BASE;
use crate::ops::solve::{INV, MATRIX_POWER, SOLVE};
use crate::{Error, Result, shape};

/// Whether its values decide if a call is an error: then it runs at once, on the learner's line.
pub(crate) fn may_refuse(node: &Node) -> bool {
    let op = node.op;
    if std::ptr::eq(op, &MATRIX_POWER) {
        return node.attrs[0].as_int() < 0;
    }
    let own = [&INV, &SOLVE, &crate::ops::factorization::CHOLESKY];
    // A page without Python calls none of these, and need not hold them.
    let spectral: &[&Op] = match cfg!(feature = "full") {
        true => spectral::REFUSING,
        false => &[],
    };
    own.iter()
        .chain(spectral)
        .any(|refuses| std::ptr::eq(op, *refuses))
}

macro_rules! primitive {
    ($($name:ident $kind:expr;)*) => {$(
        /// The scheduler's routine of that name, of `[batch, m, n]`. Attributes: the columns of the
        /// first result of a QR, and whether the learner wrote a batch.
        pub(in crate::ops) static $name: Op = Op {
            name: "factor",
            infer: |_, src, attrs| {
                let [batch, m, n] = src[0].shape[..] else {
                    return Err(Error::runtime("factor: expected a batch of matrices"));
                };
                let width = attrs[0].as_int() as usize;
                let shape = match $kind {
                    Factor::Det => smallvec![batch],
                    Factor::Inverse | Factor::Cholesky => smallvec![batch, n, n],
                    Factor::Solve => src[1].shape.clone(),
                    Factor::QrQ => smallvec![batch, m, width],
                    Factor::QrR => smallvec![batch, width, n],
                    Factor::Packed(decomposition) => smallvec![batch, decomposition.len(m, n)],
                };
                Ok(Meta { shape, dtype: src[0].dtype })
            },
            kind: Kind::Routine(RoutineKind::Of(|node, src| {
                routine::factor($kind, node, src)
            })),
            method: false,
            ..BASE
        };
    )*};
}

primitive! {
    FACTOR_DET Factor::Det;
    FACTOR_INVERSE Factor::Inverse;
    FACTOR_SOLVE Factor::Solve;
    FACTOR_CHOLESKY Factor::Cholesky;
    FACTOR_Q Factor::QrQ;
    FACTOR_R Factor::QrR;
    FACTOR_SVD Factor::Packed(Decomposition::Svd);
    FACTOR_FULL_SVD Factor::Packed(Decomposition::FullSvd);
    FACTOR_EIGH Factor::Packed(Decomposition::Eigh);
    FACTOR_EIG Factor::Packed(Decomposition::Eig);
    FACTOR_LU Factor::Packed(Decomposition::Lu);
    FACTOR_LDL Factor::Packed(Decomposition::Ldl);
    FACTOR_EXP Factor::Packed(Decomposition::Exp);
}

/// Rows and columns.
pub(in crate::ops) fn sizes(shape: &[usize]) -> (usize, usize) {
    (shape[shape.len() - 2], shape[shape.len() - 1])
}

pub(in crate::ops) fn batch(shape: &[usize]) -> &[usize] {
    &shape[..shape.len() - 2]
}

/// The matrices of any batch as `[batch, m, n]`.
pub(in crate::ops) fn flat(x: &GraphValue) -> GraphValue {
    let (m, n) = sizes(x.shape());
    x.reshape(&[shape::numel(batch(x.shape())), m, n])
}

pub(in crate::ops) fn factor_attrs(x: &GraphValue, width: usize) -> Attrs {
    smallvec![Attr::Int(width as i64), Attr::Bool(x.shape().len() > 2)]
}

pub(in crate::ops) fn factor(c: &Call, primitive: &'static Op, width: usize) -> GraphValue {
    let x = &c.src[0];
    flat(x)
        .call(primitive, &[], factor_attrs(x, width))
        .reshape(&c.node.shape)
}

pub(in crate::ops) fn expect_matrices(name: &str, x: &NodeRef) -> Result<()> {
    if x.shape.len() < 2 {
        return Err(Error::runtime(format!(
            "linalg.{name}: The input tensor A must have at least 2 dimensions. Got shape {}",
            shape::show(&x.shape)
        )));
    }
    if !x.dtype.is_float() {
        return Err(Error::not_implemented(format!(
            "linalg.{name}: Expected a floating point or complex tensor as input. Got {}; convert it with .float()",
            x.dtype.scalar_name()
        )));
    }
    if !matches!(x.dtype, DType::F32 | DType::F64) {
        return Err(Error::not_implemented(format!(
            "linalg.{name}: Low precision dtypes not supported. Got {}; convert it with .float()",
            x.dtype.scalar_name()
        )));
    }
    Ok(())
}

pub(in crate::ops) fn expect_square(name: &str, x: &NodeRef) -> Result<()> {
    expect_matrices(name, x)?;
    let (m, n) = sizes(&x.shape);
    if m != n {
        return Err(Error::runtime(format!(
            "linalg.{name}: A must be batches of square matrices, but they are {m} by {n} matrices"
        )));
    }
    Ok(())
}

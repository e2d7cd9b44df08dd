//! Products of vectors, matrices and tensors: `matmul`, and the scheduler's product, in which the others are written.

pub mod addmm;
pub mod einsum;
pub mod linear;
pub mod mm;
pub mod tensordot;

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::node::Node;
use crate::op::ParamKind::Tensor;
use crate::op::{Kind, Meta, Op, RoutineKind, SAVE_A, SAVE_B, Vjp, param, samples};
use crate::ops::BASE;
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&MATMUL];

/// The scheduler's product: `[batch, m, k]` by `[batch, k, n]`, or `[m, k]` by `[k, n]`.
pub static PRODUCT: Op = Op {
    name: "product",
    infer: |_, src, _| {
        let shape = match (&src[0].shape[..], &src[1].shape[..]) {
            (&[m, _], &[_, n]) => smallvec![m, n],
            (&[batch, m, _], &[_, _, n]) => smallvec![batch, m, n],
            // A formula that met an error goes on with a number, and the error is raised at its end.
            _ => {
                return Err(Error::runtime(
                    "product: expected two matrices or two batches of them",
                ));
            }
        };
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Routine(RoutineKind::MatMul),
    method: false,
    ..BASE
};

/// `a @ b` with batching and broadcasting.
pub static MATMUL: Op = Op {
    name: "matmul",
    grad_fn: "MmBackward0",
    grad_fn_for: product_name,
    symbol: "@",
    formula: "y = a @ b",
    rules: &["{gy} @ {b}ᵀ", "{a}ᵀ @ {gy}"],
    doc: "The matrix product; leading dimensions are batches and broadcast.",
    params: &[param("input", Tensor), param("other", Tensor)],
    infer: |op, src, _| {
        let (a, b) = (&src[0], &src[1]);
        if a.dtype != b.dtype {
            return Err(Error::runtime(format!(
                "expected m1 and m2 to have the same dtype, but got: {} != {} (matmul of {} by {}; convert one with .to())",
                mm::c_name(a.dtype),
                mm::c_name(b.dtype),
                shape::show(&a.shape),
                shape::show(&b.shape)
            )));
        }
        mm::expect_product("addmm_impl_cpu_", a.dtype)?;
        if a.shape.is_empty() || b.shape.is_empty() {
            return Err(Error::runtime(format!(
                "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
                a.shape.len(),
                b.shape.len()
            )));
        }
        let inner_a = a.shape[a.shape.len() - 1];
        let inner_b = b.shape[b.shape.len().saturating_sub(2)];
        if inner_a != inner_b {
            let transposed = b.shape.len() >= 2 && b.shape[b.shape.len() - 1] == inner_a;
            let hint = if transposed {
                " (did you mean to transpose the second?)"
            } else {
                ""
            };
            return Err(Error::runtime(format!(
                "{}: cannot multiply {} by {}: inner sizes {inner_a} and {inner_b} differ{hint}",
                op.name,
                shape::show(&a.shape),
                shape::show(&b.shape)
            )));
        }
        let mut out = product_batch(&a.shape, &b.shape)?;
        if a.shape.len() > 1 {
            out.push(a.shape[a.shape.len() - 2]);
        }
        if b.shape.len() > 1 {
            out.push(b.shape[b.shape.len() - 1]);
        }
        shape::check_size(op.name, &out)?;
        Ok(Meta {
            shape: out,
            dtype: a.dtype,
        })
    },
    kind: Kind::Composite(|c| Ok(product(&c.src[0], &c.src[1])?.reshape(&c.node.shape))),
    vjp: Vjp::Rule(|b| {
        let (x, y) = (as_matrix(&b.src[0], true), as_matrix(&b.src[1], false));
        // The gradient with the dimensions that vectors lost.
        let mut shape = product_batch(b.src[0].shape(), b.src[1].shape())?;
        shape.push(x.shape()[x.shape().len() - 2]);
        shape.push(y.shape()[y.shape().len() - 1]);
        let gy = b.gy.reshape(&shape);
        let left = || {
            let grad = if y.shape().len() == 2 {
                gy.matmul(&y.t())
            } else {
                gy.matmul(&y.t()).sum_to(x.shape())
            };
            grad.sum_to(x.shape()).reshape(b.src[0].shape())
        };
        let right = || {
            // A shared matrix gets the sum over the batch: one product over stacked rows.
            let grad = if y.shape().len() == 2 && x.shape().len() > 2 {
                let rows = shape::numel(&x.shape()[..x.shape().len() - 1]);
                let (k, n) = (y.shape()[0], y.shape()[1]);
                x.reshape(&[rows, k]).t().matmul(&gy.reshape(&[rows, n]))
            } else {
                x.t().matmul(&gy).sum_to(y.shape())
            };
            grad.reshape(b.src[1].shape())
        };
        Ok(smallvec![b.needs(0).then(left), b.needs(1).then(right)])
    }),
    saves: [SAVE_B, SAVE_A, 0],
    samples: samples(&[
        "[3] [3]",
        "[2,3] [3]",
        "[3] [3,2]",
        "[2,3] [3,4]",
        "[2,2,3] [2,3,2]",
        "[2,2,3] [3,2]",
        "[2,3] [2,3,2]",
        "[2,1,2,3] [3,3,1]",
    ]),
    ..BASE
};

/// What PyTorch calls the backward of a product of these dimensions.
fn product_name(node: &Node) -> Option<&'static str> {
    let src = node.src.borrow();
    let n_dims = |i: usize| src.get(i).map(|s| s.shape.len());
    Some(match (n_dims(0)?, n_dims(1)?) {
        (1, 1) => "DotBackward0",
        (2, 1) => "MvBackward0",
        (2, 2) => "MmBackward0",
        (3, 3) => "BmmBackward0",
        (1, 2) => "SqueezeBackward4",
        _ => "UnsafeViewBackward0",
    })
}

/// The batch dimensions of a product.
fn product_batch(a: &[usize], b: &[usize]) -> Result<Shape> {
    let batch = |s: &[usize]| Shape::from_slice(&s[..s.len().saturating_sub(2)]);
    shape::broadcast("matmul", &batch(a), &batch(b))
}

/// A vector as a row (left) or a column (right).
pub(in crate::ops) fn as_matrix(x: &GraphValue, left: bool) -> GraphValue {
    match x.shape().len() {
        1 if left => x.reshape(&[1, x.shape()[0]]),
        1 => x.reshape(&[x.shape()[0], 1]),
        _ => x.clone(),
    }
}

/// The product as `[batch, m, n]`, or as `[m, n]` where the right operand is one matrix.
pub(in crate::ops) fn product(a: &GraphValue, b: &GraphValue) -> Result<GraphValue> {
    let (a, b) = (as_matrix(a, true), as_matrix(b, false));
    let (na, nb) = (a.shape().len(), b.shape().len());
    let (m, k, n) = (a.shape()[na - 2], a.shape()[na - 1], b.shape()[nb - 1]);
    if nb == 2 {
        // One right matrix for every batch: one product over stacked rows.
        let rows = shape::numel(&a.shape()[..na - 1]);
        return Ok(a.reshape(&[rows, k]).bmm(&b));
    }
    let batch = product_batch(a.shape(), b.shape())?;
    let size = shape::numel(&batch);
    let full = |x: &GraphValue, rows: usize, columns: usize| {
        let mut shape = batch.clone();
        shape.extend([rows, columns]);
        x.expand(&shape).reshape(&[size, rows, columns])
    };
    Ok(full(&a, m, k).bmm(&full(&b, k, n)))
}

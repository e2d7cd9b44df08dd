//! A tensor plus a product, both scaled: `addmm`, `addmv`, `addbmm`, `baddbmm`, `addr`.
//!
//! `beta` of 0 forgets the summand and `alpha` of 0 the product, NaNs included, as in BLAS. Halves are
//! rounded once, at the end.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Grads, Kind, Meta, Op, Param, SAVE_B, SAVE_C, Vjp, example,
    optional, param, samples,
};
use crate::ops::mm::{
    expect_batches, expect_matrices, expect_matrix_and_vector, expect_product, product_meta,
};
use crate::ops::{BASE, matmul};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&ADDMM, &ADDMV, &ADDBMM, &BADDBMM, &ADDR];

const fn params(a: &'static str, b: &'static str) -> [Param; 5] {
    [
        param("input", Tensor),
        param(a, Tensor),
        param(b, Tensor),
        optional("beta", Float, Attr::Int(1)),
        optional("alpha", Float, Attr::Int(1)),
    ]
}

/// What they have in common.
const ADD_PRODUCT: Op = Op {
    symbol: "+@",
    formula: "y = β · a + α · (b @ c)",
    rules: &["β · {gy}", "α · {gy} @ {c}ᵀ", "α · {b}ᵀ @ {gy}"],
    kind: Kind::Composite(lower),
    vjp: Vjp::Rule(gradients),
    saves: [0, SAVE_C, SAVE_B],
    ..BASE
};

/// A result into whose shape the summand broadcasts.
fn sum_meta(op: &Op, input: &NodeRef, shape: Shape) -> Result<Meta> {
    let fits = input.shape.len() <= shape.len()
        && shape::broadcast(op.name, &input.shape, &shape).is_ok_and(|s| s == shape);
    if !fits {
        return Err(Error::runtime(format!(
            "{}: The expanded size of the tensor must match the existing size.  Target sizes: {}.  Tensor sizes: {}; the input is broadcast to the product",
            op.name,
            shape::show(&shape),
            shape::show(&input.shape)
        )));
    }
    product_meta(op, shape, input.dtype)
}

fn same_dtype(src: &[NodeRef]) -> Result<()> {
    match src.iter().find(|s| s.dtype != src[0].dtype) {
        None => Ok(()),
        Some(other) => Err(Error::runtime(format!(
            "self and mat2 must have the same dtype, but got {} and {}; convert one with .to()",
            src[0].dtype.scalar_name(),
            other.dtype.scalar_name()
        ))),
    }
}

/// The factors as matrices: a vector is a column where it is multiplied from the right; of an outer
/// product the left one is a column and the right one a row.
fn factors(op: &Op, a: &GraphValue, b: &GraphValue) -> (GraphValue, GraphValue) {
    if std::ptr::eq(op, &ADDR) {
        return (a.reshape(&[a.shape()[0], 1]), b.reshape(&[1, b.shape()[0]]));
    }
    (a.clone(), matmul::as_matrix(b, false))
}

fn scaled(x: GraphValue, by: &Attr) -> GraphValue {
    // Of bools, what is not 0 is true and changes nothing.
    if by.as_float() == 1.0 || x.dtype() == DType::Bool {
        x
    } else {
        x * by.as_float()
    }
}

fn lower(c: &Call) -> Result<GraphValue> {
    // There is no product of bools: of `addr`, which takes them, it is counted.
    let wide = match c.node.dtype.compute() {
        DType::Bool => DType::I64,
        wide => wide,
    };
    let (beta, alpha) = (c.attr(0), c.attr(1));
    let (input, a, b) = (c.src[0].to(wide), c.src[1].to(wide), c.src[2].to(wide));
    let (a, b) = factors(c.node.op, &a, &b);
    let product = if alpha.as_float() == 0.0 {
        a.zeros_like_shape(&c.node.shape)
    } else if std::ptr::eq(c.node.op, &ADDBMM) {
        // The sum over the batch is one product of long rows.
        let [batch, m, k] = a.shape()[..] else {
            return Err(Error::runtime("addbmm: expected batches of matrices"));
        };
        let n = b.shape()[2];
        let rows = a.permute(&[1, 0, 2]).reshape(&[m, batch * k]);
        matmul::product(&rows, &b.reshape(&[batch * k, n]))?
    } else {
        matmul::product(&a, &b)?
    };
    let product = scaled(product.reshape(&c.node.shape), alpha);
    let sum = if beta.as_float() == 0.0 {
        product
    } else {
        scaled(input, beta) + product
    };
    Ok(sum.to(c.node.dtype))
}

fn gradients(b: &Backprop) -> Result<Grads> {
    let (left, right) = factors(b.node.op, &b.src[1], &b.src[2]);
    let mut shape = Shape::from_slice(&left.shape()[..left.shape().len() - 1]);
    shape.push(right.shape()[right.shape().len() - 1]);
    // Every product of a summed batch gets the gradient of the sum.
    let gy = match b.gy.shape().len() {
        n if n < shape.len() && n == 2 => b.gy.expand(&shape),
        _ => b.gy.reshape(&shape),
    };
    let gy = scaled(gy, b.attr(1));
    let into = |grad: GraphValue, i: usize| grad.reshape(b.src[i].shape());
    Ok(smallvec![
        b.needs(0).then(|| scaled(b.gy.clone(), b.attr(0))),
        b.needs(1).then(|| into(gy.matmul(&right.t()), 1)),
        b.needs(2).then(|| into(left.t().matmul(&gy), 2)),
    ])
}

/// β · a + α · (b @ c)
pub static ADDMM: Op = Op {
    name: "addmm",
    grad_fn: "AddmmBackward0",
    doc: "A matrix plus the product of two matrices, both scaled.",
    params: &params("mat1", "mat2"),
    infer: |op, src, _: &Attrs| {
        expect_matrices(op.name, &src[1], &src[2])?;
        same_dtype(src)?;
        expect_product("addmm_impl_cpu_", src[0].dtype)?;
        sum_meta(op, &src[0], smallvec![src[1].shape[0], src[2].shape[1]])
    },
    samples: samples(&[
        "[2,3] [2,4] [4,3]",
        "[3] [2,4] [4,3] beta=0.5 alpha=-2",
        "[2,3] [2,4] [4,3] beta=0",
    ]),
    example: example("torch.addmm(torch.tensor([0.5]), torch.ones(2, 3), torch.ones(3, 2))"),
    ..ADD_PRODUCT
};

/// β · a + α · (b @ c), with a vector
pub static ADDMV: Op = Op {
    name: "addmv",
    grad_fn: "AddmvBackward0",
    doc: "A vector plus the product of a matrix and a vector, both scaled.",
    params: &params("mat", "vec"),
    infer: |op, src, _: &Attrs| {
        expect_matrix_and_vector(src[0].shape.len(), &src[1], &src[2])?;
        if src.iter().any(|s| s.dtype != src[0].dtype) {
            let names: Vec<_> = src.iter().map(|s| s.dtype.scalar_name()).collect();
            return Err(Error::runtime(format!(
                "addmv input tensors must have the same dtype, but got {}, {}, and {}; convert them with .to()",
                names[0], names[1], names[2]
            )));
        }
        expect_product("addmv_impl_cpu", src[0].dtype)?;
        sum_meta(op, &src[0], smallvec![src[1].shape[0]])
    },
    samples: samples(&["[2] [2,3] [3]", "[1] [2,3] [3] beta=0.5 alpha=-1"]),
    example: example("torch.addmv(torch.zeros(2), torch.ones(2, 3), torch.ones(3))"),
    ..ADD_PRODUCT
};

/// β · a + α · Σ (b @ c)
pub static ADDBMM: Op = Op {
    name: "addbmm",
    grad_fn: "AddbmmBackward0",
    formula: "y = β · a + α · Σ (b[i] @ c[i])",
    doc: "A matrix plus the summed products of two batches of matrices, both scaled.",
    params: &params("batch1", "batch2"),
    infer: |op, src, _: &Attrs| {
        expect_batches(&src[1], &src[2])?;
        same_dtype(src)?;
        expect_product("addmm_impl_cpu_", src[0].dtype)?;
        sum_meta(op, &src[0], smallvec![src[1].shape[1], src[2].shape[2]])
    },
    samples: samples(&[
        "[2,2] [3,2,3] [3,3,2]",
        "[2] [2,2,3] [2,3,2] beta=0.5 alpha=-2",
    ]),
    example: example("torch.addbmm(torch.zeros(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))"),
    ..ADD_PRODUCT
};

/// β · a + α · (b @ c), one by one
pub static BADDBMM: Op = Op {
    name: "baddbmm",
    grad_fn: "BaddbmmBackward0",
    formula: "y[i] = β · a[i] + α · (b[i] @ c[i])",
    doc: "A batch of matrices plus the products of two batches, one by one, both scaled.",
    params: &params("batch1", "batch2"),
    infer: |op, src, _: &Attrs| {
        expect_batches(&src[1], &src[2])?;
        same_dtype(src)?;
        expect_product("baddbmm", src[0].dtype)?;
        let shape = smallvec![src[1].shape[0], src[1].shape[1], src[2].shape[2]];
        sum_meta(op, &src[0], shape)
    },
    samples: samples(&[
        "[2,2,2] [2,2,3] [2,3,2]",
        "[2] [2,2,3] [2,3,2] beta=0.5 alpha=-2",
    ]),
    example: example("torch.baddbmm(torch.zeros(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))"),
    ..ADD_PRODUCT
};

/// β · a + α · b ⊗ c
pub static ADDR: Op = Op {
    name: "addr",
    grad_fn: "AddrBackward0",
    formula: "y = β · a + α · b ⊗ c",
    doc: "A matrix plus the outer product of two vectors, both scaled.",
    params: &params("vec1", "vec2"),
    promote: crate::op::Promote::Common,
    check: |op, src| {
        for (operand, which) in src[1..].iter().zip(["vec1", "vec2"]) {
            if operand.shape.len() != 1 {
                return Err(Error::runtime(format!(
                    "{}: Expected 1-D argument {which}, but got {}-D",
                    op.name,
                    operand.shape.len()
                )));
            }
        }
        Ok(())
    },
    infer: |op, src, attrs| {
        for (factor, which) in attrs.iter().zip(["beta", "alpha"]) {
            if matches!(factor, Attr::Float(_)) && !src[0].dtype.is_float() {
                return Err(Error::runtime(format!(
                    "addr: For integral input tensors, argument {which} must not be a floating point number: got {} for {}",
                    factor.as_float(),
                    src[0].dtype
                )));
            }
        }
        sum_meta(op, &src[0], smallvec![src[1].shape[0], src[2].shape[0]])
    },
    samples: samples(&[
        "[2,3] [2] [3]",
        "[3] [2] [3] beta=0.5 alpha=-2",
        "[2,3]? [2]? [3]?",
    ]),
    example: example(
        "torch.addr(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))",
    ),
    ..ADD_PRODUCT
};

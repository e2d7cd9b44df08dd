//! Products under the names that say which one: `mm`, `bmm`, `mv`, `dot`, `vdot`, `outer`, `inner`. They are
//! `matmul` with narrower rules on shapes, so they share how it is computed and its gradient.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::node::NodeRef;
use crate::op::ParamKind::Tensor;
use crate::op::{Kind, Meta, Op, Out, Promote, SAVE_A, SAVE_B, Vjp, example, param, samples};
use crate::ops::{BASE, matmul};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&MM, &BMM, &MV, &DOT, &VDOT, &OUTER, &INNER];

/// What C++ calls a dtype: PyTorch's products print these.
pub(crate) fn c_name(dtype: DType) -> String {
    match dtype {
        DType::I64 => "long int".to_owned(),
        DType::U8 => "unsigned char".to_owned(),
        DType::I8 => "signed char".to_owned(),
        DType::F16 => "c10::Half".to_owned(),
        DType::BF16 => "c10::BFloat16".to_owned(),
        other => other.scalar_name().to_ascii_lowercase(),
    }
}

/// `2x3`, as PyTorch's products print sizes.
pub(in crate::ops) fn by(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    sizes.join("x")
}

/// Raises for bools and wide unsigned integers, which PyTorch does not multiply either.
pub(in crate::ops) fn expect_product(kernel: &str, dtype: DType) -> Result<()> {
    if matches!(dtype, DType::Bool | DType::U16 | DType::U32 | DType::U64) {
        return Err(Error::not_implemented(format!(
            "\"{kernel}\" not implemented for '{}'; convert the tensors with .float() or .long()",
            dtype.scalar_name()
        )));
    }
    Ok(())
}

/// A result in the dtype of the operands.
pub(in crate::ops) fn product_meta(op: &Op, shape: Shape, dtype: DType) -> Result<Meta> {
    shape::check_size(op.name, &shape)?;
    Ok(Meta { shape, dtype })
}

/// Sizes of two matrices that multiply.
pub(in crate::ops) fn expect_matrices(name: &str, a: &NodeRef, b: &NodeRef) -> Result<()> {
    for (operand, which) in [(a, "self"), (b, "mat2")] {
        if operand.shape.len() != 2 {
            return Err(Error::runtime(format!(
                "{name}: {which} must be a matrix, got {}-D tensor of shape {}; use matmul for vectors and batches",
                operand.shape.len(),
                shape::show(&operand.shape)
            )));
        }
    }
    if a.shape[1] != b.shape[0] {
        let hint = if a.shape[1] == b.shape[1] {
            " (did you mean mat2.T?)"
        } else {
            ""
        };
        return Err(Error::runtime(format!(
            "{name}: mat1 and mat2 shapes cannot be multiplied ({} and {}): inner sizes {} and {} differ{hint}",
            by(&a.shape),
            by(&b.shape),
            a.shape[1],
            b.shape[0]
        )));
    }
    Ok(())
}

/// Sizes of two batches of matrices that multiply.
pub(in crate::ops) fn expect_batches(a: &NodeRef, b: &NodeRef) -> Result<()> {
    for (operand, which) in [(a, "batch1"), (b, "batch2")] {
        if operand.shape.len() != 3 {
            return Err(Error::runtime(format!(
                "{which} must be a 3D tensor, got shape {}; use matmul, or unsqueeze(0) for a batch of one",
                shape::show(&operand.shape)
            )));
        }
    }
    if a.shape[0] != b.shape[0] || a.shape[2] != b.shape[1] {
        return Err(Error::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
            a.shape[0], a.shape[2], b.shape[0], b.shape[1]
        )));
    }
    Ok(())
}

/// Matrix by matrix.
pub static MM: Op = Op {
    name: "mm",
    grad_fn: "MmBackward0",
    grad_fn_for: |_| None,
    doc: "The product of two matrices.",
    params: &[param("input", Tensor), param("mat2", Tensor)],
    infer: |op, src, _| {
        let (a, b) = (&src[0], &src[1]);
        expect_matrices(op.name, a, b)?;
        if a.dtype != b.dtype {
            return Err(Error::runtime(format!(
                "expected m1 and m2 to have the same dtype, but got: {} != {}; convert one with .to()",
                c_name(a.dtype),
                c_name(b.dtype)
            )));
        }
        expect_product("addmm_impl_cpu_", a.dtype)?;
        product_meta(op, smallvec![a.shape[0], b.shape[1]], a.dtype)
    },
    samples: samples(&["[2,3] [3,4]", "[2,3]T [3,4]T", "[1,1] [1,1]"]),
    example: example("torch.mm(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]]))"),
    ..matmul::MATMUL
};

/// Matrices by matrices, one by one.
pub static BMM: Op = Op {
    name: "bmm",
    grad_fn: "BmmBackward0",
    grad_fn_for: |_| None,
    formula: "y[i] = a[i] @ b[i]",
    doc: "The products of two batches of matrices, one by one.",
    params: &[param("input", Tensor), param("mat2", Tensor)],
    infer: |op, src, _| {
        let (a, b) = (&src[0], &src[1]);
        expect_batches(a, b)?;
        if a.dtype != b.dtype {
            return Err(expected_scalar(a.dtype, b.dtype));
        }
        expect_product("bmm", a.dtype)?;
        product_meta(op, smallvec![a.shape[0], a.shape[1], b.shape[2]], a.dtype)
    },
    samples: samples(&["[2,2,3] [2,3,2]", "[2,2,3]T [2,3,2]T"]),
    example: example("torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1))"),
    ..matmul::MATMUL
};

/// Two dtypes where one was expected.
pub(in crate::ops) fn expected_scalar(a: DType, b: DType) -> Error {
    Error::runtime(format!(
        "expected scalar type {} but found {}; convert one with .to()",
        a.scalar_name(),
        b.scalar_name()
    ))
}

/// Matrix by vector.
pub static MV: Op = Op {
    name: "mv",
    grad_fn: "MvBackward0",
    grad_fn_for: |_| None,
    rules: &["{gy} times each element of {b}", "{a}ᵀ @ {gy}"],
    doc: "The product of a matrix and a vector.",
    params: &[param("input", Tensor), param("vec", Tensor)],
    infer: |op, src, _| {
        let (a, b) = (&src[0], &src[1]);
        expect_matrix_and_vector(1, a, b)?;
        if a.dtype != b.dtype {
            return Err(Error::runtime(format!(
                "addmv input tensors must have the same dtype, but got {0}, {1}, and {0}; convert one with .to()",
                b.dtype.scalar_name(),
                a.dtype.scalar_name()
            )));
        }
        expect_product("addmv_impl_cpu", a.dtype)?;
        product_meta(op, smallvec![a.shape[0]], a.dtype)
    },
    samples: samples(&["[3,4] [4]", "[3,4]T [4]"]),
    example: example("torch.mv(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))"),
    ..matmul::MATMUL
};

/// Sizes of a matrix and a vector that multiply; `n` is how many dimensions the summand has.
pub(in crate::ops) fn expect_matrix_and_vector(n: usize, a: &NodeRef, b: &NodeRef) -> Result<()> {
    if n > 1 || a.shape.len() != 2 || b.shape.len() != 1 {
        return Err(Error::runtime(format!(
            "vector + matrix @ vector expected, got {n}, {}, {}",
            a.shape.len(),
            b.shape.len()
        )));
    }
    if a.shape[1] != b.shape[0] {
        return Err(Error::runtime(format!(
            "size mismatch, got input ({}), mat ({}), vec ({})",
            a.shape[0],
            by(&a.shape),
            b.shape[0]
        )));
    }
    Ok(())
}

/// Vector by vector.
pub static DOT: Op = Op {
    name: "dot",
    grad_fn: "DotBackward0",
    grad_fn_for: |_| None,
    symbol: "·",
    formula: "y = Σ a · b",
    rules: &["{gy} · {b}", "{gy} · {a}"],
    doc: "The inner product of two vectors.",
    params: &[param("input", Tensor), param("tensor", Tensor)],
    infer: |op, src, _| {
        let (a, b) = (&src[0], &src[1]);
        if a.shape.len() != 1 || b.shape.len() != 1 {
            return Err(Error::runtime(format!(
                "1D tensors expected, but got {}D and {}D tensors; use matmul for matrices",
                a.shape.len(),
                b.shape.len()
            )));
        }
        if a.dtype != b.dtype {
            return Err(Error::runtime(format!(
                "dot : expected both vectors to have same dtype, but found {} and {}; convert one with .to()",
                a.dtype.scalar_name(),
                b.dtype.scalar_name()
            )));
        }
        if a.shape != b.shape {
            return Err(Error::runtime(format!(
                "inconsistent tensor size, expected tensor [{0}] and src [{1}] to have the same number of elements, but got {0} and {1} elements respectively",
                a.shape[0], b.shape[0]
            )));
        }
        expect_product("dot", a.dtype)?;
        product_meta(op, Shape::new(), a.dtype)
    },
    vjp: Vjp::Rule(|b| {
        Ok(smallvec![
            b.needs(0).then(|| &b.gy * &b.src[1]),
            b.needs(1).then(|| &b.gy * &b.src[0]),
        ])
    }),
    samples: samples(&["[5] [5]"]),
    example: example("torch.dot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))"),
    ..matmul::MATMUL
};

/// Vector by vector; of real numbers the same as `dot`.
pub static VDOT: Op = Op {
    name: "vdot",
    grad_fn: "VdotBackward0",
    params: &[param("input", Tensor), param("other", Tensor)],
    example: example("torch.vdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))"),
    ..DOT
};

/// Every element by every element.
pub static OUTER: Op = Op {
    name: "outer",
    grad_fn: "MulBackward0",
    symbol: "⊗",
    formula: "y[i, j] = a[i] · b[j]",
    rules: &["{gy} @ {b}", "{gy}ᵀ @ {a}"],
    doc: "Every element of a vector times every element of another.",
    params: &[param("input", Tensor), param("vec2", Tensor)],
    promote: Promote::Common,
    check: |op, src| {
        for (operand, which) in src.iter().zip(["self", "vec2"]) {
            if operand.shape.len() != 1 {
                return Err(Error::runtime(format!(
                    "{}: Expected 1-D argument {which}, but got {}-D; flatten() makes a vector",
                    op.name,
                    operand.shape.len()
                )));
            }
        }
        Ok(())
    },
    infer: |op, src, _| {
        let shape = smallvec![src[0].shape[0], src[1].shape[0]];
        product_meta(op, shape, src[0].dtype)
    },
    kind: Kind::Composite(|c| Ok(c.src[0].unsqueeze(1) * &c.src[1])),
    vjp: Vjp::Rule(|b| {
        Ok(smallvec![
            b.needs(0).then(|| b.gy.matmul(&b.src[1])),
            b.needs(1).then(|| b.gy.t().matmul(&b.src[0])),
        ])
    }),
    saves: [SAVE_B, SAVE_A, 0],
    samples: samples(&["[3] [4]", "[1] [2]"]),
    example: example("torch.outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0]))"),
    out: Out::Cast,
    ..BASE
};

/// Sums of products along the last dimensions.
pub static INNER: Op = Op {
    name: "inner",
    grad_fn: "ViewBackward0",
    grad_fn_for: |node| {
        let src = node.src.borrow();
        src.iter()
            .any(|s| s.shape.is_empty())
            .then_some("MulBackward0")
    },
    symbol: "·",
    formula: "y = Σ a · b, along the last dimensions",
    rules: &[
        "{gy} times {b}, summed over what {b} added",
        "{gy} times {a}, summed over what {a} added",
    ],
    doc: "Sums of products along the last dimension of both; a number just multiplies.",
    params: &[param("input", Tensor), param("other", Tensor)],
    infer: |op, src, _| {
        let (a, b) = (&src[0], &src[1]);
        if a.shape.is_empty() || b.shape.is_empty() {
            let dtype = crate::dtype::promote(src.iter().map(|s| (s.dtype, s.rank())))?;
            let larger = if a.shape.is_empty() { b } else { a };
            return product_meta(op, larger.shape.clone(), dtype);
        }
        if a.dtype != b.dtype {
            return Err(Error::runtime(format!(
                "both inputs should have same dtype, but got {} and {}; convert one with .to()",
                a.dtype, b.dtype
            )));
        }
        if a.shape.last() != b.shape.last() {
            return Err(Error::runtime(format!(
                "inner() the last dimension must match on both input tensors but got shapes {} and {}",
                shape::show(&a.shape),
                shape::show(&b.shape)
            )));
        }
        expect_product("dot", a.dtype)?;
        let mut shape = Shape::from_slice(&a.shape[..a.shape.len() - 1]);
        shape.extend_from_slice(&b.shape[..b.shape.len() - 1]);
        product_meta(op, shape, a.dtype)
    },
    kind: Kind::Composite(|c| {
        let (a, b) = (&c.src[0], &c.src[1]);
        let (Some(&k), Some(_)) = (a.shape().last(), b.shape().last()) else {
            return Ok((a * b).to(c.node.dtype));
        };
        if a.shape().len() == 1 && b.shape().len() == 1 {
            return Ok(a.call(&DOT, &[b], smallvec![]));
        }
        let rows = |x: &crate::GraphValue| {
            let shape = x.shape();
            x.reshape(&[shape::numel(&shape[..shape.len() - 1]), k])
        };
        Ok(rows(a).matmul(&rows(b).t()).reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_B, SAVE_A, 0],
    samples: samples(&["[2,3] [4,3]", "[3] [3]", "[] [3]", "[2,1,2] [3,2]"]),
    example: example("torch.inner(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))"),
    ..BASE
};

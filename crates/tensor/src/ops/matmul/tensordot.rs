//! Products that are not of rows by columns: `tensordot`, `kron`, `cross`; and the `trace`.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Meta, Op, Out, Promote, PythonFace, SAVE_A, SAVE_B, Vjp, example, face,
    optional, param, samples,
};
use crate::ops::mm::{expect_product, expected_scalar, product_meta};
use crate::ops::{BASE, cat, dim_of, grad1};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&TENSORDOT, &KRON, &CROSS, &TRACE];

type Dims = SmallVec<[usize; 6]>;

/// The contracted dimensions of both operands, and the others.
struct Contraction {
    dims: [Dims; 2],
    free: [Dims; 2],
}

fn contraction(a: &[usize], b: &[usize], attrs: &Attrs) -> Result<Contraction> {
    let (left, right) = (attrs[0].as_ints(), attrs[1].as_ints());
    if left.len() != right.len() {
        return Err(Error::runtime(format!(
            "both dimension lists should have same length, got {left:?} and {right:?}"
        )));
    }
    let mut dims = [Dims::new(), Dims::new()];
    let mut free = [Dims::new(), Dims::new()];
    for (side, (list, of)) in [(left, a), (right, b)].into_iter().enumerate() {
        for &d in list {
            dims[side].push(shape::dim("tensordot", d, of.len())?);
        }
    }
    for (&d, &e) in dims[0].iter().zip(&dims[1]) {
        let size = |s: &[usize], d: usize| s.get(d).copied().unwrap_or(1);
        let (m, n) = (size(a, d), size(b, e));
        if m != n && m != 1 && n != 1 {
            return Err(Error::runtime(format!(
                "contracted dimensions need to match, but first has size {m} in dim {d} and second has size {n} in dim {e}"
            )));
        }
    }
    for (side, of) in [a, b].into_iter().enumerate() {
        for (i, d) in dims[side].iter().enumerate() {
            if dims[side][..i].contains(d) {
                return Err(Error::runtime(format!(
                    "dim {d} appears multiple times in the list of dims"
                )));
            }
        }
        free[side] = (0..of.len()).filter(|d| !dims[side].contains(d)).collect();
    }
    Ok(Contraction { dims, free })
}

/// Sums of products along named dimensions of both.
pub static TENSORDOT: Op = Op {
    name: "tensordot",
    python: face(&PythonFace {
        signature: "(input, other, dims=2)",
        ..PythonFace::PLAIN
    }),
    grad_fn: "ViewBackward0",
    symbol: "Σ·",
    formula: "y = Σ a · b, along the named dimensions",
    rules: &[
        "{gy} with the other dimensions of {b}",
        "{gy} with the other dimensions of {a}",
    ],
    doc: "Sums of products along dimensions of both tensors; what is left of the first comes first.",
    params: &[
        param("input", Tensor),
        param("other", Tensor),
        param("dims_self", Ints),
        param("dims_other", Ints),
    ],
    infer: |op, src, attrs| {
        let (a, b) = (&src[0], &src[1]);
        if a.dtype != b.dtype {
            return Err(Error::runtime(format!(
                "both inputs should have same dtype, but got {} and {}; convert one with .to()",
                a.dtype, b.dtype
            )));
        }
        expect_product("addmm_impl_cpu_", a.dtype)?;
        let c = contraction(&a.shape, &b.shape, attrs)?;
        let mut shape: Shape = c.free[0].iter().map(|&d| a.shape[d]).collect();
        shape.extend(c.free[1].iter().map(|&d| b.shape[d]));
        product_meta(op, shape, a.dtype)
    },
    kind: Kind::Composite(|call| {
        let (mut a, mut b) = (call.src[0].clone(), call.src[1].clone());
        let c = contraction(a.shape(), b.shape(), &call.node.attrs)?;
        for (&d, &e) in c.dims[0].iter().zip(&c.dims[1]) {
            // Size 1, and no dimension at all, meets any size: the others are summed first.
            let size = |x: &GraphValue, d: usize| x.shape().get(d).copied().unwrap_or(1);
            match (size(&a, d), size(&b, e)) {
                (m, n) if m == n => {}
                (1, _) => b = b.sum(&[e], true).to(a.dtype()),
                _ => a = a.sum(&[d], true).to(b.dtype()),
            }
        }
        let inner =
            |x: &GraphValue, dims: &Dims| dims.iter().filter_map(|&d| x.shape().get(d)).product();
        let k: usize = inner(&a, &c.dims[0]);
        let (m, n): (usize, usize) = (inner(&a, &c.free[0]), inner(&b, &c.free[1]));
        let order = |first: &Dims, then: &Dims, x: &GraphValue| -> Dims {
            let all = first.iter().chain(then).copied();
            all.filter(|&d| d < x.shape().len()).collect()
        };
        let a = a
            .permute(&order(&c.free[0], &c.dims[0], &a))
            .reshape(&[m, k]);
        let b = b
            .permute(&order(&c.dims[1], &c.free[1], &b))
            .reshape(&[k, n]);
        Ok(a.matmul(&b).reshape(&call.node.shape))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_B, SAVE_A, 0],
    samples: samples(&[
        "[2,3,2] [3,2] dims_self=(1) dims_other=(0)",
        "[2,3,2] [3,2,2] dims_self=(1,0) dims_other=(0,1)",
        "[2] [3] dims_self=() dims_other=()",
        "[2,1] [3,2] dims_self=(1) dims_other=(0)",
    ]),
    example: example("torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), dims=1)"),
    method: false,
    ..BASE
};

/// Sizes with ones in front.
fn padded(shape: &[usize], n: usize) -> Shape {
    let mut padded = Shape::from_elem(1, n - shape.len());
    padded.extend_from_slice(shape);
    padded
}

/// Every element of the first times the whole second.
pub static KRON: Op = Op {
    name: "kron",
    grad_fn: "UnsafeViewBackward0",
    symbol: "⊗",
    formula: "y = a[i, j] · b, block by block",
    rules: &[
        "Σ {gy} · {b}, block by block",
        "Σ {gy} · {a}, over the blocks",
    ],
    doc: "The Kronecker product: each element of the first becomes a block, the second scaled by it.",
    params: &[param("input", Tensor), param("other", Tensor)],
    promote: Promote::Common,
    infer: |op, src, _| {
        let n = src[0].shape.len().max(src[1].shape.len());
        let (a, b) = (padded(&src[0].shape, n), padded(&src[1].shape, n));
        // The factors may be too large to multiply: check them side by side.
        let mut both = a.clone();
        both.extend_from_slice(&b);
        shape::check_size(op.name, &both)?;
        let shape = a.iter().zip(&b).map(|(m, n)| m * n).collect();
        product_meta(op, shape, src[0].dtype)
    },
    kind: Kind::Composite(|c| {
        let (a, b) = (&c.src[0], &c.src[1]);
        let n = a.shape().len().max(b.shape().len());
        let (mut left, mut right) = (Shape::new(), Shape::new());
        for (&m, &n) in padded(a.shape(), n).iter().zip(&padded(b.shape(), n)) {
            left.extend([m, 1]);
            right.extend([1, n]);
        }
        Ok((a.reshape(&left) * b.reshape(&right)).reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    saves: [0; 3],
    reads: SAVE_A | SAVE_B,
    samples: samples(&["[2,2] [1,3]", "[2] [3]", "[2,2] [2]", "[] [2]"]),
    example: example("torch.kron(torch.eye(2), torch.tensor([[1.0, 2.0]]))"),
    out: Out::Cast,
    ..BASE
};

/// The dimension of a cross product: the first of size 3 where none is given.
fn cross_dim(op: &Op, of: &[usize], attr: &Attr) -> Result<usize> {
    match attr {
        Attr::None => of.iter().position(|&n| n == 3).ok_or_else(|| {
            Error::runtime(format!(
                "no dimension of size 3 in input of shape {}",
                shape::show(of)
            ))
        }),
        attr => dim_of(op, of, attr),
    }
}

/// a × b
pub static CROSS: Op = Op {
    name: "cross",
    grad_fn: "LinalgCrossBackward0",
    symbol: "×",
    formula: "y = a × b",
    rules: &["{b} × {gy}", "{gy} × {a}"],
    doc: "The cross product of vectors in space, along a dimension of size 3: the first such one where none is named.",
    params: &[
        param("input", Tensor),
        param("other", Tensor),
        optional("dim", Int, Attr::None),
    ],
    infer: |op, src, attrs| {
        let (a, b) = (&src[0], &src[1]);
        if a.shape.len() != b.shape.len() {
            return Err(Error::runtime(format!(
                "linalg.cross: inputs must have the same number of dimensions, got shapes {} and {}",
                shape::show(&a.shape),
                shape::show(&b.shape)
            )));
        }
        let dim = cross_dim(op, &a.shape, &attrs[0])?;
        let size = |s: &NodeRef| s.shape.get(dim).copied().unwrap_or(1);
        if (size(a), size(b)) != (3, 3) {
            let dim = attrs[0].as_int();
            return Err(Error::runtime(format!(
                "linalg.cross: inputs dimension {dim} must have length 3. Got {} and {}",
                size(a),
                size(b)
            )));
        }
        if a.dtype != b.dtype {
            return Err(expected_scalar(a.dtype, b.dtype));
        }
        expect_product("cross", a.dtype)?;
        let shape = shape::broadcast(op.name, &a.shape, &b.shape)?;
        product_meta(op, shape, a.dtype)
    },
    kind: Kind::Composite(|c| {
        let (a, b) = (
            c.src[0].expand(&c.node.shape),
            c.src[1].expand(&c.node.shape),
        );
        let dim = cross_dim(c.node.op, c.src[0].shape(), c.attr(0))?;
        let at = |x: &GraphValue, i: usize| x.slice(dim, i % 3, 1, 1);
        let part = |i: usize| at(&a, i + 1) * at(&b, i + 2) - at(&a, i + 2) * at(&b, i + 1);
        let (x, y, z) = (part(0), part(1), part(2));
        Ok(x.call(&cat::CAT, &[&y, &z], smallvec![Attr::Int(dim as i64)]))
    }),
    vjp: Vjp::Rule(|b| {
        let dim = cross_dim(b.node.op, b.src[0].shape(), b.attr(0))?;
        let attrs: Attrs = smallvec![Attr::Int(dim as i64)];
        Ok(smallvec![
            b.needs(0)
                .then(|| b.src[1].call(&CROSS, &[&b.gy], attrs.clone())),
            b.needs(1)
                .then(|| b.gy.call(&CROSS, &[&b.src[0]], attrs.clone())),
        ])
    }),
    saves: [SAVE_B, SAVE_A, 0],
    samples: samples(&["[3] [3]", "[2,3] [1,3] dim=-1", "[3,2] [3,2] dim=0"]),
    example: example("torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))"),
    ..BASE
};

/// The diagonal of a row-major matrix.
fn diagonal(shape: &[usize]) -> View {
    View {
        shape: smallvec![shape[0].min(shape[1])],
        strides: smallvec![shape[1] as isize + 1],
        offset: 0,
    }
}

/// The sum of the diagonal.
pub static TRACE: Op = Op {
    name: "trace",
    grad_fn: "TraceBackward0",
    symbol: "tr",
    formula: "y = Σ a[i, i]",
    rules: &["{gy} on the diagonal, 0 elsewhere"],
    doc: "The sum of the diagonal of a matrix.",
    params: &[param("input", Tensor)],
    infer: |_, src, _| {
        if src[0].shape.len() != 2 {
            return Err(Error::runtime(format!(
                "trace: expected a matrix, but got tensor with dim {}",
                src[0].shape.len()
            )));
        }
        expect_product("trace", src[0].dtype)?;
        Ok(Meta {
            shape: Shape::new(),
            dtype: src[0].dtype.max(DType::I64),
        })
    },
    kind: Kind::Composite(|c| {
        let on = c.src[0].through(&diagonal(c.src[0].shape()));
        Ok(on.to(c.node.dtype).sum(&[0], false))
    }),
    vjp: Vjp::Rule(|b| {
        let shape = b.src[0].shape();
        let at = diagonal(shape);
        grad1(b.gy.zeros_like_shape(shape).write_at(&at, &b.gy))
    }),
    samples: samples(&["[3,3]", "[2,4]", "[4,2]T"]),
    example: example("torch.trace(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))"),
    out: Out::None,
    ..BASE
};

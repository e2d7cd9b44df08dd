//! Determinants, inverses, linear systems and powers of matrices: `det`, `inv`, `solve`, `matrix_power`.
//!
//! The gradients are the textbook rules (Giles 2008).

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{Attr, Kind, Meta, Op, SAVE_A, SAVE_Y, Vjp, example, optional, param, samples};
use crate::ops::linalg::{
    FACTOR_DET, FACTOR_INVERSE, FACTOR_SOLVE, batch, expect_square, factor, flat, sizes,
};
use crate::ops::{BASE, grad1};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&DET, &INV, &SOLVE, &MATRIX_POWER];

/// The determinant.
pub static DET: Op = Op {
    name: "det",
    grad_fn: "LinalgDetBackward0",
    symbol: "det",
    formula: "y = det a",
    rules: &["{gy} · {y} · ({a}⁻¹)ᵀ, the cofactors of {a}"],
    doc: "The determinant of each square matrix.",
    params: &[param("input", Tensor)],
    infer: |_, src, _| {
        expect_square("det", &src[0])?;
        Ok(Meta {
            shape: Shape::from_slice(batch(&src[0].shape)),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| Ok(factor(c, &FACTOR_DET, 0))),
    vjp: Vjp::Rule(|b| {
        let (x, gy) = (&b.src[0], b.gy.unsqueeze(b.gy.shape().len()));
        let n = gy.shape().len();
        let gy = gy.unsqueeze(n);
        if sizes(x.shape()).0 <= MOST_COFACTORS {
            // A zero times −1 is a zero without a sign.
            return grad1(gy * cofactors(x)? + 0.0);
        }
        let y = b.y.unsqueeze(n - 1).unsqueeze(n);
        grad1(gy * y * x.call(&INV, &[], smallvec![]).t())
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&["[3,3]", "[2,2,2]", "[1,1]", "[4,4]T"]),
    example: example("torch.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))"),
    ..BASE
};

/// Up to this size the gradient of a determinant is made of determinants of minors: no division, so
/// it holds for singular matrices too. That is n² determinants; beyond, the inverse is cheaper.
const MOST_COFACTORS: usize = 8;

/// `(−1)^(i+j)` times the determinant without row i and column j.
fn cofactors(x: &GraphValue) -> Result<GraphValue> {
    let n = sizes(x.shape()).0;
    let batch = shape::numel(batch(x.shape()));
    // Where the elements of each minor are in a matrix: the same for all of the batch.
    let mut index = Vec::new();
    for (i, j) in (0..n * n).map(|at| (at / n, at % n)) {
        for r in (0..n).filter(|&r| r != i) {
            index.extend((0..n).filter(|&c| c != j).map(|c| (r * n + c) as i64));
        }
    }
    let engine = x.engine();
    let index = GraphValue::new(engine, engine.leaf_i64(&index, &[index.len()])?);
    let m = n.saturating_sub(1);
    let minors = x.reshape(&[batch, n * n]).t().gather_rows(&index).t();
    let minors = minors
        .reshape(&[batch * n * n, m, m])
        .call(&DET, &[], smallvec![])
        .reshape(x.shape());
    let sign = |at: usize| 1 - 2 * ((at / n + at % n) % 2) as i64;
    let signs: Vec<i64> = (0..n * n).map(sign).collect();
    let signs = GraphValue::new(engine, engine.leaf_i64(&signs, &[n, n])?);
    Ok(minors * signs.to(x.dtype()))
}

/// The inverse.
pub static INV: Op = Op {
    name: "inv",
    grad_fn: "LinalgInvExBackward0",
    symbol: "inv",
    formula: "y = a⁻¹",
    rules: &["−{y}ᵀ @ {gy} @ {y}ᵀ"],
    doc: "The inverse of each square matrix.",
    params: &[param("A", Tensor)],
    infer: |op, src, attrs| {
        expect_square("inv", &src[0])?;
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| Ok(factor(c, &FACTOR_INVERSE, 0))),
    vjp: Vjp::Rule(|b| {
        let yt = b.y.t();
        grad1(-yt.matmul(&b.gy).matmul(&yt))
    }),
    saves: [SAVE_Y; 3],
    samples: samples(&["[1,1]@0.5..2", "[2,1,1]@0.5..2", "[2,2]@2..9"]),
    example: example("torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))"),
    method: false,
    ..BASE
};

/// Whether the right side is a batch of vectors.
fn is_vector(a: &[usize], b: &[usize]) -> bool {
    b.len() == 1 || a.len() == b.len() + 1 && a[..a.len() - 1] == *b
}

/// Shapes of a system with its right side as matrices: the batch, and the columns of the right side.
fn system(a: &[usize], b: &[usize], left: bool) -> Result<(Shape, (usize, usize))> {
    let mut b = Shape::from_slice(b);
    if is_vector(a, &b) {
        b.push(1);
    }
    if b.len() < 2 {
        return Err(Error::runtime(
            "linalg.solve: The input tensor B must have at least 2 dimensions.",
        ));
    }
    let ((n, _), (p, q)) = (sizes(a), sizes(&b));
    if (if left { p } else { q }) != n {
        let equation = if left { "AX = B" } else { "XA = B" };
        return Err(Error::runtime(format!(
            "linalg.solve: Incompatible shapes of A and B for the equation {equation} ({n}x{n} and {p}x{q})"
        )));
    }
    Ok((
        shape::broadcast("linalg.solve", batch(a), batch(&b))?,
        (p, q),
    ))
}

/// The solution of a linear system.
pub static SOLVE: Op = Op {
    name: "solve",
    grad_fn: "LinalgSolveExBackward0",
    symbol: "solve",
    formula: "y with a @ y = b",
    rules: &["−solve({a}ᵀ, {gy}) @ {y}ᵀ", "solve({a}ᵀ, {gy})"],
    doc: "The solution of A X = B (or X A = B) for square matrices; B may be a vector.",
    params: &[
        param("A", Tensor),
        param("B", Tensor),
        optional("left", Bool, Attr::Bool(true)),
    ],
    infer: |op, src, attrs| {
        let (a, b) = (&src[0], &src[1]);
        expect_square("solve", a)?;
        if a.dtype != b.dtype {
            return Err(Error::runtime(format!(
                "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
                a.dtype.scalar_name(),
                b.dtype.scalar_name()
            )));
        }
        let vector = is_vector(&a.shape, &b.shape);
        let left = attrs[0].as_bool();
        if vector && !left {
            return Err(Error::runtime(
                "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)",
            ));
        }
        let (mut shape, (p, q)) = system(&a.shape, &b.shape, left)?;
        shape.push(p);
        if !vector {
            shape.push(q);
        }
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: a.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (a, b) = (&c.src[0], &c.src[1]);
        let left = c.attr(0).as_bool();
        let (whole, (p, q)) = system(a.shape(), b.shape(), left)?;
        let stretched = |x: &GraphValue, m: usize, n: usize| {
            let mut shape = whole.clone();
            shape.extend([m, n]);
            flat(&x.expand(&shape))
        };
        let n = sizes(a.shape()).0;
        let b = if is_vector(a.shape(), b.shape()) {
            b.unsqueeze(b.shape().len())
        } else {
            b.clone()
        };
        let (a3, b3) = (stretched(a, n, n), stretched(&b, p, q));
        let attrs = smallvec![Attr::Int(0), Attr::Bool(!whole.is_empty())];
        let y = if left {
            a3.call(&FACTOR_SOLVE, &[&b3], attrs)
        } else {
            // X A = B is Aᵀ Xᵀ = Bᵀ.
            a3.t().call(&FACTOR_SOLVE, &[&b3.t()], attrs).t()
        };
        Ok(y.reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let (a, left) = (&b.src[0], b.attr(0).as_bool());
        let column = |x: &GraphValue| {
            if is_vector(a.shape(), b.src[1].shape()) {
                x.unsqueeze(x.shape().len())
            } else {
                x.clone()
            }
        };
        let (y, gy) = (column(&b.y), column(&b.gy));
        let gb = a.t().call(&SOLVE, &[&gy], smallvec![Attr::Bool(left)]);
        let ga = || {
            if left {
                -gb.matmul(&y.t())
            } else {
                -y.t().matmul(&gb)
            }
        };
        let ga = b.needs(0).then(ga);
        Ok(smallvec![ga, b.needs(1).then(|| gb.reshape(b.gy.shape()))])
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&[
        "[1,1]@0.5..2 [1]",
        "[2,2]@2..9 [2,3]",
        "[2,1,1]@0.5..2 [1,2]",
        "[2,2]@2..9 [3,2] left=false",
    ]),
    example: example(
        "torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([1.0, 1.0]))",
    ),
    method: false,
    ..BASE
};

/// The solution of X A = B where `right`, of A X = B else.
pub(in crate::ops) fn solved(a: &GraphValue, b: &GraphValue, right: bool) -> GraphValue {
    a.call(&SOLVE, &[b], smallvec![Attr::Bool(!right)])
}

/// A product of n copies.
pub static MATRIX_POWER: Op = Op {
    name: "matrix_power",
    grad_fn: "MmBackward0",
    symbol: "^n",
    formula: "y = a @ a @ …, n times",
    rules: &["Σ ({a}ᵀ)^i @ {gy} @ ({a}ᵀ)^(n−1−i)"],
    doc: "The n-th power of each square matrix, by repeated squaring; of its inverse where n is negative.",
    params: &[param("input", Tensor), param("n", Int)],
    infer: |op, src, attrs| {
        let x = &src[0];
        if x.shape.len() < 2 {
            return Err(Error::runtime(format!(
                "linalg.matrix_power: The input tensor A must have at least 2 dimensions. Got shape {}",
                crate::shape::show(&x.shape)
            )));
        }
        if attrs[0].as_int() < 0 {
            expect_square("inv", x)?;
        }
        let (m, n) = sizes(&x.shape);
        if m != n {
            return Err(Error::runtime(format!(
                "linalg.matrix_power: A must be batches of square matrices, but they are {m} by {n} matrices"
            )));
        }
        crate::ops::mm::expect_product("addmm_impl_cpu_", x.dtype)?;
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let (x, n) = (&c.src[0], c.attr(0).as_int());
        if n == 0 {
            let engine = x.engine();
            let positions = GraphValue::new(engine, engine.arange(sizes(x.shape()).0)?);
            let one = positions.unsqueeze(1).eq(&positions).to(x.dtype());
            // On the tape all the same: its gradient is zero.
            let never = x.number(0.0).to(DType::Bool);
            return Ok(never.select(x, &one));
        }
        let base = if n < 0 {
            x.call(&INV, &[], smallvec![])
        } else {
            x.clone()
        };
        let (mut square, mut left) = (base, n.unsigned_abs());
        let mut power: Option<GraphValue> = None;
        while left > 0 {
            if left % 2 == 1 {
                power = Some(match power {
                    Some(power) => power.matmul(&square),
                    None => square.clone(),
                });
            }
            left /= 2;
            if left > 0 {
                square = square.matmul(&square);
            }
        }
        Ok(power.unwrap_or(square))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A; 3],
    samples: samples(&[
        "[2,2] 3",
        "[2,2] 0",
        "[2,2,2] 2",
        "[2,2]@2..9 -2",
        "[2,2] 1",
    ]),
    example: example("torch.linalg.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)"),
    ..BASE
};

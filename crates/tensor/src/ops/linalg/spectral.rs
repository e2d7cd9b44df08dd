//! Singular values and eigenvalues: `svd`, `svdvals`, `eigh`, `eigvalsh`, `eig`, `eigvals`, `pinv`.
//!
//! The gradients are those of Giles (2008) and Townsend (2016). Signs of singular vectors and eigenvectors are free, as
//! PyTorch says; where singular values or eigenvalues are equal, only gradients of what does not depend on the choice
//! among their vectors are finite.

use smallvec::smallvec;

use super::packed::{
    PART, cut, diagonal, diagonal_of, expect, expect_square, lower, one, part_attrs, quotient,
    result, rows, some,
};
use super::{
    FACTOR_EIG, FACTOR_EIGH, FACTOR_FULL_SVD, FACTOR_SVD, batch, factor_attrs, flat, sizes,
};
use crate::dtype::DType;
use crate::graph::{GraphValue, Operand};
use crate::op::ParamKind::{Bool, Float, Tensor, Word};
use crate::op::{
    Attr, Attrs, Backprop, Call, Grads, Kind, Meta, MultiOutputOp, Op, Param, SAVE_A, SAVE_Y, Vjp,
    example, optional, param, samples,
};
use crate::ops::multi_output::MULTI_OUTPUT;
use crate::ops::solve::solved;
use crate::ops::{BASE, grad1};
use crate::shape::Shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SVDVALS, &EIGVALSH, &EIGVALS, &PINV];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&SVD, &EIGH, &EIG];

/// What refuses matrices by their values.
pub(super) static REFUSING: &[&Op] = &[
    &SVDVALS, &EIGVALSH, &EIGVALS, &PINV, &SVD_ALL, &EIGH_ALL, &EIG_ALL,
];

/// The rows that a decomposition makes of a composite's matrices.
fn packed(c: &Call, primitive: &'static Op) -> GraphValue {
    let x = &c.src[0];
    flat(x)
        .call(primitive, &[], factor_attrs(x, 0))
        .reshape(&c.node.shape)
}

fn smaller(shape: &[usize]) -> usize {
    let (m, n) = sizes(shape);
    m.min(n)
}

/// Columns of U and rows of Vᵀ.
fn svd_widths(shape: &[usize], full: bool) -> (usize, usize) {
    let (m, n) = sizes(shape);
    if full { (m, n) } else { (m.min(n), m.min(n)) }
}

/// Where U, S and Vᵀ begin, and how many numbers they are.
fn svd_places(shape: &[usize], full: bool) -> [usize; 3] {
    let (m, n) = sizes(shape);
    let (mu, nv) = svd_widths(shape, full);
    let s = m * mu;
    let v = s + m.min(n);
    [s, v, v + nv * n]
}

/// U, S and Vᵀ in one row for each matrix.
static SVD_ALL: Op = Op {
    name: "svd",
    grad_fn: "LinalgSvdBackward0",
    symbol: "svd",
    formula: "y = U, S, Vᵀ of a = U diag(S) Vᵀ",
    rules: &["U ((skew(Uᵀ gU) diag(S) + diag(S) skew(Vᵀ gV)) / (S² − S²ᵀ) + diag(gS)) Vᵀ"],
    doc: "Orthogonal, diagonal and orthogonal factors of each matrix.",
    params: SVD_PARAMS,
    infer: |_, src, attrs| {
        expect("svd", "linalg_svd_cpu", &src[0])?;
        let [.., len] = svd_places(&src[0].shape, attrs[0].as_bool());
        Ok(rows(&src[0], len))
    },
    kind: Kind::Composite(|c| {
        let full = c.attr(0).as_bool();
        Ok(packed(c, if full { &FACTOR_FULL_SVD } else { &FACTOR_SVD }))
    }),
    vjp: Vjp::Rule(svd_gradient),
    saves: [SAVE_Y; 3],
    reads: SAVE_A,
    method: false,
    ..BASE
};

fn svd_gradient(b: &Backprop) -> Result<Grads> {
    let shape = b.src[0].shape();
    let full = b.attr(0).as_bool();
    let (m, n) = sizes(shape);
    let k = m.min(n);
    let (mu, nv) = svd_widths(shape, full);
    let [s_at, v_at, _] = svd_places(shape, full);
    // Columns beyond the singular values are free: what depends on them has no gradient.
    let parts = |y: &GraphValue| {
        (
            some(&cut(y, 0, &[m, mu]), 1, 0, k),
            cut(y, s_at, &[k]),
            some(&cut(y, v_at, &[nv, n]), 0, 0, k),
        )
    };
    let (u, s, vh) = parts(&b.y);
    let (gu, gs, gvh) = parts(&b.gy);
    let last = s.shape().len();
    let (row, column) = (s.unsqueeze(last - 1), s.unsqueeze(last));
    let skew = |x: GraphValue| &x - x.t();
    let turned_u = skew(u.t().matmul(&gu));
    let turned_v = skew(vh.matmul(&gvh.t()));
    let squares = &s * &s;
    let apart = squares.unsqueeze(last - 1) - squares.unsqueeze(last);
    let inside = turned_u * &row + &column * turned_v;
    let mut core = quotient(&inside, &apart) + diagonal(&gs)?;
    if m > k {
        // What of U leaves the space of A's columns.
        let slope = quotient(&gu, &row);
        core = u.matmul(&core);
        core = core + &slope - u.matmul(&u.t().matmul(&slope));
        return grad1(core.matmul(&vh));
    }
    if n > k {
        let slope = quotient(&gvh, &column);
        core = core.matmul(&vh);
        core = core + &slope - slope.matmul(&vh.t()).matmul(&vh);
        return grad1(u.matmul(&core));
    }
    grad1(u.matmul(&core).matmul(&vh))
}

static SVD_PARAMS: &[Param] = &[
    param("A", Tensor),
    optional("full_matrices", Bool, Attr::Bool(true)),
];

static SVD_U: Op = Op {
    name: "svd_u",
    grad_fn: "LinalgSvdBackward0",
    symbol: "U",
    ..PART
};

static SVD_S: Op = Op {
    name: "svd_s",
    symbol: "S",
    ..SVD_U
};

static SVD_VH: Op = Op {
    name: "svd_vh",
    symbol: "Vᵀ",
    ..SVD_U
};

/// U, S, Vᵀ
pub static SVD: MultiOutputOp = MultiOutputOp {
    name: "svd",
    doc: "Each matrix as an orthogonal one, falling singular values on a diagonal, and an orthogonal one: A = U diag(S) Vh.",
    params: SVD_PARAMS,
    fields: &["U", "S", "Vh"],
    parts: &[&SVD_ALL, &SVD_U, &SVD_S, &SVD_VH],
    call: |engine, src, attrs| {
        let all = Operand::apply(engine, &SVD_ALL, src, attrs.clone())?;
        let shape = src[0].node().shape.clone();
        let full = attrs[0].as_bool();
        let (m, n) = sizes(&shape);
        let (mu, nv) = svd_widths(&shape, full);
        let [s, v, _] = svd_places(&shape, full);
        Ok(vec![
            result(&all, &SVD_U, 0, &[m, mu])?,
            result(&all, &SVD_S, s, &[m.min(n)])?,
            result(&all, &SVD_VH, v, &[nv, n])?,
        ])
    },
    samples: samples(&[
        "[3,3]",
        "[3,2] full_matrices=false",
        "[2,3] full_matrices=false",
        "[2,2,2]",
    ]),
    example: example("torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, 2.0]]))"),
    method: false,
    ..MULTI_OUTPUT
};

/// The singular values alone.
pub static SVDVALS: Op = Op {
    name: "svdvals",
    grad_fn: "LinalgSvdBackward0",
    symbol: "S",
    formula: "y = S of a = U diag(S) Vᵀ",
    rules: &["U diag({gy}) Vᵀ"],
    doc: "The singular values of each matrix, the largest first.",
    params: &[param("A", Tensor)],
    infer: |_, src, _| {
        expect("svd", "linalg_svd_cpu", &src[0])?;
        Ok(rows(&src[0], smaller(&src[0].shape)))
    },
    kind: Kind::Composite(|c| Ok(svd_of(&c.src[0]).1)),
    vjp: Vjp::Rule(|b| {
        let (u, _, vh) = svd_of(&b.src[0]);
        let last = b.gy.shape().len() - 1;
        grad1((u * b.gy.unsqueeze(last)).matmul(&vh))
    }),
    saves: [0; 3],
    reads: SAVE_A,
    samples: samples(&["[3,3]", "[3,2]", "[2,2,3]"]),
    example: example("torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, 2.0]]))"),
    method: false,
    ..BASE
};

/// U, S and Vᵀ in a formula.
fn svd_of(x: &GraphValue) -> (GraphValue, GraphValue, GraphValue) {
    let (m, n) = sizes(x.shape());
    let k = m.min(n);
    let all = x.call(&SVD_ALL, &[], smallvec![Attr::Bool(false)]);
    let [s, v, _] = svd_places(x.shape(), false);
    (
        all.call(&PART_OF_SVD, &[], part_attrs(0, &[m, k])),
        all.call(&PART_OF_SVD, &[], part_attrs(s, &[k])),
        all.call(&PART_OF_SVD, &[], part_attrs(v, &[k, n])),
    )
}

static PART_OF_SVD: Op = PART;

const TRIANGLES: &[&str] = &["L", "U"];

static EIGH_PARAMS: &[Param] = &[
    param("A", Tensor),
    optional("UPLO", Word(TRIANGLES), Attr::Str("L")),
];

/// Eigenvalues and eigenvectors in one row for each symmetric matrix.
static EIGH_ALL: Op = Op {
    name: "eigh",
    grad_fn: "LinalgEighBackward0",
    symbol: "eigh",
    formula: "y = L, V of a = V diag(L) Vᵀ",
    rules: &["V (skew(Vᵀ gV) / 2 / (L − Lᵀ) + diag(gL)) Vᵀ"],
    doc: "Eigenvalues and eigenvectors of each symmetric matrix.",
    params: EIGH_PARAMS,
    infer: |_, src, _| {
        expect_square("eigh", "linalg_eigh_cpu", &src[0])?;
        let n = sizes(&src[0].shape).0;
        Ok(rows(&src[0], n + n * n))
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let lower = if c.attr(0).as_str() == "U" {
            x.t()
        } else {
            x.clone()
        };
        Ok(flat(&lower)
            .call(&FACTOR_EIGH, &[], factor_attrs(x, 0))
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let n = sizes(b.src[0].shape()).0;
        let (l, v) = (cut(&b.y, 0, &[n]), cut(&b.y, n, &[n, n]));
        let (gl, gv) = (cut(&b.gy, 0, &[n]), cut(&b.gy, n, &[n, n]));
        let last = l.shape().len();
        let turned = v.t().matmul(&gv);
        let skew = (&turned - turned.t()) * 0.5;
        let apart = l.unsqueeze(last - 1) - l.unsqueeze(last);
        let core = quotient(&skew, &apart) + diagonal(&gl)?;
        grad1(v.matmul(&core).matmul(&v.t()))
    }),
    saves: [SAVE_Y; 3],
    method: false,
    ..BASE
};

static EIGH_VALUES: Op = Op {
    name: "eigh_values",
    grad_fn: "LinalgEighBackward0",
    symbol: "L",
    ..PART
};

static EIGH_VECTORS: Op = Op {
    name: "eigh_vectors",
    symbol: "V",
    ..EIGH_VALUES
};

/// Eigenvalues and then eigenvectors as a user's results.
fn values_and_vectors(
    src: &[Operand],
    all: &Operand,
    parts: [&'static Op; 2],
) -> Result<Vec<Operand>> {
    let n = sizes(&src[0].node().shape).0;
    Ok(vec![
        result(all, parts[0], 0, &[n])?,
        result(all, parts[1], n, &[n, n])?,
    ])
}

/// Eigenvalues and eigenvectors of symmetric matrices.
pub static EIGH: MultiOutputOp = MultiOutputOp {
    name: "eigh",
    doc: "Rising eigenvalues and orthogonal eigenvectors, in columns, of each symmetric matrix, of which only the lower triangle (or the upper, UPLO='U') is read.",
    params: EIGH_PARAMS,
    fields: &["eigenvalues", "eigenvectors"],
    parts: &[&EIGH_ALL, &EIGH_VALUES, &EIGH_VECTORS],
    call: |engine, src, attrs| {
        let all = Operand::apply(engine, &EIGH_ALL, src, attrs.clone())?;
        values_and_vectors(src, &all, [&EIGH_VALUES, &EIGH_VECTORS])
    },
    // Differences of one element are none of a symmetric matrix, unless it is a number.
    samples: samples(&["[1,1]", "[2,1,1] UPLO='U'"]),
    example: example("torch.linalg.eigh(torch.tensor([[2.0, 1.0], [1.0, 2.0]]))"),
    method: false,
    ..MULTI_OUTPUT
};

/// The eigenvalues of symmetric matrices alone.
pub static EIGVALSH: Op = Op {
    name: "eigvalsh",
    grad_fn: "LinalgEighBackward0",
    symbol: "L",
    formula: "y = L of a = V diag(L) Vᵀ",
    rules: &["V diag({gy}) Vᵀ"],
    doc: "The eigenvalues of each symmetric matrix, the smallest first; only the lower triangle (or the upper, UPLO='U') is read.",
    params: EIGH_PARAMS,
    infer: |_, src, _| {
        expect_square("eigh", "linalg_eigh_cpu", &src[0])?;
        Ok(rows(&src[0], sizes(&src[0].shape).0))
    },
    kind: Kind::Composite(|c| {
        let n = sizes(c.src[0].shape()).0;
        let all = c.src[0].call(&EIGH_ALL, &[], c.node.attrs.clone());
        Ok(cut(&all, 0, &[n]))
    }),
    vjp: Vjp::Rule(|b| {
        let n = sizes(b.src[0].shape()).0;
        let all = b.src[0].call(&EIGH_ALL, &[], b.node.attrs.clone());
        let v = cut(&all, n, &[n, n]);
        let last = b.gy.shape().len() - 1;
        grad1((&v * b.gy.unsqueeze(last)).matmul(&v.t()))
    }),
    saves: [0; 3],
    reads: SAVE_A,
    samples: samples(&["[1,1]", "[2,1,1] UPLO='U'"]),
    example: example("torch.linalg.eigvalsh(torch.tensor([[2.0, 1.0], [1.0, 2.0]]))"),
    method: false,
    ..BASE
};

/// Eigenvalues and eigenvectors in one row for each matrix.
static EIG_ALL: Op = Op {
    name: "eig",
    grad_fn: "LinalgEigBackward0",
    symbol: "eig",
    formula: "y = L, V of a V = V diag(L)",
    rules: &["V⁻ᵀ ((Vᵀ gV − Vᵀ V diag(Vᵀ gV)) / (L − Lᵀ) + diag(gL)) Vᵀ"],
    doc: "Eigenvalues and eigenvectors of each matrix.",
    params: &[param("A", Tensor)],
    infer: |_, src, _| {
        expect_square("eig", "linalg_eig_cpu", &src[0])?;
        let n = sizes(&src[0].shape).0;
        Ok(rows(&src[0], n + n * n))
    },
    kind: Kind::Composite(|c| Ok(packed(c, &FACTOR_EIG))),
    vjp: Vjp::Rule(|b| {
        let n = sizes(b.src[0].shape()).0;
        let (l, v) = (cut(&b.y, 0, &[n]), cut(&b.y, n, &[n, n]));
        let (gl, gv) = (cut(&b.gy, 0, &[n]), cut(&b.gy, n, &[n, n]));
        let last = l.shape().len();
        let turned = v.t().matmul(&gv);
        // The length of a vector stays 1.
        let along = diagonal_of(&turned).unsqueeze(last - 1);
        let free = &turned - v.t().matmul(&(&v * along));
        let apart = l.unsqueeze(last - 1) - l.unsqueeze(last);
        let off = one(&v, n)? * -1.0 + 1.0;
        let core = quotient(&(free * off), &apart) + diagonal(&gl)?;
        grad1(solved(&v.t(), &core.matmul(&v.t()), false))
    }),
    saves: [SAVE_Y; 3],
    method: false,
    ..BASE
};

static EIG_VALUES: Op = Op {
    name: "eig_values",
    grad_fn: "LinalgEigBackward0",
    symbol: "L",
    ..PART
};

static EIG_VECTORS: Op = Op {
    name: "eig_vectors",
    symbol: "V",
    ..EIG_VALUES
};

/// Eigenvalues and eigenvectors of matrices whose eigenvalues are real.
pub static EIG: MultiOutputOp = MultiOutputOp {
    name: "eig",
    doc: "Eigenvalues, and eigenvectors of length 1 in columns, of each square matrix; tensors are real here, and so must eigenvalues be.",
    params: &[param("A", Tensor)],
    fields: &["eigenvalues", "eigenvectors"],
    parts: &[&EIG_ALL, &EIG_VALUES, &EIG_VECTORS],
    call: |engine, src, attrs| {
        let all = Operand::apply(engine, &EIG_ALL, src, attrs.clone())?;
        values_and_vectors(src, &all, [&EIG_VALUES, &EIG_VECTORS])
    },
    samples: samples(&["[1,1]", "[2,1,1]"]),
    example: example("torch.linalg.eig(torch.tensor([[2.0, 1.0], [0.0, 3.0]]))"),
    method: false,
    ..MULTI_OUTPUT
};

/// The eigenvalues of matrices whose eigenvalues are real.
pub static EIGVALS: Op = Op {
    name: "eigvals",
    grad_fn: "LinalgEigBackward0",
    symbol: "L",
    formula: "y = L of a V = V diag(L)",
    rules: &["V⁻ᵀ diag({gy}) Vᵀ"],
    doc: "The eigenvalues of each square matrix; tensors are real here, and so must eigenvalues be.",
    params: &[param("A", Tensor)],
    infer: |_, src, _| {
        expect_square("eig", "linalg_eig_cpu", &src[0])?;
        Ok(rows(&src[0], sizes(&src[0].shape).0))
    },
    kind: Kind::Composite(|c| {
        let n = sizes(c.src[0].shape()).0;
        let all = c.src[0].call(&EIG_ALL, &[], Attrs::new());
        Ok(cut(&all, 0, &[n]))
    }),
    vjp: Vjp::Rule(|b| {
        let n = sizes(b.src[0].shape()).0;
        let all = b.src[0].call(&EIG_ALL, &[], Attrs::new());
        let v = cut(&all, n, &[n, n]);
        let core = diagonal(&b.gy)?.matmul(&v.t());
        grad1(solved(&v.t(), &core, false))
    }),
    saves: [0; 3],
    reads: SAVE_A,
    samples: samples(&["[1,1]", "[2,1,1]"]),
    example: example("torch.linalg.eigvals(torch.tensor([[2.0, 1.0], [0.0, 3.0]]))"),
    method: false,
    ..BASE
};

/// The pseudoinverse.
pub static PINV: Op = Op {
    name: "pinv",
    grad_fn: "LinalgPinvBackward0",
    symbol: "pinv",
    formula: "y = V diag(1 / S) Uᵀ of a = U diag(S) Vᵀ, without singular values of nearly 0",
    rules: &["−{y}ᵀ {gy} {y}ᵀ + (1 − {a} {y}) {gy}ᵀ {y} {y}ᵀ + {y}ᵀ {y} {gy}ᵀ (1 − {y} {a})"],
    doc: "The pseudoinverse of each matrix: singular values up to max(atol, rtol · the largest) count as 0.",
    params: &[
        param("A", Tensor),
        optional("atol", Float, Attr::None),
        optional("rtol", Float, Attr::None),
        optional("hermitian", Bool, Attr::Bool(false)),
    ],
    infer: |_, src, attrs| {
        let x = &src[0];
        if x.shape.len() < 2 || !matches!(x.dtype, DType::F32 | DType::F64) {
            return Err(Error::runtime(format!(
                "linalg.pinv({}{{{}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types; convert it with .float()",
                x.dtype.scalar_name(),
                crate::shape::show(&x.shape)
            )));
        }
        if attrs[2].as_bool() {
            expect_square("pinv", "linalg_eigh_cpu", x)?;
        }
        let (m, n) = sizes(&x.shape);
        let mut shape = Shape::from_slice(batch(&x.shape));
        shape.extend([n, m]);
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let mut x = c.src[0].clone();
        if c.attr(2).as_bool() {
            x = lower(&x, 0) + lower(&x, -1).t();
        }
        let (m, n) = sizes(x.shape());
        if m == 0 || n == 0 {
            return Ok(x.t().contiguous());
        }
        let (u, s, vh) = svd_of(&x);
        let last = s.shape().len();
        let atol = c.attr(0).as_float();
        let rtol = match c.attr(1) {
            Attr::None if atol > 0.0 => 0.0,
            Attr::None => {
                let epsilon = match x.dtype() {
                    DType::F32 => f64::from(f32::EPSILON),
                    _ => f64::EPSILON,
                };
                epsilon * m.max(n) as f64
            }
            given => given.as_float(),
        };
        let largest = s.slice(last - 1, 0, 1, 1);
        let bound = (largest * rtol).maximum(&s.number(atol));
        let kept = s.gt(&bound);
        let one = s.number(1.0);
        let inverse = kept.select(&(1.0 / kept.select(&s, &one)), &s.number(0.0));
        Ok((vh.t() * inverse.unsqueeze(last - 1)).matmul(&u.t()))
    }),
    vjp: Vjp::Rule(|b| {
        let (a, y, g) = (&b.src[0], &b.y, &b.gy);
        let (yt, gt) = (y.t(), g.t());
        let first = yt.matmul(g).matmul(&yt);
        let right = gt.matmul(y).matmul(&yt);
        let left = yt.matmul(y).matmul(&gt);
        let right = &right - a.matmul(&y.matmul(&right));
        let left = &left - left.matmul(y).matmul(a);
        grad1(right + left - first)
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&["[3,3]@2..9", "[3,2]", "[2,3]", "[2,3,2]"]),
    example: example("torch.linalg.pinv(torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))"),
    method: false,
    ..BASE
};

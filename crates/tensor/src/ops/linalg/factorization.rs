//! Factorisations of matrices: `cholesky`, `qr`.
//!
//! The gradients (Murray 2016; Walter & Lehmann 2010) solve triangular systems with `solve`.

use smallvec::smallvec;

use crate::graph::{GraphValue, Operand};
use crate::op::ParamKind::{Bool, Tensor, Word};
use crate::op::{
    Attr, Backprop, Grads, Kind, Meta, MultiOutputOp, Op, Param, PythonFace, SAVE_A, SAVE_Y, Vjp,
    example, face, optional, param, samples,
};
use crate::ops::linalg::{
    FACTOR_CHOLESKY, FACTOR_Q, FACTOR_R, expect_matrices, expect_square, factor, factor_attrs,
    flat, sizes,
};
use crate::ops::solve::solved;
use crate::ops::{BASE, cat, diagonal, grad1};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&CHOLESKY, &QR_Q, &QR_R];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&QR];

fn triangle(x: &GraphValue, diagonal: i64) -> GraphValue {
    x.call(&diagonal::TRIL, &[], smallvec![Attr::Int(diagonal)])
}

/// The lower triangle and its mirror image.
fn mirrored(x: &GraphValue) -> GraphValue {
    triangle(x, 0) + triangle(x, -1).t()
}

/// The Cholesky factor.
pub static CHOLESKY: Op = Op {
    name: "cholesky",
    grad_fn: "LinalgCholeskyExBackward0",
    symbol: "chol",
    formula: "y yᵀ = a, y lower triangular",
    rules: &["{y}⁻ᵀ @ the mirrored lower triangle of {y}ᵀ {gy} @ {y}⁻¹ / 2"],
    doc: "The triangular matrix whose product with its transpose is the given positive-definite one; of that, only the lower triangle (or the upper, if asked for) is read.",
    params: &[
        param("A", Tensor),
        optional("upper", Bool, Attr::Bool(false)),
    ],
    infer: |op, src, attrs| {
        expect_square("cholesky", &src[0])?;
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let (x, upper) = (&c.src[0], c.attr(0).as_bool());
        let lower = if upper { x.t() } else { x.clone() };
        let y = flat(&lower)
            .call(&FACTOR_CHOLESKY, &[], factor_attrs(x, 0))
            .reshape(&c.node.shape);
        Ok(if upper { y.t() } else { y })
    }),
    vjp: Vjp::Rule(|b| {
        let upper = b.attr(0).as_bool();
        let (y, gy) = match upper {
            true => (b.y.t(), b.gy.t()),
            false => (b.y.clone(), b.gy.clone()),
        };
        let inside = mirrored(&y.t().matmul(&gy));
        let left = solved(&y.t(), &inside, false);
        grad1(solved(&y, &left, true) * 0.5)
    }),
    saves: [SAVE_Y; 3],
    // Matrices drawn at random are not positive-definite, unless they are numbers.
    samples: samples(&["[1,1]@0.5..2", "[2,1,1]@0.5..2 upper=true"]),
    example: example("torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))"),
    method: false,
    ..BASE
};

const QR_MODES: &[&str] = &["reduced", "complete", "r"];

static QR_PARAMS: &[Param] = &[
    param("A", Tensor),
    optional("mode", Word(QR_MODES), Attr::Str("reduced")),
];

/// Columns of Q, rows of R.
fn qr_width(shape: &[usize], mode: &Attr) -> usize {
    let (m, n) = sizes(shape);
    if mode.as_str() == "complete" {
        m
    } else {
        m.min(n)
    }
}

/// The orthogonal factor.
pub static QR_Q: Op = Op {
    name: "qr_q",
    python: face(&PythonFace {
        part_of: "qr",
        ..PythonFace::PLAIN
    }),
    grad_fn: "LinalgQrBackward0",
    symbol: "Q",
    formula: "y of a = y @ r, yᵀ y = 1",
    rules: &["({gy} + {y} @ the mirrored lower triangle of −{gy}ᵀ {y}) @ r⁻ᵀ"],
    doc: "The orthogonal factor of A = Q R.",
    params: QR_PARAMS,
    infer: |_, src, attrs| {
        expect_matrices("qr", &src[0])?;
        let mut shape = src[0].shape.clone();
        let last = shape.len() - 1;
        shape[last] = qr_width(&src[0].shape, &attrs[0]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let width = qr_width(c.src[0].shape(), c.attr(0));
        Ok(factor(c, &FACTOR_Q, width))
    }),
    vjp: Vjp::Rule(|b| qr_gradient(b, Some(&b.gy), None)),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&["[3,3]@2..9", "[3,2]", "[2,3,2]"]),
    example: example("torch.linalg.qr(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))"),
    method: false,
    ..BASE
};

/// The triangular factor.
pub static QR_R: Op = Op {
    name: "qr_r",
    python: face(&PythonFace {
        part_of: "qr",
        ..PythonFace::PLAIN
    }),
    symbol: "R",
    formula: "y of a = q @ y, y upper triangular",
    rules: &["q @ the mirrored lower triangle of {y} {gy}ᵀ @ {y}⁻ᵀ"],
    doc: "The triangular factor of A = Q R.",
    infer: |_, src, attrs| {
        expect_matrices("qr", &src[0])?;
        let mut shape = src[0].shape.clone();
        let rows = shape.len() - 2;
        shape[rows] = qr_width(&src[0].shape, &attrs[0]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let width = qr_width(c.src[0].shape(), c.attr(0));
        Ok(factor(c, &FACTOR_R, width))
    }),
    vjp: Vjp::Rule(|b| qr_gradient(b, None, Some(&b.gy))),
    samples: samples(&["[3,3]@2..9", "[3,2]", "[2,3]"]),
    ..QR_Q
};

fn qr_gradient(b: &Backprop, gq: Option<&GraphValue>, gr: Option<&GraphValue>) -> Result<Grads> {
    let x = &b.src[0];
    let (m, n) = sizes(x.shape());
    match b.attr(0).as_str() {
        "r" => {
            return Err(Error::runtime(
                "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.",
            ));
        }
        "complete" if m > n => {
            return Err(Error::runtime(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.",
            ));
        }
        _ => {}
    }
    let attrs = b.node.attrs.clone();
    let q = x.call(&QR_Q, &[], attrs.clone());
    let r = x.call(&QR_R, &[], attrs);
    let tall = |gq: Option<&GraphValue>, gr: Option<&GraphValue>, r: &GraphValue| {
        let from_r = gr.map(|gr| r.matmul(&gr.t()));
        let from_q = gq.map(|gq| -gq.t().matmul(&q));
        let inside = match (from_r, from_q) {
            (Some(from_r), Some(from_q)) => from_r + from_q,
            (Some(inside), None) | (None, Some(inside)) => inside,
            (None, None) => return gq.cloned(),
        };
        let turned = q.matmul(&mirrored(&inside));
        let whole = match gq {
            Some(gq) => gq + turned,
            None => turned,
        };
        Some(solved(&r.t(), &whole, true))
    };
    if m >= n {
        return Ok(smallvec![tall(gq, gr, &r)]);
    }
    // A wide matrix is a square one beside columns Y = Q V, with R = [U V].
    let last = x.shape().len() - 1;
    let columns = |x: &GraphValue, from: usize, len: usize| x.slice(last, from, len, 1);
    let u = columns(&r, 0, m);
    let (gu, gv) = match gr {
        Some(gr) => (Some(columns(gr, 0, m)), Some(columns(gr, m, n - m))),
        None => (None, None),
    };
    let through_v = gv.as_ref().map(|gv| columns(x, m, n - m).matmul(&gv.t()));
    let gq = match (gq, through_v) {
        (Some(gq), Some(more)) => Some(gq + more),
        (gq, more) => gq.cloned().or(more),
    };
    let Some(left) = tall(gq.as_ref(), gu.as_ref(), &u) else {
        return Ok(smallvec![None]);
    };
    let right = match gv {
        Some(gv) => q.matmul(&gv),
        None => columns(x, m, n - m).zeros_like(),
    };
    grad1(left.call(&cat::CAT, &[&right], smallvec![Attr::Int(last as i64)]))
}

/// Both factors.
pub static QR: MultiOutputOp = MultiOutputOp {
    name: "qr",
    doc: "Each matrix as an orthogonal one times an upper triangular one: A = Q R.",
    params: QR_PARAMS,
    fields: &["Q", "R"],
    call: |engine, src, attrs| {
        let r = Operand::apply(engine, &QR_R, src, attrs.clone())?;
        let q = if attrs[0].as_str() == "r" {
            Operand::from_node(engine, engine.leaf_bytes(&[], &[0], r.dtype())?)
        } else {
            Operand::apply(engine, &QR_Q, src, attrs.clone())?
        };
        Ok(vec![q, r])
    },
    samples: samples(&["[3,2]", "[2,3] mode='complete'"]),
    example: example("torch.linalg.qr(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))"),
    method: false,
    ..crate::ops::multi_output::MULTI_OUTPUT
};

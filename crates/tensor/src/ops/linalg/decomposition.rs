//! L times U and what is made of it (`lu`, `lu_factor`, `slogdet`), and the exponential (`matrix_exp`).

use smallvec::smallvec;

use super::indefinite::LDL_FACTOR;
use super::packed::{
    PART, beside, cut, diagonal_of, expect, lower, one, result, rows, some, upper,
};
use super::{
    FACTOR_EXP, FACTOR_LU, batch, expect_matrices, expect_square, factor_attrs, flat, sizes,
};
use crate::dtype::DType;
use crate::graph::{GraphValue, Operand};
use crate::op::ParamKind::{Bool, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Grads, Infinities, Kind, Meta, MultiOutputOp, Op, Poles, SAVE_A, SAVE_Y,
    Vjp, example, optional, param, samples,
};
use crate::ops::multi_output::MULTI_OUTPUT;
use crate::ops::solve::{INV, solved};
use crate::ops::{BASE, grad1};
use crate::shape::Shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&MATRIX_EXP];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&LU, &LU_FACTOR, &LDL_FACTOR, &SLOGDET];

/// L and U in one matrix, then where each row was, then pivots.
static LU_ALL: Op = Op {
    name: "lu_factor",
    grad_fn: "LinalgLuFactorExBackward0",
    symbol: "lu",
    formula: "y = L, U of a = P L U",
    rules: &["P L⁻ᵀ (below(Lᵀ gL) + above(gU Uᵀ)) U⁻ᵀ"],
    doc: "A permutation, a lower and an upper triangle for each matrix.",
    params: &[param("A", Tensor)],
    infer: |_, src, _| {
        expect("lu_factor", "lu_cpu", &src[0])?;
        let (m, n) = sizes(&src[0].shape);
        Ok(rows(&src[0], m * n + m + m.min(n)))
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        Ok(flat(x)
            .call(&FACTOR_LU, &[], factor_attrs(x, 0))
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(lu_gradient),
    saves: [SAVE_Y; 3],
    reads: SAVE_A,
    method: false,
    ..BASE
};

fn lu_gradient(b: &Backprop) -> Result<Grads> {
    let (m, n) = sizes(b.src[0].shape());
    let k = m.min(n);
    let lu = cut(&b.y, 0, &[m, n]);
    let g = cut(&b.gy, 0, &[m, n]);
    let square = |x: &GraphValue| some(&some(x, 0, 0, k), 1, 0, k);
    let unit = |x: &GraphValue| -> Result<GraphValue> { Ok(lower(x, -1) + one(x, k)?) };
    let l = unit(&square(&lu))?;
    let u = upper(&square(&lu));
    let mut below = l.t().matmul(&lower(&square(&g), -1));
    let mut above = upper(&square(&g)).matmul(&u.t());
    let across = |x: &GraphValue| solved(&l.t(), x, false);
    let down = |x: &GraphValue| solved(&u.t(), x, true);
    let gradient = if n > k {
        // Columns beyond the square: U₂ = L⁻¹ A₂.
        let (u2, gu2) = (some(&lu, 1, k, n - k), some(&g, 1, k, n - k));
        below = below - gu2.matmul(&u2.t());
        let core = lower(&below, -1) + upper(&above);
        beside(&down(&across(&core)), &across(&gu2), 1)
    } else if m > k {
        // Rows below it: L₂ = A₂ U⁻¹.
        let (l2, gl2) = (some(&lu, 0, k, m - k), some(&g, 0, k, m - k));
        above = above - l2.t().matmul(&gl2);
        let core = lower(&below, -1) + upper(&above);
        beside(&down(&across(&core)), &down(&gl2), 0)
    } else {
        down(&across(&(lower(&below, -1) + upper(&above))))
    };
    grad1(permutation(&b.y, m, n)?.matmul(&gradient))
}

/// P of A = P L U, from the rows of a packed decomposition.
fn permutation(packed: &GraphValue, m: usize, n: usize) -> Result<GraphValue> {
    let engine = packed.engine();
    let from = cut(packed, m * n, &[m]);
    let positions = GraphValue::new(engine, engine.arange(m)?).to(packed.dtype());
    let last = from.shape().len();
    Ok(positions
        .unsqueeze(1)
        .eq(&from.unsqueeze(last - 1))
        .to(packed.dtype()))
}

static LU_MATRIX: Op = Op {
    name: "lu_matrix",
    grad_fn: "LinalgLuFactorExBackward0",
    symbol: "LU",
    ..PART
};

static LU_PIVOTS: Op = Op {
    name: "lu_pivots",
    symbol: "pivots",
    formula: "y = the pivots, as integers",
    doc: "With which row each row was swapped, from 1.",
    infer: |op, src, attrs| {
        let meta = (PART.infer)(op, src, attrs)?;
        Ok(Meta {
            dtype: DType::I32,
            ..meta
        })
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let sizes: Vec<usize> = c.attr(1).as_ints().iter().map(|&n| n as usize).collect();
        Ok(cut(x, c.attr(0).as_int() as usize, &sizes).to(DType::I32))
    }),
    vjp: Vjp::None("pivots are counted"),
    ..PART
};

/// P, L or U of a packed decomposition; attributes: rows and columns of the matrix.
const TRIANGLE: Op = Op {
    name: "lu_l",
    grad_fn: "LinalgLuBackward0",
    symbol: "L",
    formula: "y = below the diagonal, with ones on it",
    rules: &["below({gy})"],
    doc: "The lower triangle of A = P L U.",
    infer: |_, src, attrs| {
        let (m, n) = sizes_of(attrs);
        let mut shape = Shape::from_slice(&src[0].shape[..src[0].shape.len() - 1]);
        shape.extend([m, m.min(n)]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (m, n) = sizes_of(&c.node.attrs);
        let k = m.min(n);
        let left = some(&cut(&c.src[0], 0, &[m, n]), 1, 0, k);
        let one = one(&left, m.max(k))?;
        Ok(lower(&left, -1) + some(&one, 1, 0, k))
    }),
    vjp: Vjp::Lowered,
    method: false,
    ..BASE
};

fn sizes_of(attrs: &Attrs) -> (usize, usize) {
    (attrs[0].as_int() as usize, attrs[1].as_int() as usize)
}

static LU_L: Op = TRIANGLE;

static LU_U: Op = Op {
    name: "lu_u",
    symbol: "U",
    formula: "y = on and above the diagonal",
    rules: &["above({gy})"],
    doc: "The upper triangle of A = P L U.",
    infer: |_, src, attrs| {
        let (m, n) = sizes_of(attrs);
        let mut shape = Shape::from_slice(&src[0].shape[..src[0].shape.len() - 1]);
        shape.extend([m.min(n), n]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (m, n) = sizes_of(&c.node.attrs);
        Ok(upper(&some(&cut(&c.src[0], 0, &[m, n]), 0, 0, m.min(n))))
    }),
    ..TRIANGLE
};

static LU_P: Op = Op {
    name: "lu_p",
    symbol: "P",
    formula: "y = the permutation of A = P L U",
    doc: "The permutation of A = P L U.",
    infer: |_, src, attrs| {
        let (m, _) = sizes_of(attrs);
        let mut shape = Shape::from_slice(&src[0].shape[..src[0].shape.len() - 1]);
        shape.extend([m, m]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (m, n) = sizes_of(&c.node.attrs);
        permutation(&c.src[0], m, n)
    }),
    vjp: Vjp::None("a permutation is counted"),
    ..TRIANGLE
};

fn pivoted(src: &Operand, pivot: &Attr) -> Result<()> {
    if *pivot == Attr::Bool(false) {
        return Err(Error::not_implemented(
            "linalg.lu: pivot=False is left to GPUs, as in PyTorch; leave it out",
        ));
    }
    let x = src.node();
    if x.shape.len() < 2 {
        return Err(Error::runtime(format!(
            "linalg.lu: Expected tensor with 2 or more dimensions. Got size: {} instead",
            crate::shape::show(&x.shape)
        )));
    }
    Ok(())
}

/// P, L, U
pub static LU: MultiOutputOp = MultiOutputOp {
    name: "lu",
    doc: "Each matrix as a permutation, a lower triangle with ones on its diagonal, and an upper triangle: A = P L U.",
    params: &[
        param("A", Tensor),
        optional("pivot", Bool, Attr::Bool(true)),
    ],
    fields: &["P", "L", "U"],
    parts: &[&LU_ALL, &LU_P, &LU_L, &LU_U],
    call: |engine, src, attrs| {
        pivoted(&src[0], &attrs[0])?;
        let all = Operand::apply(engine, &LU_ALL, src, Attrs::new())?;
        let (m, n) = sizes(&src[0].node().shape);
        let whole: Attrs = smallvec![Attr::Int(m as i64), Attr::Int(n as i64)];
        let part =
            |of: &Operand, op| Operand::apply(engine, op, std::slice::from_ref(of), whole.clone());
        // A permutation is counted: it has no gradient.
        let cut = Operand::apply(
            engine,
            &crate::ops::convert::DETACH,
            std::slice::from_ref(&all),
            Attrs::new(),
        )?;
        Ok(vec![
            part(&cut, &LU_P)?,
            part(&all, &LU_L)?,
            part(&all, &LU_U)?,
        ])
    },
    samples: samples(&["[3,3]", "[3,2]", "[2,3]", "[2,2,2]"]),
    example: example("torch.linalg.lu(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))"),
    method: false,
    ..MULTI_OUTPUT
};

/// L and U in one matrix, and the pivots.
pub static LU_FACTOR: MultiOutputOp = MultiOutputOp {
    name: "lu_factor",
    doc: "L and U of A = P L U in one matrix, and with which row each row was swapped, from 1.",
    params: &[
        param("A", Tensor),
        optional("pivot", Bool, Attr::Bool(true)),
    ],
    fields: &["LU", "pivots"],
    parts: &[&LU_ALL, &LU_MATRIX, &LU_PIVOTS],
    call: |engine, src, attrs| {
        pivoted(&src[0], &attrs[0])?;
        let all = Operand::apply(engine, &LU_ALL, src, Attrs::new())?;
        let (m, n) = sizes(&src[0].node().shape);
        Ok(vec![
            result(&all, &LU_MATRIX, 0, &[m, n])?,
            result(&all, &LU_PIVOTS, m * n + m, &[m.min(n)])?,
        ])
    },
    samples: samples(&["[3,3]", "[3,2]", "[2,2,3]"]),
    example: example("torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))"),
    method: false,
    ..MULTI_OUTPUT
};

/// The sign of a determinant, of a packed decomposition; attributes: rows and columns.
static DET_SIGN: Op = Op {
    name: "slogdet_sign",
    grad_fn: "LinalgSlogdetBackward0",
    symbol: "sign det",
    formula: "y = sign det a",
    rules: &["0"],
    doc: "The sign of the determinant: −1, 0 or 1.",
    params: &[param("A", Tensor)],
    infer: |_, src, _| {
        expect_square("slogdet", &src[0])?;
        Ok(Meta {
            shape: Shape::from_slice(batch(&src[0].shape)),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let n = sizes(c.src[0].shape()).0;
        let all = c.src[0].call(&LU_ALL, &[], Attrs::new());
        let diagonal = diagonal_of(&cut(&all, 0, &[n, n]));
        let last = diagonal.shape().len() - 1;
        let engine = all.engine();
        let places = GraphValue::new(engine, engine.arange(n)?).to(all.dtype()) + 1.0;
        let stays = cut(&all, n * n + n, &[n]).eq(&places);
        let swaps = stays.select(&diagonal.number(1.0), &diagonal.number(-1.0));
        let signs = diagonal.sign() * swaps;
        Ok(signs.call(
            &crate::ops::sum::PROD,
            &[],
            smallvec![Attr::Int(last as i64), Attr::Bool(false), Attr::None],
        ))
    }),
    vjp: Vjp::Rule(|b| grad1(b.src[0].zeros_like())),
    saves: [0; 3],
    samples: samples(&["[3,3]", "[2,2,2]"]),
    infinities: Infinities::Asks,
    method: false,
    ..BASE
};

/// The logarithm of its size.
static LOG_ABS_DET: Op = Op {
    name: "slogdet_logabsdet",
    symbol: "ln |det|",
    formula: "y = ln |det a|",
    rules: &["{gy} · {a}⁻ᵀ"],
    doc: "The logarithm of the determinant's size.",
    kind: Kind::Composite(|c| {
        let n = sizes(c.src[0].shape()).0;
        let all = c.src[0].call(&LU_ALL, &[], Attrs::new());
        let diagonal = diagonal_of(&cut(&all, 0, &[n, n]));
        let last = diagonal.shape().len() - 1;
        Ok(diagonal.abs().log().sum(&[last], false))
    }),
    vjp: Vjp::Rule(|b| {
        let n = b.gy.shape().len();
        let inverse = b.src[0].call(&INV, &[], Attrs::new());
        grad1(b.gy.unsqueeze(n).unsqueeze(n + 1) * inverse.t())
    }),
    saves: [SAVE_A; 3],
    infinities: Infinities::Carries,
    poles: Poles::Elsewhere,
    ..DET_SIGN
};

/// Sign and logarithm of determinants.
pub static SLOGDET: MultiOutputOp = MultiOutputOp {
    name: "slogdet",
    doc: "The sign of each determinant and the logarithm of its size, which may be beyond the range of floats itself.",
    params: &[param("A", Tensor)],
    fields: &["sign", "logabsdet"],
    parts: &[&DET_SIGN, &LOG_ABS_DET],
    call: |engine, src, attrs| {
        Ok(vec![
            Operand::apply(engine, &DET_SIGN, src, attrs.clone())?,
            Operand::apply(engine, &LOG_ABS_DET, src, attrs.clone())?,
        ])
    },
    samples: samples(&["[3,3]", "[2,2,2]", "[1,1]"]),
    example: example("torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))"),
    ..MULTI_OUTPUT
};

/// The exponential.
pub static MATRIX_EXP: Op = Op {
    name: "matrix_exp",
    grad_fn: "LinalgMatrixExpBackward0",
    symbol: "e^A",
    formula: "y = 1 + a + a @ a / 2 + a @ a @ a / 6 + …",
    rules: &["∫ e^(t {a}ᵀ) {gy} e^((1 − t) {a}ᵀ) dt, t from 0 to 1"],
    doc: "The exponential of each square matrix.",
    params: &[param("input", Tensor)],
    infer: |op, src, attrs| {
        expect_matrices("matrix_exp", &src[0])?;
        expect_square("matrix_exp", &src[0])?;
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        Ok(flat(x)
            .call(&FACTOR_EXP, &[], factor_attrs(x, 0))
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        // The exponential of [[aᵀ, gy], [0, aᵀ]] has the integral above its diagonal (Van Loan 1978).
        let n = sizes(b.src[0].shape()).0;
        let at = b.src[0].t();
        let top = beside(&at, &b.gy, 1);
        let bottom = beside(&at.zeros_like(), &at, 1);
        let whole = beside(&top, &bottom, 0).call(&MATRIX_EXP, &[], Attrs::new());
        grad1(some(&some(&whole, 0, 0, n), 1, n, n))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,3]", "[2,2,2]", "[1,1]"]),
    example: example("torch.linalg.matrix_exp(torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))"),
    ..BASE
};

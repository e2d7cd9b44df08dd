//! L D Lᵀ of symmetric matrices (`ldl_factor_ex`), of which `ldl_factor` and `ldl_solve` are made in Python.
//!
//! PyTorch has no derivative of it, so there is none.

use super::packed::{PART, cut, expect_square, result, rows};
use super::{FACTOR_LDL, factor_attrs, flat, sizes};
use crate::dtype::DType;
use crate::graph::Operand;
use crate::op::ParamKind::Tensor;
use crate::op::{Attrs, Kind, Meta, MultiOutputOp, Op, Vjp, example, param, samples};
use crate::ops::BASE;
use crate::ops::multi_output::MULTI_OUTPUT;

const NO_DERIVATIVE: Vjp = Vjp::None("PyTorch has no derivative of it");

/// L and D in one matrix, then pivots, then where D is zero.
static LDL_ALL: Op = Op {
    name: "ldl_factor_ex",
    symbol: "ldl",
    formula: "y = L, D of a = L D Lᵀ",
    doc: "A lower triangle and a matrix of blocks on a diagonal for each symmetric matrix.",
    params: &[param("A", Tensor)],
    infer: |_, src, _| {
        expect_square("ldl_factor_ex", "ldl_factor_kernel_cpu", &src[0])?;
        let n = sizes(&src[0].shape).0;
        Ok(rows(&src[0], n * n + n + 1))
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        Ok(flat(x)
            .call(&FACTOR_LDL, &[], factor_attrs(x, 0))
            .reshape(&c.node.shape))
    }),
    vjp: NO_DERIVATIVE,
    method: false,
    ..BASE
};

static LDL_MATRIX: Op = Op {
    name: "ldl_matrix",
    symbol: "LD",
    vjp: NO_DERIVATIVE,
    ..PART
};

static LDL_PIVOTS: Op = Op {
    name: "ldl_pivots",
    symbol: "pivots",
    formula: "y = the pivots, as integers",
    doc: "With which row each row was swapped, from 1, and below 0 for the rows of a block of two.",
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

static LDL_INFO: Op = Op {
    name: "ldl_info",
    symbol: "info",
    formula: "y = the first zero on D's diagonal, from 1, or 0",
    doc: "Where D cannot be divided by.",
    vjp: Vjp::None("places are counted"),
    ..LDL_PIVOTS
};

/// L and D in one matrix, the pivots, and where D is zero.
pub static LDL_FACTOR: MultiOutputOp = MultiOutputOp {
    name: "ldl_factor_ex",
    doc: "L and D of A = L D Lᵀ in one matrix, of a symmetric A, whose lower triangle is read, with LAPACK's pivots and the first zero on D's diagonal.",
    params: &[param("A", Tensor)],
    fields: &["LD", "pivots", "info"],
    parts: &[&LDL_ALL, &LDL_MATRIX, &LDL_PIVOTS, &LDL_INFO],
    call: |engine, src, _| {
        let all = Operand::apply(engine, &LDL_ALL, src, Attrs::new())?;
        let n = sizes(&src[0].node().shape).0;
        Ok(vec![
            result(&all, &LDL_MATRIX, 0, &[n, n])?,
            result(&all, &LDL_PIVOTS, n * n, &[n])?,
            result(&all, &LDL_INFO, n * n + n, &[])?,
        ])
    },
    samples: samples(&["[3,3]", "[2,2,2]", "[1,1]"]),
    example: example("torch.linalg.ldl_factor_ex(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))"),
    method: false,
    is_differentiable: false,
    ..MULTI_OUTPUT
};

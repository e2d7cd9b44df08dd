//! Products.

use glowgrad::{DType, Result};

use super::{Row, float, row};
use crate::export::call::{Call, Outcome, Result1};
use crate::export::writer::Id;

pub(super) static ROWS: &[Row] = &[
    row("matmul", product),
    row("mm", product),
    row("bmm", product),
    row("mv", product),
    row("dot", product),
    row("linear", linear),
    row("addmm", addmm),
    row("det", det),
];

/// The type in which a product is computed: integers in the widest.
pub(super) fn wide(dtype: DType) -> DType {
    match dtype {
        dtype if dtype.is_float() => float(dtype),
        DType::U64 => DType::U64,
        _ => DType::I64,
    }
}

fn product(c: &mut Call) -> Result1 {
    let dtype = wide(c.node.dtype);
    let b = c.x_as(1, dtype)?;
    c.through(dtype, |c, a| Ok(c.pair("MatMul", a, b)))
}

fn linear(c: &mut Call) -> Result1 {
    let dtype = float(c.node.dtype);
    let w = c.x_as(1, dtype)?;
    let bias = match c.src.len() {
        2 => None,
        _ => Some(c.x_as(2, dtype)?),
    };
    let is_matrix = c.shape(0).len() == 2;
    c.through(dtype, |c, x| {
        if is_matrix {
            let gemm = c.make("Gemm").on(&[x, w]).or_none(bias);
            return Ok(gemm.int("transB", 1).one(dtype));
        }
        let w = c.transpose(w, &[1, 0]);
        let y = c.pair("MatMul", x, w);
        Ok(bias.map_or(y, |bias| c.pair("Add", y, bias)))
    })
}

/// A factor of 0 forgets its summand, NaNs included: such calls are made of fewer nodes.
fn addmm(c: &mut Call) -> Result1 {
    let (beta, alpha) = (c.attr(0).as_float(), c.attr(1).as_float());
    let dtype = float(c.node.dtype);
    if !dtype.is_float() || beta == 0.0 || alpha == 0.0 || !c.fits(&[beta, alpha]) {
        return Ok(Outcome::Lower);
    }
    let operands: Vec<Id> = (1..3).map(|i| c.x_as(i, dtype)).collect::<Result<_>>()?;
    c.through(dtype, |c, summand| {
        let gemm = c.make("Gemm").on(&operands).on(&[summand]);
        Ok(gemm.number("alpha", alpha).number("beta", beta).one(dtype))
    })
}

fn det(c: &mut Call) -> Result1 {
    let dtype = float(c.node.dtype);
    c.through(dtype, |c, x| Ok(c.unary("Det", x)))
}

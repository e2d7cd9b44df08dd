//! Products of matrices.

use glowgrad::{DType, Error, Result, Tensor};

use super::{one, same};
use crate::call::Methods;
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("MatMul", 1, |c| product(c.x(0)?, c.x(1)?)),
    one("Gemm", 7, gemm),
    one("Einsum", 12, einsum),
    same("Det", 11, "det"),
    one("MatMulInteger", 10, matmul_integer),
];

/// A product in the operands' own type.
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    a.matmul(b)?.to(a.dtype())
}

/// α · A · B + β · C
fn gemm(c: &Call) -> Result<Tensor> {
    if let Some(layer) = linear(c)? {
        return Ok(layer);
    }
    let turned = |x: &Tensor, flag: &str| match c.flag(flag) {
        true => x.transpose(0, 1),
        false => Ok(x.clone()),
    };
    let a = turned(c.x(0)?, "transA")?;
    let b = turned(c.x(1)?, "transB")?;
    let (alpha, beta) = (c.float_or("alpha", 1.0), c.float_or("beta", 1.0));
    let scaled = |x: Tensor, by: f64| match by == 1.0 {
        true => Ok(x),
        false => x.times(by)?.to(x.dtype()),
    };
    let y = scaled(product(&a, &b)?, alpha)?;
    match c.get(2) {
        Some(bias) => y.add(&scaled(bias.clone(), beta)?),
        None => Ok(y),
    }
}

/// x · Wᵀ + b as the one op that a linear layer is, where the operator is no more than that.
fn linear(c: &Call) -> Result<Option<Tensor>> {
    let (x, w, bias) = (c.x(0)?, c.x(1)?, c.get(2));
    let is_plain = c.flag("transB") && !c.flag("transA") && x.dtype().is_float();
    let is_whole = c.float_or("alpha", 1.0) == 1.0 && c.float_or("beta", 1.0) == 1.0;
    let fits = |bias: &Tensor| bias.shape()[..] == w.shape()[..1];
    match is_plain && is_whole && x.rank() == 2 && w.rank() == 2 && bias.is_none_or(fits) {
        true => x.linear(w, bias).map(Some),
        false => Ok(None),
    }
}

fn einsum(c: &Call) -> Result<Tensor> {
    let equation = c.text("equation").ok_or_else(|| c.lacks("equation"))?;
    let plain: String = equation.chars().filter(|ch| !ch.is_whitespace()).collect();
    Tensor::einsum(c.engine, &plain, &c.all())
}

/// Bytes less their zero points, multiplied as int32.
fn matmul_integer(c: &Call) -> Result<Tensor> {
    let less = |i: usize| -> Result<Tensor> {
        let x = c.x(i)?.to(DType::I32)?;
        match c.get(i + 2) {
            None => Ok(x),
            Some(zero) => {
                let zero = zero.to(DType::I32)?;
                // One for each row of the first operand, for each column of the second.
                let zero = match (i, zero.rank()) {
                    (0, 1) if zero.numel() > 1 => zero.unsqueeze(1)?,
                    (_, 0 | 1) => zero,
                    (_, rank) if rank == x.rank() => zero,
                    _ => {
                        return Err(Error::value(format!(
                            "the zero point has shape {:?}; expected a number, or one for each row",
                            zero.shape()
                        )));
                    }
                };
                x.sub(&zero)
            }
        }
    };
    product(&less(0)?, &less(1)?)
}

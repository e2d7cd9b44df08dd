//! Losses of class scores.

use glowgrad::{DType, Error, Result, Tensor};

use super::elementwise::masked;
use super::{many, one};
use crate::call::{Methods, args};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("NegativeLogLikelihoodLoss", 12, |c| likelihood(c, c.x(0)?)),
    many("SoftmaxCrossEntropyLoss", 12, |c| {
        let x = c.x(0)?.with("log_softmax", args![1i64])?;
        Ok(vec![likelihood(c, &x)?, x])
    }),
];

/// −Σ weight · x[n, target] over [N, C, …] and targets [N, …]; a target that is to be ignored weighs nothing.
fn likelihood(c: &Call, x: &Tensor) -> Result<Tensor> {
    let target = c.x(1)?.to(DType::I64)?;
    let shape = x.shape();
    if shape.len() < 2 || target.rank() + 1 != shape.len() {
        return Err(Error::value(format!(
            "scores of shape {} and targets of shape {} came; expected [N, C, …] and [N, …]",
            glowgrad::shape::show(&shape),
            glowgrad::shape::show(&target.shape())
        )));
    }
    let ignored = match c.int("ignore_index") {
        Some(index) => Some(target.eq(&c.whole(index))?),
        None => None,
    };
    let zero = c.whole(0);
    let safe = match &ignored {
        Some(mask) => Tensor::from_i64(c.engine, &[0], &[])?.where_(mask, &target)?,
        None => target.clone(),
    };
    let picked = x.with("gather", args![1i64, safe.unsqueeze(1)?])?;
    let picked = picked.shaped(&target.shape())?;
    let each = match c.get(2) {
        Some(weight) => {
            let flat = safe.shaped(&[safe.numel()])?;
            let each = weight.with("index_select", args![0i64, flat])?;
            each.shaped(&target.shape())?
        }
        None => c.full_like(&picked, 1.0)?,
    };
    let each = match &ignored {
        Some(mask) => masked(&mask.one("logical_not")?, &each, 0.0)?,
        None => each,
    };
    let loss = zero.sub(&picked.mul(&each)?)?;
    match c.text_or("reduction", "mean") {
        "none" => Ok(loss),
        "sum" => loss.sum(),
        "mean" => loss.sum()?.div(&each.sum()?),
        other => Err(c.unknown("reduction", other, "none, sum or mean")),
    }
}

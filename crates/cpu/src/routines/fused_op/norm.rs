//! Layer norm and its gradient: a row stays in the first-level cache while its mean, its variance and the result are
//! computed.

use glowgrad_tensor::fused_op::Norm;
use glowgrad_tensor::{Error, Result, interrupt};

use super::lines::{self, BLOCK};
use crate::simd::dispatch;
use crate::{Level, Pool, threads};

/// What an element costs, in additions.
const COST: usize = 6;

/// Computes a layer norm or its gradient; inputs as [`Norm`] names them.
///
/// # Errors
/// Slices of other lengths than the sizes say.
pub(super) fn run<'a>(
    level: Level,
    pool: &Pool,
    norm: &Norm,
    inputs: &[&'a [f32]],
    output: &mut [f32],
) -> Result<()> {
    let &Norm { rows, n, .. } = norm;
    let (matrices, affine) = inputs
        .split_at_checked(1 + usize::from(norm.gradient))
        .ok_or_else(lengths)?;
    let mut affine = affine.iter().copied();
    let mut operand = |is_there: bool| match is_there {
        true => affine
            .next()
            .filter(|x| x.len() == n)
            .ok_or_else(lengths)
            .map(Some),
        false => Ok(None),
    };
    let (weight, bias) = (operand(norm.weight)?, operand(norm.bias && !norm.gradient)?);
    if matrices.iter().any(|x| x.len() != rows * n) || output.len() != rows * n {
        return Err(lengths());
    }
    if output.is_empty() {
        return Ok(());
    }
    let share = threads::share(rows, n * COST);
    let parts = output.chunks_mut(share * n).enumerate();
    threads::for_each(pool, rows * n * COST, parts, |_, (part, output)| {
        // Rows that fill a block, or one that does not fit.
        let together = (BLOCK / n).max(1) * n;
        let from = part * share * n;
        for (i, out) in output.chunks_mut(together).enumerate() {
            if interrupt::spend(out.len() * COST) {
                break;
            }
            let block = |x: &'a [f32]| x[from + i * together..][..out.len()].chunks_exact(n);
            let first = block(matrices[0]);
            let second = matrices.get(1).map(|x| block(x));
            let out = out.chunks_exact_mut(n);
            dispatch(
                level,
                #[inline(always)]
                || match second {
                    Some(x) => {
                        for (out, (gy, x)) in out.zip(first.zip(x)) {
                            gradient(norm.eps(), [gy, x], weight, out);
                        }
                    }
                    None => {
                        for (out, x) in out.zip(first) {
                            forward(norm.eps(), x, weight, bias, out);
                        }
                    }
                },
            );
        }
        Ok(())
    })
}

fn lengths() -> Error {
    Error::runtime(
        "cpu: layer_norm: an operand has another length than its sizes say; please report it",
    )
}

/// The mean, and one over the root of the variance and eps: rounded step by step, as PyTorch does.
#[inline(always)]
fn moments(eps: f64, x: &[f32]) -> (f32, f32) {
    let n = x.len() as f64;
    let mean = (lines::sum(x, |x| x) / n) as f32;
    let variance = (lines::sum(x, |x| (x - mean) * (x - mean)) / n) as f32;
    (mean, 1.0 / (variance + eps as f32).sqrt())
}

#[inline(always)]
fn forward(eps: f64, x: &[f32], weight: Option<&[f32]>, bias: Option<&[f32]>, out: &mut [f32]) {
    let (mean, scale) = moments(eps, x);
    let normal = |x: f32| (x - mean) * scale;
    let elements = out.iter_mut().zip(x);
    match (weight, bias) {
        (None, None) => {
            for (out, &x) in elements {
                *out = normal(x);
            }
        }
        (Some(weight), None) => {
            for ((out, &x), &weight) in elements.zip(weight) {
                *out = normal(x) * weight;
            }
        }
        (None, Some(bias)) => {
            for ((out, &x), &bias) in elements.zip(bias) {
                *out = normal(x) + bias;
            }
        }
        (Some(weight), Some(bias)) => {
            for ((out, &x), (&weight, &bias)) in elements.zip(weight.iter().zip(bias)) {
                *out = normal(x) * weight + bias;
            }
        }
    }
}

/// Operands: the result's gradient and x.
#[inline(always)]
fn gradient(eps: f64, [gy, x]: [&[f32]; 2], weight: Option<&[f32]>, out: &mut [f32]) {
    let (mean, scale) = moments(eps, x);
    let normal = |x: f32| (x - mean) * scale;
    // In place of gy: with the weight, if there is one.
    if let Some(weight) = weight {
        for ((out, &gy), &weight) in out.iter_mut().zip(gy).zip(weight) {
            *out = gy * weight;
        }
    } else {
        out.copy_from_slice(gy);
    }
    let n = x.len() as f64;
    let level = (lines::sum(out, |g| g) / n) as f32;
    let along = (lines::sum_of_pairs([out, x], |g, x| g * normal(x)) / n) as f32;
    for (out, &x) in out.iter_mut().zip(x) {
        *out = (*out - level - normal(x) * along) * scale;
    }
}

//! Layers in one kernel: [`run`] says which loop computes which [`FusedOp`].
//!
//! `FusedOp::compute` says what each one means. Every value is float32 and row-major.

mod attention;
mod convolution;
mod lines;
mod norm;
mod pool;
mod softmax;

use glowgrad_tensor::Result;
use glowgrad_tensor::fused_op::FusedOp;

use crate::{Level, Pool};

/// Computes a layer; the output is written entirely.
///
/// # Errors
/// Slices of other lengths than the layer's shapes; no memory for packed operands.
pub(crate) fn run(
    level: Level,
    pool: &Pool,
    layer: &FusedOp,
    inputs: &[&[f32]],
    output: &mut [f32],
) -> Result<()> {
    match layer {
        FusedOp::Convolution(sizes) => convolution::run(level, pool, sizes, inputs, output),
        FusedOp::Pool(sizes) => pool::run(level, pool, sizes, inputs, output),
        FusedOp::Softmax(softmax) => softmax::run(level, pool, softmax, inputs, output),
        FusedOp::Norm(norm) => norm::run(level, pool, norm, inputs, output),
        FusedOp::Attention(attention) => attention::run(level, pool, attention, inputs, output),
    }
}

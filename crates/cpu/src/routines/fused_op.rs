//! Layers in one kernel: [`run`] says which loop computes which [`FusedOp`].
//!
//! A layer that has no loop of its own here runs as `FusedOp::compute`, which says what each one means. Every value
//! is float32 and row-major.

mod convolution;
mod pool;

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
        _ => {
            layer.compute(inputs, output);
            Ok(())
        }
    }
}

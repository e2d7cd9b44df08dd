//! Layers in one kernel: [`run`] says which loop computes which [`FusedOp`].
//!
//! A layer that has no loop of its own here runs as `FusedOp::compute`, which says what each one means. Every value
//! is float32 and row-major.

use glowgrad_tensor::Result;
use glowgrad_tensor::fused_op::FusedOp;

use crate::{Level, Pool};

/// Computes a layer; the output is written entirely.
///
/// # Errors
/// Slices of other lengths than the layer's shapes; no memory for packed operands.
pub(crate) fn run(
    _level: Level,
    _pool: &Pool,
    layer: &FusedOp,
    inputs: &[&[f32]],
    output: &mut [f32],
) -> Result<()> {
    layer.compute(inputs, output);
    Ok(())
}

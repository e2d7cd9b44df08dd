//! Layers that a device may have as one kernel, where others compute several.
//!
//! A composite asks whether its device has them ([`Backend::supports_fused_op`](crate::backend::Backend)); if so it is
//! lowered to one routine instead of its formula. Every value is float32 and row-major. [`FusedOp::compute`] says
//! what each one means, in loops: the interpreter runs it, and the CPU for a device that is gone.

mod attention;
mod convolution;
mod norm;
mod pool;
mod softmax;

pub use attention::Attention;
pub use convolution::{Convolution, Wanted};
pub use norm::Norm;
pub use pool::{Divisor, Pool, PoolOf, Windows};
pub use softmax::{Lines, Softmax};

/// What is computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FusedOp {
    /// A convolution or one of its gradients.
    Convolution(Convolution),
    /// A pool or its gradient.
    Pool(Pool),
    /// A softmax or its gradient.
    Softmax(Softmax),
    /// A layer norm or its gradient.
    Norm(Norm),
    /// Attention.
    Attention(Attention),
}

/// Kinds of layers, as a device is asked for them ([`Backend::supports_fused_op`](crate::backend::Backend)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Convolutions and their gradients.
    Convolution,
    /// Pools and their gradients.
    Pool,
    /// Softmax, its logarithm and their gradients.
    Softmax,
    /// Layer norm and its gradient.
    Norm,
    /// Attention.
    Attention,
}

impl FusedOp {
    /// What traces and benchmarks call it.
    pub fn name(&self) -> &'static str {
        match self {
            FusedOp::Convolution(convolution) => convolution.name(),
            FusedOp::Pool(pool) => pool.name(),
            FusedOp::Softmax(softmax) => softmax.name(),
            FusedOp::Norm(norm) => norm.name(),
            FusedOp::Attention(_) => "attention",
        }
    }

    /// Computes it, element after element. Inputs come in the order that the layer names; the output is written
    /// entirely.
    pub fn compute(&self, inputs: &[&[f32]], output: &mut [f32]) {
        match self {
            FusedOp::Convolution(convolution) => convolution.compute(inputs, output),
            FusedOp::Pool(pool) => pool.compute(inputs, output),
            FusedOp::Softmax(softmax) => softmax.compute(inputs, output),
            FusedOp::Norm(norm) => norm.compute(inputs, output),
            FusedOp::Attention(attention) => attention.compute(inputs, output),
        }
    }
}

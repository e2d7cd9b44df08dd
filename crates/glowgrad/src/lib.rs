//! glowgrad for Rust: tensors and autograd you can watch.
//!
//! ```
//! use glowgrad::{Engine, Scalar, Tensor, ops};
//!
//! # fn main() -> glowgrad::Result<()> {
//! let engine = glowgrad::cpu();
//! let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0], &[3])?;
//! x.set_requires_grad(true)?;
//! let y = x.mul(&x)?.sum()?;
//! y.backward(None, Default::default())?;
//! let grad = x.grad().expect("backward fills the leaf's gradient");
//! assert_eq!(grad.to_f64()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

pub mod meta;
#[cfg(all(not(target_arch = "wasm32"), feature = "explain"))]
pub mod reference;
pub mod samples;

pub use glowgrad_cpu::{CpuBackend, available_memory};
#[cfg(feature = "cuda")]
pub use glowgrad_cuda as cuda;
#[cfg(feature = "gpu")]
pub use glowgrad_gpu as gpu;
#[cfg(feature = "nn")]
pub use glowgrad_nn::{data, nn, optim, parts, training};
pub use glowgrad_tensor::*;

/// An engine on this computer's processor.
pub fn cpu() -> Engine {
    Engine::new(Box::new(CpuBackend::new()))
}

/// An engine on this computer's processor, with a clock of nanoseconds for its trace.
pub fn cpu_with_clock(clock: fn() -> u64) -> Engine {
    Engine::with_clock(Box::new(CpuBackend::new()), Some(clock))
}

//! glowgrad for Rust: tensors and autograd you can watch, with PyTorch's names and PyTorch's numbers.
//!
//! # Tensors and gradients
//!
//! An [`Engine`] has a device and random numbers; a [`Tensor`] is on an engine. Calls make a graph and compute nothing:
//! what is read (`to_f64`, `item`) is computed then, with neighbouring ops in one kernel. `backward` walks the graph back.
//!
//! ```
//! use glowgrad::Tensor;
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
//!
//! Common ops are methods. [`bind::call`] reaches every op by its name, with PyTorch's arguments:
//!
//! ```
//! use glowgrad::bind::{ToArg, call};
//! use glowgrad::{Tensor, args};
//!
//! # fn main() -> glowgrad::Result<()> {
//! let engine = glowgrad::cpu();
//! let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
//! let total = call(&engine, "cumsum", args![x, 1usize], vec![])?;
//! assert_eq!(total.to_f64()?, [1.0, 3.0, 3.0, 7.0]);
//! let mean = call(&engine, "mean", args![x, 0usize], vec![("keepdim", true.arg())])?;
//! assert_eq!(mean.shape()[..], [1, 2]);
//! # Ok(())
//! # }
//! ```
//!
//! # Networks
//!
//! A network is a struct of layers ([`nn`]); [`parts!`] names its fields. An optimizer ([`optim`]) changes its parameters,
//! [`data`] makes batches, and a [`training::Trainer`] runs the steps, keeps checkpoints and goes on from them.
//!
//! ```
//! use glowgrad::data::DataLoader;
//! use glowgrad::nn::{Linear, Module, Parts, functional};
//! use glowgrad::optim::{Adam, AdamOptions};
//! use glowgrad::{Engine, Result, Tensor, training::Trainer};
//!
//! struct Net {
//!     hidden: Linear,
//!     scores: Linear,
//! }
//! glowgrad::parts!(Net: hidden, scores);
//!
//! impl Module for Net {
//!     fn forward(&self, x: &Tensor) -> Result<Tensor> {
//!         self.scores.forward(&self.hidden.forward(x)?.relu()?)
//!     }
//! }
//!
//! # fn main() -> Result<()> {
//! let engine = glowgrad::cpu();
//! engine.generator().manual_seed(0);
//! let net = Net {
//!     hidden: Linear::new(&engine, 2, 16)?,
//!     scores: Linear::new(&engine, 16, 2)?,
//! };
//! // Whether two numbers have the same sign.
//! let x = Tensor::from_f32(&engine, &[1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0], &[4, 2])?;
//! let target = Tensor::from_i64(&engine, &[1, 0, 0, 1], &[4])?;
//! let batches = DataLoader::new(vec![x.clone(), target], 4)?;
//! let optimizer = Adam::new(net.parameters(), AdamOptions { lr: 0.05, ..Default::default() });
//! Trainer::new(&net, optimizer, functional::cross_entropy).fit(&batches, 100, None)?;
//! assert_eq!(net.forward(&x)?.argmax(1)?.to_f64()?, [1.0, 0.0, 0.0, 1.0]);
//! # Ok(())
//! # }
//! ```
//!
//! `examples/03_train_lenet.rs` trains LeNet on MNIST, `examples/04_train_gpt.rs` a GPT on a text. Weights go to PyTorch and
//! come from it as safetensors ([`data::write_safetensors`]); the crate `glowgrad-onnx` writes and reads ONNX models.
//!
//! # Devices
//!
//! [`cpu`] is this computer's processor. With the features `gpu` and `cuda`, `Engine::add_device` takes a backend that runs on
//! Vulkan, Metal or CUDA, and `Engine::set_device` makes it the place of new tensors.

pub mod meta;
#[cfg(all(not(target_arch = "wasm32"), feature = "explain"))]
pub mod reference;
pub mod samples;

#[cfg(all(target_arch = "wasm32", feature = "full"))]
pub use glowgrad_cpu::{
    Compiler, RELAXED_FUNCTIONS, RELAXED_MODULE, use_compiler, use_relaxed_functions,
};
pub use glowgrad_cpu::{CpuBackend, Level, available_memory, set_threads, threads};
#[cfg(feature = "cuda")]
pub use glowgrad_cuda as cuda;
#[cfg(feature = "gpu")]
pub use glowgrad_gpu as gpu;
#[cfg(feature = "nn")]
pub use glowgrad_nn::{data, network, nn, optim, parts, training};
pub use glowgrad_tensor::*;

/// An engine on this computer's processor.
pub fn cpu() -> Engine {
    Engine::new(Box::new(CpuBackend::new()))
}

/// An engine on this computer's processor, with a clock of nanoseconds for its trace.
pub fn cpu_with_clock(clock: fn() -> u64) -> Engine {
    Engine::with_clock(Box::new(CpuBackend::new()), Some(clock))
}

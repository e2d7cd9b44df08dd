//! Layers, and what networks are made of.
//!
//! A network is a struct of layers. [`parts!`](crate::parts) names its fields, so that its parameters are found, saved
//! and loaded under the names that PyTorch gives them; [`Module::forward`] says what it computes.
//!
//! ```
//! use glowgrad_nn::nn::{self, Linear, Module, Parts};
//! use glowgrad_tensor::{Engine, Result, Tensor};
//!
//! struct Net { fc1: Linear, fc2: Linear }
//! glowgrad_nn::parts!(Net: fc1, fc2);
//!
//! impl Module for Net {
//!     fn forward(&self, x: &Tensor) -> Result<Tensor> {
//!         self.fc2.forward(&self.fc1.forward(x)?.relu()?)
//!     }
//! }
//!
//! # fn main() -> Result<()> {
//! let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
//! engine.generator().manual_seed(0);
//! let net = Net { fc1: Linear::new(&engine, 4, 8)?, fc2: Linear::new(&engine, 8, 2)? };
//! let x = Tensor::from_f32(&engine, &[0.5; 12], &[3, 4])?;
//! assert_eq!(net.forward(&x)?.shape()[..], [3, 2]);
//! let names: Vec<String> = net.named_parameters().into_iter().map(|(name, _)| name).collect();
//! assert_eq!(names, ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]);
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod options;

mod activation;
mod attention;
mod containers;
mod convolution;
mod dropout;
pub mod functional;
pub mod init;
mod linear;
mod module;
mod normalization;
mod padding;
mod pooling;
mod recurrent;
mod registry;
mod reshaping;

pub use activation::*;
pub use attention::{
    MultiheadAttention, MultiheadAttentionOptions, TransformerEncoder, TransformerEncoderLayer,
    TransformerEncoderLayerOptions,
};
pub use containers::Sequential;
pub use convolution::*;
pub use dropout::*;
pub use linear::{Bilinear, BilinearOptions, Embedding, EmbeddingOptions, Linear, LinearOptions};
pub use module::{AsPart, Module, Part, Parts, StateDict, no_grad};
pub use normalization::*;
pub use options::{Argument, FromArg, Integers, Numbers, Sizes, Word};
pub use padding::*;
pub use pooling::*;
pub use recurrent::{GRU, LSTM, RNN, RecurrentOptions};
pub use registry::{build, defaults, layers};
pub use reshaping::*;

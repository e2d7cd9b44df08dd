//! The heart of glowgrad: views, the lazy node graph, ops, gradients, scheduler and trace.
//!
//! Four boxes: a [`Buffer`] is bytes on a device, a [`View`] says how to read them, a [`Tensor`] is
//! what a user holds, an op is a forward rule with its gradient. The [`Engine`] schedules, runs and
//! walks back. This crate has no I/O, clock, threads, GPU or JS, and never panics on a learner's
//! input: every fallible call returns [`Result`].

pub mod alu;
pub mod autograd;
pub mod backend;
pub mod bind;
mod create;
pub mod device;
mod display;
pub mod dtype;
pub mod engine;
pub mod error;
#[cfg(feature = "explain")]
pub mod explain;
pub mod fused_op;
pub mod graph_value;
mod indexing;
pub mod interpret;
pub mod interrupt;
pub mod kernel;
mod memory;
mod methods;
pub mod node;
pub mod op;
pub mod ops;
pub mod random;
#[cfg(feature = "full")]
pub mod replay;
mod schedule;
pub mod shape;
pub mod tensor;
pub mod trace;
pub mod view;

pub use backend::{Backend, Buffer};
pub use device::Device;
pub use dtype::{DType, Scalar};
pub use engine::Engine;
pub use error::{Error, ErrorKind, Result};
pub use graph_value::GraphValue;
pub use indexing::Index;
pub use shape::Shape;
pub use tensor::Tensor;
pub use trace::{Memory, Trace};
pub use view::View;

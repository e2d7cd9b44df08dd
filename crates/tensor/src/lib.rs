//! The heart of glowgrad: views, the lazy node graph, ops, gradients, scheduler and trace.
//!
//! Modules import one way: [`ir`] is data, [`graph`] makes nodes of [`ops`], `schedule` plans and runs them,
//! [`autograd`] is the backward pass, and [`tensor`] is what a user holds. ARCHITECTURE.md shows the layers; tidy keeps them.
//!
//! Four boxes: a [`Buffer`] is bytes on a device, a [`View`] says how to read them, a [`Tensor`] is
//! what a user holds, an op is a forward rule with its gradient. The [`Engine`] schedules and runs
//! nodes, and runs the backward pass. This crate has no I/O, clock, threads, GPU or JS, and never panics on a learner's
//! input: every fallible call returns [`Result`].

pub mod autograd;
pub mod bind;
#[cfg(feature = "codegen")]
pub mod codegen;
pub mod error;
#[cfg(feature = "explain")]
pub mod explain;
pub mod graph;
#[cfg(feature = "full")]
pub mod graph_text;
pub mod interpret;
pub mod interrupt;
pub mod ir;
pub mod lines;
pub mod numeric;
pub mod ops;
pub mod random;
#[cfg(feature = "full")]
pub mod replay;
mod schedule;
pub mod tensor;

pub use error::{Error, ErrorKind, Result};
pub use graph::{Engine, GraphValue, engine, node, op};
pub use ir::backend::{Backend, Buffer};
pub use ir::device::Device;
pub use ir::dtype::{DType, Scalar};
pub use ir::shape::Shape;
pub use ir::trace::{Memory, Trace};
pub use ir::view::View;
pub use ir::{alu, backend, device, dtype, fused_op, kernel, routine, shape, trace, view};
pub use tensor::{Index, Tensor};

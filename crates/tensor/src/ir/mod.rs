//! What is computed, as data: dtypes, shapes and views, scalar ops, kernels and routines, the events of the
//! trace, and what a device must offer. Nothing here knows a graph.

pub mod alu;
pub mod backend;
pub mod device;
pub mod dtype;
pub mod factor;
pub mod fused_op;
pub mod kernel;
pub mod routine;
pub mod shape;
pub mod trace;
pub mod view;

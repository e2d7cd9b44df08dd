//! ONNX models on glowgrad's engine.
//!
//! The format itself is in `glowgrad_files::onnx`; here its operators become the engine's ops ([`Model`]), and the
//! engine's ops become its operators ([`Export`]).
//!
//! ```
//! use glowgrad::{DType, Tensor};
//! use glowgrad_files::onnx::{GraphProto, ModelProto, NodeProto, OperatorSetIdProto, ValueInfoProto, encode};
//! use glowgrad_onnx::Model;
//!
//! # fn main() -> glowgrad_onnx::Result<()> {
//! let value = |name: &str| ValueInfoProto { name: Some(name.into()), ..Default::default() };
//! let graph = GraphProto {
//!     node: vec![NodeProto {
//!         op_type: Some("Relu".into()),
//!         input: vec!["x".into()],
//!         output: vec!["y".into()],
//!         ..Default::default()
//!     }],
//!     input: vec![value("x")],
//!     output: vec![value("y")],
//!     ..Default::default()
//! };
//! let bytes = encode(&ModelProto {
//!     ir_version: Some(8),
//!     opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
//!     graph: Some(graph),
//!     ..Default::default()
//! });
//! let engine = glowgrad::cpu();
//! let model = Model::read(&bytes)?;
//! let x = Tensor::from_f32(&engine, &[-1.0, 2.0], &[2])?;
//! let outputs = model.run(&engine, [("x", x)])?;
//! assert_eq!(outputs[0].0, "y");
//! assert_eq!(outputs[0].1.to_f64()?, [0.0, 2.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Invariants: nothing of a model runs before all of its nodes are known to be supported, and nothing of a graph is
//! written before all of it is known to have a form in ONNX. Left to others: files (`glow onnx`), sequences, maps and
//! text as values, and weights that are in another file.

pub mod asked;
mod call;
mod export;
mod graph;
mod info;
mod model;
mod network;
mod ops;
mod resolve;
mod run;
mod scope;
mod value;

pub use export::{Export, Refused, exported};
pub use glowgrad::{Error, Result};
pub use glowgrad_files::tensor::{from_array, to_array};
pub use graph::Unsupported;
pub use info::{Info, Operator};
pub use model::{Loaded, Model};
pub use network::Drawn;
pub use ops::{Supported, supported};
pub use value::{Size, Value};

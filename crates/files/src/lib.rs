//! File formats: bytes in, arrays out, and back.
//!
//! This crate opens no file, and knows an engine in [`tensor`] alone. Invariant: a reader believes no length that a file
//! claims before it has compared it with the bytes that are there, so that what it allocates is bounded by the file's own
//! size; where a file is compressed, by a [`Limit`] beside it.

mod archive;
mod array;
pub mod cifar;
pub mod codec;
pub mod csv_table;
mod error;
pub mod idx;
pub mod image;
mod kind;
mod limit;
pub mod npy;
pub mod npz;
pub mod onnx;
mod packed;
pub mod pt;
pub mod safetensors;
mod strided;
pub mod tensor;

pub use array::Array;
pub use error::{Error, Result};
pub use kind::Kind;
pub use limit::Limit;

//! File formats: bytes in, arrays out, and back.
//!
//! This crate opens no file and knows no engine. Invariant: a reader believes no length that a file claims before it has
//! compared it with the bytes that are there, so that what it allocates is bounded by the file's own size.

mod array;
mod error;

pub use array::Array;
pub use error::{Error, Result};

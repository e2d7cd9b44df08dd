//! Each element by itself.

pub mod activation;
pub mod arithmetic;
pub mod binary;
pub mod bits;
pub mod bounds;
pub mod compare;
pub mod convert;
pub mod exponential;
pub mod hard;
pub mod rounding;
pub(crate) mod shared;
pub mod smooth;
pub mod trigonometry;
pub mod unary;

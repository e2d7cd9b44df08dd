//! Each element by itself.

pub mod arithmetic;
pub mod bits;
pub mod clamp;
pub mod compare;
pub mod convert;
pub mod division;
pub mod exponential;
pub mod finite;
pub mod maximum;
pub mod power;
pub mod rounding;
pub(crate) mod shared;
pub mod sign;
pub mod trigonometry;

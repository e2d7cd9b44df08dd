//! Convolutions, and the windows and patches that they read.

pub mod conv;
pub(crate) mod factors;
pub mod fold;
pub(crate) mod patches;
pub mod pool;
pub mod windows;

//! Convolutions, and the windows that they and pools read.

pub mod conv;
pub mod conv_transpose;
pub(crate) mod factors;
pub mod fold;
pub(crate) mod im2col;
pub mod windows;

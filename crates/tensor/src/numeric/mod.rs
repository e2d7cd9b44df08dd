//! Numbers from numbers, without a graph: special functions of one element, and matrices taken apart.
//!
//! The interpreter and the CPU's loops call the same code. It is held to PyTorch's numbers (`tests/golden`) and to
//! fifty-digit ones (`special/tests.rs`) instead of to a second version of itself.

pub mod matrix;
pub mod special;

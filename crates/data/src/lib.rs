//! Datasets: the 8×8 digits, in the binary.
//!
//! Bytes in, numbers out: this crate opens no file and knows no network. A set is checked once, by
//! its tests, so that reading it cannot fail at run time.
//! Turning the numbers into tensors, splitting and batching are left to `glowgrad-python`.

mod digits;

pub use digits::{Digits, digits};

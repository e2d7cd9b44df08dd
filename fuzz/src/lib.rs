//! What each fuzz target holds: a module for each, with a function `hold`.
//!
//! A target gives `hold` any bytes, and `hold` panics where something does not hold. The ordinary test
//! suite includes these files by path and gives them the committed corpus, so they use nothing that the
//! crate under test does not have for its own tests.

pub mod commands;
#[cfg(feature = "python")]
pub mod interpreter;
pub mod lesson;
#[cfg(feature = "python")]
pub mod npy;
pub mod outcomes;
#[cfg(feature = "pipe")]
pub mod pipe;
#[cfg(feature = "python")]
pub mod session;
#[cfg(feature = "python")]
pub mod source;
pub mod thread;

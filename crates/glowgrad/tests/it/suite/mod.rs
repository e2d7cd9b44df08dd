//! What holds glowgrad to PyTorch's numbers, natively and in the browser: no file I/O, no threads.
//! Each part takes an engine and gives back what differs, in words.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "which parts are used depends on features and on the target"
)]

pub use glowgrad_check::golden::{self, call, json};
pub use glowgrad_check::training;

pub mod arguments;
pub mod differences;
pub mod large;
pub mod layered;
pub mod layers;
pub mod parity;
pub mod places;
pub mod printing;
pub mod samples;
pub mod watched;

//! What holds glowgrad to PyTorch's numbers, natively and in the browser: no file I/O, no threads.
//! Each part takes an engine and gives back what differs, in words.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]

pub mod arguments;
pub mod call;
pub mod creation;
pub mod differences;
pub mod golden;
pub mod json;
pub mod layers;
pub mod parity;
pub mod places;
pub mod printing;
pub mod samples;
pub mod training;

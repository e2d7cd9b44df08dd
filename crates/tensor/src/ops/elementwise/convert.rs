//! The same elements once more: in another dtype, in another buffer, off the tape.

use crate::op::Op;

pub(crate) use crate::graph::primitive::TO_DEVICE;
pub use crate::graph::primitive::{CLONE, CONTIGUOUS, DETACH, TO};

/// The ops of this family.
pub static OPS: &[&Op] = &[&TO, &CLONE, &CONTIGUOUS, &DETACH];

//! Kernels as source: WGSL, CUDA C, MSL and pseudo-code.
//!
//! A printer reads a kernel as it was scheduled and gives lines, each with the nodes that it comes from. What a
//! node is called is left to the caller ([`Names`]).

mod c;
mod cuda;
mod expression;
mod fused_op;
mod msl;
mod name;
mod pseudo;
mod routine;
mod shader;
mod variant;
mod wgsl;

use crate::graph::scheduled::{NodeInfo, Scheduled};
use crate::trace::NodeId;

pub use cuda::{cuda, cuda_kernel};
pub use msl::msl;
pub use pseudo::pseudo_code;
pub use routine::written;
pub use shader::{Shader, has_words};
pub use variant::{Form, KernelCache, Source, Variant};
pub use wgsl::{MAX_GROUPS, epilogue, fits, is_half, shader, wgsl};

/// What nodes are called in printed source.
pub trait Names {
    /// A word for a node's value: the learner's variable, or what the op is called.
    fn name(&self, node: NodeId) -> Option<String>;
}

/// Nothing has a name of its own: values are called what their ops are.
impl Names for () {
    fn name(&self, _: NodeId) -> Option<String> {
        None
    }
}

/// A line of printed source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// With its indentation.
    pub text: String,
    /// The nodes it comes from.
    pub nodes: Vec<NodeId>,
}

//! From nodes to kernels: what is fused with what, and in which order it runs.
//!
//! Movement is free: a node that moves is its base seen through a view. An elementwise node is
//! inlined into its only consumer, and stored when a later plan reads it again; a reduction takes its elementwise producers along, and a routine,
//! where its device can, the elementwise kernel after it. In-place writes that read each other's results, an
//! optimizer's, are one kernel. Everything else is computed into a buffer of its own. A kernel keeps within [`MAX_INSTRS`] and
//! [`MAX_INPUTS`], so that chains of any length split into kernels of a bounded size.
//!
//! A [`plan::Plan`] is made of the graph, the nodes asked for and what is held besides; no device is asked for
//! anything until it runs (`run.rs`).

mod emit;
#[cfg(feature = "full")]
mod epilogue;
#[cfg(feature = "full")]
mod joint_writes;
mod memory_plan;
mod plan;
#[cfg(feature = "explain")]
mod print;
mod provenance;
mod routines;
mod run;
#[cfg(all(test, feature = "explain", feature = "full"))]
mod tests;

use crate::Result;
use crate::graph::{Engine, Held, NodeRef};

use plan::{Planner, Request};

/// Most instructions of one kernel.
pub(crate) const MAX_INSTRS: usize = 256;

/// Most buffers that one kernel reads: WebGPU guarantees eight storage buffers.
pub(crate) const MAX_INPUTS: usize = 7;

/// Computes nodes: each gets its value, and so do the nodes that others need. A backward pass has passed `walked`:
/// the caller holds one reference to each, and releases it and drops that reference next.
pub(crate) fn realize(engine: &Engine, asked: &[NodeRef], walked: &[NodeRef]) -> Result<()> {
    engine.trim_if_due();
    let request = Request {
        asked: asked.to_vec(),
        written: engine.take_written(),
        walked,
        held: Held::ByReference,
    };
    let plan = Planner::new(engine).plan(request)?;
    run::run(engine, plan)
}

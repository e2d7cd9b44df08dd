//! What the layers above do for the graph: compute nodes, wrap them as tensors, look on.

use std::any::Any;
use std::rc::Rc;

use super::{Engine, NodeRef, Operand};
use crate::Result;
use crate::backend::{Buffer, Task};
use crate::op::{Attrs, Op};

/// Computes nodes and makes tensors of them. An engine has one from its beginning.
pub trait Runtime {
    /// Computes nodes: each gets its value. A backward pass has passed `walked`: the caller holds one reference
    /// to each, and releases it and drops that reference next.
    ///
    /// # Errors
    /// What the device met.
    fn realize(&self, engine: &Engine, roots: &[NodeRef], walked: &[NodeRef]) -> Result<()>;

    /// A tensor with a storage of its own.
    fn tensor(&self, engine: &Engine, node: NodeRef) -> Operand;

    /// Applies an op as a user's call does.
    ///
    /// # Errors
    /// What the op says of shapes, dtypes and arguments.
    fn apply(
        &self,
        engine: &Engine,
        op: &'static Op,
        operands: &[Operand],
        attrs: Attrs,
    ) -> Result<Operand>;
}

/// Sees what the devices are asked.
pub trait Observer: Any {
    /// A task has run for a node.
    fn ran(&self, task: &Task, node: &NodeRef);
    /// The host has filled memory.
    fn filled(&self, memory: &Buffer, bytes: &[u8]);
    /// Memory was written in place.
    fn written(&self, storage: &Rc<dyn StorageHandle>);
    /// Whether a task that was seen has written this memory.
    fn has_written(&self, memory: &Buffer) -> bool;
    /// It sees no more: why, and the learner's line.
    fn stopped(&self, why: &str, line: u32);
}

/// Memory that tensors share, as the engine sees it.
pub trait StorageHandle {
    /// The node that it stands for now.
    fn current(&self) -> NodeRef;
    /// Counts a write that no tensor made: a step that ran again.
    fn count_write(&self);
}

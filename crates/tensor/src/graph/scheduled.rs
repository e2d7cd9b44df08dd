//! A schedule item as data: the kernel or routine, the nodes it computes and reads, and why its result is stored. The
//! printers of `codegen` read it, and it keeps no tensor alive.

use std::cell::Cell;

use super::{NodeRef, Reason};
use crate::device::Device;
use crate::dtype::DType;
use crate::kernel::{Instr, Routine, Work};
use crate::op::Op;
use crate::shape::Shape;
use crate::trace::NodeId;

impl Reason {
    /// Every reason, the one that says most first.
    pub const ALL: &[Reason] = &[
        Reason::Routine,
        Reason::Reduction,
        Reason::RowMajor,
        Reason::Asked,
        Reason::Written,
        Reason::ReadByRoutine,
        Reason::Shared,
        Reason::Buffers,
        Reason::Size,
        Reason::Strides,
        Reason::FusionOff,
        Reason::OtherDevice,
        #[cfg(feature = "full")]
        Reason::ReadAgain,
    ];
}

/// What is known of a node without keeping it alive.
#[derive(Debug, Clone)]
pub struct NodeInfo {
    /// Its number.
    pub id: NodeId,
    /// What it computes.
    pub op: &'static Op,
    /// Sizes of its value.
    pub shape: Shape,
    /// Element type of its value.
    pub dtype: DType,
    /// Where its value is.
    pub device: Device,
}

impl NodeInfo {
    /// Of a node.
    pub fn of(node: &NodeRef) -> NodeInfo {
        NodeInfo {
            id: node.id,
            op: node.op,
            shape: node.shape.clone(),
            dtype: node.dtype,
            device: node.device,
        }
    }
}

/// A schedule item as it was scheduled.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// As in its `Event::Scheduled`.
    pub number: u32,
    /// `fused`, `reduce`, `matmul`, …
    pub name: &'static str,
    /// What runs.
    pub work: Work,
    /// The nodes it computes, those stored last.
    pub nodes: Vec<NodeInfo>,
    /// What it reads: one for each input of a kernel, one for each operand of a routine.
    pub inputs: Vec<NodeInfo>,
    /// The node that each instruction of a kernel comes from.
    pub origins: Vec<NodeId>,
    pub(crate) reasons: u16,
    /// How many items' nodes read the result, where several do.
    pub n_readers: usize,
    /// Bytes of the buffers read.
    pub read: usize,
    /// Bytes of the buffers written.
    pub written: usize,
    /// Bytes and dtype of each buffer read.
    pub buffers: Vec<(usize, DType)>,
    /// How long it took, if the engine has a clock and it has ended.
    pub nanos: Cell<Option<u64>>,
}

impl Scheduled {
    /// Whether it copies or fills, and computes nothing.
    pub fn is_move(&self) -> bool {
        match &self.work {
            Work::Kernel(kernel) => {
                let computes = |instr: &Instr| matches!(instr, Instr::Apply { .. });
                kernel.reduce.is_none() && !kernel.code.iter().any(computes)
            }
            Work::Routine(_) => false,
        }
    }

    /// Why its result is stored, the reason that says most first.
    pub fn reasons(&self) -> impl Iterator<Item = Reason> {
        let reasons = self.reasons;
        Reason::ALL
            .iter()
            .copied()
            .filter(move |reason| reasons & *reason as u16 != 0)
    }

    /// The nodes whose values it stores, one for each output.
    pub fn results(&self) -> &[NodeInfo] {
        &self.nodes[self.nodes.len().saturating_sub(self.work.n_outputs())..]
    }

    /// The node whose value it stores; of several, the one that is made of the others.
    pub fn stored(&self) -> Option<&NodeInfo> {
        self.nodes.last()
    }

    /// The epilogue of a routine as a schedule item of its own, which reads the routine's result.
    pub(crate) fn epilogue(&self) -> Option<Scheduled> {
        let Work::Routine(Routine::WithEpilogue { epilogue, .. }) = &self.work else {
            return None;
        };
        let (first, nodes) = self.nodes.split_first()?;
        let mut inputs = vec![first.clone()];
        inputs.extend_from_slice(&self.inputs[self.n_operands()..]);
        Some(Scheduled {
            work: Work::Kernel(epilogue.clone()),
            nodes: nodes.to_vec(),
            inputs,
            ..self.clone()
        })
    }

    /// How many inputs are a routine's: the others are its epilogue's.
    pub(crate) fn n_operands(&self) -> usize {
        match &self.work {
            Work::Routine(Routine::WithEpilogue { epilogue, .. }) => {
                self.inputs.len() + 1 - epilogue.inputs.len()
            }
            _ => self.inputs.len(),
        }
    }
}

//! What the scheduler did and why, and the source of each kernel.
//!
//! While the trace records, each job of the current step is kept: its kernel, the nodes it computes,
//! the node behind each instruction, the reasons for which its result is stored, bytes and time.
//! Invariant: the bytes of a job are those of its `Event::Scheduled`; at most [`MAX_JOBS`] are kept,
//! the newest, and tensors are kept alive by none. What a node is called is left to the caller
//! ([`Names`]).

mod c;
mod cuda;
mod expression;
mod fused_op;
mod msl;
mod name;
mod pseudo;
mod routine;
mod shader;
mod wgsl;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::device::Device;
use crate::dtype::DType;
use crate::engine::Engine;
use crate::kernel::{Routine, Work};
use crate::node::NodeRef;
use crate::op::Op;
pub use crate::schedule::provenance::Reason;
pub(crate) use crate::schedule::provenance::Side;
use crate::shape::Shape;
use crate::trace::NodeId;

pub use cuda::{cuda, cuda_kernel};
pub use msl::msl;
pub use pseudo::pseudo_code;
pub use shader::{Shader, has_words};
pub use wgsl::{MAX_GROUPS, epilogue, fits, is_half, shader, wgsl};

/// Most jobs kept for one step.
pub const MAX_JOBS: usize = 2048;

/// Most notes kept of who belongs to whom.
const MAX_OWNERS: usize = 16_384;

impl Reason {
    /// Every reason, the one that says most first.
    pub const ALL: [Reason; 12] = [
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
    ];
}

/// What is known of a node without keeping it alive.
#[derive(Debug, Clone)]
pub struct Operand {
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

impl Operand {
    /// Of a node.
    pub fn of(node: &NodeRef) -> Operand {
        Operand {
            id: node.id,
            op: node.op,
            shape: node.shape.clone(),
            dtype: node.dtype,
            device: node.device,
        }
    }
}

/// A job as it was scheduled.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// As in its `Event::Scheduled`.
    pub number: u32,
    /// `fused`, `reduce`, `matmul`, …
    pub name: &'static str,
    /// What runs.
    pub work: Work,
    /// The nodes it computes, the one stored last.
    pub nodes: Vec<Operand>,
    /// What it reads: one for each input of a kernel, one for each operand of a routine.
    pub inputs: Vec<Operand>,
    /// The node that each instruction of a kernel comes from.
    pub origins: Vec<NodeId>,
    pub(crate) reasons: u16,
    /// How many jobs' nodes read the result, where several do.
    pub n_readers: usize,
    /// Bytes of the buffers read.
    pub read: usize,
    /// Bytes of the buffer written.
    pub written: usize,
    /// How long it took, if the engine has a clock and it has ended.
    pub nanos: Cell<Option<u64>>,
}

impl Scheduled {
    /// Why its result is stored, the reason that says most first.
    pub fn reasons(&self) -> impl Iterator<Item = Reason> {
        let reasons = self.reasons;
        Reason::ALL
            .into_iter()
            .filter(move |reason| reasons & *reason as u16 != 0)
    }

    /// The node whose value it stores.
    pub fn stored(&self) -> Option<&Operand> {
        self.nodes.last()
    }

    /// The epilogue of a routine as a job of its own, which reads the routine's result.
    fn epilogue(&self) -> Option<Scheduled> {
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
    fn n_operands(&self) -> usize {
        match &self.work {
            Work::Routine(Routine::WithEpilogue { epilogue, .. }) => {
                self.inputs.len() + 1 - epilogue.inputs.len()
            }
            _ => self.inputs.len(),
        }
    }
}

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

/// The node to which another belongs, and whether as a part of its gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Which.
    pub node: NodeId,
    /// Whether it is a part of the gradient.
    pub backward: bool,
}

/// The jobs of the current step and who belongs to whom.
#[derive(Default)]
pub(crate) struct Record {
    jobs: RefCell<Vec<Rc<Scheduled>>>,
    owners: RefCell<Vec<(Range<NodeId>, NodeId, Side)>>,
    same: RefCell<Vec<(NodeId, NodeId)>>,
    dropped: Cell<usize>,
    watcher: RefCell<Option<Rc<WatchKernel>>>,
}

/// Is told of each job when it is scheduled.
pub type WatchKernel = dyn Fn(&Scheduled);

fn push_bounded<T>(list: &mut Vec<T>, item: T, most: usize) -> usize {
    let drop = if list.len() >= most { most / 2 } else { 0 };
    list.drain(..drop);
    list.push(item);
    drop
}

impl Record {
    pub(crate) fn add(&self, job: Rc<Scheduled>) {
        let watcher = self.watcher.borrow().clone();
        if let Some(watcher) = watcher {
            watcher(&job);
        }
        let dropped = push_bounded(&mut self.jobs.borrow_mut(), job, MAX_JOBS);
        self.dropped.set(self.dropped.get() + dropped);
    }

    pub(crate) fn own(&self, nodes: Range<NodeId>, owner: NodeId, side: Side) {
        if !nodes.is_empty() {
            let owned = (nodes, owner, side);
            push_bounded(&mut self.owners.borrow_mut(), owned, MAX_OWNERS);
        }
    }

    pub(crate) fn same(&self, node: NodeId, other: NodeId) {
        push_bounded(&mut self.same.borrow_mut(), (node, other), MAX_OWNERS);
    }

    pub(crate) fn clear(&self) {
        self.jobs.borrow_mut().clear();
        self.owners.borrow_mut().clear();
        self.same.borrow_mut().clear();
        self.dropped.set(0);
    }
}

impl Engine {
    /// The jobs of the current step, in the order in which they ran.
    pub fn scheduled(&self) -> Vec<Rc<Scheduled>> {
        self.0.record.jobs.borrow().clone()
    }

    /// Has `watcher` told of each job that is scheduled while the trace records.
    pub fn watch_kernels(&self, watcher: Option<Rc<WatchKernel>>) {
        *self.0.record.watcher.borrow_mut() = watcher;
    }

    /// A job in WGSL: a kernel's own, a routine's as its device runs it.
    ///
    /// # Errors
    /// Why there is none, as a sentence.
    pub fn wgsl(&self, job: &Scheduled, names: &dyn Names) -> Result<Vec<Line>, String> {
        let (Work::Routine(routine), Some(stored)) = (&job.work, job.stored()) else {
            return wgsl(job, names);
        };
        let backend = self.backend(stored.device);
        let n_output = crate::shape::numel(&stored.shape);
        match backend.source(routine, job.inputs.len(), n_output) {
            Some(source) => routine::written(job, names, &source),
            None => wgsl(job, names),
        }
    }

    /// How many jobs of the current step are kept no more.
    pub fn scheduled_dropped(&self) -> usize {
        self.0.record.dropped.get()
    }

    /// The number that the next job will have.
    pub fn next_kernel(&self) -> u32 {
        self.trace().n_kernels()
    }

    /// Whether elementwise ops are fused.
    pub fn fusion(&self) -> bool {
        self.0.fusion.get()
    }

    /// The composite whose value a node is: the last node of what it is written in.
    pub fn composites(&self) -> HashMap<NodeId, NodeId> {
        self.0.record.same.borrow().iter().copied().collect()
    }

    /// Whose part each node is that an op made inside: the innermost owner, which may belong to
    /// another.
    pub fn owners(&self) -> HashMap<NodeId, Owner> {
        let mut owners = HashMap::new();
        // What is inside was noted first: it is written last, over what is around it.
        for (nodes, owner, side) in self.0.record.owners.borrow().iter().rev() {
            let backward = *side == Side::Backward;
            let node = *owner;
            owners.extend(nodes.clone().map(|id| (id, Owner { node, backward })));
        }
        owners
    }
}

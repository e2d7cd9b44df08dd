//! What the scheduler did and why: the kernels of a step, and which node belongs to which.
//!
//! While the trace records, each kernel of the current step is kept: the nodes it computes,
//! the node behind each instruction, the reasons for which its result is stored, bytes and time.
//! Invariant: the bytes of a kernel are those of its `Event::Scheduled`; at most [`MAX_ITEMS`] are kept,
//! the newest, and tensors are kept alive by none.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::Side;
use super::scheduled::Scheduled;
use crate::trace::NodeId;

/// Most items kept for one step.
pub const MAX_ITEMS: usize = 2048;

/// Most entries kept of which node an op or a gradient made.
const MAX_OWNERS: usize = 16_384;

/// The node to which another belongs, and whether as a part of its gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Which.
    pub node: NodeId,
    /// Whether it is a part of the gradient.
    pub backward: bool,
}

/// What a step scheduled, and which nodes each op and each gradient made.
#[derive(Default)]
pub struct StepRecord {
    items: Vec<Rc<Scheduled>>,
    owners: Vec<(Range<NodeId>, NodeId, Side)>,
    same: Vec<(NodeId, NodeId)>,
    dropped: usize,
}

/// The record of the current step, which grows.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) step: RefCell<StepRecord>,
    pub(crate) watcher: RefCell<Option<Rc<WatchKernel>>>,
}

/// Is told of each item when it is scheduled.
pub type WatchKernel = dyn Fn(&Rc<Scheduled>);

fn push_bounded<T>(list: &mut Vec<T>, item: T, most: usize) -> usize {
    let drop = if list.len() >= most { most / 2 } else { 0 };
    list.drain(..drop);
    list.push(item);
    drop
}

impl StepRecord {
    /// The schedule items, in the order in which they ran.
    pub fn scheduled(&self) -> &[Rc<Scheduled>] {
        &self.items
    }

    /// How many items are kept no more.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The composite whose value a node is: the last node of what it is written in.
    pub fn composites(&self) -> HashMap<NodeId, NodeId> {
        self.same.iter().copied().collect()
    }

    /// Whose part each node is that an op made inside: the innermost owner, which may belong to
    /// another.
    pub fn owners(&self) -> HashMap<NodeId, Owner> {
        let mut owners = HashMap::new();
        // What is inside was noted first: it is written last, over what is around it.
        for (nodes, owner, side) in self.owners.iter().rev() {
            let backward = *side == Side::Backward;
            let node = *owner;
            owners.extend(nodes.clone().map(|id| (id, Owner { node, backward })));
        }
        owners
    }
}

impl Record {
    pub(crate) fn add(&self, item: Rc<Scheduled>) {
        let watcher = self.watcher.borrow().clone();
        if let Some(watcher) = watcher {
            watcher(&item);
        }
        let mut step = self.step.borrow_mut();
        step.dropped += push_bounded(&mut step.items, item, MAX_ITEMS);
    }

    pub(crate) fn own(&self, nodes: Range<NodeId>, owner: NodeId, side: Side) {
        if !nodes.is_empty() {
            let owned = (nodes, owner, side);
            push_bounded(&mut self.step.borrow_mut().owners, owned, MAX_OWNERS);
        }
    }

    pub(crate) fn same(&self, node: NodeId, other: NodeId) {
        push_bounded(&mut self.step.borrow_mut().same, (node, other), MAX_OWNERS);
    }
}

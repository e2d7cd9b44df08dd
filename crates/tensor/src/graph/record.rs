//! What the scheduler did and why: the kernels of the current step, and which node belongs to which.
//!
//! While the trace records, each kernel of the current step is kept: the nodes it computes,
//! the node behind each instruction, the reasons for which its result is stored, bytes and time.
//! Invariant: the bytes of a kernel are those of its `Event::Scheduled`; at most [`MAX_ITEMS`] are kept,
//! the newest, and tensors are kept alive by none.

use std::cell::{Cell, RefCell};
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

/// What the current step scheduled, and which nodes each op and each gradient made.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) items: RefCell<Vec<Rc<Scheduled>>>,
    pub(crate) owners: RefCell<Vec<(Range<NodeId>, NodeId, Side)>>,
    pub(crate) same: RefCell<Vec<(NodeId, NodeId)>>,
    pub(crate) dropped: Cell<usize>,
    pub(crate) watcher: RefCell<Option<Rc<WatchKernel>>>,
}

/// Is told of each item when it is scheduled.
pub type WatchKernel = dyn Fn(&Scheduled);

fn push_bounded<T>(list: &mut Vec<T>, item: T, most: usize) -> usize {
    let drop = if list.len() >= most { most / 2 } else { 0 };
    list.drain(..drop);
    list.push(item);
    drop
}

impl Record {
    pub(crate) fn add(&self, item: Rc<Scheduled>) {
        let watcher = self.watcher.borrow().clone();
        if let Some(watcher) = watcher {
            watcher(&item);
        }
        let dropped = push_bounded(&mut self.items.borrow_mut(), item, MAX_ITEMS);
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
        self.items.borrow_mut().clear();
        self.owners.borrow_mut().clear();
        self.same.borrow_mut().clear();
        self.dropped.set(0);
    }
}

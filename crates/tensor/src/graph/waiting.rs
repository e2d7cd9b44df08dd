//! Nodes that wait to be computed: those that were made and not run, and storages that were written.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

#[cfg(feature = "full")]
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

#[cfg(feature = "full")]
use super::References;
use super::{Engine, Node, NodeRef, StorageHandle};
use crate::Result;
use crate::trace::NodeId;

/// More unrealised nodes than this are run.
const MAX_PENDING: usize = 4096;

/// What waits.
#[derive(Default)]
pub(crate) struct Waiting {
    pending: RefCell<Vec<Weak<Node>>>,
    written: RefCell<Vec<Weak<dyn StorageHandle>>>,
}

impl Engine {
    /// Remembers a storage that was written: the write rides the next submit.
    pub(crate) fn written(&self, storage: &Rc<dyn StorageHandle>) {
        let mut written = self.0.waiting.written.borrow_mut();
        let is_known = |known: &Weak<dyn StorageHandle>| {
            std::ptr::addr_eq(known.as_ptr(), Rc::as_ptr(storage))
        };
        if !written.iter().any(is_known) {
            written.push(Rc::downgrade(storage));
        }
        drop(written);
        #[cfg(feature = "full")]
        self.observe(|observer| observer.written(storage));
    }

    /// What was written and waits to be run.
    pub(crate) fn take_written(&self) -> Vec<NodeRef> {
        let written = std::mem::take(&mut *self.0.waiting.written.borrow_mut());
        let alive = written.iter().filter_map(Weak::upgrade);
        alive.map(|storage| storage.current()).collect()
    }

    /// Counts a node as pending; runs what is alive when there are too many.
    pub(crate) fn pend(&self, node: &NodeRef) -> Result<()> {
        let full = {
            let mut pending = self.0.waiting.pending.borrow_mut();
            pending.push(Rc::downgrade(&node.0));
            pending.len() >= MAX_PENDING
        };
        // What is captured runs as it is asked for, so that two steps are the same.
        if full && !self.is_capturing() {
            self.run_pending();
        }
        Ok(())
    }

    /// Runs all that waits and is still wanted. An error belongs to the line that reads the value, and comes
    /// again there.
    fn run_pending(&self) {
        let alive = self.take_pending();
        // Sources of others are run with them.
        let used: FxHashSet<NodeId> = alive.iter().flat_map(|n| n.src()).map(|n| n.id).collect();
        let roots: Vec<NodeRef> = alive
            .into_iter()
            .filter(|n| !used.contains(&n.id) && !n.has_value())
            .collect();
        let _ = self.realize(&roots);
    }

    /// As [`Engine::run_pending`], and gives a value to everything that a variable holds, though others are
    /// made from it.
    #[cfg(feature = "full")]
    pub(crate) fn run_held(&self) -> Result<()> {
        let alive = self.take_pending();
        // The references that are the engine's own: those of this list, of the stage and of younger nodes.
        let mut own: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut count = |node: &NodeRef| *own.entry(node.id).or_default() += 1;
        let step = self.0.recorder.step.borrow();
        let on_stage = step.made.iter().chain(&step.gradients).chain(&step.roots);
        alive
            .iter()
            .chain(on_stage)
            .chain(&step.staged)
            .for_each(&mut count);
        drop(step);
        for node in &alive {
            node.src.borrow().iter().for_each(&mut count);
        }
        let all = References::all();
        let is_held = |node: &NodeRef| all.of(node) > own[&node.id];
        let roots: Vec<NodeRef> = alive
            .iter()
            .filter(|node| !node.has_value() && is_held(node))
            .cloned()
            .collect();
        drop(alive);
        self.realize(&roots)
    }

    /// What was made, not run, and is still there.
    fn take_pending(&self) -> Vec<NodeRef> {
        let waiting = std::mem::take(&mut *self.0.waiting.pending.borrow_mut());
        let alive = waiting
            .iter()
            .filter_map(|node| node.upgrade().map(NodeRef));
        let mut alive: Vec<NodeRef> = alive.collect();
        alive.sort_by_key(|node| node.id);
        alive.dedup_by_key(|node| node.id);
        alive
    }
}

//! References that are about to go: which nodes nothing will hold any more.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::NodeRef;
use crate::trace::NodeId;

/// References that are about to go, node by node.
#[derive(Default)]
pub(crate) struct DropCount {
    dropped: HashMap<NodeId, usize>,
    sources_dropped: HashSet<NodeId>,
    gone: HashSet<NodeId>,
    values: Vec<NodeRef>,
}

impl DropCount {
    /// The nodes that no reference is left to, and those of them with a value.
    pub(crate) fn into_parts(self) -> (HashSet<NodeId>, Vec<NodeRef>) {
        (self.gone, self.values)
    }

    /// Whether no reference to a node is left.
    pub(crate) fn is_gone(&self, node: NodeId) -> bool {
        self.gone.contains(&node)
    }

    /// A node has its value: of its sources it needs those that a walk back will read. The others go, and
    /// what they alone hold in the same way, up to what is stored.
    #[cfg(feature = "full")]
    pub(crate) fn drop_unsaved(&mut self, end: &NodeRef, stored: &HashSet<NodeId>) {
        use crate::op::{SAVE_Y, has_operand};

        let mut stack = vec![end.clone()];
        while let Some(node) = stack.pop() {
            let saves = match node.needs_grad && !node.released.get() {
                true => node.op.kept(),
                false => 0,
            };
            // A value that a walk back will read is made of all the sources.
            let is_read = saves & SAVE_Y != 0 && node.id != end.id;
            if is_read || !self.sources_dropped.insert(node.id) {
                continue;
            }
            let sources = node.src.borrow();
            let is_saved = |i: usize| has_operand(saves, i);
            let unsaved = sources.iter().enumerate().filter(|(i, _)| !is_saved(*i));
            let lowered = node.lowered.borrow();
            for source in unsaved.map(|(_, source)| source).chain(lowered.iter()) {
                let dropped = self.dropped.entry(source.id).or_insert(0);
                *dropped += 1;
                if *dropped == Rc::strong_count(&source.0)
                    && self.gone.insert(source.id)
                    && !stored.contains(&source.id)
                {
                    stack.push(source.clone());
                }
            }
        }
    }

    pub(crate) fn drop_one(&mut self, node: &NodeRef) {
        let mut stack = vec![node.clone()];
        while let Some(node) = stack.pop() {
            let dropped = self.dropped.entry(node.id).or_insert(0);
            *dropped += 1;
            // This loop holds one reference itself.
            if *dropped + 1 < Rc::strong_count(&node.0) || !self.gone.insert(node.id) {
                continue;
            }
            if node.has_value() {
                self.values.push(node.clone());
            }
            if self.sources_dropped.insert(node.id) {
                stack.extend(node.src.borrow().iter().cloned());
            }
            stack.extend(node.lowered.borrow().clone());
        }
    }

    pub(crate) fn drop_sources(&mut self, node: &NodeRef) {
        if self.sources_dropped.insert(node.id) {
            for source in node.src.borrow().iter() {
                self.drop_one(source);
            }
        }
    }
}

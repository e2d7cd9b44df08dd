//! Which nodes nothing will hold any more.
//!
//! A node lives while something refers to it: a tensor, the stage, a younger node. [`Dying`] counts the
//! references that are about to go and compares them with those that there are. How many there are is an
//! argument, so that a plan can be made of a graph whose holders are given as a table. This is the only place
//! that turns counts of references into what memory may be reused.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::NodeRef;
use crate::trace::NodeId;

/// How many references to a node there are, without those of the caller.
pub(crate) type References<'a> = dyn Fn(&NodeRef) -> usize + 'a;

/// All references to a node.
#[cfg(feature = "full")]
pub(crate) fn all_references(node: &NodeRef) -> usize {
    Rc::strong_count(&node.0)
}

/// What refers to nodes, besides a plan's own references.
pub(crate) enum Held<'a> {
    /// What the counts of references say.
    ByReference,
    /// These nodes, and what the nodes of the plan refer to.
    #[cfg_attr(
        not(test),
        allow(dead_code, reason = "plans of a given graph, in tests")
    )]
    Only(&'a HashSet<NodeId>),
}

impl Held<'_> {
    /// How many references there are to a node besides those of a plan that holds `own` once each.
    pub(crate) fn references<'r>(
        &'r self,
        own: &'r HashMap<NodeId, NodeRef>,
    ) -> Box<References<'r>> {
        match self {
            Held::ByReference => {
                Box::new(|node| Rc::strong_count(&node.0) - usize::from(own.contains_key(&node.id)))
            }
            Held::Only(held) => {
                let edges = edges_to(own.values());
                Box::new(move |node| {
                    let edges = edges.get(&node.id).copied().unwrap_or(0);
                    edges + usize::from(held.contains(&node.id))
                })
            }
        }
    }
}

/// How many nodes refer to a node, among these and those that they refer to.
fn edges_to<'a>(nodes: impl Iterator<Item = &'a NodeRef>) -> HashMap<NodeId, usize> {
    let (mut edges, mut seen) = (HashMap::new(), HashSet::new());
    let mut stack: Vec<NodeRef> = nodes.cloned().collect();
    while let Some(node) = stack.pop() {
        if !seen.insert(node.id) {
            continue;
        }
        let sources = node.src();
        let lowered = node.lowered.borrow().clone();
        for source in sources.into_iter().chain(lowered) {
            *edges.entry(source.id).or_insert(0) += 1;
            stack.push(source);
        }
    }
    edges
}

/// References that are about to go, node by node.
pub(crate) struct Dying<'a> {
    references: &'a References<'a>,
    lost: HashMap<NodeId, usize>,
    sources_lost: HashSet<NodeId>,
    dead: HashSet<NodeId>,
    values: Vec<NodeRef>,
}

impl<'a> Dying<'a> {
    /// With nothing lost so far.
    pub(crate) fn new(references: &'a References<'a>) -> Dying<'a> {
        Dying {
            references,
            lost: HashMap::new(),
            sources_lost: HashSet::new(),
            dead: HashSet::new(),
            values: Vec::new(),
        }
    }

    /// Whether no reference to a node is left.
    pub(crate) fn is_dead(&self, node: NodeId) -> bool {
        self.dead.contains(&node)
    }

    /// The nodes that no reference is left to, and those of them with a value.
    pub(crate) fn into_parts(self) -> (HashSet<NodeId>, Vec<NodeRef>) {
        (self.dead, self.values)
    }

    /// One reference to a node goes.
    pub(crate) fn lose(&mut self, node: &NodeRef) {
        *self.lost.entry(node.id).or_insert(0) += 1;
        self.end_if_unheld(node);
    }

    /// The references that a node has to its sources go.
    pub(crate) fn lose_sources(&mut self, node: &NodeRef) {
        if self.sources_lost.insert(node.id) {
            for source in node.src.borrow().iter() {
                self.lose(source);
            }
        }
    }

    /// A node that nothing refers to is dead, and so are those that it alone refers to.
    pub(crate) fn end_if_unheld(&mut self, node: &NodeRef) {
        let mut ended = Vec::new();
        if self.ends(node) {
            ended.push(node.clone());
        }
        // A clone in this list is of a dead node, whose references are counted no more.
        while let Some(node) = ended.pop() {
            if self.sources_lost.insert(node.id) {
                for source in node.src.borrow().iter() {
                    self.lose_into(source, &mut ended);
                }
            }
            if let Some(lowered) = node.lowered.borrow().as_ref() {
                self.lose_into(lowered, &mut ended);
            }
            if node.has_value() {
                self.values.push(node);
            }
        }
    }

    fn lose_into(&mut self, node: &NodeRef, ended: &mut Vec<NodeRef>) {
        *self.lost.entry(node.id).or_insert(0) += 1;
        if self.ends(node) {
            ended.push(node.clone());
        }
    }

    /// Whether this is the moment at which a node has lost its last reference.
    fn ends(&mut self, node: &NodeRef) -> bool {
        let lost = self.lost.get(&node.id).copied().unwrap_or(0);
        lost >= (self.references)(node) && self.dead.insert(node.id)
    }

    /// A node has its value: of its sources it needs those that a walk back will read. The others go, and
    /// what they alone hold in the same way, up to what is stored.
    #[cfg(feature = "full")]
    pub(crate) fn lose_unsaved(&mut self, end: &NodeRef, stored: &HashSet<NodeId>) {
        use crate::op::{SAVE_Y, has_operand};

        let mut stack = vec![end.clone()];
        while let Some(node) = stack.pop() {
            let saves = match node.needs_grad && !node.released.get() {
                true => node.op.kept(),
                false => 0,
            };
            // A value that a walk back will read is made of all the sources.
            let is_read = saves & SAVE_Y != 0 && node.id != end.id;
            if is_read || !self.sources_lost.insert(node.id) {
                continue;
            }
            let sources = node.src.borrow();
            let unsaved = sources.iter().enumerate();
            let unsaved = unsaved.filter(|(i, _)| !has_operand(saves, *i));
            let lowered = node.lowered.borrow();
            for source in unsaved.map(|(_, source)| source).chain(lowered.iter()) {
                *self.lost.entry(source.id).or_insert(0) += 1;
                if self.ends(source) && !stored.contains(&source.id) {
                    stack.push(source.clone());
                }
            }
        }
    }
}

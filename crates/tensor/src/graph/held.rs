//! Which nodes nothing will hold any more.
//!
//! A node lives while something refers to it: a tensor, the stage, a younger node. [`Dying`] counts the
//! references that are about to go and compares them with those that there are. How many there are is an
//! argument, so that a plan can be made of a graph whose holders are given as a table. This is the only place
//! that reads how often nodes are referred to; `schedule/memory_plan.rs` asks a buffer how many share it.

use std::rc::Rc;

use super::NodeRef;
use crate::trace::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

/// What refers to nodes, besides a plan's own references.
pub(crate) enum Held {
    /// What the counts of references say.
    ByReference,
    /// These nodes, and what the nodes of the plan refer to.
    #[cfg(test)]
    Only(FxHashSet<NodeId>),
}

/// How many references to a node there are besides those of a plan.
pub(crate) struct References<'a> {
    /// The plan, which holds each of its nodes once; none where all references count.
    plan: Option<&'a Nodes>,
    #[cfg(test)]
    given: Option<FxHashMap<NodeId, usize>>,
}

/// The nodes that a plan names, each once.
type Nodes = FxHashMap<NodeId, NodeRef>;

impl<'a> References<'a> {
    /// Those besides a plan's.
    pub(crate) fn besides(plan: &'a Nodes, held: &Held) -> References<'a> {
        #[cfg(not(test))]
        let Held::ByReference = held;
        References {
            plan: Some(plan),
            #[cfg(test)]
            given: match held {
                Held::ByReference => None,
                Held::Only(held) => Some(given(plan, held)),
            },
        }
    }

    /// All of them.
    #[cfg(feature = "full")]
    pub(crate) fn all() -> References<'static> {
        References {
            plan: None,
            #[cfg(test)]
            given: None,
        }
    }

    /// How many there are to a node.
    pub(crate) fn of(&self, node: &NodeRef) -> usize {
        #[cfg(test)]
        if let Some(given) = &self.given {
            return given.get(&node.id).copied().unwrap_or(0);
        }
        let own = self.plan.is_some_and(|plan| plan.contains_key(&node.id));
        Rc::strong_count(&node.0) - usize::from(own)
    }
}

/// References from the nodes of a plan and from those that they refer to, and one for each that is held.
#[cfg(test)]
fn given(plan: &Nodes, held: &FxHashSet<NodeId>) -> FxHashMap<NodeId, usize> {
    let mut given: FxHashMap<NodeId, usize> = held.iter().map(|&id| (id, 1)).collect();
    let mut seen = FxHashSet::default();
    let mut stack: Vec<NodeRef> = plan.values().cloned().collect();
    while let Some(node) = stack.pop() {
        if !seen.insert(node.id) {
            continue;
        }
        let sources = node.src();
        let lowered = node.lowered.borrow().clone();
        for source in sources.into_iter().chain(lowered) {
            *given.entry(source.id).or_insert(0) += 1;
            stack.push(source);
        }
    }
    given
}

/// References that are about to go, node by node.
pub(crate) struct Dying<'a> {
    references: References<'a>,
    lost: FxHashMap<NodeId, usize>,
    sources_lost: FxHashSet<NodeId>,
    dead: FxHashSet<NodeId>,
    values: Vec<NodeRef>,
}

impl<'a> Dying<'a> {
    /// With nothing lost so far.
    pub(crate) fn new(references: References<'a>) -> Dying<'a> {
        Dying {
            references,
            lost: FxHashMap::default(),
            sources_lost: FxHashSet::default(),
            dead: FxHashSet::default(),
            values: Vec::new(),
        }
    }

    /// Whether no reference to a node is left.
    pub(crate) fn is_dead(&self, node: NodeId) -> bool {
        self.dead.contains(&node)
    }

    /// The nodes that no reference is left to, and those of them with a value.
    pub(crate) fn into_parts(self) -> (FxHashSet<NodeId>, Vec<NodeRef>) {
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
        lost >= self.references.of(node) && self.dead.insert(node.id)
    }

    /// A node has its value: of its sources it needs those that a backward pass will read. The others go, and
    /// what they alone hold in the same way, up to what is stored.
    #[cfg(feature = "full")]
    pub(crate) fn lose_unsaved(&mut self, end: &NodeRef, is_stored: impl Fn(NodeId) -> bool) {
        use crate::op::{SAVE_Y, has_operand};

        let mut stack = vec![end.clone()];
        while let Some(node) = stack.pop() {
            let saves = match node.needs_grad && !node.released.get() {
                true => node.op.kept(),
                false => 0,
            };
            // A value that a backward pass will read is made of all the sources.
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
                if self.ends(source) && !is_stored(source.id) {
                    stack.push(source.clone());
                }
            }
        }
    }
}

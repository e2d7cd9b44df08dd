//! What a node is once movement, aliases and composites are looked through, and when it lets its sources go.

use smallvec::{SmallVec, smallvec};

use super::primitive::LEAF;
use super::{Engine, NodeRef};
use crate::op::Kind;
use crate::view::View;
use crate::{Error, Result};

/// What a value is once movement, aliases and composites are looked through: a node that computes
/// (or has its value), and the movements between, outermost first.
pub(crate) struct Resolved {
    pub(crate) base: NodeRef,
    pub(crate) steps: SmallVec<[NodeRef; 4]>,
}

impl Resolved {
    /// The base's row-major view moved by the steps.
    pub(crate) fn view(&self) -> Option<View> {
        moved(View::contiguous(&self.base.shape), &self.steps)
    }
}

/// A view moved by steps, the last one first.
fn moved(view: View, steps: &[NodeRef]) -> Option<View> {
    steps
        .iter()
        .rev()
        .try_fold(view, |view, step| match step.op.kind {
            Kind::Movement(movement) => movement(&view, step),
            _ => Some(view),
        })
}

impl Engine {
    /// Looks through movement, aliases and composites.
    pub(crate) fn resolve(&self, node: &NodeRef) -> Result<Resolved> {
        let mut steps: SmallVec<[NodeRef; 4]> = smallvec![];
        let mut at = node.clone();
        loop {
            if at.has_value() || at.number.is_some() {
                return Ok(Resolved { base: at, steps });
            }
            let next = match at.op.kind {
                Kind::Movement(_) => at.src().first().cloned(),
                Kind::Leaf => at.src().last().cloned(),
                Kind::Composite(_) => Some(self.lower(&at)?),
                _ => return Ok(Resolved { base: at, steps }),
            };
            if matches!(at.op.kind, Kind::Movement(_)) {
                steps.push(at.clone());
            }
            at = next.ok_or_else(|| gone(&at))?;
        }
    }

    /// The node that holds a value's bytes and the view of them, once computed.
    pub(crate) fn base(&self, node: &NodeRef) -> Option<(NodeRef, View)> {
        let resolved = self.resolve(node).ok()?;
        let view = resolved.view()?;
        Some((resolved.base, view))
    }

    /// Drops the sources of a computed node that no backward pass goes through.
    pub(crate) fn release_sources(&self, node: &NodeRef) {
        if self.releases_sources(node) {
            drop(std::mem::take(&mut *node.src.borrow_mut()));
        }
    }

    pub(crate) fn releases_sources(&self, node: &NodeRef) -> bool {
        !node.needs_grad && !self.0.modes.retain_sources.get() && !self.is_on_stage(node)
    }

    /// Whether an alias or composite drops its sources once it has its value.
    pub(crate) fn releases_settled(&self, node: &NodeRef) -> bool {
        let alias = std::ptr::eq(node.op, &LEAF) && !self.0.modes.retain_sources.get();
        alias || self.releases_sources(node)
    }

    /// Whether a computed node would have dropped its sources, were it not on stage.
    #[cfg(feature = "full")]
    pub(crate) fn releases_sources_off_stage(&self, node: &NodeRef) -> bool {
        !node.needs_grad || node.released.get() && node.op.kept() != 0
    }

    /// Drops the sources of a node that `backward()` has walked and whose rule cannot run again:
    /// what it saved goes, as in PyTorch. Without a value the sources are still needed for it.
    pub(crate) fn release(&self, node: &NodeRef) {
        if self.releases(node) && node.has_value() {
            drop(std::mem::take(&mut *node.src.borrow_mut()));
            drop(node.lowered.borrow_mut().take());
        }
    }

    pub(crate) fn releases(&self, node: &NodeRef) -> bool {
        node.released.get()
            && node.op.kept() != 0
            && !self.0.modes.retain_sources.get()
            && !self.is_on_stage(node)
    }

    fn is_on_stage(&self, node: &NodeRef) -> bool {
        if node.is_kept.get() {
            return true;
        }
        let step = self.0.recorder.step.borrow();
        step.made.binary_search_by_key(&node.id, |n| n.id).is_ok()
    }
}

pub(crate) fn gone(node: &NodeRef) -> Error {
    Error::runtime(format!(
        "{}: the values it was made from were let go; run the lines that made them again",
        node.op.name
    ))
}

//! What a gradient rule reads, and whether it is still what it was.
//!
//! Nodes never change, so a rule would still read the old value after an in-place write. PyTorch writes over
//! that value, and raises an error in `backward()`. The backward pass raises the same error here, so that a
//! program that runs here runs there.

use super::BackwardPass;
use crate::graph::NodeRef;
use crate::{Error, Result};

impl BackwardPass<'_> {
    /// What a gradient rule reads of an operand or of the result: the value that was there, or the one that a
    /// write through `x.data` has put there since, which PyTorch's rules read too.
    pub(super) fn saved_now(
        &self,
        node: &NodeRef,
        operand: Option<usize>,
        was: &NodeRef,
    ) -> NodeRef {
        if !cfg!(feature = "full") {
            return was.clone();
        }
        let versions = node.versions.borrow();
        let saved = versions.iter().find(|saved| saved.operand() == operand);
        match saved.and_then(|saved| saved.now(self.engine)) {
            Some(value) => self.engine.rewritten(was, value),
            None => was.clone(),
        }
    }

    /// Raises if what the rule reads was let go or written over.
    pub(crate) fn check_saved(&self, node: &NodeRef) -> Result<()> {
        // The landing page's graph is walked once and never written.
        if !cfg!(feature = "full") {
            return Ok(());
        }
        if node.released.get() && (node.op.kept() != 0 || node.custom.is_some()) {
            return Err(walked_before());
        }
        let versions = node.versions.borrow();
        match versions.iter().find(|saved| !saved.is_current()) {
            Some(saved) => Err(saved.error(node)),
            None => Ok(()),
        }
    }
}

pub(super) fn walked_before() -> Error {
    Error::runtime(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

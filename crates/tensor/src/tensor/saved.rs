//! What a gradient rule reads, as it was: version counters.

use std::cell::Cell;
use std::rc::Rc;

use super::{Tensor, WeakTensor, Written};
use crate::autograd::BackwardPass;
use crate::engine::Engine;
use crate::graph::Saved;
use crate::node::{Node, NodeRef};
use crate::op::{SAVE_Y, has_operand};
use crate::shape;
use crate::{Error, Result};

/// A tensor that a gradient rule reads, as it was.
struct SavedVersion {
    version: Rc<Cell<u32>>,
    at: u32,
    /// Which operand it is; none for the result.
    operand: Option<u8>,
    tensor: WeakTensor,
    memory: Written,
}

/// Remembers the version of an operand that a rule reads.
///
/// # Errors
/// For a tensor made in inference mode, which has none.
pub(crate) fn save_operand(node: &NodeRef, i: usize, operand: &Tensor) -> Result<()> {
    if operand.is_inference() {
        return Err(Error::runtime(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.",
        ));
    }
    save(node, Some(i as u8), operand);
    Ok(())
}

/// Remembers the version of a result that its rule reads.
pub(crate) fn save_result(node: &NodeRef, result: &Tensor) {
    save(node, None, result);
}

fn save(node: &NodeRef, operand: Option<u8>, tensor: &Tensor) {
    // The landing page's graph is walked once and never written.
    if !cfg!(feature = "full") {
        return;
    }
    let version = tensor.version_counter();
    node.versions.borrow_mut().push(Box::new(SavedVersion {
        at: version.get(),
        version,
        operand,
        tensor: tensor.downgrade(),
        memory: tensor.watch_writes(),
    }));
}

impl Saved for SavedVersion {
    fn operand(&self) -> Option<usize> {
        self.operand.map(usize::from)
    }

    fn is_current(&self) -> bool {
        self.version.get() == self.at
    }

    fn now(&self, engine: &Engine) -> Option<NodeRef> {
        self.memory.now(engine)
    }

    fn error(&self, node: &Node) -> Error {
        let name = node.grad_fn().map(str::to_owned);
        let looks = |node: &Node| (node.dtype, node.shape.clone());
        let (of, made_by) = match self.operand {
            None => (Some(looks(node)), name),
            Some(i) => {
                let source = node.src().get(usize::from(i)).cloned();
                let tensor = self.tensor.upgrade();
                let made_by = match &tensor {
                    Some(tensor) => tensor.grad_fn(),
                    None => source.as_ref().and_then(|s| s.grad_fn().map(str::to_owned)),
                };
                let of = tensor.map(|t| t.node()).or(source);
                (of.map(|of| looks(&of)), made_by)
            }
        };
        let what = of.map_or_else(
            || "[a tensor]".to_owned(),
            |(dtype, shape)| format!("[{} {}]", dtype.tensor_type(), shape::show(&shape)),
        );
        let made_by = made_by.map_or_else(String::new, |name| {
            let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
            format!(
                ", which is output 0 of {},",
                name.strip_suffix("Backward").unwrap_or(name)
            )
        });
        let line = match node.span.line {
            0 => String::new(),
            line => format!(" The gradient that needs it is that of line {line}."),
        };
        Error::runtime(format!(
            "one of the variables needed for gradient computation has been modified by an inplace operation: {what}{made_by} is at version {}; expected version {} instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).{line} Write it out of place, such as x = x + 1, or clone it before.",
            self.version.get(),
            self.at
        ))
    }
}

impl Engine {
    /// What the gradient rule of a node reads: an operand, or the result. None where it reads
    /// no such thing.
    ///
    /// # Errors
    /// Where it was let go or written over.
    pub fn saved(&self, node: &NodeRef, operand: Option<usize>) -> Result<Option<Tensor>> {
        BackwardPass::of(self).check_saved(node)?;
        let saved = match operand {
            Some(i) if has_operand(node.saved(), i) => node.src().get(i).cloned(),
            None if node.saved() & SAVE_Y != 0 => Some(node.clone()),
            _ => None,
        };
        Ok(saved.map(|node| Tensor::from_node(self, node)))
    }
}

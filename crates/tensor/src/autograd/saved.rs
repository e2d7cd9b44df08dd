//! What a gradient rule reads, and whether it is still what it was: version counters.
//!
//! Nodes never change, so a rule would still read the old value after an in-place write. PyTorch's
//! has gone, and it raises; so do we, in its words, because what a learner writes here must run
//! there.

use std::cell::Cell;
use std::rc::Rc;

use crate::dtype::DType;
use crate::engine::Engine;
use crate::node::{Node, NodeRef};
use crate::op::{SAVE_A, SAVE_Y};
use crate::shape;
use crate::tensor::{Tensor, WeakTensor, Written};
use crate::{Error, Result};

/// A tensor that a gradient rule reads, as it was.
pub(crate) struct Saved {
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
    let version = tensor.version_counter();
    node.versions.borrow_mut().push(Saved {
        at: version.get(),
        version,
        operand,
        tensor: tensor.downgrade(),
        memory: tensor.watch_writes(),
    });
}

impl Saved {
    /// PyTorch's words for what was written over.
    fn broken(&self, node: &NodeRef) -> Error {
        let (of, made_by) = match self.operand {
            None => (Some(node.clone()), node.grad_fn().map(str::to_owned)),
            Some(i) => {
                let source = node.src().get(usize::from(i)).cloned();
                let tensor = self.tensor.upgrade();
                let made_by = match &tensor {
                    Some(tensor) => tensor.grad_fn(),
                    None => source.as_ref().and_then(|s| s.grad_fn().map(str::to_owned)),
                };
                (tensor.map(|t| t.node()).or(source), made_by)
            }
        };
        let what = of.map_or_else(
            || "[a tensor]".to_owned(),
            |of| format!("[{} {}]", type_name(of.dtype), shape::show(&of.shape)),
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
        self.check_saved(node)?;
        let saved = match operand {
            Some(i) if has_operand(saved_of(node), i) => node.src().get(i).cloned(),
            None if saved_of(node) & SAVE_Y != 0 => Some(node.clone()),
            _ => None,
        };
        Ok(saved.map(|node| Tensor::from_node(self, node)))
    }

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
        let of = |saved: &&Saved| saved.operand.map(usize::from) == operand;
        let written = versions
            .iter()
            .find(of)
            .and_then(|saved| saved.memory.now(self));
        match written {
            Some(value) => self.rewritten(was, value),
            None => was.clone(),
        }
    }

    /// Raises if what the rule reads was let go or written over.
    pub(super) fn check_saved(&self, node: &NodeRef) -> Result<()> {
        // The landing page's graph is walked once and never written.
        if !cfg!(feature = "full") {
            return Ok(());
        }
        if node.released.get() && (node.op.kept() != 0 || node.custom.is_some()) {
            return Err(walked_before());
        }
        let versions = node.versions.borrow();
        match versions.iter().find(|s| s.version.get() != s.at) {
            Some(saved) => Err(saved.broken(node)),
            None => Ok(()),
        }
    }
}

pub(super) fn walked_before() -> Error {
    Error::runtime(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

/// What PyTorch's older messages call a tensor of this dtype.
pub(super) fn type_name(dtype: DType) -> String {
    match dtype {
        DType::BF16 | DType::U16 | DType::U32 | DType::U64 => {
            format!("CPU{}Type", dtype.scalar_name())
        }
        _ => format!("torch.{}Tensor", dtype.scalar_name()),
    }
}

/// What PyTorch saves of this call, as bits: for those operands alone that want gradients.
pub(crate) fn saved_of(node: &Node) -> u8 {
    if !node.needs_grad {
        return 0;
    }
    let (op, src) = (node.op, node.src.borrow());
    let wanting = (src.iter().enumerate())
        .filter(|(i, operand)| operand.needs_grad && (*i >= 8 || op.constants & (1 << i) == 0));
    wanting.fold(0, |saved, (i, _)| saved | op.saves[i.min(2)])
}

/// Whether operand `i` is among `saved`.
pub(crate) fn has_operand(saved: u8, i: usize) -> bool {
    i < 7 && saved & (SAVE_A << i) != 0
}

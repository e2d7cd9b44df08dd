//! Anomaly mode: the backward pass stops at the first rule that makes a NaN, and says which line's it is.
//!
//! Every gradient is computed and read as soon as its rule has run, so a walk is slow while this is
//! on. What a NaN costs without it: the leaf that it reaches says nothing of where it came from.

use super::BackwardPass;
use crate::dtype::Scalar;
use crate::graph::NodeRef;
use crate::op::Grads;
use crate::{Error, Result};

impl BackwardPass<'_> {
    /// Raises if a rule has made a NaN, in anomaly mode.
    pub(super) fn check_anomaly(&self, node: &NodeRef, grads: &Grads) -> Result<()> {
        let mode = self.engine.anomaly();
        if !(mode.enabled && mode.check_nan) {
            return Ok(());
        }
        for (i, grad) in grads.iter().enumerate() {
            let Some(grad) = grad else { continue };
            let bytes = self.engine.read(grad.node())?;
            let is_nan = |x: &Scalar| x.as_f64().is_nan();
            if Scalar::of_bytes(&bytes, grad.dtype()).iter().any(is_nan) {
                let line = match node.span.line {
                    0 => String::new(),
                    line => format!(" Its forward call, {}, is in line {line}.", node.op.name),
                };
                return Err(Error::runtime(format!(
                    "Function '{}' returned nan values in its {i}th output.{line}",
                    node.grad_fn().unwrap_or(node.op.name)
                )));
            }
        }
        Ok(())
    }
}

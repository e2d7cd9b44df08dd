//! The op that failed last, for the picture of the step.
//!
//! Invariant: one is held at most, while the trace records, and no longer than until the next is noted or it is
//! forgotten. An error carries its number alone, so that what becomes of the error (it is caught, or raised again) is
//! no matter of the engine's.

use std::rc::Rc;

use super::{Engine, NodeRef};
use crate::op::Op;
use crate::trace::Span;
use crate::{Error, ErrorKind};

/// A call of an op that was refused.
#[derive(Clone)]
pub struct Failure {
    /// As in [`Error::failure`].
    pub number: u32,
    /// What was called.
    pub op: &'static Op,
    /// On what.
    pub src: Vec<NodeRef>,
    /// In which line.
    pub span: Span,
    /// In which module: `model.0`.
    pub scope: Option<Rc<str>>,
}

impl Engine {
    /// The same error, its op noted with its operands where a learner called it.
    pub(crate) fn note_failure(
        &self,
        op: &'static Op,
        src: impl FnOnce() -> Vec<NodeRef>,
        mut error: Error,
    ) -> Error {
        let position = &self.0.position;
        let is_call = position.depth.get() == 0 && self.trace().is_recording();
        if !is_call || error.kind == ErrorKind::Interrupted {
            return error;
        }
        let src = src();
        let number = self.0.recorder.n_failures.get() + 1;
        self.0.recorder.n_failures.set(number);
        error.failure = Some(number);
        let failure = Failure {
            number,
            op,
            src,
            span: position.span.get(),
            scope: position.scopes.borrow().last().cloned(),
        };
        let before = self.0.recorder.failure.replace(Some(failure));
        drop(before);
        error
    }

    /// The failure that an error carries, if it is still known.
    pub fn failure(&self, number: u32) -> Option<Failure> {
        let last = self.0.recorder.failure.borrow();
        last.as_ref()
            .filter(|failure| failure.number == number)
            .cloned()
    }

    /// Lets go of the last failure.
    pub fn forget_failure(&self) {
        let last = self.0.recorder.failure.take();
        drop(last);
    }
}

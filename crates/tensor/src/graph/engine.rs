//! The engine: makes nodes, runs them when a value is asked for, and keeps the step on stage.
//!
//! One engine belongs to one session and one thread. A node made at the top level is a call the
//! learner wrote; what a composite or a gradient rule makes inside is not. A step begins with the
//! first call that wants a gradient after a `backward()` has ended.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::devices::Devices;
use super::modes::Modes;
use super::recorder::Recorder;
use super::waiting::Waiting;
use super::{CustomRule, GradSlot, NodeRef, Runtime};
use crate::backend::{Backend, Buffer};
use crate::device::Device;
use crate::dtype::Scalar;
use crate::node::Span;
use crate::op::{Backprop, Grads};
use crate::random::Generator;
use crate::trace::NodeId;
use crate::{Error, Result};

/// What stands around a gradient rule: it gets what the rule would get, and the rule.
pub type WrapRule = dyn Fn(&Backprop, &dyn Fn(&Backprop) -> Result<Grads>) -> Result<Grads>;

/// A handle on the engine.
#[derive(Clone)]
pub struct Engine(pub(crate) Rc<EngineInner>);

pub(crate) struct EngineInner {
    pub(crate) modes: Modes,
    pub(crate) devices: Devices,
    pub(crate) recorder: Recorder,
    pub(super) waiting: Waiting,
    pub(super) position: Position,
    pub(super) next_id: Cell<NodeId>,
    /// The first error of a formula that is being made.
    pub(super) poison: RefCell<Option<Error>>,
    pub(super) generator: RefCell<Generator>,
    pub(crate) wrapper: RefCell<Option<Rc<WrapRule>>>,
    runtime: Box<dyn Runtime>,
}

/// Where nodes are made: in which line, in which module, how deep inside other calls.
#[derive(Default)]
pub(super) struct Position {
    pub(super) span: Cell<Span>,
    pub(super) scopes: RefCell<Vec<Rc<str>>>,
    pub(super) depth: Cell<u32>,
}

impl Engine {
    /// An engine on a backend, with what computes and wraps its nodes, and a clock of nanoseconds for its
    /// kernels.
    pub(crate) fn with_runtime(
        backend: Box<dyn Backend>,
        clock: Option<fn() -> u64>,
        runtime: Box<dyn Runtime>,
    ) -> Engine {
        let recorder = Recorder::new(clock);
        Engine(Rc::new(EngineInner {
            modes: Modes::default(),
            devices: Devices::new(backend, &recorder.trace),
            recorder,
            waiting: Waiting::default(),
            position: Position::default(),
            next_id: Cell::new(1),
            poison: RefCell::default(),
            generator: RefCell::new(Generator::new(0)),
            wrapper: RefCell::default(),
            runtime,
        }))
    }

    /// Has every gradient rule run through `wrapper`, which may look at it or change what it gives;
    /// none takes it away. Tests plant mistakes with it.
    pub fn wrap_rules(&self, wrapper: Option<Rc<WrapRule>>) {
        *self.0.wrapper.borrow_mut() = wrapper;
    }

    /// The line that new nodes belong to.
    pub fn set_span(&self, span: Span) {
        self.0.position.span.set(span);
    }

    /// Enters a module: its path, such as `model.0`.
    pub fn push_scope(&self, path: &str) {
        self.0.position.scopes.borrow_mut().push(path.into());
    }

    /// Leaves a module.
    pub fn pop_scope(&self) {
        self.0.position.scopes.borrow_mut().pop();
    }

    /// The random generator of `torch.manual_seed`.
    pub fn generator(&self) -> std::cell::RefMut<'_, Generator> {
        self.0.generator.borrow_mut()
    }

    /// The number that the next node will have.
    pub fn next_node_id(&self) -> NodeId {
        self.0.next_id.get()
    }

    /// Runs something whose nodes are not the learner's calls.
    pub(crate) fn internal_scope<T>(&self, run: impl FnOnce() -> T) -> T {
        self.0.position.depth.set(self.0.position.depth.get() + 1);
        let result = run();
        self.0.position.depth.set(self.0.position.depth.get() - 1);
        result
    }

    /// Keeps the first error of a formula; see [`GraphValue`].
    pub(crate) fn poison(&self, error: Error) {
        self.0.poison.borrow_mut().get_or_insert(error);
    }

    /// Raises the error that a formula met, if any.
    pub(crate) fn settle<T>(&self, value: T) -> Result<T> {
        match self.0.poison.borrow_mut().take() {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }

    /// The line that new nodes belong to.
    #[cfg(feature = "codegen")]
    pub fn span(&self) -> Span {
        self.0.position.span.get()
    }

    /// Sets the line that new nodes belong to; returns the one before.
    pub(crate) fn replace_span(&self, span: Span) -> Span {
        self.0.position.span.replace(span)
    }

    /// What computes nodes and makes tensors of them.
    pub(crate) fn runtime(&self) -> &dyn Runtime {
        &*self.0.runtime
    }

    /// Computes nodes: each gets its value, and so do the nodes that others need.
    ///
    /// # Errors
    /// What the device met.
    pub fn realize(&self, roots: &[NodeRef]) -> Result<()> {
        self.runtime().realize(self, roots, &[])
    }
}

/// What makes a node more than an op on sources.
#[derive(Default)]
pub(crate) struct NodeParts {
    pub(crate) number: Option<Scalar>,
    pub(crate) is_python_number: bool,
    pub(crate) value: Option<Buffer>,
    /// None: where the sources are.
    pub(crate) device: Option<Device>,
    pub(crate) slot: Option<Rc<GradSlot>>,
    pub(crate) custom: Option<Rc<dyn CustomRule>>,
}

//! The engine: makes nodes, runs them when a value is asked for, and keeps the step on stage.
//!
//! One engine belongs to one session and one thread. A node made at the top level is a call the
//! learner wrote; what a composite or a gradient rule makes inside is not. A step begins with the
//! first call that wants a gradient after a `backward()` has ended.

use std::cell::{Cell, RefCell};
#[cfg(feature = "full")]
use std::collections::HashMap;
use std::collections::HashSet;
use std::rc::Rc;

use smallvec::smallvec;

#[cfg(feature = "full")]
use super::all_references;
use super::devices::Entry;
use super::step::Step;
use super::{CustomRule, GradSlot, NodeRef, Observer, Runtime, StorageHandle, primitive};
use crate::backend::{Backend, Buffer};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::node::{Node, Span};
use crate::op::{Attrs, Backprop, Grads};
use crate::random::Generator;
use crate::shape::{self, Shape};
use crate::trace::{NodeId, Purpose, Trace};
use crate::{Error, Result};

/// More unrealised nodes than this are run.
const MAX_PENDING: usize = 4096;

/// Whether the walk back looks for NaNs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anomaly {
    /// `torch.autograd.set_detect_anomaly(True)`.
    pub enabled: bool,
    /// Its `check_nan`.
    pub check_nan: bool,
}

/// What stands around a gradient rule: it gets what the rule would get, and the rule.
pub type WrapRule = dyn Fn(&Backprop, &dyn Fn(&Backprop) -> Result<Grads>) -> Result<Grads>;

/// A handle on the engine.
#[derive(Clone)]
pub struct Engine(pub(crate) Rc<EngineInner>);

pub(crate) struct EngineInner {
    pub(crate) devices: RefCell<Vec<Entry>>,
    pub(crate) device: Cell<Device>,
    pub(crate) strict: Cell<bool>,
    pub(crate) trace: Trace,
    pub(crate) clock: Option<fn() -> u64>,
    pub(crate) fusion: Cell<bool>,
    pub(crate) retain_sources: Cell<bool>,
    pub(super) next_id: Cell<NodeId>,
    pub(super) next_buffer: Cell<u64>,
    pub(super) grad_enabled: Cell<bool>,
    pub(super) inference: Cell<bool>,
    pub(super) anomaly: Cell<Anomaly>,
    pub(super) eager: Cell<bool>,
    pub(super) span: Cell<Span>,
    pub(super) scopes: RefCell<Vec<Rc<str>>>,
    pub(super) generator: RefCell<Generator>,
    pub(super) depth: Cell<u32>,
    pub(super) poison: RefCell<Option<Error>>,
    pub(super) pending: RefCell<Vec<std::rc::Weak<Node>>>,
    pub(super) written: RefCell<Vec<std::rc::Weak<dyn StorageHandle>>>,
    pub(crate) wrapper: RefCell<Option<Rc<WrapRule>>>,
    pub(crate) observer: RefCell<Option<Rc<dyn Observer>>>,
    runtime: Box<dyn Runtime>,
    pub(crate) step: RefCell<Step>,
    /// Bytes allocated since the step's values were last brought within their budget.
    pub(super) since_trim: Cell<usize>,
    #[cfg(feature = "explain")]
    pub(crate) record: super::record::Record,
    #[cfg(feature = "explain")]
    pub(crate) watcher: RefCell<Option<Rc<crate::backend::Watcher>>>,
}

impl Engine {
    /// An engine on a backend, with what computes and wraps its nodes, and a clock of nanoseconds for its
    /// kernels.
    pub(crate) fn with_runtime(
        backend: Box<dyn Backend>,
        clock: Option<fn() -> u64>,
        runtime: Box<dyn Runtime>,
    ) -> Engine {
        let trace = Trace::default();
        if let Some(bytes) = backend.pooled() {
            trace.watch_pool(bytes);
        }
        Engine(Rc::new(EngineInner {
            devices: RefCell::new(vec![Entry::new(backend)]),
            device: Cell::default(),
            strict: Cell::default(),
            trace,
            clock,
            fusion: Cell::new(true),
            retain_sources: Cell::new(false),
            next_id: Cell::new(1),
            next_buffer: Cell::new(1),
            grad_enabled: Cell::new(true),
            inference: Cell::new(false),
            anomaly: Cell::default(),
            eager: Cell::new(false),
            span: Cell::new(Span::default()),
            scopes: RefCell::default(),
            generator: RefCell::new(Generator::new(0)),
            depth: Cell::new(0),
            poison: RefCell::default(),
            pending: RefCell::default(),
            written: RefCell::default(),
            wrapper: RefCell::default(),
            observer: RefCell::default(),
            runtime,
            step: RefCell::new(Step {
                number: 1,
                ..Step::default()
            }),
            since_trim: Cell::default(),
            #[cfg(feature = "explain")]
            record: Default::default(),
            #[cfg(feature = "explain")]
            watcher: RefCell::default(),
        }))
    }

    /// The event stream.
    pub fn trace(&self) -> &Trace {
        &self.0.trace
    }

    /// Whether new nodes join the tape: never in inference mode.
    pub fn grad_enabled(&self) -> bool {
        self.0.grad_enabled.get() && !self.0.inference.get()
    }

    /// Whether new tensors are inference tensors.
    pub fn inference_mode(&self) -> bool {
        self.0.inference.get()
    }

    /// Turns inference mode on or off; returns what it was.
    pub fn set_inference_mode(&self, on: bool) -> bool {
        self.0.inference.replace(on)
    }

    /// Whether the walk back looks for NaNs.
    pub fn anomaly(&self) -> Anomaly {
        self.0.anomaly.get()
    }

    /// Sets whether the walk back looks for NaNs; returns what it was.
    pub fn set_anomaly(&self, mode: Anomaly) -> Anomaly {
        self.0.anomaly.replace(mode)
    }

    /// Turns the tape on or off; returns what it was.
    pub fn set_grad_enabled(&self, on: bool) -> bool {
        self.0.grad_enabled.replace(on)
    }

    /// Runs every op at once instead of when a value is asked for; returns what it was.
    pub fn set_eager(&self, on: bool) -> bool {
        self.0.eager.replace(on)
    }

    /// Fuses elementwise ops into one kernel, or runs each alone; returns what it was.
    pub fn set_fusion(&self, on: bool) -> bool {
        self.0.fusion.replace(on)
    }

    /// Keeps the sources of computed nodes, so that [`crate::interpret`] can go over them again;
    /// returns what it was.
    pub fn set_keeping(&self, on: bool) -> bool {
        self.0.retain_sources.replace(on)
    }

    /// Has every gradient rule run through `wrapper`, which may look at it or change what it gives;
    /// none takes it away. Tests plant mistakes with it.
    pub fn wrap_rules(&self, wrapper: Option<Rc<WrapRule>>) {
        *self.0.wrapper.borrow_mut() = wrapper;
    }

    /// The line that new nodes belong to.
    pub fn set_span(&self, span: Span) {
        self.0.span.set(span);
    }

    /// Enters a module: its path, such as `model.0`.
    pub fn push_scope(&self, path: &str) {
        self.0.scopes.borrow_mut().push(path.into());
    }

    /// Leaves a module.
    pub fn pop_scope(&self) {
        self.0.scopes.borrow_mut().pop();
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
        self.0.depth.set(self.0.depth.get() + 1);
        let result = run();
        self.0.depth.set(self.0.depth.get() - 1);
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

    /// Remembers a storage that was written: the write rides the next submit.
    pub(crate) fn written(&self, storage: &Rc<dyn StorageHandle>) {
        let mut written = self.0.written.borrow_mut();
        let is_known = |known: &std::rc::Weak<dyn StorageHandle>| {
            std::ptr::addr_eq(known.as_ptr(), Rc::as_ptr(storage))
        };
        if !written.iter().any(is_known) {
            written.push(Rc::downgrade(storage));
        }
        drop(written);
        #[cfg(feature = "full")]
        self.observe(|observer| observer.written(storage));
    }

    /// What was written and waits to be run.
    pub(crate) fn take_written(&self) -> Vec<NodeRef> {
        let written = std::mem::take(&mut *self.0.written.borrow_mut());
        let alive = written.iter().filter_map(std::rc::Weak::upgrade);
        alive.map(|storage| storage.current()).collect()
    }

    /// The line that new nodes belong to.
    #[cfg(feature = "explain")]
    pub(crate) fn span(&self) -> Span {
        self.0.span.get()
    }

    /// Sets the line that new nodes belong to; returns the one before.
    pub(crate) fn replace_span(&self, span: Span) -> Span {
        self.0.span.replace(span)
    }

    /// Counts a node as pending; runs what is alive when there are too many.
    pub(crate) fn pend(&self, node: &NodeRef) -> Result<()> {
        let full = {
            let mut pending = self.0.pending.borrow_mut();
            pending.push(Rc::downgrade(&node.0));
            pending.len() >= MAX_PENDING
        };
        // What is captured runs as it is asked for, so that two steps are the same.
        if full && !self.is_capturing() {
            self.run_pending();
        }
        Ok(())
    }

    /// Runs all that waits and is still wanted. An error belongs to the line that reads the value, and comes
    /// again there.
    fn run_pending(&self) {
        let alive = self.take_pending();
        // Sources of others are run with them.
        let used: HashSet<NodeId> = alive.iter().flat_map(|n| n.src()).map(|n| n.id).collect();
        let roots: Vec<NodeRef> = alive
            .into_iter()
            .filter(|n| !used.contains(&n.id) && !n.has_value())
            .collect();
        let _ = self.realize(&roots);
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

    /// Whether what runs is noted, to run again later.
    pub fn is_capturing(&self) -> bool {
        self.0.observer.borrow().is_some()
    }

    /// Tells the observer, if there is one.
    #[cfg(feature = "full")]
    pub(crate) fn observe(&self, tell: impl FnOnce(&dyn Observer)) {
        let observer = self.0.observer.borrow().clone();
        if let Some(observer) = observer {
            tell(&*observer);
        }
    }

    /// Whether a node's value comes from what is observed, so that nothing may wait for it.
    pub(crate) fn is_observed(&self, node: &NodeRef) -> bool {
        let observer = self.0.observer.borrow().clone();
        let Some(observer) = observer else {
            return false;
        };
        let value = self.base(node).and_then(|(base, _)| base.value());
        value.is_none_or(|value| observer.has_written(&value))
    }

    /// As [`Engine::run_pending`], and gives a value to everything that a variable holds, though others are
    /// made from it.
    #[cfg(feature = "full")]
    pub(crate) fn run_held(&self) -> Result<()> {
        let alive = self.take_pending();
        // The references that are the engine's own: those of this list, of the stage and of younger nodes.
        let mut own: HashMap<NodeId, usize> = HashMap::new();
        let mut count = |node: &NodeRef| *own.entry(node.id).or_default() += 1;
        let step = self.0.step.borrow();
        let on_stage = step.made.iter().chain(&step.gradients).chain(&step.roots);
        alive
            .iter()
            .chain(on_stage)
            .chain(&step.staged)
            .for_each(&mut count);
        drop(step);
        for node in &alive {
            node.src.borrow().iter().for_each(&mut count);
        }
        let is_held = |node: &NodeRef| all_references(node) > own[&node.id];
        let roots: Vec<NodeRef> = alive
            .iter()
            .filter(|node| !node.has_value() && is_held(node))
            .cloned()
            .collect();
        drop(alive);
        self.realize(&roots)
    }

    /// What was made, not run, and is still there.
    fn take_pending(&self) -> Vec<NodeRef> {
        let waiting = std::mem::take(&mut *self.0.pending.borrow_mut());
        let alive = waiting
            .iter()
            .filter_map(|node| node.upgrade().map(NodeRef));
        let mut alive: Vec<NodeRef> = alive.collect();
        alive.sort_by_key(|node| node.id);
        alive.dedup_by_key(|node| node.id);
        alive
    }

    /// Memory on a device.
    pub(crate) fn allocate(
        &self,
        on: Device,
        bytes: usize,
        dtype: DType,
        purpose: impl FnOnce() -> Purpose,
    ) -> Result<Buffer> {
        let device = self.backend(on).allocate(bytes, dtype);
        #[cfg(feature = "full")]
        let device = device.or_else(|_| {
            // What only the picture needs goes before a tensor is refused.
            self.trim_step(0);
            self.backend(on).allocate(bytes, dtype)
        });
        let device = device?;
        self.count_allocated(bytes);
        let id = self.0.next_buffer.get();
        self.0.next_buffer.set(id + 1);
        let trace = self.0.trace.clone();
        Ok(Buffer::new(id, bytes, dtype, on, device, trace, purpose))
    }

    /// A leaf from little-endian row-major bytes, on the current device.
    pub fn leaf_bytes(&self, bytes: &[u8], shape: &[usize], dtype: DType) -> Result<NodeRef> {
        shape::check_size("tensor", shape)?;
        self.trim_if_due();
        let expected = shape::numel(shape) * dtype.size();
        if bytes.len() != expected {
            return Err(Error::value(format!(
                "tensor: {} bytes do not fill shape {} of {dtype}, which needs {expected}",
                bytes.len(),
                shape::show(shape)
            )));
        }
        // The node made below is the next one.
        let device = self.device();
        let buffer = self.allocate(device, bytes.len(), dtype, || Purpose {
            node: self.next_node_id(),
            op: primitive::LEAF.name,
            shape: Shape::from_slice(shape),
            dtype,
            span: self.0.span.get(),
        })?;
        self.backend(device).upload(&buffer, bytes)?;
        #[cfg(feature = "full")]
        self.observe(|observer| observer.filled(&buffer, bytes));
        let parts = NodeParts {
            value: Some(buffer),
            ..NodeParts::default()
        };
        Ok(self.node(
            &primitive::LEAF,
            smallvec![],
            Attrs::new(),
            Shape::from_slice(shape),
            dtype,
            false,
            parts,
        ))
    }

    /// An int64 leaf that is not the learner's.
    pub(crate) fn leaf_i64(&self, values: &[i64], shape: &[usize]) -> Result<NodeRef> {
        let mut bytes = shape::reserve("index", values.len().saturating_mul(8))?;
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self.internal_scope(|| self.leaf_bytes(&bytes, shape, DType::I64))
    }

    /// `0 … n − 1` in int64, not the learner's.
    pub(crate) fn arange(&self, n: usize) -> Result<NodeRef> {
        let mut values = shape::reserve("arange", n)?;
        values.extend(0..n as i64);
        self.leaf_i64(&values, &[n])
    }

    /// The bytes of a node, computed if need be.
    ///
    /// # Errors
    /// What the device met; while a step is captured, which cannot wait for values.
    pub fn read(&self, node: &NodeRef) -> Result<Vec<u8>> {
        if self.is_capturing() {
            return Err(Error::runtime(
                "train: a step cannot look at a value (item, tolist, print, if, nonzero, a mask as an index), because nothing waits for it when the step runs again; return the loss, and look at what train() gives",
            ));
        }
        self.bytes(node)
    }

    /// As [`Engine::read`], for those who may look while a step is captured.
    pub(crate) fn bytes(&self, node: &NodeRef) -> Result<Vec<u8>> {
        self.read_buffer(&self.whole(node)?)
    }

    /// Memory with all of a node's elements, row-major and nothing else; computed if need be.
    pub(crate) fn whole(&self, node: &NodeRef) -> Result<Buffer> {
        let whole = self.internal_scope(|| {
            self.apply(
                &primitive::CONTIGUOUS,
                std::slice::from_ref(node),
                Attrs::new(),
            )
        })?;
        self.realize(std::slice::from_ref(&whole))?;
        let Some((base, _)) = self.base(&whole) else {
            return Err(Error::runtime(
                "read: the value was let go; run the line that made it again",
            ));
        };
        base.value().ok_or_else(|| {
            Error::runtime("read: the value is not there; run the line that made it again")
        })
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

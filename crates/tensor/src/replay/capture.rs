//! A captured step: its tasks, its random draws, its inputs, and the values that the next step reads.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use super::copy;
use super::slices::Taken;
use crate::backend::{Buffer, Task, WeakBuffer};
use crate::device::Device;
use crate::dtype::DType;
use crate::graph::{Engine, NodeRef, Observer, StorageHandle};
use crate::kernel::Work;
use crate::node::Span;
use crate::random::Draw;
use crate::shape;
use crate::tensor::Tensor;
use crate::{Error, Result};

/// What a step did.
#[derive(Default)]
pub struct Captured {
    pub(super) tasks: Vec<Noted>,
    /// What it wrote in place.
    pub(super) written: Vec<Weak<dyn StorageHandle>>,
    /// Memory that the host filled, in order; the first ones with the batch.
    pub(super) filled: Vec<Filled>,
    pub(super) n_batch: usize,
    pub(super) drawn: Vec<Drawn>,
    /// What got its value here and is held at the end.
    kept: Vec<(Origin, Watched)>,
    /// What the step before kept and is held still, if there is a step before.
    pub(super) stale: Option<Vec<(Origin, Watched)>>,
    /// Whether something is held for longer.
    is_older_held: bool,
    /// Slices that were taken as copies.
    pub(super) taken: Vec<Taken>,
    /// Why the rest of it was not noted, where it was not.
    stopped: Option<String>,
}

/// How memory got its value in a step: two steps that do the same have the same ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Origin {
    /// By the host: which of its fillings.
    Filled(usize),
    /// By a task, the last one that wrote it, and which of its results it is.
    Task(usize, usize),
}

/// Memory that is watched: see [`Buffer::watch`].
pub(super) struct Watched(pub(super) Buffer);

impl Watched {
    fn new(buffer: &Buffer) -> Watched {
        buffer.watch();
        Watched(buffer.clone())
    }

    /// Whether anything but the capture holds it.
    fn is_held(&self) -> bool {
        self.0.n_holders() > 0
    }
}

impl Clone for Watched {
    fn clone(&self) -> Watched {
        Watched::new(&self.0)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.unwatch();
    }
}

/// Memory and what the host filled it with.
pub(super) struct Filled {
    pub(super) memory: Watched,
    pub(super) bytes: Vec<u8>,
}

/// Random numbers of a step, drawn anew for the next one.
#[derive(Clone)]
pub(super) struct Drawn {
    pub(super) draw: Draw,
    pub(super) dtype: DType,
    pub(super) into: Watched,
}

impl Drawn {
    pub(super) fn is_like(&self, other: &Drawn) -> bool {
        self.draw == other.draw
            && self.dtype == other.dtype
            && self.into.0.bytes() == other.into.0.bytes()
    }
}

/// A task that has run. It keeps no memory: values that nothing needs go while the step runs, as in any other.
pub(super) struct Noted {
    pub(super) work: Work,
    pub(super) inputs: Vec<WeakBuffer>,
    pub(super) outputs: Vec<WeakBuffer>,
    /// What it computes.
    op: &'static str,
    span: Span,
}

impl Noted {
    fn new(task: &Task, op: &'static str, span: Span) -> Noted {
        let (inputs, outputs) = task.ends();
        Noted {
            work: task.work(),
            inputs: inputs.iter().map(Buffer::downgrade).collect(),
            outputs: outputs.iter().map(Buffer::downgrade).collect(),
            op,
            span,
        }
    }

    /// What it reads, and then what it writes.
    pub(super) fn ends(&self) -> impl Iterator<Item = &WeakBuffer> {
        self.inputs.iter().chain(&self.outputs)
    }

    /// An error that names the line.
    pub(super) fn error(&self, what: &str) -> Error {
        Error::runtime(format!(
            "train: {}{what}",
            match self.span.line {
                0 => format!("{}: ", self.op),
                line => format!("line {line}, {}: ", self.op),
            }
        ))
    }
}

impl Captured {
    /// Why the step cannot run again, where something in it cannot.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// What got its value here, and how.
    pub(super) fn origins(&self) -> HashMap<u64, (Origin, WeakBuffer)> {
        let filled = self.filled.iter().enumerate();
        let filled =
            filled.map(|(i, Filled { memory, .. })| (Origin::Filled(i), memory.0.downgrade()));
        let tasks = self.tasks.iter().enumerate();
        let written = tasks.flat_map(|(i, noted)| {
            let outputs = noted.outputs.iter().enumerate();
            outputs.map(move |(o, output)| (Origin::Task(i, o), output.clone()))
        });
        let all = filled.chain(written);
        all.map(|(origin, memory)| (memory.id(), (origin, memory)))
            .collect()
    }

    /// Sees what is held at the end, right after the step.
    fn settle(&mut self, before: Option<&Captured>) {
        let origins = self.origins();
        if let Some(before) = before {
            let is_left = |(_, memory): &&(Origin, Watched)| {
                memory.is_held() && !origins.contains_key(&memory.0.id())
            };
            self.stale = Some(before.kept.iter().filter(is_left).cloned().collect());
            let mut older = before.stale.iter().flatten();
            self.is_older_held = older.any(|kept| is_left(&kept));
        }
        let there = origins.into_values().filter_map(|(origin, memory)| {
            let watched = Watched::new(&memory.upgrade()?);
            Some((origin, watched))
        });
        self.kept = there.filter(|(_, memory)| memory.is_held()).collect();
    }

    /// Whether steps keep the same of what earlier ones made.
    pub(super) fn keeps_as(&self, before: &Captured) -> bool {
        let sorted = |captured: &Captured| {
            let stale = captured.stale.iter().flatten();
            let mut origins: Vec<Origin> = stale.map(|(origin, _)| *origin).collect();
            origins.sort_unstable();
            origins
        };
        !self.is_older_held && sorted(self) == sorted(before)
    }
}

/// What is noted while a step runs.
#[derive(Default)]
pub(super) struct Capture(pub(super) RefCell<Captured>);

impl Observer for Capture {
    fn ran(&self, task: &Task, node: &NodeRef) {
        let noted = Noted::new(task, node.op.name, node.span);
        self.0.borrow_mut().tasks.push(noted);
    }

    fn filled(&self, memory: &Buffer, bytes: &[u8]) {
        self.0.borrow_mut().filled.push(Filled {
            memory: Watched::new(memory),
            bytes: bytes.to_vec(),
        });
    }

    fn written(&self, storage: &Rc<dyn StorageHandle>) {
        self.0.borrow_mut().written.push(Rc::downgrade(storage));
    }

    fn has_written(&self, memory: &Buffer) -> bool {
        let captured = self.0.borrow();
        let mut outputs = captured.tasks.iter().flat_map(|noted| &noted.outputs);
        outputs.any(|output| output.id() == memory.id())
    }

    fn stopped(&self, why: &str, line: u32) {
        let line = match line {
            0 => String::new(),
            line => format!("line {line}: "),
        };
        self.0.borrow_mut().stopped = Some(format!("{line}{why}"));
    }
}

/// What an engine notes now.
pub(super) fn capture_of(engine: &Engine) -> Option<Rc<Capture>> {
    let observer: Rc<dyn Any> = engine.0.recorder.observer.borrow().clone()?;
    observer.downcast().ok()
}

impl Engine {
    /// Runs something on a batch, which lies on a device in memory of its own, and notes what the devices were
    /// asked meanwhile; `before` is the step before, if it was noted. All that waits runs before, and all that
    /// waits then runs at its end. The stage does not see it. Another capture that this one is inside of ends here.
    ///
    /// # Errors
    /// What waits at the end cannot be computed.
    pub fn capture<T>(
        &self,
        before: Option<&Captured>,
        batch: &[Tensor],
        device: Device,
        run: impl FnOnce(&[NodeRef]) -> T,
    ) -> Result<(T, Vec<NodeRef>, Captured)> {
        self.stop_capturing("it trains by itself");
        // An error belongs to the line that reads the value, and comes again there.
        let _ = self.run_held();
        let values = batch.iter().map(|tensor| self.read(&tensor.node()));
        let values = values.collect::<Result<Vec<Vec<u8>>>>()?;
        let capture = Rc::new(Capture::default());
        *self.0.recorder.observer.borrow_mut() = Some(capture.clone());
        let recording = self.0.recorder.trace.set_recording(false);
        let held = batch.iter().zip(&values).map(|(tensor, bytes)| {
            let (shape, dtype) = (tensor.shape(), tensor.dtype());
            self.on_device(device, || self.leaf_bytes(bytes, &shape, dtype))
        });
        let held: Result<Vec<NodeRef>> = held.collect();
        let result = held.map(|held| (run(&held), held));
        let ran = self.run_held();
        self.0.recorder.trace.set_recording(recording);
        drop(self.0.recorder.observer.take());
        let mut captured = capture.0.take();
        let (result, held) = result?;
        ran?;
        let mut taken = captured.taken.iter();
        taken.try_for_each(|taken| taken.check(&captured.written))?;
        captured.n_batch = held.len();
        captured.settle(before);
        Ok((result, held, captured))
    }

    /// Notes that a tensor was just drawn from the engine's own generator: it is drawn anew whenever what
    /// is noted now runs again.
    pub fn drew(&self, tensor: &Tensor, draw: Draw) {
        if let (Some(capture), Some(into)) = (capture_of(self), tensor.node().value()) {
            capture.0.borrow_mut().drawn.push(Drawn {
                draw,
                dtype: tensor.dtype(),
                into: Watched::new(&into),
            });
        }
    }

    /// A number in memory that the host fills before each run of a step ([`Engine::feed`]), in a dtype of floats.
    /// Making it is not noted.
    ///
    /// # Errors
    /// The device has no memory.
    pub fn fed_number(&self, number: f64, dtype: DType, device: Device) -> Result<NodeRef> {
        let bytes = float_bytes(number, dtype)?;
        self.unnoted(|| self.on_device(device, || self.leaf_bytes(&bytes, &[], dtype)))
    }

    /// Gives a number that the host feeds another value at once.
    ///
    /// # Errors
    /// What the device met.
    pub fn feed(&self, node: &NodeRef, number: f64) -> Result<()> {
        let memory = node.value();
        let memory = memory.ok_or_else(|| Error::runtime("train: a number was let go"))?;
        let bytes = float_bytes(number, node.dtype)?;
        self.backend(memory.on()).upload(&memory, &bytes)
    }

    /// Gives a leaf of a batch another value at once: what runs again reads that one.
    ///
    /// # Errors
    /// Another shape or dtype; the value cannot be computed.
    pub fn fill(&self, held: &NodeRef, value: &Tensor) -> Result<()> {
        let node = value.node();
        let memory = held.value();
        let (Some(memory), true) = (memory, held.shape == node.shape && held.dtype == node.dtype)
        else {
            return Err(Error::runtime(format!(
                "train: expected a batch of shape {} and {}, got {} and {}",
                shape::show(&held.shape),
                held.dtype,
                shape::show(&node.shape),
                node.dtype
            )));
        };
        let source = self.whole(&node)?;
        let backend = self.backend(memory.on());
        if source.on() != memory.on() {
            return backend.upload(&memory, &self.read_buffer(&source)?);
        }
        let task = copy(&source, &memory, held.dtype);
        backend.submit(&[task]).map_err(|(_, error)| error)
    }
}

fn float_bytes(number: f64, dtype: DType) -> Result<Vec<u8>> {
    match dtype {
        DType::F64 => Ok(number.to_le_bytes().to_vec()),
        DType::F32 => Ok((number as f32).to_le_bytes().to_vec()),
        other => Err(Error::runtime(format!(
            "train: a number that changes is float32 or float64, not {other}"
        ))),
    }
}

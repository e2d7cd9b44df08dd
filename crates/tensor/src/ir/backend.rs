//! What a device must offer. A backend names no op of the registry, and no op names a backend.
//!
//! Reading is asynchronous by nature: `begin_read` starts it, `PendingRead::poll` asks. Only the
//! session blocks, in its own way.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;
#[cfg(feature = "full")]
use std::rc::Weak;
use std::slice;

use crate::Result;
use crate::device::Device;
use crate::dtype::DType;
use crate::fused_op::Family;
use crate::kernel::{Kernel, Routine, Work};
use crate::trace::{Purpose, Trace};

/// Bytes on a device.
#[derive(Clone)]
pub struct Buffer(Rc<BufferInner>);

struct BufferInner {
    id: u64,
    bytes: usize,
    #[cfg_attr(not(feature = "full"), allow(dead_code, reason = "replay.rs asks"))]
    dtype: DType,
    on: Device,
    device: Option<Box<dyn Any>>,
    trace: Trace,
    /// How many of its holders do not count.
    watchers: Cell<usize>,
}

impl Buffer {
    pub(crate) fn new(
        id: u64,
        bytes: usize,
        dtype: DType,
        on: Device,
        device: Box<dyn Any>,
        trace: Trace,
        purpose: impl FnOnce() -> Purpose,
    ) -> Buffer {
        trace.allocated(id, bytes, purpose);
        let device = Some(device);
        Buffer(Rc::new(BufferInner {
            id,
            bytes,
            dtype,
            on,
            device,
            trace,
            watchers: Cell::default(),
        }))
    }

    /// A number no other buffer of the engine has.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Where it is.
    pub fn on(&self) -> Device {
        self.0.on
    }

    /// How many owners it has; handles that only watch do not count.
    pub(crate) fn n_holders(&self) -> usize {
        Rc::strong_count(&self.0) - self.0.watchers.get()
    }

    /// The backend's own handle, as [`Backend::allocate`] returned it.
    pub fn device<T: 'static>(&self) -> Option<&T> {
        self.0.device.as_ref()?.downcast_ref()
    }
}

#[cfg(feature = "full")]
impl Buffer {
    /// Counts one of its handles as a watcher, which does not keep the planner from reusing the buffer.
    pub(crate) fn watch(&self) {
        self.0.watchers.set(self.0.watchers.get() + 1);
    }

    /// The opposite of [`Buffer::watch`].
    pub(crate) fn unwatch(&self) {
        self.0.watchers.set(self.0.watchers.get().saturating_sub(1));
    }

    pub(crate) fn downgrade(&self) -> WeakBuffer {
        WeakBuffer {
            id: self.0.id,
            bytes: self.0.bytes,
            dtype: self.0.dtype,
            on: self.0.on,
            buffer: Rc::downgrade(&self.0),
        }
    }
}

/// A buffer that may be gone: which one it is stays known, and its memory goes as if nothing pointed to it.
#[cfg(feature = "full")]
#[derive(Clone)]
pub(crate) struct WeakBuffer {
    id: u64,
    bytes: usize,
    dtype: DType,
    on: Device,
    buffer: Weak<BufferInner>,
}

#[cfg(feature = "full")]
impl WeakBuffer {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn on(&self) -> Device {
        self.on
    }

    /// What it was made for; a task may have written another dtype of that size since.
    pub(crate) fn made_for(&self) -> DType {
        self.dtype
    }

    /// The buffer, where something holds it still.
    pub(crate) fn upgrade(&self) -> Option<Buffer> {
        self.buffer.upgrade().map(Buffer)
    }
}

impl Drop for BufferInner {
    fn drop(&mut self) {
        // The backend takes its memory back first, so that its pool is told of as it is afterwards.
        drop(self.device.take());
        self.trace.freed(self.id, self.bytes);
    }
}

/// One thing to run. Buffers are row-major and distinct from each other, except that an input may
/// appear more than once, and that an output of a kernel without reduction may be the buffer
/// of an input that is read once, row-major, element for element.
#[derive(Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "a plan has few tasks, and a box each would be slower"
)]
pub enum Task {
    /// A generated kernel; one output buffer for each of [`Kernel::outputs`].
    Kernel {
        /// What to compute.
        kernel: Rc<Kernel>,
        /// One for each of [`Kernel::inputs`].
        inputs: Vec<Buffer>,
        /// Written entirely.
        outputs: Vec<Buffer>,
    },
    /// A routine.
    Routine {
        /// What to compute.
        routine: Routine,
        /// In the order the routine names.
        inputs: Vec<Buffer>,
        /// Written entirely.
        output: Buffer,
    },
}

impl Task {
    /// Work on this memory.
    pub(crate) fn new(work: Work, inputs: Vec<Buffer>, mut outputs: Vec<Buffer>) -> Task {
        match work {
            Work::Kernel(kernel) => Task::Kernel {
                kernel,
                inputs,
                outputs,
            },
            Work::Routine(routine) => Task::Routine {
                routine,
                inputs,
                output: outputs.swap_remove(0),
            },
        }
    }

    /// What it computes.
    pub fn work(&self) -> Work {
        match self {
            Task::Kernel { kernel, .. } => Work::Kernel(kernel.clone()),
            Task::Routine { routine, .. } => Work::Routine(routine.clone()),
        }
    }

    /// What it reads, and what it writes: at least one buffer.
    pub fn ends(&self) -> (&[Buffer], &[Buffer]) {
        match self {
            Task::Kernel {
                inputs, outputs, ..
            } => (inputs, outputs),
            Task::Routine { inputs, output, .. } => (inputs, slice::from_ref(output)),
        }
    }
}

/// Tasks that a device keeps, ready to run again.
pub trait Recording {
    /// Runs them in order, as [`Backend::submit`] does.
    ///
    /// # Errors
    /// As those of [`Backend::submit`].
    fn run(&self) -> Result<(), (usize, crate::Error)>;
}

/// A read under way.
pub trait PendingRead {
    /// The bytes once they are there.
    fn poll(&mut self) -> Option<Result<Vec<u8>>>;
}

/// A read that was done at once.
pub struct Ready(Option<Vec<u8>>);

impl Ready {
    /// With these bytes.
    pub fn new(bytes: Vec<u8>) -> Ready {
        Ready(Some(bytes))
    }
}

impl PendingRead for Ready {
    fn poll(&mut self) -> Option<Result<Vec<u8>>> {
        let taken = || crate::Error::runtime("this read was taken already");
        Some(self.0.take().ok_or_else(taken))
    }
}

/// Told how far a device has come with what takes long: what it is, how much is done, of how much.
pub type Watcher = dyn Fn(&str, usize, usize);

/// A device that computes.
pub trait Backend {
    /// What it is, in words: `cpu (avx2)`.
    fn name(&self) -> String;

    /// Memory for `bytes` bytes of elements, contents unspecified; dropped when the last [`Buffer`]
    /// goes. What a task writes there may be of another dtype of that size. The error says how much
    /// was asked and how much there is.
    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>>;

    /// How many bytes wait for reuse, kept up to date; none without a pool.
    fn pooled(&self) -> Option<Rc<Cell<usize>>> {
        None
    }

    /// Fills a buffer; `bytes` has its size.
    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()>;

    /// Runs tasks in order, at once or by the next [`Backend::flush`] or read. An error (an index out
    /// of range) comes with the task's position.
    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, crate::Error)>;

    /// Begins what was submitted and has not begun.
    fn flush(&self) -> Result<()> {
        Ok(())
    }

    /// Keeps tasks that will run again and again on the same buffers, so that each time costs less than
    /// submitting them; none where it would not. What they read may be filled anew in between.
    fn record(&self, tasks: &[Task]) -> Option<Box<dyn Recording>> {
        let _ = tasks;
        None
    }

    /// Starts reading a whole buffer.
    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>>;

    /// Runs a shader of the user's own at once: `inputs` are its first bindings, `output` the next.
    ///
    /// # Errors
    /// What does not compile, by line; a device that runs none.
    #[cfg(feature = "codegen")]
    fn run_source(
        &self,
        source: &str,
        inputs: &[Buffer],
        output: &Buffer,
        groups: [u32; 3],
    ) -> Result<()> {
        let _ = (source, inputs, output, groups);
        Err(crate::Error::not_implemented(format!(
            "shader: {} runs no WGSL; move the inputs to a GPU with .to(\"webgpu\")",
            self.name()
        )))
    }

    /// What it runs for a routine of so many inputs and elements of the result, as source; none if that
    /// is no text.
    fn source(&self, routine: &Routine, n_inputs: usize, n_output: usize) -> Option<String> {
        let _ = (routine, n_inputs, n_output);
        None
    }

    /// Whether it has the [`crate::fused_op::FusedOp`]s of this family as one kernel each.
    fn supports_fused_op(&self, family: Family) -> bool {
        let _ = family;
        false
    }

    /// Whether a layer's long sum with few results is best taken in parts, which a second kernel adds: where many
    /// results are computed at once.
    fn splits_long_sums(&self) -> bool {
        false
    }

    /// How many results one kernel without reduction can store, each in a buffer of its own.
    fn max_outputs(&self) -> usize {
        1
    }

    /// Whether it computes a routine and this kernel of its result in one task
    /// ([`Routine::WithEpilogue`]).
    fn takes_epilogue(&self, routine: &Routine, epilogue: &Kernel) -> bool {
        let _ = (routine, epilogue);
        false
    }

    /// Whether what the device cannot do is an error from now on, or done by the processor.
    fn set_strict(&self, on: bool) {
        let _ = on;
    }

    /// Sets what is told of work that takes long, while it runs.
    #[cfg(feature = "codegen")]
    fn watch(&self, watcher: Rc<Watcher>) {
        let _ = watcher;
    }

    /// What has happened to the device that a user should know, each thing once: a sentence each.
    fn news(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A backend that is observed.
impl<B: Backend + ?Sized> Backend for Rc<B> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        (**self).allocate(bytes, dtype)
    }

    fn pooled(&self) -> Option<Rc<Cell<usize>>> {
        (**self).pooled()
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        (**self).upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, crate::Error)> {
        (**self).submit(tasks)
    }

    fn flush(&self) -> Result<()> {
        (**self).flush()
    }

    fn record(&self, tasks: &[Task]) -> Option<Box<dyn Recording>> {
        (**self).record(tasks)
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        (**self).begin_read(buffer)
    }

    #[cfg(feature = "codegen")]
    fn run_source(
        &self,
        source: &str,
        inputs: &[Buffer],
        output: &Buffer,
        groups: [u32; 3],
    ) -> Result<()> {
        (**self).run_source(source, inputs, output, groups)
    }

    fn source(&self, routine: &Routine, n_inputs: usize, n_output: usize) -> Option<String> {
        (**self).source(routine, n_inputs, n_output)
    }

    fn supports_fused_op(&self, family: Family) -> bool {
        (**self).supports_fused_op(family)
    }

    fn splits_long_sums(&self) -> bool {
        (**self).splits_long_sums()
    }

    fn max_outputs(&self) -> usize {
        (**self).max_outputs()
    }

    fn takes_epilogue(&self, routine: &Routine, epilogue: &Kernel) -> bool {
        (**self).takes_epilogue(routine, epilogue)
    }

    fn set_strict(&self, on: bool) {
        (**self).set_strict(on);
    }

    #[cfg(feature = "codegen")]
    fn watch(&self, watcher: Rc<Watcher>) {
        (**self).watch(watcher);
    }

    fn news(&self) -> Vec<String> {
        (**self).news()
    }
}

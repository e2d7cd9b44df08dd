//! The GPU backend, on wgpu: Vulkan, Metal and DX12 natively, WebGPU in a page.
//!
//! [`GpuBackend`] runs a fused kernel as the WGSL that [`glowgrad_tensor::codegen::shader`] prints,
//! and a routine as the WGSL in `shaders/`. Tasks wait one after the other and are sent together,
//! when something is read. What a GPU cannot do (float64, factoring of matrices, an int64 beyond 32
//! bits, float16 where the adapter has it not) runs on the CPU, and the values find their way:
//! [`GpuBackend::fallbacks`] says how often and why.

mod adapter;
mod bindings;
mod buffer;
mod commands;
mod device;
mod dispatch;
mod health;
mod journal;
mod pipelines;
mod prepare;
mod routines;
mod shaders;
mod source;
mod wait;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use glowgrad_cpu::{CpuFallback, Host, Policy, Refusal, check_rows};
use glowgrad_tensor::backend::{Backend, Buffer, PendingRead, Ready, Task, Watcher};
use glowgrad_tensor::fused_op::Family;
use glowgrad_tensor::kernel::{Kernel, MAX_OUTPUTS, Routine, Work};
use glowgrad_tensor::{DType, Error, Result, interrupt};

pub use adapter::{Adapter, adapters};
pub use pipelines::{Precompile, Wanted};
pub use routines::{sources, with_epilogue};
pub use wait::BlockOn;
#[cfg(not(target_arch = "wasm32"))]
pub use wait::block_on;
pub use wgpu::Device;

use buffer::{BufferHandle, GpuBuffer, Value};
use commands::Command;
use device::Gpu;
use dispatch::{BoundTask, Dispatch, ExecItem, Prepared, grouped};
use health::Trouble;
use journal::{Journal, Note};
use prepare::prepare;
use wait::pause;

/// Dispatches that wait for a read before they are sent without one: a step of training is sent whole,
/// and a loop that reads nothing does not pile up.
const MOST_WAITING: usize = 256;

/// How often in a row a device is opened anew before the processor takes over.
const MOST_TRIES: usize = 8;

/// How often a browser is asked for its first device.
const MOST_OPENINGS: usize = 6;

/// Milliseconds before the second try to open a device, and twice as many before each further one: what
/// has crashed takes its time to begin again.
const FIRST_PAUSE: u32 = 25;

/// What this backend is called: by its API in a page, by its library elsewhere.
const NAME: &str = if cfg!(target_arch = "wasm32") {
    "webgpu"
} else {
    "wgpu"
};

const NO_ADAPTER: &str = if cfg!(target_arch = "wasm32") {
    "webgpu: this browser offers no GPU; use a current Chrome, Edge, Safari or Firefox, or device=\"cpu\""
} else {
    "wgpu: this computer has no Vulkan, Metal or DX12 device; install its driver (on Linux without a GPU: mesa-vulkan-drivers), or use --device cpu"
};

/// What the processor takes over.
const POLICY: Policy = Policy {
    device: NAME,
    integers: "integers from what the host knows",
    most_integers: usize::MAX,
};

/// Computes on a GPU, and on this processor what a GPU cannot.
pub struct GpuBackend {
    gpu: Rc<Gpu>,
    dispatch: Dispatch,
    journal: Journal,
    /// What the device cannot, and what there is to tell.
    cpu_fallback: CpuFallback,
    /// Why the device is no longer used, if so.
    gone: Cell<Option<&'static str>>,
    /// How often a device was lost.
    n_losses: Cell<usize>,
    /// What it refused last, if it was not read since.
    refused: RefCell<Option<String>>,
    is_replaying: Cell<bool>,
    /// What is not yet sent.
    commands: RefCell<Vec<Command>>,
    /// How many dispatches that is.
    waiting: Cell<usize>,
    submits: Cell<usize>,
    dispatches: Cell<usize>,
}

impl Adapter {
    /// A backend on it.
    ///
    /// # Errors
    /// The driver gives no device: its reason.
    pub fn open(self, block_on: BlockOn) -> Result<GpuBackend> {
        let is_software = self.is_software;
        let backend = GpuBackend::on(Gpu::new(self.device(block_on)?, block_on));
        if is_software {
            backend.say(format!(
                "{} is a program on the processor: device=\"cpu\" is faster",
                backend.name()
            ));
        }
        Ok(backend)
    }
}

impl GpuBackend {
    /// A backend on the adapter that suits best: a discrete GPU, another one, a software adapter.
    ///
    /// # Errors
    /// No adapter, or one that gives no device: what is missing.
    pub fn open(block_on: BlockOn) -> Result<GpuBackend> {
        // A browser whose GPU process has ended offers nothing until it has begun another.
        let n_tries = match cfg!(target_arch = "wasm32") {
            true => MOST_OPENINGS,
            false => 1,
        };
        let mut opened = GpuBackend::open_once(block_on);
        for attempt in 1..n_tries {
            if opened.is_ok() {
                break;
            }
            pause(block_on, FIRST_PAUSE << (attempt - 1));
            opened = GpuBackend::open_once(block_on);
        }
        opened
    }

    fn open_once(block_on: BlockOn) -> Result<GpuBackend> {
        let adapter = adapters(block_on).into_iter().next();
        adapter
            .ok_or_else(|| Error::not_implemented(NO_ADAPTER))?
            .open(block_on)
    }

    fn on(gpu: Gpu) -> GpuBackend {
        let gpu = Rc::new(gpu);
        GpuBackend {
            dispatch: Dispatch::new(gpu.clone()),
            journal: Journal::default(),
            gpu,
            cpu_fallback: CpuFallback::new(POLICY),
            gone: Cell::default(),
            n_losses: Cell::default(),
            refused: RefCell::default(),
            is_replaying: Cell::default(),
            commands: RefCell::default(),
            waiting: Cell::default(),
            submits: Cell::default(),
            dispatches: Cell::default(),
        }
    }

    /// Sets the function that compiles shaders before wgpu is asked for them: a browser can do so beside the page.
    pub fn set_precompile(&self, precompile: Precompile) {
        self.gpu.set_precompile(precompile);
    }

    /// Submits of the queue so far.
    pub fn submits(&self) -> usize {
        self.submits.get()
    }

    /// Dispatches of shaders so far.
    pub fn dispatches(&self) -> usize {
        self.dispatches.get()
    }

    /// Pipelines made so far.
    pub fn pipelines(&self) -> usize {
        self.dispatch.n_pipelines()
    }

    /// Whether it computes float16, which is an extension of WGSL that not every adapter has.
    pub fn has_f16(&self) -> bool {
        self.gpu.lacks(DType::F16).is_none()
    }

    /// Why tasks ran on the CPU so far, and how many did.
    pub fn fallbacks(&self) -> BTreeMap<String, usize> {
        self.cpu_fallback.counts()
    }

    /// Asks the device for a shader that it must refuse; tests see that no value is lost.
    pub fn ask_nonsense(&self) {
        self.dispatch.ask_nonsense();
    }

    /// Destroys the device, as a driver that crashes does; tests see that no value is lost.
    pub fn destroy_device(&self) {
        self.gpu.device().destroy();
    }

    /// Sends what waits.
    fn send(&self) {
        let commands = self.commands.take();
        if !commands.is_empty() {
            self.dispatch.send(&commands);
            self.gpu.sent();
            self.journal.sent();
            self.waiting.set(0);
            self.submits.set(self.submits.get() + 1);
        }
    }

    /// Runs a task, wherever it can.
    fn run(&self, task: &BoundTask) -> Result<On> {
        if self.is_index_arithmetic(task) {
            return self.fall_back(task, self.cpu_fallback.index_arithmetic());
        }
        loop {
            let device = self.n_losses.get();
            let prepared = match self.gone.get() {
                Some(why) => Err(Refusal::Silent(why)),
                None => prepare(&self.dispatch, task),
            };
            let prepared = match prepared {
                Ok(prepared) => prepared,
                Err(refusal) => return self.fall_back(task, refusal),
            };
            self.check(&prepared, task)?;
            // Indices may have been waited for, and the device lost meanwhile.
            if self.n_losses.get() == device {
                return self.add(&prepared, task);
            }
        }
    }

    fn is_index_arithmetic(&self, task: &BoundTask) -> bool {
        let Work::Kernel(kernel) = &task.work else {
            return false;
        };
        let is_known = |i: usize| task.inputs[i].is_on_host();
        self.cpu_fallback.is_index_arithmetic(kernel, is_known)
    }

    /// Whether indices name rows.
    fn check(&self, prepared: &Prepared, task: &BoundTask) -> Result<()> {
        for item in &prepared.items {
            if let ExecItem::Check { input, rows } = item {
                check_rows(&*self.on_host(&task.inputs[*input])?, *rows)?;
            }
        }
        Ok(())
    }

    /// Adds a task to what waits.
    fn add(&self, prepared: &Prepared, task: &BoundTask) -> Result<On> {
        let mut further = Vec::new();
        for item in &prepared.items {
            if let ExecItem::Group { input, rows } = item {
                let index = self.on_host(&task.inputs[*input])?;
                for words in grouped(bytemuck::cast_slice(index.bytes()), *rows) {
                    further.push(self.words(&words)?);
                }
            }
        }
        for input in task.inputs.iter().map(|input| &**input).chain(&further) {
            input.to_device()?;
        }
        if !self.dispatch.has_room(prepared) {
            self.send();
        }
        let mut commands = self.commands.borrow_mut();
        let n = self.dispatch.add(prepared, task, &further, &mut commands)?;
        // What is encoded later may have their buffers.
        further.iter().for_each(GpuBuffer::clear);
        self.dispatches.set(self.dispatches.get() + n);
        self.waiting.set(self.waiting.get() + n);
        Ok(On::Device)
    }

    /// Words for the device, for one task.
    fn words(&self, words: &[i32]) -> Result<GpuBuffer> {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let buffer = GpuBuffer::new(self.gpu.clone(), bytes.len(), DType::I32);
        buffer.set_host(value(bytes, DType::I32)?);
        Ok(buffer)
    }

    /// Runs a task on the CPU.
    fn fall_back(&self, task: &BoundTask, refusal: Refusal) -> Result<On> {
        // A result without elements is computed nowhere.
        if task.n_output() > 0 {
            self.cpu_fallback.admit(refusal)?;
        }
        let inputs = task.inputs.iter().map(|input| self.on_host(input));
        let inputs = inputs.collect::<Result<Vec<Rc<Host>>>>()?;
        let sizes = task.outputs.iter().map(|output| output.bytes());
        let hosts = self.cpu_fallback.run(&task.work, &inputs, sizes)?;
        let results = task.results().zip(hosts);
        let values = results.map(|((output, dtype), host)| {
            let host = Rc::new(host);
            let value = Value { host, dtype };
            output.set_host(value.clone());
            value
        });
        Ok(On::Host(values.collect()))
    }

    /// A value on the host, whatever becomes of the device meanwhile.
    fn on_host(&self, buffer: &GpuBuffer) -> Result<Rc<Host>> {
        for _ in 0..=MOST_TRIES {
            let Some((words, bytes)) = buffer.to_read() else {
                return buffer.to_host(None);
            };
            // The copy goes with what waits: one submit for a step and its loss.
            let (staging, copy) = self.gpu.copy_out(&words, bytes);
            self.commands.borrow_mut().push(copy);
            self.send();
            let words = self.gpu.read(staging, bytes);
            match (words, self.gpu.trouble()) {
                (Ok(words), _) => {
                    self.refused.take();
                    return buffer.to_host(Some(&words));
                }
                (Err(error), None) => return Err(error),
                (Err(_), Some(trouble)) => self.recover(&trouble)?,
            }
        }
        self.move_to_host("it was lost again and again")?;
        buffer.to_host(None)
    }

    /// Has every value computed again that was on a device which is no longer there.
    fn recover(&self, trouble: &Trouble) -> Result<()> {
        // A device that is lost again meanwhile is the business of the recovery that runs already.
        if self.is_replaying.replace(true) {
            return Err(Error::runtime(format!("{NAME}: the GPU was lost again")));
        }
        let recovered = interrupt::paused(|| match trouble {
            Trouble::Lost => self.reopen("was lost"),
            Trouble::OutOfMemory => self.move_to_host("it ran out of memory"),
            // A device that is about to be lost says all kinds of things; one that is not says the same again.
            Trouble::Refused(what) => match self.refused.replace(Some(what.clone())) {
                Some(before) if before == *what => {
                    self.move_to_host("it refused what it was asked again")
                }
                _ => self.reopen(&format!("refused what it was asked ({what}), was closed")),
            },
        });
        self.is_replaying.set(false);
        recovered
    }

    /// Has a new device compute what was on the lost one; the processor, if none lasts.
    fn reopen(&self, why: &str) -> Result<()> {
        let mut failure = "";
        for attempt in 0..MOST_TRIES {
            self.forget();
            if attempt > 0 {
                pause(self.gpu.block_on(), FIRST_PAUSE << (attempt - 1));
            }
            if self.gpu.reopen().is_err() {
                failure = "it was lost and cannot be opened again";
                continue;
            }
            failure = "it was lost again and again";
            match self.journal.replay(|task| self.run(task).map(drop)) {
                Ok(n_tasks) => {
                    self.say(format!(
                        "{NAME}: the GPU {why} and opened again; {n_tasks} kernels ran once more, and no value is lost"
                    ));
                    return Ok(());
                }
                Err(error) if self.gpu.trouble().is_none() => return Err(error),
                Err(_) => {}
            }
        }
        self.move_to_host(failure)
    }

    /// Has the processor compute from now on, and every value again that was on the device.
    fn move_to_host(&self, why: &'static str) -> Result<()> {
        self.forget();
        self.gone.set(Some(why));
        self.journal.replay(|task| self.run(task).map(drop))?;
        self.say(format!(
            "{NAME}: the GPU is not used any more: {why}; everything was moved to the CPU, and no value is lost"
        ));
        Ok(())
    }

    fn forget(&self) {
        self.n_losses.set(self.n_losses.get() + 1);
        self.commands.take();
        self.waiting.set(0);
        self.dispatch.forget();
    }

    fn say(&self, text: String) {
        self.cpu_fallback.say(text);
    }
}

/// Where a task ran.
enum On {
    Device,
    Host(Vec<Value>),
}

/// Bytes of the host as a value.
fn value(bytes: &[u8], dtype: DType) -> Result<Value> {
    Ok(Value {
        host: Rc::new(Host::of(bytes)?),
        dtype,
    })
}

fn gpu_buffer(buffer: &Buffer) -> Result<Rc<GpuBuffer>> {
    let handle = buffer.device::<BufferHandle>();
    handle.map(|handle| handle.0.clone()).ok_or_else(|| {
        Error::runtime(format!(
            "{NAME}: internal error: a buffer of another device was given to the GPU; please report this"
        ))
    })
}

impl Backend for GpuBackend {
    fn name(&self) -> String {
        format!("{NAME} ({})", self.gpu.name())
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        let buffer = Rc::new(GpuBuffer::new(self.gpu.clone(), bytes, dtype));
        self.journal.follow(&buffer);
        Ok(Box::new(BufferHandle(buffer)))
    }

    fn pooled(&self) -> Option<Rc<Cell<usize>>> {
        Some(self.gpu.pooled())
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        if buffer.bytes() != bytes.len() {
            return Err(Error::runtime(format!(
                "{NAME}: upload: got {} bytes for a buffer of {}",
                bytes.len(),
                buffer.bytes()
            )));
        }
        let target = gpu_buffer(buffer)?;
        let value = value(bytes, target.dtype())?;
        target.set_host(value.clone());
        self.journal.note(Note::Given(target, value));
        Ok(())
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        for (i, task) in tasks.iter().enumerate() {
            let ran = BoundTask::of(task).and_then(|bound| {
                match self.run(&bound)? {
                    On::Device => self.journal.note(Note::Ran(Rc::new(bound))),
                    On::Host(values) => {
                        let given = bound.outputs.into_iter().zip(values);
                        given.for_each(|(output, value)| {
                            self.journal.note(Note::Given(output, value));
                        });
                    }
                }
                Ok(())
            });
            ran.map_err(|error| (i, error))?;
        }
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        self.gpu.settle();
        if let Some(trouble) = self.gpu.trouble().filter(|_| self.gone.get().is_none()) {
            return self.recover(&trouble);
        }
        self.journal.settle()?;
        let checkpoint = self.journal.begin(&self.gpu);
        self.commands.borrow_mut().extend(checkpoint);
        if self.waiting.get() >= MOST_WAITING {
            self.send();
        }
        Ok(())
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        let source = gpu_buffer(buffer)?;
        let host = self.on_host(&source)?;
        Ok(Box::new(Ready::new(host.bytes().to_vec())))
    }

    fn run_source(
        &self,
        source: &str,
        inputs: &[Buffer],
        output: &Buffer,
        groups: [u32; 3],
    ) -> Result<()> {
        if let Some(why) = self.gone.get() {
            return Err(Error::runtime(format!(
                "shader: the GPU is not used any more: {why}; start the session anew"
            )));
        }
        let output = gpu_buffer(output)?;
        let all = inputs.iter().map(gpu_buffer).chain([Ok(output.clone())]);
        let mut buffers = Vec::new();
        for buffer in all {
            let buffer = buffer?;
            buffer.reaches_device().map_err(|why| {
                Error::not_implemented(format!("shader: {why}; use float32, int32 or bool"))
            })?;
            buffer.to_device()?;
            // The tensor's own words, so that `arrayLength` is how many elements it has; float16s come in twos.
            let bytes = buffer.device_bytes(buffer.dtype());
            buffers.push((buffer.device()?, bytes));
        }
        self.send();
        // The host's copy of the zeros is no longer the value.
        output.device_for(output.dtype());
        source::run(&self.gpu, source, &buffers, groups)?;
        // What a shader of a user's wrote is not computed again: it is kept.
        let value = Value {
            host: self.on_host(&output)?,
            dtype: output.dtype(),
        };
        self.journal.note(Note::Given(output, value));
        Ok(())
    }

    fn source(&self, routine: &Routine, n_inputs: usize, n_output: usize) -> Option<String> {
        if self.gone.get().is_some() {
            return None;
        }
        let work = Work::Routine(routine.clone());
        // A buffer that no task writes takes no memory.
        let buffer = |n: usize, dtype: DType| {
            Rc::new(GpuBuffer::new(self.gpu.clone(), n * dtype.size(), dtype))
        };
        let task = BoundTask {
            inputs: (0..n_inputs).map(|_| buffer(1, DType::F32)).collect(),
            outputs: vec![buffer(n_output, work.dtype())],
            work,
        };
        let prepared = prepare(&self.dispatch, &task).ok()?;
        prepared.items.iter().rev().find_map(|item| match item {
            ExecItem::Run { pipeline, .. } => Some(pipeline.source.clone()),
            _ => None,
        })
    }

    fn supports_fused_op(&self, _: Family) -> bool {
        self.gone.get().is_none()
    }

    fn splits_long_sums(&self) -> bool {
        true
    }

    fn max_outputs(&self) -> usize {
        MAX_OUTPUTS
    }

    fn takes_epilogue(&self, routine: &Routine, epilogue: &Kernel) -> bool {
        self.gone.get().is_none()
            && routines::takes_epilogue(routine)
            && self.dispatch.lacks(epilogue).is_ok()
    }

    fn watch(&self, watcher: Rc<Watcher>) {
        self.dispatch.watch(watcher);
    }

    fn set_strict(&self, on: bool) {
        self.cpu_fallback.set_strict(on);
    }

    fn news(&self) -> Vec<String> {
        self.cpu_fallback.news()
    }
}

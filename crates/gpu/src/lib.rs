//! The GPU backend, on wgpu: Vulkan, Metal and DX12 natively, WebGPU in a page.
//!
//! [`GpuBackend`] runs a fused kernel as the WGSL that [`glowgrad_tensor::explain::shader`] prints,
//! and a routine as the WGSL in `shaders/`. Tasks are encoded one after the other and sent together,
//! when something is read. What a GPU cannot do (float64, factoring of matrices, an int64 beyond 32
//! bits) runs on the CPU, and the values find their way: [`GpuBackend::fallbacks`] says how often and
//! why.

mod device;
mod dispatch;
mod memory;
mod routines;
mod wait;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use glowgrad_cpu::{Level, Pool, run_kernel, run_routine};
use glowgrad_tensor::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad_tensor::{DType, Error, Result};

pub use device::{Adapter, adapters};
pub use routines::{SHADERS, Source};
pub use wait::BlockOn;
#[cfg(not(target_arch = "wasm32"))]
pub use wait::block_on;

use device::Gpu;
use dispatch::{Dispatch, Prepared, Step};
use memory::Storage;

/// Dispatches that wait for a read before they are sent without one: a step of training is sent whole,
/// and a loop that reads nothing does not pile up.
const MOST_WAITING: usize = 256;

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

/// Computes on a GPU, and on this processor what a GPU cannot.
pub struct GpuBackend {
    gpu: Rc<Gpu>,
    dispatch: Dispatch,
    level: Level,
    pool: Pool,
    /// What is encoded and not yet sent.
    encoder: RefCell<Option<wgpu::CommandEncoder>>,
    /// How many dispatches that is.
    waiting: Cell<usize>,
    submits: Cell<usize>,
    dispatches: Cell<usize>,
    fallbacks: RefCell<BTreeMap<String, usize>>,
}

impl GpuBackend {
    /// A backend on the adapter that suits best: a discrete GPU, another one, a software adapter.
    ///
    /// # Errors
    /// No adapter, or one that gives no device: what is missing.
    pub fn open(block_on: BlockOn) -> Result<GpuBackend> {
        let adapter = adapters(block_on).into_iter().next();
        adapter
            .ok_or_else(|| Error::not_implemented(NO_ADAPTER))?
            .open(block_on)
    }

    fn on(gpu: Gpu) -> GpuBackend {
        let gpu = Rc::new(gpu);
        GpuBackend {
            dispatch: Dispatch::new(gpu.clone()),
            gpu,
            level: Level::detect(),
            pool: Pool::default(),
            encoder: RefCell::default(),
            waiting: Cell::default(),
            submits: Cell::default(),
            dispatches: Cell::default(),
            fallbacks: RefCell::default(),
        }
    }

    /// Submits of the queue so far.
    pub fn submits(&self) -> usize {
        self.submits.get()
    }

    /// Dispatches of shaders so far.
    pub fn dispatches(&self) -> usize {
        self.dispatches.get()
    }

    /// Why tasks ran on the CPU so far, and how many did.
    pub fn fallbacks(&self) -> BTreeMap<String, usize> {
        self.fallbacks.borrow().clone()
    }

    /// Sends what was encoded.
    fn send(&self) {
        if let Some(encoder) = self.encoder.take() {
            self.gpu.queue.submit([encoder.finish()]);
            self.gpu.sent();
            self.waiting.set(0);
            self.submits.set(self.submits.get() + 1);
        }
    }

    /// Encodes a task.
    fn encode(&self, prepared: &Prepared, task: &Task) -> Result<()> {
        let (inputs, output) = ends(task);
        for input in inputs {
            storage(input)?.to_device()?;
        }
        for step in &prepared.steps {
            if let Step::Check { input, rows } = step {
                let input = storage(&inputs[*input])?;
                if !input.is_on_host() {
                    self.send();
                }
                check(&*input.to_host()?, *rows)?;
            }
        }
        let mut encoder = self.encoder.borrow_mut();
        let encoder = encoder.get_or_insert_with(|| self.gpu.encoder());
        let n = self
            .dispatch
            .encode(prepared, inputs, storage(output)?, encoder)?;
        self.dispatches.set(self.dispatches.get() + n);
        self.waiting.set(self.waiting.get() + n);
        Ok(())
    }

    /// Runs a task on the CPU.
    fn fall_back(&self, task: &Task, why: String) -> Result<()> {
        *self.fallbacks.borrow_mut().entry(why).or_default() += 1;
        let (inputs, output) = ends(task);
        if !on_host(inputs) {
            self.send();
        }
        let target = storage(output)?;
        let mut result = memory::Host::new(output.bytes())?;
        let sources = inputs
            .iter()
            .map(|input| storage(input)?.to_host())
            .collect::<Result<Vec<Rc<memory::Host>>>>()?;
        let sources: Vec<&[u8]> = sources.iter().map(|s| s.bytes()).collect();
        match task {
            Task::Kernel { kernel, .. } => run_kernel(
                self.level,
                &self.pool,
                kernel,
                &sources,
                &mut [result.bytes_mut()],
            )?,
            Task::Routine { routine, .. } => run_routine(
                self.level,
                &self.pool,
                routine,
                &sources,
                result.bytes_mut(),
            )?,
        }
        target.set_host(result, dispatch::output_dtype(task));
        Ok(())
    }
}

/// Why integers that follow from what the host knows are computed there: indices stay exact, and can
/// be looked at without waiting for the device.
const INDEX_ARITHMETIC: &str = "integers from what the host knows";

fn is_index_arithmetic(task: &Task) -> bool {
    let Task::Kernel { kernel, inputs, .. } = task else {
        return false;
    };
    let whole = |dtype: DType| !dtype.is_float();
    whole(kernel.output_dtype(0))
        && kernel.inputs.iter().all(|input| whole(input.dtype))
        && on_host(inputs)
}

fn on_host(inputs: &[Buffer]) -> bool {
    let known = |input: &Buffer| storage(input).is_ok_and(Storage::is_on_host);
    inputs.iter().all(known)
}

/// What a task reads, and the one buffer it writes.
fn ends(task: &Task) -> (&[Buffer], &Buffer) {
    match task {
        Task::Kernel {
            inputs, outputs, ..
        } => (inputs, &outputs[0]),
        Task::Routine { inputs, output, .. } => (inputs, output),
    }
}

/// Whether all indices name rows; otherwise the error PyTorch gives.
fn check(index: &memory::Host, rows: usize) -> Result<()> {
    let index: &[i64] = bytemuck::cast_slice(index.bytes());
    let is_row = |&i: &i64| usize::try_from(i).is_ok_and(|i| i < rows);
    match index.iter().find(|i| !is_row(i)) {
        Some(i) => Err(Error::index(format!(
            "index {i} is out of bounds for dimension with size {rows}"
        ))),
        None => Ok(()),
    }
}

fn storage(buffer: &Buffer) -> Result<&Storage> {
    buffer.device().ok_or_else(|| {
        Error::runtime(format!("{NAME}: internal error: a buffer of another device was given to the GPU; please report this"))
    })
}

impl Backend for GpuBackend {
    fn name(&self) -> String {
        format!("{NAME} ({})", self.gpu.name)
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        Ok(Box::new(Storage::new(self.gpu.clone(), bytes, dtype)))
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
        let target = storage(buffer)?;
        let mut host = memory::Host::new(bytes.len())?;
        host.bytes_mut().copy_from_slice(bytes);
        target.set_host(host, target.dtype());
        Ok(())
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        for (i, task) in tasks.iter().enumerate() {
            let ran = match is_index_arithmetic(task) {
                true => self.fall_back(task, INDEX_ARITHMETIC.to_owned()),
                false => match self.dispatch.prepare(task) {
                    Ok(prepared) => self.encode(&prepared, task),
                    Err(why) => self.fall_back(task, why),
                },
            };
            ran.map_err(|error| (i, error))?;
        }
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        if self.waiting.get() >= MOST_WAITING {
            self.send();
        }
        self.gpu.settle()
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        let source = storage(buffer)?;
        if !source.is_on_host() {
            self.send();
        }
        self.gpu.settle()?;
        let host = source.to_host()?;
        Ok(Box::new(Done(Some(host.bytes().to_vec()))))
    }
}

/// A read that was waited for.
struct Done(Option<Vec<u8>>);

impl PendingRead for Done {
    fn poll(&mut self) -> Option<Result<Vec<u8>>> {
        let done = self
            .0
            .take()
            .ok_or_else(|| Error::runtime(format!("{NAME}: this read was taken already")));
        Some(done)
    }
}

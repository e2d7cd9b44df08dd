//! The CUDA backend: NVIDIA's GPUs by the driver, NVRTC and cuBLAS, which are found when it is opened.
//!
//! [`CudaBackend`] runs a fused kernel as the CUDA C that [`glowgrad_tensor::explain::cuda_kernel`] prints,
//! and a routine as the CUDA C in `shaders/cuda`, products of floats as cuBLAS's. Every dtype lies on the
//! device as it does on the host. What the device is not asked (factoring of matrices, small integers that
//! indices follow from) runs on the CPU: [`CudaBackend::fallbacks`] says how often and why.
#![cfg(not(target_arch = "wasm32"))]

mod compiler;
mod device;
mod dispatch;
mod library;
mod memory;
mod product;
mod routines;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use glowgrad_cpu::{Level, Pool, run_kernel, run_routine};
use glowgrad_tensor::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad_tensor::{DType, Error, Result};

pub use compiler::Compiler;
pub use device::{Device, devices};
pub use product::Precision;
pub use routines::sources;

use device::Gpu;
use dispatch::{Dispatch, Refusal};
use library::Library;
use memory::{Host, Storage};

/// Computes on a GPU of NVIDIA's, and on this processor what that GPU is not asked.
pub struct CudaBackend {
    gpu: Rc<Gpu>,
    dispatch: Dispatch,
    precision: Cell<Precision>,
    level: Level,
    pool: Pool,
    launched: Cell<usize>,
    fallbacks: RefCell<BTreeMap<String, usize>>,
}

impl CudaBackend {
    /// A backend on the first GPU.
    ///
    /// # Errors
    /// What is missing (a driver, a GPU, NVRTC, cuBLAS), and what to do.
    pub fn open() -> Result<CudaBackend> {
        Library::Driver.find()?;
        let first = devices().into_iter().next();
        let none = || {
            Error::not_implemented(
                "cuda: the NVIDIA driver finds no GPU on this computer; use --device cpu"
                    .to_owned(),
            )
        };
        first.ok_or_else(none)?.open()
    }

    fn on(gpu: Gpu) -> CudaBackend {
        let gpu = Rc::new(gpu);
        CudaBackend {
            dispatch: Dispatch::new(gpu.clone()),
            gpu,
            precision: Cell::default(),
            level: Level::detect(),
            pool: Pool::default(),
            launched: Cell::default(),
            fallbacks: RefCell::default(),
        }
    }

    /// How exactly products of float32 are computed from now on; in float32 at first.
    pub fn set_precision(&self, precision: Precision) {
        self.precision.set(precision);
    }

    /// Tasks that ran on the device so far.
    pub fn launched(&self) -> usize {
        self.launched.get()
    }

    /// Why tasks ran on the CPU so far, and how many did.
    pub fn fallbacks(&self) -> BTreeMap<String, usize> {
        self.fallbacks.borrow().clone()
    }

    fn run(&self, task: &Task) -> Result<()> {
        let (inputs, output) = ends(task);
        let ran = match task {
            Task::Kernel { .. } if output.bytes() == 0 => {
                storage(output)?.set_host(Host::new(0)?, output_dtype(task));
                return Ok(());
            }
            // Indices are looked at even if nothing is written.
            Task::Routine { .. } if output.bytes() == 0 => dispatch::cannot("no elements"),
            _ if is_index_arithmetic(task) => dispatch::cannot(INDEX_ARITHMETIC),
            Task::Kernel { kernel, .. } => self.dispatch.kernel(kernel, inputs, output),
            Task::Routine { routine, .. } => routines::run(
                &self.dispatch,
                self.precision.get(),
                routine,
                inputs,
                storage(output)?,
            ),
        };
        match ran {
            Ok(()) => {
                self.launched.set(self.launched.get() + 1);
                Ok(())
            }
            Err(Refusal::Failed(error)) => Err(error),
            Err(Refusal::Cannot(why)) => self.fall_back(task, why),
        }
    }

    /// Runs a task on the CPU.
    fn fall_back(&self, task: &Task, why: String) -> Result<()> {
        *self.fallbacks.borrow_mut().entry(why).or_default() += 1;
        let (inputs, output) = ends(task);
        let mut result = Host::new(output.bytes())?;
        let sources = inputs
            .iter()
            .map(|input| storage(input)?.to_host())
            .collect::<Result<Vec<Rc<Host>>>>()?;
        let sources: Vec<&[u8]> = sources.iter().map(|s| s.bytes()).collect();
        let (level, pool) = (self.level, &self.pool);
        match task {
            Task::Kernel { kernel, .. } => {
                run_kernel(level, pool, kernel, &sources, &mut [result.bytes_mut()])?;
            }
            Task::Routine { routine, .. } => {
                run_routine(level, pool, routine, &sources, result.bytes_mut())?;
            }
        }
        storage(output)?.set_host(result, output_dtype(task));
        Ok(())
    }
}

/// Why small integers that follow from what the host knows are computed there: indices can be looked at
/// without waiting for the device.
const INDEX_ARITHMETIC: &str = "a few integers from what the host knows";

/// Most elements that are computed on the host for that.
const MOST_ON_HOST: usize = 1 << 16;

fn is_index_arithmetic(task: &Task) -> bool {
    let Task::Kernel { kernel, inputs, .. } = task else {
        return false;
    };
    let whole = |dtype: DType| !dtype.is_float();
    let known = |input: &Buffer| storage(input).is_ok_and(Storage::is_on_host);
    glowgrad_tensor::shape::numel(&kernel.shape) <= MOST_ON_HOST
        && whole(kernel.output_dtype(0))
        && kernel.inputs.iter().all(|input| whole(input.dtype))
        && inputs.iter().all(known)
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

/// The dtype that a task writes.
fn output_dtype(task: &Task) -> DType {
    match task {
        Task::Kernel { kernel, .. } => kernel.output_dtype(0),
        Task::Routine { routine, .. } => routines::dtype_of(routine),
    }
}

fn storage(buffer: &Buffer) -> Result<&Storage> {
    buffer.device().ok_or_else(|| {
        Error::runtime("cuda: internal error: a buffer of another device was given to the GPU; please report this")
    })
}

impl Backend for CudaBackend {
    fn name(&self) -> String {
        format!("cuda ({})", self.gpu.name)
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
                "cuda: upload: got {} bytes for a buffer of {}",
                bytes.len(),
                buffer.bytes()
            )));
        }
        let target = storage(buffer)?;
        let mut host = Host::new(bytes.len())?;
        host.bytes_mut().copy_from_slice(bytes);
        target.set_host(host, target.dtype());
        Ok(())
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        tasks
            .iter()
            .enumerate()
            .try_for_each(|(i, task)| self.run(task).map_err(|error| (i, error)))
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        let host = storage(buffer)?.to_host()?;
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
            .ok_or_else(|| Error::runtime("cuda: this read was taken already"));
        Some(done)
    }
}

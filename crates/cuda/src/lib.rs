//! The CUDA backend: NVIDIA's GPUs by the driver, NVRTC and cuBLASLt, which are found when it is opened.
//!
//! [`CudaBackend`] runs a fused kernel as the CUDA C that [`glowgrad_tensor::codegen::cuda_kernel`] prints,
//! and a routine as the CUDA C in `shaders/cuda`, products of floats as cuBLASLt's. Every dtype lies on
//! the device as it does on the host. Tasks that run again and again become a CUDA graph. What the device
//! is not asked (factoring of matrices, small integers that indices follow from) runs on the CPU:
//! [`CudaBackend::fallbacks`] says how often and why.
#![cfg(not(target_arch = "wasm32"))]

mod buffer;
mod command;
mod compiler;
mod device;
mod dispatch;
mod library;
mod pool;
mod product;
mod programs;
mod recording;
mod routines;
mod split;

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use glowgrad_cpu::{CpuFallback, Host, Policy, Refusal, reason};
use glowgrad_tensor::backend::{Backend, Buffer, PendingRead, Ready, Recording, Task};
use glowgrad_tensor::fused_op::Family;
use glowgrad_tensor::{DType, Error, Result};

pub use compiler::Compiler;
pub use device::{Device, devices};
pub use product::Precision;
pub use programs::sources;

use buffer::GpuBuffer;
use device::Gpu;
use dispatch::Dispatch;
use library::Library;

/// Computes on a GPU of NVIDIA's, and on this processor what that GPU is not asked.
pub struct CudaBackend {
    runner: Rc<Runner>,
}

/// What runs tasks.
struct Runner {
    gpu: Rc<Gpu>,
    dispatch: Dispatch,
    precision: Cell<Precision>,
    launched: Cell<usize>,
    /// What the GPU is not asked.
    cpu_fallback: CpuFallback,
}

impl CudaBackend {
    /// A backend on the first GPU.
    ///
    /// # Errors
    /// What is missing (a driver, a GPU, NVRTC, cuBLASLt), and what to do.
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
            runner: Rc::new(Runner {
                dispatch: Dispatch::new(gpu.clone()),
                gpu,
                precision: Cell::default(),
                launched: Cell::default(),
                cpu_fallback: CpuFallback::new(POLICY),
            }),
        }
    }

    /// How exactly products of float32 are computed from now on; in float32 at first. What is recorded
    /// stays as it is.
    pub fn set_precision(&self, precision: Precision) {
        self.runner.precision.set(precision);
    }

    /// Tasks that ran on the device so far.
    pub fn launched(&self) -> usize {
        self.runner.launched.get()
    }

    /// Why tasks ran on the CPU so far, and how many did.
    pub fn fallbacks(&self) -> BTreeMap<String, usize> {
        self.runner.cpu_fallback.counts()
    }
}

impl Runner {
    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        tasks
            .iter()
            .enumerate()
            .try_for_each(|(i, task)| self.run(task).map_err(|error| (i, error)))
    }

    fn run(&self, task: &Task) -> Result<()> {
        let output = &task.ends().1[0];
        let ran = match task {
            Task::Kernel { .. } if output.bytes() == 0 => {
                return gpu_buffer(output)?.set_host(Rc::new(Host::new(0)?), task.work().dtype());
            }
            // Indices are looked at even if nothing is written.
            Task::Routine { .. } if output.bytes() == 0 => {
                Err(Refusal::Silent(reason::NO_ELEMENTS))
            }
            _ if self.is_index_arithmetic(task, is_on_host) => {
                Err(self.cpu_fallback.index_arithmetic())
            }
            _ => self.dispatch(task),
        };
        match ran {
            Ok(()) => {
                self.launched.set(self.launched.get() + 1);
                Ok(())
            }
            Err(refusal) => self.fall_back(task, refusal),
        }
    }

    /// Whether a task computes indices, where the host knows some buffers.
    fn is_index_arithmetic(&self, task: &Task, known: impl Fn(&Buffer) -> bool) -> bool {
        let Task::Kernel { kernel, inputs, .. } = task else {
            return false;
        };
        let known = |i: usize| known(&inputs[i]);
        self.cpu_fallback.is_index_arithmetic(kernel, known)
    }

    /// Runs a task on the device.
    fn dispatch(&self, task: &Task) -> Result<(), Refusal> {
        match task {
            Task::Kernel {
                kernel,
                inputs,
                outputs,
            } => self.dispatch.kernel(kernel, inputs, &outputs[0]),
            Task::Routine {
                routine,
                inputs,
                output,
            } => routines::run(
                &self.dispatch,
                self.precision.get(),
                routine,
                inputs,
                gpu_buffer(output)?,
            ),
        }
    }

    /// Runs a task on the CPU.
    fn fall_back(&self, task: &Task, refusal: Refusal) -> Result<()> {
        self.cpu_fallback.admit(refusal)?;
        let (inputs, outputs) = task.ends();
        let inputs = inputs.iter().map(|input| gpu_buffer(input)?.to_host());
        let inputs = inputs.collect::<Result<Vec<Rc<Host>>>>()?;
        let work = task.work();
        let sizes = outputs.iter().map(Buffer::bytes);
        let results = self.cpu_fallback.run(&work, &inputs, sizes)?;
        let mut results = outputs.iter().zip(results).enumerate();
        results.try_for_each(|(i, (output, result))| {
            gpu_buffer(output)?.set_host(Rc::new(result), work.output_dtype(i))
        })
    }
}

/// What the CPU takes over.
const POLICY: Policy = Policy {
    device: "cuda",
    integers: "a few integers from what the host knows",
    most_integers: 1 << 16,
};

fn is_on_host(buffer: &Buffer) -> bool {
    gpu_buffer(buffer).is_ok_and(GpuBuffer::is_on_host)
}

fn gpu_buffer(buffer: &Buffer) -> Result<&GpuBuffer> {
    buffer.device().ok_or_else(|| {
        Error::runtime("cuda: internal error: a buffer of another device was given to the GPU; please report this")
    })
}

impl Backend for CudaBackend {
    fn name(&self) -> String {
        format!("cuda ({})", self.runner.gpu.name)
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        Ok(Box::new(GpuBuffer::new(
            self.runner.gpu.clone(),
            bytes,
            dtype,
        )))
    }

    fn pooled(&self) -> Option<Rc<Cell<usize>>> {
        Some(self.runner.gpu.pooled())
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        if buffer.bytes() != bytes.len() {
            return Err(Error::runtime(format!(
                "cuda: upload: got {} bytes for a buffer of {}",
                bytes.len(),
                buffer.bytes()
            )));
        }
        let target = gpu_buffer(buffer)?;
        target.set_host(Rc::new(Host::of(bytes)?), target.dtype())
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        self.runner.submit(tasks)
    }

    fn record(&self, tasks: &[Task]) -> Option<Box<dyn Recording>> {
        let graph = recording::Graph::new(&self.runner, tasks)?;
        Some(Box::new(graph))
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        let host = gpu_buffer(buffer)?.to_host()?;
        Ok(Box::new(Ready::new(host.bytes().to_vec())))
    }

    fn supports_fused_op(&self, family: Family) -> bool {
        family == Family::Pool
    }

    fn set_strict(&self, on: bool) {
        self.runner.cpu_fallback.set_strict(on);
    }

    fn news(&self) -> Vec<String> {
        self.runner.cpu_fallback.news()
    }
}

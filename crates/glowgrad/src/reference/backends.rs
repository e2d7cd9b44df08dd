//! On which backend the values of an op are computed, dtype by dtype.
//!
//! Invariant: read off the schedule items that the op's samples are scheduled as, by the rules that the backends go by: a
//! kernel runs where its source can be printed in the device's language, a routine where the device has one for
//! its dtypes. `tests/it/reference_backends.rs` holds this to a device that counts what it left to the CPU. What
//! depends on one computer's adapter (`shader-f16`), on sizes or on values is not in it.

use std::any::Any;

use crate::alu::Value;
use crate::backend::{self, Buffer, PendingRead, Task};
use crate::codegen::{cuda_kernel, has_words, shader};
use crate::explain::Scheduled;
use crate::fused_op::Family;
use crate::kernel::{APART, Work};
use crate::routine::ShaderLanguage;
use crate::{CpuBackend, DType, Engine, Error, Result};

use super::{Definition, calls};

/// A backend, and what it leaves to the CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backend {
    /// As a device is named: `wgpu`.
    pub name: &'static str,
    /// The dtypes whose values the CPU computes instead.
    pub on_cpu: Vec<DType>,
    /// Whether those are all that the op takes.
    pub is_cpu_alone: bool,
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)?;
        if self.is_cpu_alone {
            return f.write_str(" (on the CPU)");
        }
        let dtypes: Vec<String> = self.on_cpu.iter().map(DType::to_string).collect();
        match dtypes.is_empty() {
            true => Ok(()),
            false => write!(f, " ({}: on the CPU)", dtypes.join(", ")),
        }
    }
}

/// The engines whose schedules are judged: what is scheduled depends on the device's name and its layers.
pub(super) struct Engines {
    wgpu: Engine,
    cuda: Engine,
}

impl Engines {
    pub(super) fn new() -> Engines {
        Engines {
            wgpu: engine("wgpu", |_| true, true),
            cuda: engine("cuda", |family| family == Family::Pool, false),
        }
    }

    /// The backends of an op that takes these dtypes.
    pub(super) fn backends(&self, definition: &Definition, taken: &[DType]) -> Vec<Backend> {
        vec![
            Backend {
                name: "cpu",
                on_cpu: Vec::new(),
                is_cpu_alone: false,
            },
            judged("wgpu", (&self.wgpu, wgpu), definition, taken),
            judged("cuda", (&self.cuda, cuda), definition, taken),
        ]
    }
}

/// A backend by the schedule items of an op: whether it `computes` each of them.
fn judged(
    name: &'static str,
    (engine, computes): (&Engine, fn(&Scheduled) -> bool),
    definition: &Definition,
    taken: &[DType],
) -> Backend {
    let leaves = |dtype: &&DType| {
        let mut leaves = false;
        calls(engine, definition, **dtype, &mut |run| {
            leaves |= run() && engine.scheduled().iter().any(|item| !computes(item));
        });
        leaves
    };
    let on_cpu: Vec<DType> = taken.iter().filter(leaves).copied().collect();
    Backend {
        name,
        is_cpu_alone: on_cpu.len() == taken.len(),
        on_cpu,
    }
}

fn engine(
    name: &'static str,
    supports_fused_op: fn(Family) -> bool,
    splits_long_sums: bool,
) -> Engine {
    Engine::new(Box::new(InPlaceOf {
        cpu: CpuBackend::new(),
        name,
        supports_fused_op,
        splits_long_sums,
    }))
}

/// The CPU in place of a device, for which ops schedule what they schedule for that device.
struct InPlaceOf {
    cpu: CpuBackend,
    name: &'static str,
    /// Whether the device has the layers of a family in one kernel each.
    supports_fused_op: fn(Family) -> bool,
    splits_long_sums: bool,
}

impl backend::Backend for InPlaceOf {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        self.cpu.allocate(bytes, dtype)
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        self.cpu.upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        self.cpu.submit(tasks)
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        self.cpu.begin_read(buffer)
    }

    fn supports_fused_op(&self, family: Family) -> bool {
        (self.supports_fused_op)(family)
    }

    fn splits_long_sums(&self) -> bool {
        self.splits_long_sums
    }
}

/// As `glowgrad_gpu` judges it.
fn wgpu(item: &Scheduled) -> bool {
    let computes = match &item.work {
        Work::Kernel(kernel) => shader(kernel, APART).is_ok_and(|shader| {
            let mut arguments = shader.arguments.iter();
            // A word of the device has 32 bits.
            arguments.all(
                |&(arg, dtype)| match Value::from_scalar(kernel.args[arg], dtype) {
                    Value::I64(value) => i32::try_from(value).is_ok(),
                    _ => true,
                },
            )
        }),
        Work::Routine(routine) => routine.lacks(ShaderLanguage::Wgsl).is_none(),
    };
    let has_inputs = item.inputs.iter().all(|input| has_words(input.dtype));
    computes && has_words(item.work.dtype()) && has_inputs
}

/// As `glowgrad_cuda` judges it.
fn cuda(item: &Scheduled) -> bool {
    match &item.work {
        Work::Kernel(kernel) => cuda_kernel(kernel, APART).is_ok(),
        Work::Routine(routine) => routine.lacks(ShaderLanguage::Cuda).is_none(),
    }
}

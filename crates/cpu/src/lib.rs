//! The CPU backend: SIMD tiles for fused kernels, GEMM and the other routines.
//!
//! [`CpuBackend`] keeps buffers and hands byte slices to [`run_kernel`] and [`run_routine`], which
//! know nothing of buffers. Memory is pooled ([`Pool`]). The same code runs natively (instructions chosen at
//! run time, see [`Level`], large work on several threads, see [`threads()`]) and in wasm (SIMD128, chosen when
//! compiled, one thread; matrix kernels with relaxed SIMD are a module of their own, `gemm/relaxed.rs`, and a kernel
//! that has computed much is compiled, `jit.rs`).

mod available;
mod cpu_fallback;
#[cfg(feature = "full")]
mod factor;
mod gemm;
mod host;
mod jit;
mod layout;
mod math;
mod ops;
mod pool;
mod reduce;
mod routines;
mod simd;
mod threads;
mod tiles;

#[cfg(test)]
mod tests;

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use glowgrad_tensor::backend::{Backend, Buffer, PendingRead, Ready, Task};
use glowgrad_tensor::fused_op::Family;
use glowgrad_tensor::kernel::{Kernel, MAX_OUTPUTS};
use glowgrad_tensor::{DType, Error, Result, interrupt};
use smallvec::SmallVec;

pub use available::{available_memory, memory_limit};
pub use cpu_fallback::{CpuFallback, Policy, Refusal, reason};
#[cfg(all(target_arch = "wasm32", feature = "full"))]
pub use gemm::relaxed::{RELAXED_FUNCTIONS, RELAXED_MODULE, use_relaxed_functions};
pub use host::{Host, check_rows};
#[cfg(all(target_arch = "wasm32", feature = "full"))]
pub use jit::{Compiler, use_compiler};
pub use pool::Pool;
pub use routines::run_routine;
pub use simd::Level;
pub use threads::{set_threads, threads};

use pool::Allocation;

/// Operations that a task counts for, beside those of its loops.
const PER_TASK: usize = 256;
use tiles::{TILE, Tiles};

/// Computes on this processor.
pub struct CpuBackend {
    level: Level,
    pool: Rc<Pool>,
}

impl CpuBackend {
    /// A backend that uses the best instructions there are.
    pub fn new() -> CpuBackend {
        CpuBackend::with_level(Level::detect())
    }

    /// A backend that uses these instructions, or the best there are if they are not.
    pub fn with_level(level: Level) -> CpuBackend {
        CpuBackend {
            level: level.min(Level::detect()),
            pool: Rc::default(),
        }
    }

    fn run(&self, task: &Task) -> Result<()> {
        match task {
            Task::Kernel {
                kernel,
                inputs,
                outputs,
            } => {
                // An input whose memory takes a result is read through the output.
                let lies_in = |input: &Buffer| {
                    let mut outputs = outputs.iter();
                    outputs.position(|output| output.id() == input.id())
                };
                let in_place: LiesIn = inputs.iter().map(lies_in).collect();
                let reads = inputs
                    .iter()
                    .zip(&in_place)
                    .map(|(input, lies_in)| {
                        let apart = lies_in.is_none();
                        apart.then(|| allocation(input)?.read()).transpose()
                    })
                    .collect::<Result<SmallVec<[Option<std::cell::Ref<'_, [u8]>>; 8]>>>()?;
                let inputs: SmallVec<[&[u8]; 8]> =
                    reads.iter().map(|r| r.as_deref().unwrap_or(&[])).collect();
                let mut writes = SmallVec::<[_; 4]>::new();
                for output in outputs {
                    writes.push(allocation(output)?.write()?);
                }
                let mut outputs: SmallVec<[&mut [u8]; 4]> =
                    writes.iter_mut().map(|w| &mut **w).collect();
                run_kernel_in_place(
                    self.level,
                    &self.pool,
                    kernel,
                    &inputs,
                    &mut outputs,
                    &in_place,
                )
            }
            Task::Routine {
                routine,
                inputs,
                output,
            } => {
                let reads = reads(inputs)?;
                let inputs: SmallVec<[&[u8]; 8]> = reads.iter().map(|r| &**r).collect();
                run_routine(
                    self.level,
                    &self.pool,
                    routine,
                    &inputs,
                    &mut allocation(output)?.write()?,
                )
            }
        }
    }
}

impl Default for CpuBackend {
    fn default() -> CpuBackend {
        CpuBackend::new()
    }
}

type Reads<'a> = SmallVec<[std::cell::Ref<'a, [u8]>; 8]>;

fn reads(buffers: &[Buffer]) -> Result<Reads<'_>> {
    buffers
        .iter()
        .map(|buffer| allocation(buffer)?.read())
        .collect()
}

fn allocation(buffer: &Buffer) -> Result<&Allocation> {
    buffer.device().ok_or_else(|| {
        Error::runtime("cpu: a buffer of another device was given to the CPU; move the tensor with .to('cpu') first")
    })
}

impl Backend for CpuBackend {
    fn name(&self) -> String {
        format!("cpu ({})", self.level.name())
    }

    fn allocate(&self, bytes: usize, _: DType) -> Result<Box<dyn Any>> {
        Ok(Box::new(Allocation::new(&self.pool, bytes)?))
    }

    fn pooled(&self) -> Option<Rc<Cell<usize>>> {
        Some(self.pool.pooled())
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        let mut target = allocation(buffer)?.write()?;
        if target.len() != bytes.len() {
            return Err(Error::runtime(format!(
                "cpu: upload: got {} bytes for a buffer of {}",
                bytes.len(),
                target.len()
            )));
        }
        target.copy_from_slice(bytes);
        Ok(())
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        tasks.iter().enumerate().try_for_each(|(i, task)| {
            interrupt::spend(PER_TASK);
            let ran = self.run(task);
            // What broke off gives no other error that means anything.
            interrupt::check().and(ran).map_err(|error| (i, error))
        })
    }

    fn max_outputs(&self) -> usize {
        MAX_OUTPUTS
    }

    fn supports_fused_op(&self, _: Family) -> bool {
        cfg!(feature = "full")
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        let source = allocation(buffer)?.read()?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(source.len()).map_err(|_| {
            Error::runtime(format!(
                "cpu: out of memory: could not get {} bytes to read a tensor into",
                source.len()
            ))
        })?;
        bytes.extend_from_slice(&source);
        Ok(Box::new(Ready::new(bytes)))
    }
}

/// Runs a kernel on byte slices, aligned for their dtypes; outputs are written entirely. The largest
/// or smallest of no elements is the identity of the comparison, the index of either is 0.
///
/// # Errors
/// No memory for the tiles.
///
/// ```
/// use bytemuck::{cast_slice, cast_slice_mut};
/// use glowgrad_cpu::{Level, Pool, run_kernel};
/// use glowgrad_tensor::kernel::{Input, Instr, Kernel};
/// use glowgrad_tensor::{DType, View, alu::AluOp};
///
/// let view = View::contiguous(&[3]);
/// let kernel = Kernel {
///     shape: view.shape.clone(),
///     inputs: vec![Input { view, dtype: DType::F32 }],
///     args: vec![],
///     fixed: vec![],
///     code: vec![Instr::Load { input: 0 }, Instr::Apply { op: AluOp::Mul, src: [0, 0, 0] }],
///     dtypes: vec![DType::F32; 2],
///     outputs: vec![1],
///     reduce: None,
/// };
/// let (x, mut y) = ([1f32, -2.0, 3.0], [0f32; 3]);
/// run_kernel(Level::detect(), &Pool::default(), &kernel, &[cast_slice(&x)], &mut [cast_slice_mut(&mut y)])?;
/// assert_eq!(y, [1.0, 4.0, 9.0]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
pub fn run_kernel(
    level: Level,
    pool: &Pool,
    kernel: &Kernel,
    inputs: &[&[u8]],
    outputs: &mut [&mut [u8]],
) -> Result<()> {
    run_kernel_in_place(level, pool, kernel, inputs, outputs, &[])
}

/// For each input of a kernel, the output in which its elements lie, where the results take their place one by
/// one. What is beyond its end lies apart.
type LiesIn = SmallVec<[Option<usize>; 8]>;

/// As [`run_kernel`], some inputs lying in outputs.
fn run_kernel_in_place(
    level: Level,
    pool: &Pool,
    kernel: &Kernel,
    inputs: &[&[u8]],
    outputs: &mut [&mut [u8]],
    in_place: &[Option<usize>],
) -> Result<()> {
    if let Some(reduce) = &kernel.reduce {
        return reduce::run(level, pool, kernel, reduce, inputs, outputs[0]);
    }
    let total = glowgrad_tensor::shape::numel(&kernel.shape);
    if total == 0 {
        return Ok(());
    }
    let mut rest: Outputs<'_> = outputs.iter_mut().map(|output| &mut **output).collect();
    let work = total * kernel.code.len();
    let share = TILE * threads::share(total.div_ceil(TILE), TILE * kernel.code.len());
    if share >= total {
        return run_range(level, pool, kernel, inputs, (0, total), rest, in_place);
    }
    let parts = (0..total)
        .step_by(share)
        .map(|first| -> ((usize, usize), Outputs<'_>) {
            let n = share.min(total - first);
            let outputs = rest.iter_mut().enumerate().map(|(i, rest)| {
                let bytes = n * kernel.output_dtype(i).size();
                let (part, others) = std::mem::take(rest).split_at_mut(bytes);
                *rest = others;
                part
            });
            ((first, n), outputs.collect())
        });
    threads::for_each(pool, work, parts, |pool, (range, mut outputs)| {
        let outputs = outputs.iter_mut().map(|output| &mut **output).collect();
        run_range(level, pool, kernel, inputs, range, outputs, in_place)
    })
}

/// A slice of each output of a kernel.
type Outputs<'a> = SmallVec<[&'a mut [u8]; 4]>;

/// Runs a kernel at `n` positions from `first` on; `outputs` begin there.
fn run_range<'a>(
    level: Level,
    pool: &'a Pool,
    kernel: &Kernel,
    inputs: &'a [&'a [u8]],
    (first, n): (usize, usize),
    outputs: Outputs<'a>,
    in_place: &'a [Option<usize>],
) -> Result<()> {
    let mut tiles = Tiles::new(level, pool, inputs, outputs);
    (tiles.in_place, tiles.first) = (in_place, first);
    tiles.prepare(kernel, None, n)?;
    for start in (first..first + n).step_by(TILE) {
        if interrupt::spend(TILE * kernel.code.len()) {
            break;
        }
        tiles.tile(start, TILE.min(first + n - start));
    }
    Ok(())
}

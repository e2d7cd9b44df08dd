//! How long a schedule item takes: run again on scratch memory, as often as the clock needs to see it.
//!
//! Invariant: no node, no value and no event of the trace changes. What is read has the sizes and dtypes of what the
//! item read and other contents: floats between a half and one, integers 0, which is an index of every dimension. A schedule item
//! that takes other times with other numbers (a sort) is timed with these.

use std::slice;

use super::Scheduled;
use crate::Result;
use crate::backend::Task;
use crate::device::Device;
use crate::dtype::DType;
use crate::engine::Engine;
use crate::shape;

/// A time is told once it is this many times the clock's grain, and at least [`LEAST_NANOS`].
const GRAINS: u64 = 20;
const LEAST_NANOS: u64 = 100_000;
/// What took longer is not run again. The first run of a shorter one may be compiling it for the most part.
const LONG_NANOS: u64 = 100_000_000;
/// A schedule item runs at most this often.
const MAX_RUNS: u32 = 1 << 14;
/// Scratch memory of one item; what moves more takes long enough to be seen in its own run.
const MAX_SCRATCH: usize = 64 << 20;
/// A clock that stands still for so many questions is none.
const MAX_QUESTIONS: u32 = 10_000_000;

/// A mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Of one run.
    pub nanos: f64,
    /// Over how many; 1 is the run that the learner asked for.
    pub runs: u32,
}

/// A clock whose grain is known.
pub struct Stopwatch {
    clock: fn() -> u64,
    grain: u64,
}

impl Engine {
    /// The engine's clock, its grain measured; none where it has no clock.
    pub fn stopwatch(&self) -> Option<Stopwatch> {
        let clock = self.0.recorder.clock?;
        let tick = || {
            let start = clock();
            (0..MAX_QUESTIONS)
                .map(|_| clock().saturating_sub(start))
                .find(|&passed| passed > 0)
        };
        let grain = (0..5).filter_map(|_| tick()).min()?;
        Some(Stopwatch { clock, grain })
    }
}

impl Stopwatch {
    /// How long a schedule item takes; none where it cannot be run alone or was stopped.
    pub fn time(&self, engine: &Engine, item: &Scheduled) -> Option<Timing> {
        let target = (GRAINS * self.grain).max(LEAST_NANOS);
        match item.nanos.get() {
            Some(nanos) if nanos >= LONG_NANOS.max(target) => Some(Timing {
                nanos: nanos as f64,
                runs: 1,
            }),
            _ => self.repeat(engine, item, target).ok().flatten(),
        }
    }

    fn repeat(&self, engine: &Engine, item: &Scheduled, target: u64) -> Result<Option<Timing>> {
        let Some(stored) = item.stored() else {
            return Ok(None);
        };
        let sizes: usize = item.buffers.iter().map(|(bytes, _)| bytes).sum();
        if sizes + item.written > MAX_SCRATCH {
            return Ok(None);
        }
        let device = stored.device;
        let backend = engine.backend(device);
        let mut outputs = Vec::with_capacity(item.results().len());
        for (i, result) in item.results().iter().enumerate() {
            let dtype = item.work.output_dtype(i);
            let bytes = shape::numel(&result.shape) * dtype.size();
            outputs.push(engine.scratch(device, bytes, dtype)?);
        }
        let mut inputs = Vec::with_capacity(item.buffers.len());
        for &(bytes, dtype) in &item.buffers {
            let buffer = engine.scratch(device, bytes, dtype)?;
            backend.upload(&buffer, &numbers(bytes, dtype))?;
            inputs.push(buffer);
        }
        let task = Task::new(item.work.clone(), inputs, outputs.clone());
        let run = |runs: u32| -> Result<u64> {
            let start = (self.clock)();
            for _ in 0..runs {
                backend
                    .submit(slice::from_ref(&task))
                    .map_err(|(_, error)| error)?;
            }
            // The processor is done when it returns; of other devices, a read waits for all.
            if device != Device::FIRST {
                engine.read_buffer(&outputs[0])?;
            }
            Ok((self.clock)().saturating_sub(start))
        };
        // The first run of a kernel may compile it.
        run(1)?;
        let reading = if device == Device::FIRST { 0 } else { run(0)? };
        let mut runs = 1;
        loop {
            let passed = run(runs)?.saturating_sub(reading);
            if passed >= target || runs == MAX_RUNS {
                let nanos = passed as f64 / f64::from(runs);
                return Ok(Some(Timing { nanos, runs }));
            }
            let more = 1.2 * target as f64 / (passed as f64).max(1.0);
            runs = (f64::from(runs) * more.clamp(2.0, 16.0)).min(f64::from(MAX_RUNS)) as u32;
        }
    }
}

/// Bytes of numbers that no kernel refuses.
fn numbers(bytes: usize, dtype: DType) -> Vec<u8> {
    // A linear congruential generator: Knuth, The Art of Computer Programming, 3.3.4.
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 12
    };
    let n = bytes / dtype.size();
    match dtype {
        DType::F16 => (0..n)
            .flat_map(|_| (0x3800 | (next() & 0x3ff) as u16).to_le_bytes())
            .collect(),
        DType::BF16 => (0..n)
            .flat_map(|_| (0x3f00 | (next() & 0x7f) as u16).to_le_bytes())
            .collect(),
        DType::F32 => (0..n)
            .flat_map(|_| (0x3f00_0000 | (next() & 0x7f_ffff) as u32).to_le_bytes())
            .collect(),
        DType::F64 => (0..n)
            .flat_map(|_| (0x3fe0_0000_0000_0000 | next()).to_le_bytes())
            .collect(),
        _ => vec![0; bytes],
    }
}

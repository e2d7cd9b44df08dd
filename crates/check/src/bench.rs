//! How fast a device is, beside the CPU in the same run: memory, products, a training step.

use glowgrad::samples::Numbers;
use glowgrad::{DType, Engine, Result, Tensor};
use serde::Serialize;

use crate::device::Device;
use crate::models::perceptron;

/// Seconds on a clock that does not go back.
pub type Clock = fn() -> f64;

/// One benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timing {
    /// What is done.
    pub name: String,
    /// Of both numbers.
    pub unit: &'static str,
    /// The median of the repetitions.
    pub device: f64,
    /// As `device`, of the CPU.
    pub cpu: f64,
    /// How many times as fast as the CPU the device is.
    pub times_cpu: f64,
    /// How often it was done on the device, and on the CPU.
    pub repetitions: [usize; 2],
}

/// What one step of training the perceptron asks of the device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepCounts {
    /// Sends of work, with kernels fused.
    pub submits: f64,
    /// Shaders that run, with kernels fused.
    pub dispatches: f64,
    /// Sends of work, one kernel an op.
    pub submits_unfused: f64,
    /// Shaders that run, one kernel an op.
    pub dispatches_unfused: f64,
}

/// What a benchmark does; done when it returns.
type Work = Box<dyn Fn() -> Result<()>>;

/// Makes the work on an engine.
type Make = Box<dyn Fn(&Engine) -> Result<Work>>;

/// A benchmark: what it is called, what one run is worth in its unit, and what makes its work.
struct Bench {
    name: String,
    /// Bytes, operations, or nothing: then it is told in milliseconds.
    amount: f64,
    unit: &'static str,
    make: Make,
}

const ELEMENTS: usize = 16 << 20;

/// Seconds that a benchmark may take on one device, and its repetitions.
const BUDGET: f64 = 3.0;
const MOST_REPETITIONS: usize = 15;

/// Reads one number that is computed after everything before it: waits for the device.
fn wait(engine: &Engine) -> Result<()> {
    let one = Tensor::from_f32(engine, &[1.0], &[1])?;
    one.add(&one)?.item().map(|_| ())
}

fn benches() -> Vec<Bench> {
    let random = |engine: &Engine, shape: &[usize]| {
        Numbers::new(3).tensor(engine, shape, (-1.0, 1.0), DType::F32)
    };
    // As many bytes as a float32 has, for every tensor that is read or written.
    let bytes = |tensors: usize| (tensors * ELEMENTS * 4) as f64;
    let mut all = vec![
        Bench {
            name: "copy of 16 M elements".to_owned(),
            amount: bytes(2),
            unit: "GB/s",
            make: Box::new(move |engine| {
                let x = random(engine, &[ELEMENTS])?;
                Ok(Box::new(move || {
                    x.clone_data()?.realize()?;
                    wait(x.engine())
                }))
            }),
        },
        Bench {
            name: "sum of two of 16 M elements".to_owned(),
            amount: bytes(3),
            unit: "GB/s",
            make: Box::new(move |engine| {
                let x = random(engine, &[ELEMENTS])?;
                let y = x.neg()?;
                y.realize()?;
                Ok(Box::new(move || {
                    x.add(&y)?.realize()?;
                    wait(x.engine())
                }))
            }),
        },
    ];
    for n in [256, 512, 1024, 2048] {
        all.push(Bench {
            name: format!("matmul of {n} × {n}"),
            amount: 2.0 * (n as f64).powi(3),
            unit: "GFLOP/s",
            make: Box::new(move |engine| {
                let x = random(engine, &[n, n])?;
                Ok(Box::new(move || {
                    x.matmul(&x)?.realize()?;
                    wait(x.engine())
                }))
            }),
        });
    }
    all.push(Bench {
        name: "training step of the perceptron".to_owned(),
        amount: 0.0,
        unit: "ms",
        make: Box::new(|engine| {
            let model = perceptron(engine)?;
            Ok(Box::new(move || model.step(0)?.item().map(|_| ())))
        }),
    });
    all
}

/// How many benchmarks there are.
pub fn count() -> usize {
    benches().len()
}

/// Runs one of the benchmarks on a device and on the CPU.
///
/// # Errors
/// What computing says.
pub fn run(at: usize, device: &Engine, clock: Clock) -> Result<Option<Timing>> {
    let Some(bench) = benches().into_iter().nth(at) else {
        return Ok(None);
    };
    let (on_device, n_device) = median(&bench, device, clock, BUDGET)?;
    let (on_cpu, n_cpu) = median(&bench, &glowgrad::cpu(), clock, BUDGET)?;
    let told = |seconds: f64| match bench.unit {
        "ms" => seconds * 1e3,
        _ => bench.amount / seconds / 1e9,
    };
    Ok(Some(Timing {
        device: told(on_device),
        cpu: told(on_cpu),
        times_cpu: on_cpu / on_device,
        repetitions: [n_device, n_cpu],
        name: bench.name,
        unit: bench.unit,
    }))
}

/// How fast a device reads, in GB/s, and multiplies matrices, in GFLOP/s; measured in about a second.
///
/// # Errors
/// What computing says.
pub fn speed(device: &Engine, clock: Clock) -> Result<[f64; 2]> {
    let n = 1024_usize;
    let reading = Bench {
        name: "sums of rows".to_owned(),
        amount: (16 * n * n * 4) as f64,
        unit: "GB/s",
        make: Box::new(move |engine| {
            let x = Numbers::new(3).tensor(engine, &[4 * n, 4 * n], (-1.0, 1.0), DType::F32)?;
            Ok(Box::new(move || {
                x.sum_dim(&[1], false)?.realize()?;
                wait(x.engine())
            }))
        }),
    };
    let product = benches()
        .into_iter()
        .find(|bench| bench.name == "matmul of 512 × 512");
    let speed = |bench: &Bench| -> Result<f64> {
        Ok(bench.amount / median(bench, device, clock, BUDGET / 10.0)?.0 / 1e9)
    };
    Ok([speed(&reading)?, product.as_ref().map_or(Ok(0.0), speed)?])
}

/// Seconds of the median repetition, and how many there were. The first run compiles, and counts only
/// where it takes so long that it stays the only one.
fn median(bench: &Bench, engine: &Engine, clock: Clock, budget: f64) -> Result<(f64, usize)> {
    let work = (bench.make)(engine)?;
    let (began, mut times) = (clock(), Vec::new());
    work()?;
    let first = clock() - began;
    if first > budget {
        return Ok((first, 1));
    }
    let began = clock();
    while times.is_empty() || clock() - began < budget && times.len() < MOST_REPETITIONS {
        let start = clock();
        work()?;
        // A page's clock has steps of its own.
        times.push((clock() - start).max(1e-6));
    }
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], times.len()))
}

/// Counts what a training step asks of a device.
///
/// # Errors
/// What computing says.
pub fn step_counts(device: &Device) -> Result<StepCounts> {
    const STEPS: usize = 10;
    let engine = Engine::new(Box::new(device.backend.clone()));
    let mut each = Vec::new();
    for fused in [true, false] {
        engine.set_fusion(fused);
        let model = perceptron(&engine)?;
        model.step(0)?.item()?;
        let before = device.backend.counts();
        for step in 0..STEPS {
            model.step(step)?.item()?;
        }
        let after = device.backend.counts();
        let share = |n: usize| n as f64 / STEPS as f64;
        each.push(share(after.submits - before.submits));
        each.push(share(after.dispatches - before.dispatches));
    }
    Ok(StepCounts {
        submits: each[0],
        dispatches: each[1],
        submits_unfused: each[2],
        dispatches_unfused: each[3],
    })
}

//! What one thread and two take for products, a chain of eight ops, a sum and a small add, by turns.
//!
//! `cargo run --example threads -p glowgrad-cpu`; `bench/threads.py` times the same with PyTorch. Medians of the
//! rounds are printed, in microseconds.

use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_cpu::{Level, Pool, run_kernel, run_routine, set_threads};
use glowgrad_tensor::alu::AluOp::{self, *};
use glowgrad_tensor::kernel::{Input, Instr, Kernel, Reduce, ReduceOp, Routine};
use glowgrad_tensor::{DType, View};

const ROUNDS: usize = 15;

fn main() {
    let level = Level::detect();
    println!("{:24} {:>10} {:>10}", level.name(), "1 thread", "2 threads");
    for n in [64, 128, 256, 512, 1024] {
        let (a, b, mut c) = (vec![0.5f32; n * n], vec![0.25f32; n * n], vec![0f32; n * n]);
        let view = || View::contiguous(&[1, n, n]);
        let routine = Routine::MatMul {
            dtype: DType::F32,
            a: view(),
            b: view(),
        };
        let pool = Pool::default();
        time(&format!("product {n}"), || {
            let inputs = [cast_slice(&a), cast_slice(&b)];
            run_routine(level, &pool, &routine, &inputs, cast_slice_mut(&mut c)).expect("valid");
        });
    }
    let chain = [Mul, Add, Max, Mul, Add, Sub, Mul, Add];
    for (name, n, ops, sums) in [
        ("add of 8", 8, &chain[1..2], false),
        ("add of 16 K", 1 << 14, &chain[1..2], false),
        ("add of 64 K", 1 << 16, &chain[1..2], false),
        ("add of 128 K", 1 << 17, &chain[1..2], false),
        ("add of 1 M", 1 << 20, &chain[1..2], false),
        ("8 ops on 16 K", 1 << 14, &chain[..], false),
        ("8 ops on 64 K", 1 << 16, &chain[..], false),
        ("8 ops on 1 M", 1 << 20, &chain[..], false),
        ("8 ops on 16 M", 1 << 24, &chain[..], false),
        ("sum of 1 M", 1 << 20, &[], true),
        ("sum of 16 M", 1 << 24, &[], true),
    ] {
        let kernel = kernel(n, ops, sums);
        let (x, y) = (vec![0.5f32; n], vec![0.25f32; n]);
        let mut out = vec![0f32; if sums { 1 } else { n }];
        let pool = Pool::default();
        time(name, || {
            let inputs = [cast_slice(&x), cast_slice(&y)];
            let outputs = &mut [cast_slice_mut(&mut out)];
            run_kernel(level, &pool, &kernel, &inputs, outputs).expect("valid");
        });
    }
}

/// Each op takes the result before it and the second input.
fn kernel(n: usize, ops: &[AluOp], sums: bool) -> Kernel {
    let input = || Input {
        view: View::contiguous(&[n]),
        dtype: DType::F32,
    };
    let mut code = vec![Instr::Load { input: 1 }, Instr::Load { input: 0 }];
    for (i, &op) in ops.iter().enumerate() {
        code.push(Instr::Apply {
            op,
            src: [i as u16 + 1, 0, 0],
        });
    }
    Kernel {
        shape: View::contiguous(&[n]).shape,
        inputs: vec![input(), input()],
        args: vec![],
        fixed: vec![],
        dtypes: vec![DType::F32; code.len()],
        outputs: vec![(code.len() - 1) as u16],
        code,
        reduce: sums.then(|| Reduce {
            op: ReduceOp::Sum,
            axes: [0].into_iter().collect(),
        }),
    }
}

/// Prints the medians with one thread and with two.
fn time(name: &str, mut run: impl FnMut()) {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        for (n, times) in (1..).zip(&mut times) {
            set_threads(n);
            let (mut runs, start) = (0u32, Instant::now());
            while runs == 0 || start.elapsed().as_millis() < 5 {
                run();
                runs += 1;
            }
            if round > 0 {
                times.push(start.elapsed().as_nanos() as f64 / 1000.0 / f64::from(runs));
            }
        }
    }
    let [one, two] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    println!("{name:24} {one:10.2} {two:10.2}  ratio {:.2}", one / two);
}

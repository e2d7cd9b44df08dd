//! Times softmax, layer norm and their gradients on one thread: nanoseconds an element, the fastest of 15 runs.
//!
//! `cargo run -p glowgrad-cpu --example rows`

use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_cpu::{Level, Pool, run_routine, set_threads};
use glowgrad_tensor::fused_op::{FusedOp, Lines, Norm, Softmax};
use glowgrad_tensor::kernel::Routine;

fn main() -> glowgrad_tensor::Result<()> {
    set_threads(1);
    for (outer, n, inner) in [
        (100_000, 10, 1),
        (16_384, 64, 1),
        (1_000, 1_000, 1),
        (10, 1_000, 100),
    ] {
        println!("{outer} x {n} x {inner}");
        let softmax = |log, gradient| {
            let lines = Lines { outer, n, inner };
            FusedOp::Softmax(Softmax {
                log,
                gradient,
                lines,
            })
        };
        let mut layers = vec![
            softmax(false, false),
            softmax(false, true),
            softmax(true, false),
            softmax(true, true),
        ];
        if inner == 1 {
            for gradient in [false, true] {
                let mut norm = Norm::new([outer, n], 1e-5);
                (norm.weight, norm.bias, norm.gradient) = (true, !gradient, gradient);
                layers.push(FusedOp::Norm(norm));
            }
        }
        for layer in layers {
            time(&layer, outer * n * inner, n)?;
        }
    }
    Ok(())
}

fn time(layer: &FusedOp, numel: usize, n: usize) -> glowgrad_tensor::Result<()> {
    let operand = |n: usize| (0..n).map(|i| (i % 97) as f32 / 97.0).collect::<Vec<f32>>();
    let (x, row, mut out) = (operand(numel), operand(n), vec![0f32; numel]);
    let (x, row): (&[u8], &[u8]) = (cast_slice(&x), cast_slice(&row));
    let inputs = match layer {
        FusedOp::Norm(norm) if norm.gradient => vec![x, x, row],
        FusedOp::Norm(_) => vec![x, row, row],
        FusedOp::Softmax(softmax) if softmax.gradient => vec![x, x],
        _ => vec![x],
    };
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        let routine = Routine::FusedOp(layer.clone());
        run_routine(
            Level::detect(),
            &Pool::default(),
            &routine,
            &inputs,
            cast_slice_mut(&mut out),
        )?;
        times.push(start.elapsed().as_secs_f64() * 1e9 / numel as f64);
    }
    times.sort_by(f64::total_cmp);
    println!("  {:22}{:6.2}", layer.name(), times[0]);
    Ok(())
}

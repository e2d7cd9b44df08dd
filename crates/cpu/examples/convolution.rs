//! Times convolutions and their two gradients: GFLOP/s of the products they are, medians of seven runs.
//!
//! `cargo run -p glowgrad-cpu --example convolution`

use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_cpu::{Level, Pool, run_routine};
use glowgrad_tensor::fused_op::{Convolution, FusedOp, Wanted};
use glowgrad_tensor::kernel::Routine;

/// Batch, groups, channels in and out of a group, input, kernel, stride, padding.
const LAYERS: [(&str, [usize; 8]); 7] = [
    ("CNN 1", [250, 1, 1, 24, 28, 5, 1, 0]),
    ("CNN 2", [250, 1, 24, 32, 12, 3, 1, 0]),
    ("ResNet 64", [4, 1, 64, 64, 56, 3, 1, 1]),
    ("ResNet 128/2", [4, 1, 64, 128, 56, 3, 2, 1]),
    ("ResNet 512", [4, 1, 512, 512, 7, 3, 1, 1]),
    ("1x1", [4, 1, 64, 128, 56, 1, 1, 0]),
    ("depth-wise", [4, 144, 1, 1, 56, 3, 1, 1]),
];

fn main() -> glowgrad_tensor::Result<()> {
    let pool = Pool::default();
    for (
        name,
        [
            batch,
            groups,
            channels_in,
            channels_out,
            n,
            k,
            stride,
            before,
        ],
    ) in LAYERS
    {
        let result = (n + 2 * before - k) / stride + 1;
        let (x, w, y) = (
            batch * groups * channels_in * n * n,
            groups * channels_out * channels_in * k * k,
            batch * groups * channels_out * result * result,
        );
        print!("{name:13}");
        for wanted in [Wanted::Result, Wanted::Input, Wanted::Weight] {
            let layer = Routine::FusedOp(FusedOp::Convolution(Convolution {
                wanted,
                batch,
                groups,
                channels_in,
                channels_out,
                input: [1, n, n],
                kernel: [1, k, k],
                result: [1, result, result],
                stride: [1, stride, stride],
                before: [0, before, before],
                dilation: [1; 3],
                parts: 1,
            }));
            let [a, b, out] = match wanted {
                Wanted::Result => [x, w, y],
                Wanted::Input => [y, w, x],
                Wanted::Weight => [x, y, w],
            };
            let operand = |n: usize| (0..n).map(|i| (i % 97) as f32 / 97.0).collect::<Vec<f32>>();
            let (a, b, mut out) = (operand(a), operand(b), vec![0f32; out]);
            let mut times = Vec::new();
            for _ in 0..7 {
                let start = Instant::now();
                run_routine(
                    Level::detect(),
                    &pool,
                    &layer,
                    &[cast_slice(&a), cast_slice(&b)],
                    cast_slice_mut(&mut out),
                )?;
                times.push(start.elapsed().as_secs_f64());
            }
            times.sort_by(f64::total_cmp);
            let flop = 2.0 * (y * channels_in * k * k) as f64;
            print!("  {:7.2} ms {:6.1}", times[3] * 1e3, flop / times[3] / 1e9);
        }
        println!();
    }
    Ok(())
}

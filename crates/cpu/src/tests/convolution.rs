//! Convolutions and their gradients of many sizes, against what the layer means.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::fused_op::{Convolution, FusedOp, Wanted};
use glowgrad_tensor::kernel::Routine;

use super::{Random, every_level, zeros};
use crate::{Level, Pool, run_routine};

fn check(level: Level, random: &mut Random, sizes: Convolution) {
    let count = |sizes: [usize; 3]| sizes.iter().product::<usize>();
    let x = sizes.batch * sizes.groups * sizes.channels_in * count(sizes.input);
    let w = sizes.groups * sizes.channels_out * sizes.channels_in * count(sizes.kernel);
    let y = sizes.batch * sizes.groups * sizes.channels_out * count(sizes.result);
    let [a, b, out] = match sizes.wanted {
        Wanted::Result => [x, w, y],
        Wanted::Input => [y, w, x],
        Wanted::Weight => [x, y, w],
    };
    let out = out * sizes.parts;
    let [a, b] = [a, b].map(|n| (0..n).map(|_| random.unit() as f32).collect::<Vec<_>>());
    let layer = FusedOp::Convolution(sizes);
    let mut expected = vec![0.0; out];
    layer.compute(&[&a, &b], &mut expected);
    let mut got = zeros(out * 4);
    let got = &mut got[..out * 4];
    let routine = Routine::FusedOp(layer);
    run_routine(
        level,
        &Pool::default(),
        &routine,
        &[cast_slice(&a), cast_slice(&b)],
        got,
    )
    .expect("valid");
    let got: &[f32] = cast_slice_mut(got);
    let most = 1e-6 * (sizes.depth() as f32).sqrt().max(4.0) * 2.0;
    for (at, (got, expected)) in got.iter().zip(&expected).enumerate() {
        assert!(
            (got - expected).abs() <= most,
            "{sizes:?} on {level:?} at {at}: {got}, not {expected}"
        );
    }
}

const WANTED: [Wanted; 3] = [Wanted::Result, Wanted::Input, Wanted::Weight];

#[test]
fn any_strides_padding_dilation_and_groups() {
    every_level(|level| {
        let mut random = Random(71);
        for round in 0..if cfg!(target_arch = "wasm32") {
            100
        } else {
            600
        } {
            let dims = 1 + random.below(3);
            let (mut input, mut kernel, mut result) = ([1; 3], [1; 3], [1; 3]);
            let (mut stride, mut before, mut dilation) = ([1; 3], [0; 3], [1; 3]);
            for d in 3 - dims..3 {
                kernel[d] = 1 + random.below(4);
                stride[d] = 1 + random.below(3);
                dilation[d] = 1 + random.below(3);
                before[d] = random.below(4);
                let reach = dilation[d] * (kernel[d] - 1) + 1;
                let after = random.below(3);
                let least = reach.saturating_sub(before[d] + after).max(1);
                input[d] = least + random.below(if dims == 3 { 5 } else { 17 });
                result[d] = (input[d] + before[d] + after - reach) / stride[d] + 1;
            }
            let sizes = Convolution {
                wanted: WANTED[round % 3],
                batch: random.below(5),
                groups: 1 + random.below(3),
                channels_in: 1 + random.below(6),
                channels_out: 1 + random.below(15),
                input,
                kernel,
                result,
                stride,
                before,
                dilation,
                parts: 1,
            };
            // No part of a sum is empty.
            let parts = 1 + random.below(3);
            let parts = sizes
                .depth()
                .div_ceil(sizes.depth().div_ceil(parts).max(1))
                .max(1);
            check(level, &mut random, Convolution { parts, ..sizes });
            check(
                level,
                &mut random,
                Convolution {
                    channels_in: 1,
                    channels_out: 1 + round % 2,
                    ..sizes
                },
            );
        }
    });
}

#[test]
fn more_than_a_block() {
    every_level(|level| {
        let mut random = Random(72);
        for wanted in WANTED {
            let plane = |n| [1, n, n];
            let sizes = Convolution {
                wanted,
                batch: 3,
                groups: 1,
                channels_in: 40,
                channels_out: 37,
                input: plane(19),
                kernel: plane(3),
                result: plane(19),
                stride: [1; 3],
                before: [0, 1, 1],
                dilation: [1; 3],
                parts: 1,
            };
            check(level, &mut random, sizes);
            let sizes = Convolution {
                result: plane(10),
                stride: [1, 2, 2],
                ..sizes
            };
            check(level, &mut random, sizes);
        }
    });
}

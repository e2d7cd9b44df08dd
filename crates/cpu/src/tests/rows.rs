//! Softmax, layer norm, attention and their gradients against what `FusedOp::compute` says, at every level.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::fused_op::{Attention, FusedOp, Lines, Norm, Softmax};
use glowgrad_tensor::kernel::Routine;

use super::{Random, every_level, zeros};
use crate::{Pool, run_routine};

/// Holds a layer to what it means; what is compared is at most `most` times the larger of 1 and the value.
fn check(layer: &FusedOp, inputs: &[Vec<f32>], n_out: usize, most: f32) {
    let reads: Vec<&[f32]> = inputs.iter().map(|x| &x[..]).collect();
    let mut expected = vec![0.0; n_out];
    layer.compute(&reads, &mut expected);
    let reads: Vec<&[u8]> = inputs.iter().map(|x| cast_slice(x)).collect();
    every_level(|level| {
        let mut out = zeros(4 * n_out);
        let out = &mut out[..4 * n_out];
        // What is not written shows.
        cast_slice_mut::<u8, f32>(out).fill(f32::NAN);
        let routine = Routine::FusedOp(layer.clone());
        let got = run_routine(level, &Pool::default(), &routine, &reads, out);
        assert_eq!(got, Ok(()));
        let out: &[f32] = cast_slice(out);
        for (i, (&got, &expected)) in out.iter().zip(&expected).enumerate() {
            let same = got == expected || (got.is_nan() && expected.is_nan());
            assert!(
                same || (got - expected).abs() <= most * expected.abs().max(1.0),
                "{layer:?} {level:?} [{i}]: {got:e}, not {expected:e}"
            );
        }
    });
}

fn numbers(random: &mut Random, n: usize, reach: f64) -> Vec<f32> {
    (0..n).map(|_| (reach * random.unit()) as f32).collect()
}

/// Lengths around those of vectors, of lanes and of blocks.
const LENGTHS: [usize; 20] = [
    1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 17, 31, 32, 33, 63, 129, 511, 512, 513, 1500,
];

#[test]
fn softmax_along_rows_and_columns() {
    let mut random = Random(81);
    for n in LENGTHS {
        for inner in [1, 1, 2, 7, 127, 128, 131] {
            let (inner, outer) = match inner {
                1 => (1, 1 + random.below(70)),
                inner if n > 64 => (inner.min(9), 2),
                inner => (inner, 1 + random.below(3)),
            };
            let lines = Lines { outer, n, inner };
            let numel = outer * n * inner;
            for log in [false, true] {
                let layer = |gradient| {
                    FusedOp::Softmax(Softmax {
                        log,
                        gradient,
                        lines,
                    })
                };
                let x = numbers(&mut random, numel, 9.0);
                check(&layer(false), &[x], numel, 2e-6);
                let y = numbers(&mut random, numel, 1.0);
                let gy = numbers(&mut random, numel, 1.0);
                let most = 2e-6 * (n as f32).sqrt().max(2.0);
                check(&layer(true), &[gy, y], numel, most);
            }
        }
    }
}

#[test]
fn softmax_of_infinities_and_nan() {
    for x in [
        [f32::NEG_INFINITY, 0.0, 1.0],
        [f32::NEG_INFINITY; 3],
        [f32::INFINITY, 0.0, 1.0],
        [f32::NAN, 0.0, 1.0],
        [0.0, 1.0, f32::NAN],
        [3e38, -3e38, 3e38],
        [-0.0, 0.0, 1e-40],
    ] {
        for log in [false, true] {
            for (outer, n, inner) in [(1, 3, 1), (1, 3, 2)] {
                let lines = Lines { outer, n, inner };
                let layer = FusedOp::Softmax(Softmax {
                    log,
                    gradient: false,
                    lines,
                });
                let x = x.iter().flat_map(|&x| vec![x; inner]).collect();
                check(&layer, &[x], n * inner, 2e-6);
            }
        }
    }
}

#[test]
fn layer_norm_of_rows() {
    let mut random = Random(82);
    for n in LENGTHS {
        for (weight, bias) in [(false, false), (true, false), (true, true)] {
            let rows = 1 + random.below(70);
            let x = numbers(&mut random, rows * n, 3.0);
            let (w, b) = (numbers(&mut random, n, 2.0), numbers(&mut random, n, 2.0));
            let mut norm = Norm::new([rows, n], 1e-5);
            (norm.weight, norm.bias) = (weight, bias);
            let mut inputs = vec![x.clone()];
            inputs.extend(weight.then(|| w.clone()));
            inputs.extend(bias.then(|| b.clone()));
            // Of one or two elements the variance may be as small as eps.
            let most = if n < 3 { 2e-4 } else { 4e-6 };
            check(&FusedOp::Norm(norm), &inputs, rows * n, most);
            (norm.bias, norm.gradient) = (false, true);
            let mut inputs = vec![numbers(&mut random, rows * n, 1.0), x];
            inputs.extend(weight.then(|| w.clone()));
            if n > 2 {
                check(&FusedOp::Norm(norm), &inputs, rows * n, 2e-5);
            }
        }
    }
}

#[test]
fn a_layer_norm_has_the_digits_of_pytorch() {
    let layer = Routine::FusedOp(FusedOp::Norm(Norm::new([1, 3], 1e-5)));
    let x = [1f32, 2.0, 3.0];
    every_level(|level| {
        let mut out = [0f32; 3];
        run_routine(
            level,
            &Pool::default(),
            &layer,
            &[cast_slice(&x)],
            cast_slice_mut(&mut out),
        )
        .expect("a valid layer");
        let expected = [-1.224_735_617_637_634_3, 0.0, 1.224_735_617_637_634_3];
        assert_eq!(out.map(f64::from), expected);
    });
}

#[test]
fn a_constant_row_has_no_variance() {
    for gradient in [false, true] {
        let mut norm = Norm::new([2, 40], 1e-5);
        norm.gradient = gradient;
        let x = vec![2.5; 80];
        let inputs = if gradient {
            vec![x.clone(), x]
        } else {
            vec![x]
        };
        check(&FusedOp::Norm(norm), &inputs, 80, 1e-6);
    }
}

#[test]
fn attention_of_many_sizes() {
    let mut random = Random(83);
    for round in 0..if cfg!(target_arch = "wasm32") {
        30
    } else {
        150
    } {
        let most_rows = if round % 10 == 0 { 300 } else { 20 };
        let [batch, queries, keys] = [
            1 + random.below(3),
            1 + random.below(most_rows),
            1 + random.below(most_rows),
        ];
        let [width, v_width] = [1 + random.below(40), 1 + random.below(40)];
        let causal = round % 2 == 0;
        let sizes = [batch, queries, keys, width, v_width];
        let scale = 1.0 / (width as f64).sqrt();
        let layer = FusedOp::Attention(Attention::new(sizes, causal, scale));
        let inputs = [
            numbers(&mut random, batch * queries * width, 2.0),
            numbers(&mut random, batch * keys * width, 2.0),
            numbers(&mut random, batch * keys * v_width, 2.0),
        ];
        check(&layer, &inputs, batch * queries * v_width, 4e-6);
    }
}

#[test]
fn operands_of_another_length_are_refused() {
    let lines = Lines {
        outer: 1,
        n: 4,
        inner: 1,
    };
    let layers = [
        FusedOp::Softmax(Softmax {
            log: false,
            gradient: true,
            lines,
        }),
        FusedOp::Norm(Norm::new([1, 4], 1e-5)),
        FusedOp::Attention(Attention::new([1, 2, 2, 2, 2], false, 1.0)),
    ];
    for layer in layers {
        let (short, mut out) = ([0f32; 3], [0f32; 4]);
        for inputs in [&[][..], &[cast_slice(&short)], &[cast_slice(&short); 3]] {
            let refused = run_routine(
                crate::Level::Baseline,
                &Pool::default(),
                &Routine::FusedOp(layer.clone()),
                inputs,
                cast_slice_mut(&mut out),
            );
            assert!(refused.is_err_and(|error| error.message.contains("another length")));
        }
    }
}

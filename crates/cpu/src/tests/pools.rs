//! Pools against what `FusedOp::compute` says, to the bit, at every level and with several threads.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::fused_op::{Divisor, FusedOp, Pool as Sizes, PoolOf, Windows};
use glowgrad_tensor::kernel::Routine;

use super::{Random, every_level, zeros};
use crate::Pool;

/// Numbers with many equal ones, zeros of both signs, infinities and NaN.
fn number(random: &mut Random) -> f32 {
    match random.below(12) {
        0 => f32::NAN,
        1 => f32::NEG_INFINITY,
        2 => -0.0,
        3 => 0.0,
        4 => f32::MIN_POSITIVE / 2.0,
        _ => (random.below(9) as f32 - 4.0) / 3.0,
    }
}

fn dimension(random: &mut Random) -> Windows {
    let (n, size, dilation) = (
        1 + random.below(19),
        1 + random.below(4),
        1 + random.below(3),
    );
    let (step, before) = (1 + random.below(4), random.below(size / 2 + 1));
    let reach = (size - 1) * dilation + 1;
    let padded = n + 2 * before;
    Windows {
        n,
        count: padded.saturating_sub(reach) / step + 1,
        size,
        step,
        before,
        dilation,
    }
}

#[test]
fn every_window_of_every_plane() {
    let mut random = Random(7);
    for round in 0..400 {
        let one = Windows::NONE;
        let dims = match random.below(3) {
            0 => [one, one, dimension(&mut random)],
            1 => [one, dimension(&mut random), dimension(&mut random)],
            _ => [
                dimension(&mut random),
                dimension(&mut random),
                dimension(&mut random),
            ],
        };
        let of = match random.below(4) {
            0 => PoolOf::Mean(Divisor::Given(3)),
            1 => PoolOf::Mean(Divisor::Padded),
            2 => PoolOf::Mean(Divisor::Inside),
            _ => PoolOf::Largest,
        };
        let planes = if round % 20 == 0 {
            300
        } else {
            random.below(4)
        };
        let count = |of: fn(&Windows) -> usize| planes * dims.iter().map(of).product::<usize>();
        let (n, windows) = (count(|dim| dim.n), count(|dim| dim.count));
        for gradient in [false, true] {
            let layer = FusedOp::Pool(Sizes {
                of,
                gradient,
                planes,
                dims,
            });
            let x: Vec<f32> = (0..n).map(|_| number(&mut random)).collect();
            let gy: Vec<f32> = (0..windows).map(|_| random.below(7) as f32 / 3.0).collect();
            let inputs: Vec<&[f32]> = match (gradient, of) {
                (false, _) => vec![&x],
                (true, PoolOf::Largest) => vec![&gy, &x, &gy],
                (true, PoolOf::Mean(_)) => vec![&gy],
            };
            let n_out = if gradient { n } else { windows };
            let mut expected = vec![0.0; n_out];
            layer.compute(&inputs, &mut expected);
            let inputs: Vec<&[u8]> = inputs.iter().map(|x| cast_slice(x)).collect();
            every_level(|level| {
                let mut out = zeros(4 * n_out);
                let got = crate::run_routine(
                    level,
                    &Pool::default(),
                    &Routine::FusedOp(layer.clone()),
                    &inputs,
                    &mut out[..4 * n_out],
                );
                assert_eq!(got, Ok(()));
                let out: &[f32] = cast_slice_mut(&mut out[..4 * n_out]);
                for (i, (got, expected)) in out.iter().zip(&expected).enumerate() {
                    assert!(
                        got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
                        "{layer:?} {level:?} [{i}]: {got:e}, not {expected:e}"
                    );
                }
            });
        }
    }
}

#[test]
fn operands_of_another_length_are_refused() {
    let dim = Windows {
        n: 4,
        count: 2,
        size: 2,
        step: 2,
        before: 0,
        dilation: 1,
    };
    let layer = Routine::FusedOp(FusedOp::Pool(Sizes {
        of: PoolOf::Largest,
        gradient: false,
        planes: 1,
        dims: [Windows::NONE, Windows::NONE, dim],
    }));
    let (short, mut out) = ([0f32; 3], [0f32; 2]);
    let level = crate::Level::Baseline;
    let inputs: [&[u8]; 1] = [cast_slice(&short)];
    let refused = crate::run_routine(
        level,
        &Pool::default(),
        &layer,
        &inputs,
        cast_slice_mut(&mut out),
    );
    assert!(refused.is_err_and(|error| error.message.contains("another length")));
}

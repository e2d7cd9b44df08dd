//! Accuracy of the float32 functions, against float64 ones.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{Random, ulps_f32};
use crate::math;

/// The step through the bit patterns of the floats: a prime. A browser takes fewer.
const STEP: usize = if cfg!(target_arch = "wasm32") {
    40_009
} else {
    1_009
};

/// Checks one function of one argument on floats of every magnitude, within `limit` ulp.
fn within(
    name: &str,
    limit: f64,
    largest: f32,
    f: impl Fn(f32) -> f32,
    exact: impl Fn(f64) -> f64,
) {
    let mut worst = (0.0, 0.0f32);
    for bits in (0..=u32::MAX).step_by(STEP) {
        let x = f32::from_bits(bits);
        if x.abs() > largest && x.is_finite() {
            continue;
        }
        let error = ulps_f32(f(x), exact(f64::from(x)));
        if error > worst.0 {
            worst = (error, x);
        }
    }
    assert!(
        worst.0 <= limit,
        "{name}({:e}): {} ulp, got {:e}",
        worst.1,
        worst.0,
        f(worst.1)
    );
    println!("{name}: {:.3} ulp at {:e}", worst.0, worst.1);
}

#[test]
fn functions_of_one_argument_are_within_two_ulp() {
    let all = f32::MAX;
    within("exp", 2.0, all, math::exp, f64::exp);
    within("log", 2.0, all, math::log, f64::ln);
    within("log1p", 2.0, all, math::log1p, f64::ln_1p);
    within("expm1", 2.0, all, math::expm1, f64::exp_m1);
    within("tanh", 2.0, all, math::tanh, f64::tanh);
    within("erf", 2.0, all, math::erf, libm::erf);
    within("sin", 2.0, math::LARGEST_ANGLE, math::sin, f64::sin);
    within("cos", 2.0, math::LARGEST_ANGLE, math::cos, f64::cos);
}

#[test]
fn powers_are_within_two_ulp() {
    let mut random = Random(5);
    let mut worst = (0.0, 0.0, 0.0);
    for i in 0..40_000_000 / STEP * 10 {
        let x = f32::from_bits(random.bits() as u32);
        let y = match i % 4 {
            0 => f32::from_bits(random.bits() as u32),
            1 => (random.below(40) as f32) / 2.0 - 10.0,
            // So that the result is finite.
            _ => (80.0 * random.unit() / f64::from(x.abs()).ln()) as f32,
        };
        let error = ulps_f32(math::pow(x, y), f64::from(x).powf(f64::from(y)));
        if error > worst.0 {
            worst = (error, x, y);
        }
    }
    let (error, x, y) = worst;
    assert!(
        error <= 2.0,
        "pow({x:e}, {y:e}): {error} ulp, got {:e}",
        math::pow(x, y)
    );
    println!("pow: {error:.3} ulp at ({x:e}, {y:e})");
}

#[test]
fn signed_zeros_are_kept() {
    for f in [math::log1p, math::expm1, math::tanh, math::erf, math::sin] {
        assert_eq!(f(-0.0).to_bits(), (-0f32).to_bits());
        assert_eq!(f(0.0).to_bits(), 0);
    }
    assert_eq!(math::pow(-0.0, 3.0).to_bits(), (-0f32).to_bits());
    assert_eq!(math::pow(-0.0, -3.0), f32::NEG_INFINITY);
    assert_eq!(math::pow(-0.0, 2.0).to_bits(), 0);
}

/// One number for the bits of many results; all NaN count as one.
fn fingerprint(results: impl Iterator<Item = f32>) -> u64 {
    results.fold(0xcbf2_9ce4_8422_2325, |hash, x| {
        let bits = if x.is_nan() { f32::NAN } else { x }.to_bits();
        (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn a_browser_and_every_processor_give_the_same_numbers() {
    type Function = fn(f32) -> f32;
    let functions: [(Function, u64); 8] = [
        (math::exp, 0xe46b_8318_7982_5db7),
        (math::log, 0x52fc_0e16_c6ef_821b),
        (math::log1p, 0x4b36_92be_e414_efb5),
        (math::expm1, 0x19e6_6741_2f5b_6ba7),
        (math::tanh, 0x8f66_e2b5_1001_bf8d),
        (math::erf, 0x4fcf_5742_15ae_1bee),
        (
            |x| math::sin(x % math::LARGEST_ANGLE),
            0xff3e_d9ef_7109_f4ee,
        ),
        (|x| math::pow(x.abs(), 1.7), 0x720f_2254_590c_f681),
    ];
    let got = functions.map(|(f, _)| {
        fingerprint(
            (0..=u32::MAX)
                .step_by(40_009)
                .map(|bits| f(f32::from_bits(bits))),
        )
    });
    assert_eq!(got, functions.map(|(_, expected)| expected), "{got:#x?}");
}

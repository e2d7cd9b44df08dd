//! Accuracy of the float32 functions, against float64 ones.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{Random, ulps_f32};
use crate::math;

/// The step through the bit patterns of the floats: a prime. A browser takes fewer.
const STEP: usize = if cfg!(target_arch = "wasm32") { 40_009 } else { 1_009 };

/// Checks one function of one argument on floats of every magnitude, within `limit` ulp.
fn within(name: &str, limit: f64, largest: f32, f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) {
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
    assert!(worst.0 <= limit, "{name}({:e}): {} ulp, got {:e}", worst.1, worst.0, f(worst.1));
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
    assert!(error <= 2.0, "pow({x:e}, {y:e}): {error} ulp, got {:e}", math::pow(x, y));
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

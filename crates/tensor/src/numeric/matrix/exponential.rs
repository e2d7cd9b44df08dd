//! The exponential of a matrix: a Padé quotient of the matrix scaled down, squared up again (Higham 2005).

use super::{add, triangular};
use crate::interrupt;

/// Coefficients of the Padé approximant of order 13.
const PADE: [f64; 14] = [
    64_764_752_532_480_000.0,
    32_382_376_266_240_000.0,
    7_771_770_303_897_600.0,
    1_187_353_796_428_800.0,
    129_060_195_264_000.0,
    10_559_470_521_600.0,
    670_442_572_800.0,
    33_522_128_640.0,
    1_323_241_920.0,
    40_840_800.0,
    960_960.0,
    16_380.0,
    182.0,
    1.0,
];

/// Up to this sum of sizes along a column the approximant is exact to the last digit.
const REACH: f64 = 5.371_920_351_148_152;

pub(super) fn exp(a: &[f64], n: usize) -> Vec<f64> {
    let column = |j: usize| (0..n).map(|i| a[i * n + j].abs()).sum::<f64>();
    let norm = (0..n).map(column).fold(0.0f64, |most, sum| {
        if sum.is_nan() || sum > most {
            sum
        } else {
            most
        }
    });
    if !norm.is_finite() {
        return vec![f64::NAN; n * n];
    }
    let mut squarings = 0;
    let mut scale = 1.0;
    while norm * scale > REACH {
        scale /= 2.0;
        squarings += 1;
    }
    let a: Vec<f64> = a.iter().map(|x| x * scale).collect();
    let product = |x: &[f64], y: &[f64]| multiply(x, y, n);
    let a2 = product(&a, &a);
    let a4 = product(&a2, &a2);
    let a6 = product(&a4, &a2);
    // c6 A⁶ + c4 A⁴ + c2 A² + c0
    let sum = |c6: f64, c4: f64, c2: f64, c0: f64| {
        let mut sum = vec![0.0; n * n];
        add(&mut sum, c6, &a6);
        add(&mut sum, c4, &a4);
        add(&mut sum, c2, &a2);
        (0..n).for_each(|i| sum[i * n + i] += c0);
        sum
    };
    let half = |first: usize| {
        let high = sum(PADE[first + 12], PADE[first + 10], PADE[first + 8], 0.0);
        let low = sum(
            PADE[first + 6],
            PADE[first + 4],
            PADE[first + 2],
            PADE[first],
        );
        let mut whole = product(&a6, &high);
        add(&mut whole, 1.0, &low);
        whole
    };
    let odd = product(&a, &half(1));
    let even = half(0);
    let mut result = even.clone();
    add(&mut result, 1.0, &odd);
    let mut below = even;
    add(&mut below, -1.0, &odd);
    triangular::solve(&below, &mut result, n);
    for _ in 0..squarings {
        if interrupt::spend(n * n) {
            break;
        }
        result = product(&result, &result);
    }
    result
}

fn multiply(x: &[f64], y: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    for i in 0..n {
        if interrupt::spend(n * n) {
            break;
        }
        for k in 0..n {
            add(
                &mut out[i * n..(i + 1) * n],
                x[i * n + k],
                &y[k * n..(k + 1) * n],
            );
        }
    }
    out
}

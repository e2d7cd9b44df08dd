//! Matrix products of every size and stride, against float64.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use glowgrad_tensor::alu::{Alu, Value};
use glowgrad_tensor::kernel::Routine;
use glowgrad_tensor::{DType, View};

use super::routines::run;
use super::{Random, every_level, random_view};
use crate::Level;

fn check(level: Level, random: &mut Random, dtype: DType, a: View, b: View, lengths: [usize; 2]) {
    let [x, y] = lengths.map(|n| (0..n).map(|_| random.value(dtype)).collect::<Vec<_>>());
    let (batch, m, k, n) = (a.shape[0], a.shape[1], a.shape[2], b.shape[2]);
    let routine = Routine::MatMul {
        dtype,
        a: a.clone(),
        b: b.clone(),
    };
    let got = run(level, &routine, &[&x, &y], dtype, batch * m * n).expect("valid");
    let number = |v: &Value| v.cast(DType::F64).scalar().as_f64();
    let x: Vec<f64> = a.positions().map(|p| number(&x[p])).collect();
    let y: Vec<f64> = b.positions().map(|p| number(&y[p])).collect();
    let epsilon = match dtype {
        DType::F32 => f64::from(f32::EPSILON),
        DType::F64 => f64::EPSILON,
        _ => 0.0,
    };
    for (at, got) in got.iter().enumerate() {
        let (i, row, column) = (at / (m * n), at / n % m, at % n);
        let (mut sum, mut magnitude) = (0.0, 0.0);
        for p in 0..k {
            let product = x[(i * m + row) * k + p] * y[(i * k + p) * n + column];
            sum += product;
            magnitude += product.abs();
        }
        let error = (number(got) - sum).abs();
        assert!(
            error <= magnitude * epsilon * (k as f64).sqrt().max(4.0),
            "[{batch}, {m}, {k}] x [{k}, {n}] {dtype} on {level:?} at {at}: {got:?}, not {sum}; {a:?} {b:?}"
        );
    }
}

/// What products are computed in.
const PRODUCTS: [DType; 3] = [DType::I64, DType::F32, DType::F64];

/// `[1, rows, columns]`, row-major or transposed.
fn matrix(rows: usize, columns: usize, transposed: bool) -> View {
    if transposed {
        View::contiguous(&[1, columns, rows]).permute(&[0, 2, 1])
    } else {
        View::contiguous(&[1, rows, columns])
    }
}

#[test]
fn sizes_and_transpositions() {
    let sizes = [0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257];
    every_level(|level| {
        let mut random = Random(51);
        for m in sizes {
            for n in sizes {
                for k in sizes {
                    // All small products, and some of the large ones.
                    let work = m * n * k;
                    if work > 40_000
                        && random.below(if cfg!(target_arch = "wasm32") {
                            200
                        } else {
                            15
                        }) > 0
                    {
                        continue;
                    }
                    let turned = random.below(4);
                    let (a, b) = (matrix(m, k, turned & 1 == 1), matrix(k, n, turned & 2 == 2));
                    let dtype = if work <= 4_000 {
                        PRODUCTS[random.below(3)]
                    } else {
                        DType::F32
                    };
                    check(
                        level,
                        &mut random,
                        DType::F32,
                        a.clone(),
                        b.clone(),
                        [m * k, k * n],
                    );
                    check(level, &mut random, dtype, a, b, [m * k, k * n]);
                }
            }
        }
    });
}

#[test]
fn deeper_and_wider_than_a_block() {
    every_level(|level| {
        let mut random = Random(52);
        for (m, k, n) in [
            (40, 1000, 90),
            (800, 330, 70),
            (3, 700, 4200),
            (130, 331, 300),
        ] {
            for turned in 0..4 {
                let (a, b) = (matrix(m, k, turned & 1 == 1), matrix(k, n, turned & 2 == 2));
                let dtype = if turned == 0 { DType::F64 } else { DType::F32 };
                check(level, &mut random, dtype, a, b, [m * k, k * n]);
            }
        }
    });
}

#[test]
fn any_strides_and_batches() {
    every_level(|level| {
        let mut random = Random(53);
        for round in 0..400 {
            let mut size = |most: usize| 1 + random.below(most);
            let (batch, m, k, n) = (size(4), size(40), size(40), size(70));
            let (m, n) = if round % 5 == 0 {
                (1, n)
            } else if round % 5 == 1 {
                (m, 1)
            } else {
                (m, n)
            };
            let (a, x) = random_view(&mut random, &[batch, m, k]);
            let (b, y) = random_view(&mut random, &[batch, k, n]);
            check(
                level,
                &mut random,
                PRODUCTS[round % 3],
                a.clone(),
                b.clone(),
                [x, y],
            );
            check(level, &mut random, DType::F32, a, b, [x, y]);
        }
    });
}

#[test]
fn one_right_operand_for_a_whole_batch() {
    every_level(|level| {
        let mut random = Random(54);
        for (batch, m, k, n) in [
            (5, 7, 9, 11),
            (6, 1, 20, 30),
            (3, 4, 0, 2),
            (4, 3, 5, 1),
            (0, 3, 2, 2),
        ] {
            let a = View::contiguous(&[batch, m, k]);
            let b = View::contiguous(&[1, k, n]).expand(&[batch, k, n]);
            check(
                level,
                &mut random,
                DType::F32,
                a.clone(),
                b,
                [batch * m * k, k * n],
            );
            let b = View::contiguous(&[batch, n, k]).permute(&[0, 2, 1]);
            check(
                level,
                &mut random,
                DType::F32,
                a,
                b,
                [batch * m * k, batch * n * k],
            );
        }
    });
}

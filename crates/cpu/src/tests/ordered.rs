//! Scans, argsort and searchsorted against plain definitions, with NaN, infinities, zeros of both
//! signs, ties, and sizes of zero.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use glowgrad_tensor::alu::{Alu, AluOp, AluOps, Value};
use glowgrad_tensor::kernel::{Routine, ScanOp};
use glowgrad_tensor::{DType, interrupt};

use super::routines::{assert_same, run, values};
use super::{Random, same};
use crate::Level;

const NUMBERS: [DType; 4] = [DType::I64, DType::U64, DType::F32, DType::F64];

/// Outer, length and inner sizes.
const SIZES: [(usize, usize, usize); 8] = [
    (1, 5, 1),
    (3, 4, 2),
    (2, 0, 3),
    (0, 4, 2),
    (2, 1, 1),
    (4, 100, 33),
    (3, 2, 0),
    (1, 300, 1),
];

/// Values among which ties, NaN, infinities and both zeros are common.
fn edgy(random: &mut Random, dtype: DType, n: usize) -> Vec<Value> {
    let edges = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
    let one = |random: &mut Random| match random.below(3) {
        0 if dtype.is_float() => Value::F64(edges[random.below(edges.len())]).cast(dtype),
        1 => Value::I64(random.below(4) as i64).cast(dtype),
        2 if dtype == DType::U64 => Value::U64(u64::MAX - random.below(3) as u64),
        2 if dtype == DType::I64 => Value::I64(i64::MIN + random.below(3) as i64),
        _ => random.value(dtype),
    };
    (0..n).map(|_| one(random)).collect()
}

fn is_nan(x: Value) -> bool {
    !AluOps::eq(&x, &x).truth()
}

/// NaN last, zeros equal.
fn compare(a: Value, b: Value) -> Ordering {
    match (is_nan(a), is_nan(b)) {
        (false, false) if a.lt(&b).truth() => Ordering::Less,
        (false, false) if b.lt(&a).truth() => Ordering::Greater,
        (a, b) => a.cmp(&b),
    }
}

/// Positions of each line of `[outer, n, inner]`.
fn lines((outer, n, inner): (usize, usize, usize)) -> Vec<Vec<usize>> {
    (0..outer * inner)
        .map(|line| {
            let first = line / inner * n * inner + line % inner;
            (0..n).map(|i| first + i * inner).collect()
        })
        .collect()
}

fn scan(
    op: ScanOp,
    dtype: DType,
    (outer, n, inner): (usize, usize, usize),
    inputs: &[&[Value]],
    result: DType,
) -> Vec<Value> {
    let routine = Routine::Scan {
        op,
        dtype,
        outer,
        n,
        inner,
    };
    run(Level::detect(), &routine, inputs, result, outer * n * inner).expect("valid")
}

#[test]
fn running_sums_and_products() {
    let mut random = Random(41);
    for dtype in NUMBERS {
        for (op, join, start) in [(ScanOp::Sum, AluOp::Add, 0), (ScanOp::Prod, AluOp::Mul, 1)] {
            for size in SIZES {
                let source = values(&mut random, dtype, size.0 * size.1 * size.2);
                let got = scan(op, dtype, size, &[&source], dtype);
                let wide = if dtype.is_float() { DType::F64 } else { dtype };
                for line in lines(size) {
                    let mut running = Value::I64(start).cast(wide);
                    for at in line {
                        running = Value::apply(join, &[&running, &source[at].cast(wide)]);
                        let expected = running.cast(dtype);
                        assert!(same(got[at], expected), "{:?}, not {expected:?}", got[at]);
                    }
                }
            }
        }
    }
}

#[test]
fn a_running_sum_begins_at_zero() {
    let got = scan(
        ScanOp::Sum,
        DType::F64,
        (1, 1, 1),
        &[&[Value::F64(-0.0)]],
        DType::F64,
    );
    assert!(same(got[0], Value::F64(0.0)));
}

#[test]
fn running_logarithms_of_sums() {
    let mut random = Random(43);
    for dtype in [DType::F32, DType::F64] {
        for size in SIZES {
            let mut source = values(&mut random, dtype, size.0 * size.1 * size.2);
            // A line may begin with nothing and end with everything.
            if let Some(first) = source.first_mut() {
                *first = Value::F64(f64::NEG_INFINITY).cast(dtype);
            }
            let got = scan(ScanOp::LogAddExp, dtype, size, &[&source], dtype);
            for line in lines(size) {
                let mut sum = 0.0;
                for at in line {
                    sum += source[at].scalar().as_f64().exp();
                    let (got, expected) = (got[at].scalar().as_f64(), sum.ln());
                    let close = got == expected || (got - expected).abs() < 1e-6;
                    assert!(close, "{got}, not {expected}");
                }
            }
        }
        let infinities = [
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
            1.0,
            f64::INFINITY,
            2.0,
        ];
        let source = infinities.map(|x| Value::F64(x).cast(dtype));
        let got = scan(ScanOp::LogAddExp, dtype, (1, 5, 1), &[&source], dtype);
        let expected = [
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
            1.0,
            f64::INFINITY,
            f64::INFINITY,
        ];
        assert_same(&got, &expected.map(|x| Value::F64(x).cast(dtype)));
        let source = [1.0, f64::NAN, 2.0].map(|x| Value::F64(x).cast(dtype));
        let got = scan(ScanOp::LogAddExp, dtype, (1, 3, 1), &[&source], dtype);
        assert!(is_nan(got[1]) && is_nan(got[2]));
    }
}

#[test]
fn running_extremes_are_the_last_on_ties_and_nan_wins() {
    let mut random = Random(47);
    for dtype in [NUMBERS.as_slice(), &[DType::Bool]].concat() {
        for size in SIZES {
            let source = edgy(&mut random, dtype, size.0 * size.1 * size.2);
            for op in [ScanOp::ArgMax, ScanOp::ArgMin] {
                let got = scan(op, dtype, size, &[&source], DType::I64);
                for line in lines(size) {
                    let mut best = 0;
                    for (i, &at) in line.iter().enumerate() {
                        let (seen, x) = (source[line[best]], source[at]);
                        let reaches = match op {
                            ScanOp::ArgMax => seen.le(&x).truth(),
                            _ => x.le(&seen).truth(),
                        };
                        if is_nan(x) || !is_nan(seen) && reaches {
                            best = i;
                        }
                        assert_eq!(got[at], Value::I64(best as i64), "{dtype} {op:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_linear_recurrence() {
    let mut random = Random(53);
    for dtype in [DType::F32, DType::F64] {
        for size in SIZES {
            let n = size.0 * size.1 * size.2;
            let halved = |v: Value| v.mul(&Value::F64(0.25).cast(dtype));
            let a: Vec<Value> = values(&mut random, dtype, n)
                .into_iter()
                .map(halved)
                .collect();
            let b = values(&mut random, dtype, n);
            let got = scan(ScanOp::Recurrence, dtype, size, &[&a, &b], dtype);
            for line in lines(size) {
                let mut last = None;
                for at in line {
                    let (a, b) = (a[at].cast(DType::F64), b[at].cast(DType::F64));
                    let next = match last {
                        None => b,
                        Some(h) => a.mul(&h).add(&b),
                    };
                    last = Some(next);
                    assert!(
                        same(got[at], next.cast(dtype)),
                        "{:?}, not {next:?}",
                        got[at]
                    );
                }
            }
        }
    }
}

#[test]
fn argsort_is_stable_and_nan_is_the_largest() {
    let mut random = Random(59);
    for dtype in [NUMBERS.as_slice(), &[DType::Bool]].concat() {
        for size in SIZES {
            let (outer, n, inner) = size;
            let source = edgy(&mut random, dtype, outer * n * inner);
            for descending in [false, true] {
                let routine = Routine::ArgSort {
                    dtype,
                    descending,
                    outer,
                    n,
                    inner,
                };
                let got = run(
                    Level::detect(),
                    &routine,
                    &[&source],
                    DType::I64,
                    source.len(),
                )
                .expect("valid");
                for line in lines(size) {
                    let mut expected: Vec<usize> = (0..n).collect();
                    expected.sort_by(|&a, &b| {
                        let order = compare(source[line[a]], source[line[b]]);
                        if descending { order.reverse() } else { order }
                    });
                    for (&at, i) in line.iter().zip(expected) {
                        assert_eq!(got[at], Value::I64(i as i64), "{dtype} {descending}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_long_line_is_sorted_as_short_ones_and_breaks_off_at_a_stop() {
    let n = (1 << 18) + 12_345;
    let mut random = Random(61);
    // Twice: bytes that all keys share are passed over.
    for (dtype, most) in [(DType::F32, 1e9), (DType::I64, 5000.0)] {
        let source: Vec<Value> = edgy(&mut random, dtype, n)
            .into_iter()
            .map(|x| match x {
                Value::I64(x) => Value::I64(x % most as i64),
                x => x,
            })
            .collect();
        for descending in [false, true] {
            let routine = Routine::ArgSort {
                dtype,
                descending,
                outer: 1,
                n,
                inner: 1,
            };
            let got = || run(Level::detect(), &routine, &[&source], DType::I64, n);
            let mut expected: Vec<usize> = (0..n).collect();
            expected.sort_by(|&a, &b| {
                let order = compare(source[a], source[b]);
                if descending { order.reverse() } else { order }
            });
            let expected: Vec<Value> = expected.iter().map(|&i| Value::I64(i as i64)).collect();
            assert!(got().expect("valid") == expected, "{dtype} {descending}");

            let asked = Rc::new(Cell::new(0));
            let count = asked.clone();
            interrupt::set(Some(Rc::new(move || {
                count.set(count.get() + 1);
                true
            })));
            let stopped = got();
            interrupt::set(None);
            assert_eq!(asked.get(), 1, "Stop was not heard");
            assert!(interrupt::check().is_err() || stopped.is_err());
        }
    }
}

#[test]
fn searchsorted_halves_as_pytorch_does() {
    let mut random = Random(61);
    for dtype in NUMBERS {
        for (rows, n, m) in [
            (1, 5, 3),
            (3, 4, 7),
            (2, 0, 3),
            (0, 3, 3),
            (2, 90, 0),
            (1, 1, 1),
        ] {
            for in_order in [true, false] {
                let mut sorted = edgy(&mut random, dtype, rows * n);
                if in_order && n > 0 {
                    sorted
                        .chunks_mut(n)
                        .for_each(|row| row.sort_by(|a, b| compare(*a, *b)));
                }
                let sought = edgy(&mut random, dtype, rows * m);
                for right in [false, true] {
                    let routine = Routine::SearchSorted {
                        dtype,
                        right,
                        rows,
                        n,
                        m,
                    };
                    let got = run(
                        Level::detect(),
                        &routine,
                        &[&sorted, &sought],
                        DType::I64,
                        rows * m,
                    )
                    .expect("valid");
                    for (i, got) in got.iter().enumerate() {
                        let row = &sorted[i / m * n..(i / m + 1) * n];
                        let stays = |seen: &Value| match right {
                            true => sought[i].lt(seen).truth(),
                            false => sought[i].le(seen).truth(),
                        };
                        let (mut start, mut end) = (0, n);
                        while start < end {
                            let middle = (start + end) / 2;
                            match stays(&row[middle]) {
                                true => end = middle,
                                false => start = middle + 1,
                            }
                        }
                        assert_eq!(*got, Value::I64(start as i64));
                        // In order and without NaN, that is a count.
                        if in_order && !row.iter().copied().any(is_nan) {
                            let before = row.iter().filter(|seen| !stays(seen)).count();
                            assert_eq!(start, before);
                        }
                    }
                }
            }
        }
    }
}

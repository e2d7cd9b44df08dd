//! Take, put-add, put and write, their errors included.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use glowgrad_tensor::alu::{Alu, AluOp, AluOps, Value};
use glowgrad_tensor::kernel::{Routine, ScatterReduce};
use glowgrad_tensor::{DType, ErrorKind, Result, View};

use super::{ARITHMETIC, Random, decode, encode, encode_as, random_view, same, zeros};
use crate::{Level, Pool};

/// Runs a routine; `n` values of `dtype` come back.
pub(super) fn run(
    level: Level,
    routine: &Routine,
    inputs: &[&[Value]],
    dtype: DType,
    n: usize,
) -> Result<Vec<Value>> {
    let blocks: Vec<_> = inputs.iter().map(|values| encode(values)).collect();
    let slices: Vec<&[u8]> = blocks
        .iter()
        .zip(inputs)
        .map(|(block, values)| {
            let size = values
                .first()
                .map_or(0, |v| glowgrad_tensor::alu::Alu::dtype(v).size());
            &block[..values.len() * size]
        })
        .collect();
    let mut out = zeros(n * dtype.size());
    crate::run_routine(
        level,
        &Pool::default(),
        routine,
        &slices,
        &mut out[..n * dtype.size()],
    )?;
    Ok(decode(dtype, &out, n))
}

pub(super) fn values(random: &mut Random, dtype: DType, n: usize) -> Vec<Value> {
    (0..n).map(|_| random.value(dtype)).collect()
}

pub(super) fn assert_same(got: &[Value], expected: &[Value]) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert!(same(*got, *expected), "{got:?}, not {expected:?}");
    }
}

#[test]
fn gather_and_scatter_add() {
    let mut random = Random(21);
    for dtype in ARITHMETIC {
        for (rows, inner, n) in [
            (5, 3, 7),
            (1, 1, 1),
            (4, 0, 3),
            (3, 5, 0),
            (100, 17, 250),
            (0, 4, 0),
        ] {
            let index: Vec<usize> = (0..n).map(|_| random.below(rows.max(1))).collect();
            let index_values: Vec<Value> = index.iter().map(|&i| Value::I64(i as i64)).collect();
            let source = values(&mut random, dtype, rows * inner);
            let take = Routine::Gather {
                dtype,
                rows,
                inner,
                n,
            };
            let got = run(
                Level::detect(),
                &take,
                &[&source, &index_values],
                dtype,
                n * inner,
            )
            .expect("in range");
            let expected: Vec<Value> = index
                .iter()
                .flat_map(|&i| source[i * inner..(i + 1) * inner].to_vec())
                .collect();
            assert_same(&got, &expected);

            let added = values(&mut random, dtype, n * inner);
            let put = Routine::ScatterAdd {
                dtype,
                rows,
                inner,
                n,
            };
            let got = run(
                Level::detect(),
                &put,
                &[&index_values, &added],
                dtype,
                rows * inner,
            )
            .expect("in range");
            let mut expected = vec![Value::zero(dtype); rows * inner];
            for (i, &at) in index.iter().enumerate() {
                for j in 0..inner {
                    let sum = &mut expected[at * inner + j];
                    *sum = sum.add(&added[i * inner + j]);
                }
            }
            assert_same(&got, &expected);
        }
    }
}

#[test]
fn an_index_out_of_range_is_an_index_error() {
    let source = [Value::F32(1.0); 10];
    for (index, inner) in [
        (7, 2),
        (5, 2),
        (-1, 2),
        (i64::MIN, 2),
        (i64::MAX, 2),
        (7, 0),
    ] {
        let source = &source[..5 * inner];
        let index_values = [Value::I64(0), Value::I64(index)];
        let take = Routine::Gather {
            dtype: DType::F32,
            rows: 5,
            inner,
            n: 2,
        };
        let error = run(
            Level::detect(),
            &take,
            &[source, &index_values],
            DType::F32,
            2 * inner,
        )
        .unwrap_err();
        assert_eq!(error.kind, ErrorKind::Index);
        assert_eq!(
            error.message,
            format!("index {index} is out of bounds for dimension with size 5")
        );
        let put = Routine::ScatterAdd {
            dtype: DType::F32,
            rows: 5,
            inner,
            n: 2,
        };
        let error = run(
            Level::detect(),
            &put,
            &[&index_values, &source[..2 * inner]],
            DType::F32,
            5 * inner,
        )
        .unwrap_err();
        assert_eq!(
            error.message,
            format!("index {index} is out of bounds for dimension with size 5")
        );
    }
}

#[test]
fn write_to_any_view_from_any_view() {
    let mut random = Random(31);
    for round in 0..300 {
        let dtype = ARITHMETIC[round % 5];
        let shapes: [&[usize]; 6] = [&[3, 4], &[], &[300], &[2, 0], &[5, 1, 7], &[20, 30]];
        let base = round % 2 == 0;
        let mut parts = Vec::new();
        let mut sources = Vec::new();
        let mut len = 1 + random.below(40);
        for _ in 0..random.below(4) {
            let shape = shapes[random.below(shapes.len())];
            // No two elements of a target are one, so it is not broadcast.
            let (at, n) = loop {
                let (view, n) = random_view(&mut random, shape);
                let mut positions: Vec<usize> = view.positions().collect();
                positions.sort_unstable();
                positions.dedup();
                if positions.len() == view.numel() {
                    break (view, n);
                }
            };
            len = len.max(n);
            let (from, n) = random_view(&mut random, shape);
            sources.push(values(&mut random, dtype, n));
            parts.push((at, from));
        }
        let base_values = values(&mut random, dtype, len);
        let mut expected = if base {
            base_values.clone()
        } else {
            vec![Value::zero(dtype); len]
        };
        for ((at, from), source) in parts.iter().zip(&sources) {
            for (at, from) in at.positions().zip(from.positions()) {
                expected[at] = source[from];
            }
        }
        let mut inputs: Vec<&[Value]> = if base { vec![&base_values] } else { vec![] };
        inputs.extend(sources.iter().map(Vec::as_slice));
        let write = Routine::CopyInto {
            dtype,
            len,
            base,
            parts,
        };
        assert_same(
            &run(Level::detect(), &write, &inputs, dtype, len).expect("valid"),
            &expected,
        );
    }
}

#[test]
fn a_view_that_is_all_one_element() {
    let write = Routine::CopyInto {
        dtype: DType::I64,
        len: 6,
        base: false,
        parts: vec![(
            View::contiguous(&[6]).slice(0, 5, 3, -2),
            View::contiguous(&[1]).expand(&[3]),
        )],
    };
    let got = run(Level::detect(), &write, &[&[Value::I64(9)]], DType::I64, 6).expect("valid");
    assert_eq!(got, [0, 9, 0, 9, 0, 9].map(Value::I64));
}

#[test]
fn put_sets_and_combines_in_order() {
    let mut random = Random(23);
    for dtype in DType::ALL {
        // What combines comes in a dtype of arithmetic that is not bool.
        let combines = dtype.compute() == dtype && dtype != DType::Bool;
        for how in [
            ScatterReduce::Set,
            ScatterReduce::Prod,
            ScatterReduce::Max,
            ScatterReduce::Min,
        ] {
            if how != ScatterReduce::Set && !combines {
                continue;
            }
            for (rows, inner, n) in [(5, 3, 12), (1, 1, 4), (4, 0, 3), (3, 5, 0), (40, 17, 90)] {
                let index: Vec<usize> = (0..n).map(|_| random.below(rows)).collect();
                let places: Vec<Value> = index.iter().map(|&i| Value::I64(i as i64)).collect();
                let base = values(&mut random, dtype.compute(), rows * inner);
                let new = values(&mut random, dtype.compute(), n * inner);
                let mut expected = base.clone();
                for (i, &at) in index.iter().enumerate() {
                    for j in 0..inner {
                        let (old, new) = (expected[at * inner + j], new[i * inner + j]);
                        let combine = |op| Value::apply(op, &[&old, &new]);
                        expected[at * inner + j] = match how {
                            ScatterReduce::Set => new,
                            ScatterReduce::Prod => combine(AluOp::Mul),
                            ScatterReduce::Max => combine(AluOp::Max),
                            ScatterReduce::Min => combine(AluOp::Min),
                        };
                    }
                }
                let put = Routine::Scatter {
                    dtype,
                    how,
                    rows,
                    inner,
                    n,
                };
                let (base, new) = (encode_as(dtype, &base), encode_as(dtype, &new));
                let places = encode_as(DType::I64, &places);
                let size = dtype.size();
                let inputs = [
                    &base[..rows * inner * size],
                    &places[..n * 8],
                    &new[..n * inner * size],
                ];
                let len = rows * inner;
                let mut out = zeros(len * size);
                crate::run_routine(
                    Level::detect(),
                    &Pool::default(),
                    &put,
                    &inputs,
                    &mut out[..len * size],
                )
                .expect("indices in range");
                let rounded = decode(dtype, &encode_as(dtype, &expected), len);
                assert_same(&decode(dtype, &out, len), &rounded);
            }
        }
    }
}

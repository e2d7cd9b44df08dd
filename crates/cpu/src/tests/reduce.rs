//! Reductions over every subset of axes, against the definition.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use glowgrad_tensor::alu::{Alu, AluOp, AluOps, Value};
use glowgrad_tensor::kernel::{Input, Instr, Kernel, Reduce, ReduceOp};
use glowgrad_tensor::{DType, Scalar, View};

use super::{Random, every_level, interpret, random_view, run, same};

const OPS: [ReduceOp; 6] = [
    ReduceOp::Sum,
    ReduceOp::Prod,
    ReduceOp::Max,
    ReduceOp::Min,
    ReduceOp::ArgMax,
    ReduceOp::ArgMin,
];

/// Position in the output of each position of the iteration space, and its number among those
/// that go there.
fn groups(shape: &[usize], axes: &[usize]) -> Vec<(usize, usize)> {
    let total: usize = shape.iter().product();
    (0..total)
        .map(|at| {
            let (mut out, mut number, mut rest) = (0, 0, at);
            let (mut out_step, mut number_step) = (1, 1);
            for d in (0..shape.len()).rev() {
                let i = rest % shape[d];
                rest /= shape[d];
                if axes.contains(&d) {
                    number += i * number_step;
                    number_step *= shape[d];
                } else {
                    out += i * out_step;
                    out_step *= shape[d];
                }
            }
            (out, number)
        })
        .collect()
}

/// A float64 sum that is right to the last place (Neumaier 1974): a plain one would err more than
/// what it judges.
fn compensated(elements: &[Value]) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for x in elements.iter().map(|v| v.scalar().as_f64()) {
        let next = sum + x;
        let (large, small) = if sum.abs() >= x.abs() {
            (sum, x)
        } else {
            (x, sum)
        };
        if next.is_finite() {
            lost += (large - next) + small;
        }
        sum = next;
    }
    sum + lost
}

/// A float64 product that is right to the last place or two: the rounding error of each step, which
/// a fused multiply-add tells exactly, is carried along (Ogita, Rump & Oishi 2005).
fn compensated_product(elements: &[Value]) -> f64 {
    let (mut product, mut lost) = (1.0f64, 0.0f64);
    for x in elements.iter().map(|v| v.scalar().as_f64()) {
        let next = product * x;
        lost = lost * x + product.mul_add(x, -next);
        product = next;
    }
    if lost.is_finite() {
        product + lost
    } else {
        product
    }
}

/// By definition: in float64 for the sums and products of floats, else in the dtype itself.
fn reduce(op: ReduceOp, dtype: DType, elements: &[Value]) -> Value {
    let exact = if dtype.is_float() { DType::F64 } else { dtype };
    let wide = elements.iter().map(|v| v.cast(exact));
    match op {
        ReduceOp::Sum if dtype.is_float() => Value::F64(compensated(elements)),
        ReduceOp::Sum => wide.fold(Value::zero(exact), |a, b| a.add(&b)),
        ReduceOp::Prod if dtype.is_float() => Value::F64(compensated_product(elements)),
        ReduceOp::Prod => wide.fold(Value::from_scalar(Scalar::Int(1), exact), |a, b| a.mul(&b)),
        ReduceOp::Max => elements.iter().skip(1).fold(elements[0], |a, b| a.max(b)),
        ReduceOp::Min => elements.iter().skip(1).fold(elements[0], |a, b| a.min(b)),
        ReduceOp::ArgMax | ReduceOp::ArgMin => {
            let best = reduce(
                if op == ReduceOp::ArgMax {
                    ReduceOp::Max
                } else {
                    ReduceOp::Min
                },
                dtype,
                elements,
            );
            let is_best = |v: &Value| same(*v, best) || *v == best;
            Value::I64(
                elements
                    .iter()
                    .position(is_best)
                    .expect("it is one of them") as i64,
            )
        }
    }
}

/// Checks one kernel with a reduction.
fn check(level: crate::Level, kernel: &Kernel, data: &[Vec<Value>]) {
    let reduction = kernel.reduce.as_ref().expect("this kernel reduces");
    let (op, dtype) = (reduction.op, kernel.dtypes[usize::from(kernel.outputs[0])]);
    let n_out: usize = kernel.output_shape().iter().product();
    let mut elements = vec![Vec::new(); n_out];
    let all = interpret(kernel, data);
    for (values, (out, number)) in all.iter().zip(groups(&kernel.shape, &reduction.axes)) {
        let of: &mut Vec<Value> = &mut elements[out];
        assert_eq!(of.len(), number, "row-major");
        of.push(values[usize::from(kernel.outputs[0])]);
    }
    let got = run(level, kernel, data).remove(0);
    for (at, (got, elements)) in got.into_iter().zip(&elements).enumerate() {
        if elements.is_empty() && !matches!(op, ReduceOp::Sum | ReduceOp::Prod) {
            continue;
        }
        let expected = reduce(op, dtype, elements);
        let inexact = dtype.is_float() && matches!(op, ReduceOp::Sum | ReduceOp::Prod);
        let fine = match (got.scalar(), expected.scalar()) {
            (Scalar::Float(got), Scalar::Float(expected)) if inexact => {
                let magnitude: f64 = match op {
                    ReduceOp::Sum => elements.iter().map(|v| v.scalar().as_f64().abs()).sum(),
                    // Each step may cost half a last place, and does so in one direction when a
                    // view repeats its elements: the bound is n · epsilon, not √n.
                    _ => expected.abs() * (elements.len() as f64 / 4.0).max(1.0),
                };
                let epsilon = if dtype == DType::F32 {
                    f64::from(f32::EPSILON)
                } else {
                    f64::EPSILON
                };
                // What overflows the dtype is infinite in it.
                let in_dtype = Value::F64(expected).cast(dtype).scalar().as_f64();
                (got - expected).abs() <= 4.0 * epsilon * magnitude + 1e-37
                    || (got.is_infinite() && got == in_dtype)
                    || (got.is_nan() && expected.is_nan())
            }
            // Which zero wins is not said.
            _ => same(got, expected) || got == expected,
        };
        assert!(
            fine,
            "{op:?} over {:?} of {:?} {dtype} at {at}: {got:?}, not {expected:?}",
            reduction.axes, kernel.shape
        );
    }
}

/// `reduce(x)` or `reduce(-x)`, so that elements are read in place or computed.
fn kernel(view: View, dtype: DType, op: ReduceOp, axes: &[usize], negated: bool) -> Kernel {
    let mut code = vec![Instr::Load { input: 0 }];
    if negated {
        code.push(Instr::Apply {
            op: AluOp::Neg,
            src: [0; 3],
        });
    }
    Kernel {
        shape: view.shape.clone(),
        inputs: vec![Input { view, dtype }],
        args: vec![],
        fixed: vec![],
        dtypes: vec![dtype; code.len()],
        outputs: vec![(code.len() - 1) as u16],
        code,
        reduce: Some(Reduce {
            op,
            axes: axes.iter().copied().collect(),
        }),
    }
}

/// Random values; near 1 where many are multiplied.
fn values(random: &mut Random, op: ReduceOp, dtype: DType, n: usize) -> Vec<Value> {
    let one = |random: &mut Random| match (op, dtype) {
        (ReduceOp::Prod, DType::F32 | DType::F64) => {
            Value::F64((0.05 * random.unit()).exp()).cast(dtype)
        }
        _ => random.value(dtype),
    };
    (0..n).map(|_| one(random)).collect()
}

#[test]
fn over_every_subset_of_axes() {
    let mut shapes: Vec<&[usize]> = vec![
        &[],
        &[1],
        &[4, 3, 5],
        &[1, 7, 1],
        &[0],
        &[0, 3],
        &[3, 0, 2],
        &[2000],
        &[3, 1100],
        &[1100, 3],
        &[2, 1200, 2],
        &[70, 10],
        &[2, 3, 4, 2],
        &[65, 1030],
    ];
    if !cfg!(target_arch = "wasm32") {
        shapes.push(&[3, 70, 1100]);
        shapes.push(&[300, 2, 70]);
    }
    every_level(|level| {
        let mut random = Random(3);
        for shape in &shapes {
            for subset in 0..1usize << shape.len() {
                let axes: Vec<usize> = (0..shape.len()).filter(|d| subset >> d & 1 == 1).collect();
                for op in OPS {
                    if matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) && axes.len() != 1 {
                        continue;
                    }
                    let dtype = [DType::I64, DType::F32, DType::F64][random.below(3)];
                    let (view, len) = random_view(&mut random, shape);
                    let data = values(&mut random, op, dtype, len);
                    let negated = random.below(2) == 0;
                    check(level, &kernel(view, dtype, op, &axes, negated), &[data]);
                    let plain = values(&mut random, op, DType::F32, shape.iter().product());
                    check(
                        level,
                        &kernel(View::contiguous(shape), DType::F32, op, &axes, false),
                        &[plain],
                    );
                }
            }
        }
    });
}

#[test]
fn nan_wins_and_the_first_index_is_kept() {
    let x = [
        1.0,
        f32::NAN,
        3.0,
        f32::NAN,
        3.0,
        0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    every_level(|level| {
        for n in 1..=x.len() {
            for repeat in [1, 40, 700] {
                for (shape, axis) in [([n, repeat], 0), ([repeat, n], 1)] {
                    let at = |i: usize| if axis == 0 { i / repeat } else { i % n };
                    for (skip, negated) in [(0, false), (0, true), (2, false), (4, false)] {
                        let data: Vec<Value> = (0..n * repeat)
                            .map(|i| Value::F32(x[(at(i) + skip) % x.len()]))
                            .collect();
                        for op in &OPS[2..] {
                            let view = View::contiguous(&shape);
                            check(
                                level,
                                &kernel(view, DType::F32, *op, &[axis], negated),
                                std::slice::from_ref(&data),
                            );
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn long_sums_stay_accurate() {
    // A plain loop is off by more than 1e-4 here; PyTorch's and ours by a few ulp.
    let n = if cfg!(target_arch = "wasm32") {
        1 << 19
    } else {
        1 << 21
    };
    for (shape, axis) in [([1, n], 1), ([n / 8, 8], 0), ([n / 2048, 2048], 0)] {
        let sum = kernel(
            View::contiguous(&shape),
            DType::F32,
            ReduceOp::Sum,
            &[axis],
            false,
        );
        let data = vec![Value::F32(0.1); n];
        every_level(|level| {
            for got in &run(level, &sum, std::slice::from_ref(&data))[0] {
                let expected = f64::from(0.1f32) * (shape[axis] as f64);
                let error = (got.scalar().as_f64() - expected).abs() / expected;
                assert!(error < 4e-7, "{shape:?} on {level:?}: {error}");
            }
        });
    }
}

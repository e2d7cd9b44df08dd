//! How fast this processor multiplies matrices and runs kernels, beside what it could do at most.
//!
//! `cargo run --example gemm -p glowgrad-cpu [LEVEL]`: products are compared with a loop of
//! multiply-adds in registers, elementwise kernels with a plain copy of as many bytes. Variants
//! take turns within a round, so that a change of clock or a busy neighbour meets all of them;
//! medians of the rounds are printed.

use std::hint::black_box;
use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_cpu::{Level, Pool, run_kernel, run_routine};
use glowgrad_tensor::alu::AluOp::{self, *};
use glowgrad_tensor::kernel::{Input, Instr, Kernel, Reduce, ReduceOp, Routine};
use glowgrad_tensor::{DType, Scalar, Shape, View};

const ROUNDS: usize = 15;

/// A name, the work (floating-point operations or bytes), and what to time.
type Variant<'a> = (String, f64, Box<dyn FnMut() + 'a>);

/// Runs the variants by turns and prints the median of work per nanosecond, and its spread.
fn race(unit: &str, variants: &mut [Variant<'_>]) {
    let mut times = vec![Vec::new(); variants.len()];
    for round in 0..=ROUNDS {
        for ((_, _, run), times) in variants.iter_mut().zip(&mut times) {
            let (mut n, start) = (0u32, Instant::now());
            while n == 0 || start.elapsed().as_millis() < 4 {
                run();
                n += 1;
            }
            if round > 0 {
                times.push(start.elapsed().as_nanos() as f64 / f64::from(n));
            }
        }
    }
    let mut first = None;
    for ((name, work, _), mut times) in variants.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let rate = |quantile: usize| work / times[times.len() * quantile / 4];
        let best = *first.get_or_insert(rate(2));
        println!(
            "{name:32} {:8.1} {unit}  ({:.1} to {:.1})  {:4.0} % of the first  {:9.2} us",
            rate(2),
            rate(3),
            rate(1),
            100.0 * rate(2) / best,
            times[times.len() / 2] / 1000.0
        );
    }
}

/// Multiply-adds that never leave the registers: the most a kernel can reach.
fn peak(level: Level) -> Variant<'static> {
    const STEPS: usize = 20_000;
    let (work, run): (usize, fn()) = match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => (2 * 16 * 16 * STEPS, x86::loop512),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => (2 * 8 * 12 * STEPS, x86::loop256),
        _ => (2 * 4 * 8 * STEPS, || {
            let mut sums = [[0f32; 4]; 8];
            let (x, y) = black_box((1.0001f32, 0.0001f32));
            for _ in 0..STEPS {
                for sums in &mut sums {
                    for sum in sums {
                        *sum = *sum * x + y;
                    }
                }
            }
            black_box(sums);
        }),
    };
    (
        "multiply-adds in registers".into(),
        work as f64,
        Box::new(run),
    )
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    pub(super) fn loop512() {
        #[target_feature(enable = "avx512f")]
        fn run() {
            let mut sums = [_mm512_set1_ps(black_box(0.0)); 16];
            let (x, y) = (
                _mm512_set1_ps(black_box(1.0001)),
                _mm512_set1_ps(black_box(0.0001)),
            );
            for _ in 0..20_000 {
                for sum in &mut sums {
                    *sum = _mm512_fmadd_ps(*sum, x, y);
                }
            }
            black_box(sums);
        }
        // SAFETY: called at a level that the processor was found to have.
        unsafe { run() }
    }

    pub(super) fn loop256() {
        #[target_feature(enable = "avx2,fma")]
        fn run() {
            let mut sums = [_mm256_set1_ps(black_box(0.0)); 12];
            let (x, y) = (
                _mm256_set1_ps(black_box(1.0001)),
                _mm256_set1_ps(black_box(0.0001)),
            );
            for _ in 0..20_000 {
                for sum in &mut sums {
                    *sum = _mm256_fmadd_ps(*sum, x, y);
                }
            }
            black_box(sums);
        }
        // SAFETY: called at a level that the processor was found to have.
        unsafe { run() }
    }
}

fn matrix(rows: usize, columns: usize, transposed: bool) -> View {
    if transposed {
        View::contiguous(&[1, columns, rows]).permute(&[0, 2, 1])
    } else {
        View::contiguous(&[1, rows, columns])
    }
}

fn product(level: Level, (m, k, n): (usize, usize, usize), turned: &str) -> Variant<'static> {
    let [a, b] = [m * k, k * n].map(|n| {
        (0..n)
            .map(|i| (i % 13) as f32 / 13.0 - 0.5)
            .collect::<Vec<f32>>()
    });
    let mut c = vec![0f32; m * n];
    let routine = Routine::MatMul {
        dtype: DType::F32,
        a: matrix(m, k, turned.starts_with('T')),
        b: matrix(k, n, turned.ends_with('T')),
    };
    let pool = Pool::default();
    let run = move || {
        let inputs = [cast_slice(&a), cast_slice(&b)];
        run_routine(level, &pool, &routine, &inputs, cast_slice_mut(&mut c)).expect("valid");
    };
    (
        format!("{m} x {k} x {n} {turned}"),
        2.0 * (m * k * n) as f64,
        Box::new(run),
    )
}

/// A kernel on as many inputs of `shape` as `views` says; `code` follows their loads.
fn kernel(
    level: Level,
    name: &str,
    views: Vec<View>,
    code: &[(AluOp, [u16; 3])],
    reduce: Option<Reduce>,
) -> Variant<'static> {
    let n_inputs = views.len() as u16;
    let shape = views[0].shape.clone();
    let mut body: Vec<Instr> = (0..n_inputs).map(|input| Instr::Load { input }).collect();
    body.push(Instr::Arg {
        arg: 0,
        dtype: DType::F32,
    });
    body.extend(code.iter().map(|&(op, src)| Instr::Apply { op, src }));
    let data: Vec<Vec<f32>> = views
        .iter()
        .map(|view| {
            (0..view.positions().max().map_or(0, |p| p + 1))
                .map(|i| (i % 17) as f32 / 8.0 - 1.0)
                .collect()
        })
        .collect();
    let kernel = Kernel {
        shape: Shape::from_slice(&shape),
        inputs: views
            .into_iter()
            .map(|view| Input {
                view,
                dtype: DType::F32,
            })
            .collect(),
        args: vec![Scalar::Float(1.0)],
        fixed: vec![],
        dtypes: vec![DType::F32; body.len()],
        outputs: vec![(body.len() - 1) as u16],
        code: body,
        reduce,
    };
    let n_out: usize = kernel.output_shape().iter().product();
    let mut out = vec![0u8; n_out * kernel.output_dtype(0).size() + 8];
    let bytes = data.iter().map(|d| 4 * d.len()).sum::<usize>() + 4 * n_out;
    let pool = Pool::default();
    let run = move || {
        let inputs: Vec<&[u8]> = data.iter().map(|d| cast_slice(d)).collect();
        let start = out.as_ptr().align_offset(8);
        let len = n_out * kernel.output_dtype(0).size();
        run_kernel(
            level,
            &pool,
            &kernel,
            &inputs,
            &mut [&mut out[start..start + len]],
        )
        .expect("valid");
    };
    (name.into(), bytes as f64, Box::new(run))
}

fn copy(n: usize) -> Variant<'static> {
    let (from, mut to) = (vec![1f32; n], vec![0f32; n]);
    (
        "plain copy".into(),
        8.0 * n as f64,
        Box::new(move || black_box(&mut to).copy_from_slice(black_box(&from))),
    )
}

fn elementwise(level: Level, n: usize) {
    println!("\n{n} elements");
    let flat = || View::contiguous(&[n]);
    let (rows, columns) = (n / 256, 256);
    let matrix = || View::contiguous(&[rows, columns]);
    let sum = |axis: usize| {
        Some(Reduce {
            op: ReduceOp::Sum,
            axes: [axis].into_iter().collect(),
        })
    };
    race(
        "GB/s",
        &mut [
            copy(n),
            kernel(level, "-x", vec![flat()], &[(Neg, [0; 3])], None),
            kernel(
                level,
                "x + y",
                vec![flat(), flat()],
                &[(Add, [0, 1, 0])],
                None,
            ),
            kernel(
                level,
                "relu(x * y + 1)",
                vec![flat(), flat()],
                &[(Mul, [0, 1, 0]), (Add, [3, 2, 0]), (Max, [4, 2, 0])],
                None,
            ),
            kernel(
                level,
                "x + row",
                vec![
                    matrix(),
                    View::contiguous(&[columns]).expand(&[rows, columns]),
                ],
                &[(Add, [0, 1, 0])],
                None,
            ),
            kernel(
                level,
                "x + column",
                vec![
                    matrix(),
                    View::contiguous(&[rows, 1]).expand(&[rows, columns]),
                ],
                &[(Add, [0, 1, 0])],
                None,
            ),
            kernel(
                level,
                "transposed",
                vec![View::contiguous(&[columns, rows]).permute(&[1, 0])],
                &[(Neg, [0; 3])],
                None,
            ),
            kernel(level, "exp(x)", vec![flat()], &[(Exp, [0; 3])], None),
            kernel(level, "tanh(x)", vec![flat()], &[(Tanh, [0; 3])], None),
            kernel(level, "log(x)", vec![flat()], &[(Log, [0; 3])], None),
            kernel(level, "sin(x)", vec![flat()], &[(Sin, [0; 3])], None),
            kernel(
                level,
                "pow(x, y)",
                vec![flat(), flat()],
                &[(Pow, [0, 1, 0])],
                None,
            ),
            kernel(
                level,
                "1 / (1 + exp(-x))",
                vec![flat()],
                &[
                    (Neg, [0; 3]),
                    (Exp, [2; 3]),
                    (Add, [3, 1, 0]),
                    (Div, [1, 4, 0]),
                ],
                None,
            ),
            kernel(level, "sum of all", vec![flat()], &[(Neg, [0; 3])], sum(0)),
            kernel(
                level,
                "sum of rows",
                vec![matrix()],
                &[(Neg, [0; 3])],
                sum(1),
            ),
            kernel(
                level,
                "sum of columns",
                vec![matrix()],
                &[(Neg, [0; 3])],
                sum(0),
            ),
            kernel(
                level,
                "argmax of rows",
                vec![matrix()],
                &[(Neg, [0; 3])],
                Some(Reduce {
                    op: ReduceOp::ArgMax,
                    axes: [1].into_iter().collect(),
                }),
            ),
        ],
    );
}

fn main() {
    let wanted = std::env::args().nth(1);
    let level = Level::available()
        .into_iter()
        .rfind(|l| wanted.as_deref().is_none_or(|w| w == l.name()));
    let level = level.unwrap_or(Level::Baseline);
    println!("{}", level.name());
    let mut variants = vec![peak(level)];
    for n in [8, 32, 64, 128, 256, 512, 1024] {
        for turned in ["NN", "NT", "TN"] {
            variants.push(product(level, (n, n, n), turned));
        }
    }
    for shape in [
        (1000, 784, 256),
        (1000, 64, 32),
        (1000, 128, 10),
        (784, 1000, 256),
        (1, 1024, 1024),
        (1024, 1024, 1),
    ] {
        variants.push(product(level, shape, "NN"));
    }
    race("GFLOP/s", &mut variants);
    for n in [256, 4096, 1 << 20, 1 << 24] {
        elementwise(level, n);
    }
}

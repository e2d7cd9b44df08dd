//! Every number of threads gives the same bits, hears Stop and hands errors back.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use glowgrad_tensor::fused_op::{Attention, FusedOp, Lines, Norm, Softmax};
use glowgrad_tensor::kernel::{Kernel, Reduce, ReduceOp, Routine};
use glowgrad_tensor::{DType, Error, ErrorKind, Result, Shape, View, interrupt};

use super::kernels::random_kernel;
use super::{Random, encode_as, random_view, zeros};
use crate::{Level, Pool, run_kernel, run_routine, set_threads, threads};

/// The number of threads belongs to the process: tests that set it take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `compute` gives with one thread, held to what it gives with two and seven.
fn same_bits(what: &str, compute: impl Fn() -> Vec<u8>) {
    set_threads(1);
    let expected = compute();
    for n in [2, 7] {
        set_threads(n);
        assert!(compute() == expected, "{n} threads: {what}");
    }
}

#[test]
fn kernels() {
    let _alone = alone();
    let mut random = Random(5);
    for shape in [&[300_001][..], &[517, 700], &[70, 41, 130], &[9, 40_000]] {
        for _ in 0..12 {
            let (mut kernel, data) = random_kernel(&mut random, shape);
            for _ in 0..1 + random.below(3) {
                kernel.outputs.push(random.below(kernel.code.len()) as u16);
            }
            let blocks: Vec<_> = data
                .iter()
                .zip(&kernel.inputs)
                .map(|(values, input)| encode_as(input.dtype, values))
                .collect();
            let inputs: Vec<&[u8]> = blocks.iter().map(|block| &**block).collect();
            same_bits(&format!("{kernel:?}"), || results(&kernel, &inputs));
        }
    }
}

/// The bytes of all outputs of a kernel.
fn results(kernel: &Kernel, inputs: &[&[u8]]) -> Vec<u8> {
    let n: usize = kernel.output_shape().iter().product();
    let sizes = (0..kernel.outputs.len()).map(|i| n * kernel.output_dtype(i).size());
    let mut blocks: Vec<_> = sizes.map(|bytes| (bytes, zeros(bytes))).collect();
    let mut outputs: Vec<&mut [u8]> = blocks
        .iter_mut()
        .map(|(bytes, block)| &mut block[..*bytes])
        .collect();
    run_kernel(
        Level::detect(),
        &Pool::default(),
        kernel,
        inputs,
        &mut outputs,
    )
    .expect("a valid kernel");
    outputs.concat()
}

#[test]
fn reductions() {
    let _alone = alone();
    let mut random = Random(6);
    let shapes = [
        &[1_000_003][..],
        &[3, 200_001],
        &[1501, 403],
        &[200_003, 3],
        &[5, 20_000, 7],
        &[40, 90, 130],
        &[2, 300, 1100],
    ];
    let ops = [
        ReduceOp::Sum,
        ReduceOp::Prod,
        ReduceOp::Max,
        ReduceOp::Min,
        ReduceOp::ArgMax,
        ReduceOp::ArgMin,
    ];
    for shape in shapes {
        for dtype in [DType::F32, DType::F64, DType::I64] {
            let (view, len) = random_view(&mut random, shape);
            let values: Vec<_> = (0..len).map(|_| random.value(dtype)).collect();
            let block = encode_as(dtype, &values);
            for subset in 1..1usize << shape.len() {
                let axes: Vec<usize> = (0..shape.len()).filter(|d| subset >> d & 1 == 1).collect();
                for op in ops {
                    if matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) && axes.len() != 1 {
                        continue;
                    }
                    let kernel = Kernel {
                        reduce: Some(Reduce {
                            op,
                            axes: axes.iter().copied().collect(),
                        }),
                        ..copy(view.clone(), dtype)
                    };
                    same_bits(&format!("{kernel:?}"), || results(&kernel, &[&block]));
                }
            }
        }
    }
}

/// A kernel that copies a view.
fn copy(view: View, dtype: DType) -> Kernel {
    Kernel {
        shape: Shape::from_slice(&view.shape),
        inputs: vec![glowgrad_tensor::kernel::Input { view, dtype }],
        args: vec![],
        fixed: vec![],
        code: vec![glowgrad_tensor::kernel::Instr::Load { input: 0 }],
        dtypes: vec![dtype],
        outputs: vec![0],
        reduce: None,
    }
}

#[test]
fn products() {
    let _alone = alone();
    let mut random = Random(7);
    let sizes = [
        (1, 128, 128, 128),
        (1, 131, 97, 211),
        (1, 300, 700, 65),
        (1, 1, 1500, 1301),
        (1, 1301, 1500, 1),
        (1, 13, 900, 700),
        (1, 700, 3, 500),
        (120, 33, 40, 35),
        (3, 129, 140, 150),
        (64, 1, 300, 301),
    ];
    for (batch, m, k, n) in sizes {
        for dtype in [DType::F32, DType::F64, DType::I64] {
            for _ in 0..2 {
                let (a, a_len) = random_view(&mut random, &[batch, m, k]);
                let (b, b_len) = random_view(&mut random, &[batch, k, n]);
                let mut values = |len: usize| {
                    let values: Vec<_> = (0..len).map(|_| random.value(dtype)).collect();
                    encode_as(dtype, &values)
                };
                let (x, y) = (values(a_len), values(b_len));
                let routine = Routine::MatMul { dtype, a, b };
                let levels = Level::available().into_iter();
                for level in levels.filter(|&l| dtype == DType::F32 || l == Level::detect()) {
                    same_bits(&format!("{level:?} {routine:?}"), || {
                        let bytes = batch * m * n * dtype.size();
                        let mut out = zeros(bytes);
                        let out = &mut out[..bytes];
                        run_routine(level, &Pool::default(), &routine, &[&x, &y], out)
                            .expect("a valid product");
                        out.to_vec()
                    });
                }
            }
        }
    }
}

#[test]
fn layers_along_rows() {
    let _alone = alone();
    let mut random = Random(8);
    let mut numbers = |n: usize| (0..n).map(|_| random.unit() as f32).collect::<Vec<f32>>();
    for [outer, n, inner] in [[40_000, 10, 1], [300, 1300, 1], [37, 90, 130]] {
        let numel = outer * n * inner;
        let (x, y, row) = (numbers(numel), numbers(numel), numbers(n));
        let lines = Lines { outer, n, inner };
        let mut layers: Vec<FusedOp> = [(false, false), (false, true), (true, false), (true, true)]
            .into_iter()
            .map(|(log, gradient)| {
                FusedOp::Softmax(Softmax {
                    log,
                    gradient,
                    lines,
                })
            })
            .collect();
        let mut norm = Norm::new([outer, n], 1e-5);
        norm.weight = true;
        if inner == 1 {
            layers.push(FusedOp::Norm(norm));
            norm.gradient = true;
            layers.push(FusedOp::Norm(norm));
        }
        for layer in layers {
            let inputs = match &layer {
                FusedOp::Norm(norm) if norm.gradient => vec![&x, &y, &row],
                FusedOp::Norm(_) => vec![&x, &row],
                _ => vec![&x, &y],
            };
            same_bits(&format!("{layer:?}"), || layered(&layer, &inputs, numel));
        }
    }
    for causal in [false, true] {
        let sizes = [5, 300, 290, 33, 17];
        let [q, k, v] = [5 * 300 * 33, 5 * 290 * 33, 5 * 290 * 17].map(&mut numbers);
        let layer = FusedOp::Attention(Attention::new(sizes, causal, 0.2));
        same_bits(&format!("{layer:?}"), || {
            layered(&layer, &[&q, &k, &v], 5 * 300 * 17)
        });
    }
}

/// The bytes of a layer's result.
fn layered(layer: &FusedOp, inputs: &[&Vec<f32>], n_out: usize) -> Vec<u8> {
    let inputs: Vec<&[u8]> = inputs.iter().map(|x| bytemuck::cast_slice(x)).collect();
    let mut out = zeros(4 * n_out);
    let out = &mut out[..4 * n_out];
    let routine = Routine::FusedOp(layer.clone());
    run_routine(Level::detect(), &Pool::default(), &routine, &inputs, out).expect("a valid layer");
    out.to_vec()
}

/// Counts the items that ran, 64 of a million operations each.
fn count(run: impl Fn(usize) -> Result<()> + Sync) -> (usize, Result<()>) {
    let n = std::sync::atomic::AtomicUsize::new(0);
    let result = crate::threads::for_each(&Pool::default(), 64 << 20, 0..64, |_, item| {
        n.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        run(item)
    });
    (n.into_inner(), result)
}

#[test]
fn each_item_runs_once_and_one_thread_uses_no_worker() {
    let _alone = alone();
    for n in [1, 2, 7] {
        set_threads(n);
        assert_eq!(threads(), n);
        let caller = std::thread::current().id();
        let times: [Mutex<usize>; 64] = std::array::from_fn(|_| Mutex::new(0));
        let (ran, result) = count(|item| {
            *times[item].lock().unwrap() += 1;
            assert!(n > 1 || std::thread::current().id() == caller);
            // Work in a part stays on its thread.
            let (here, inner) = (std::thread::current().id(), count_inner());
            assert!(inner.iter().all(|&id| id == here));
            Ok(())
        });
        assert_eq!((ran, result), (64, Ok(())));
        assert!(times.iter().all(|n| *n.lock().unwrap() == 1));
    }
}

/// The threads that run work inside of a part, or alone.
fn count_inner() -> Vec<std::thread::ThreadId> {
    let ids = Mutex::new(Vec::new());
    crate::threads::for_each(&Pool::default(), 64 << 20, 0..4, |_, _| {
        ids.lock().unwrap().push(std::thread::current().id());
        Ok(())
    })
    .expect("no item fails");
    ids.into_inner().unwrap()
}

#[test]
fn the_first_error_comes_back_and_a_panic_is_one() {
    let _alone = alone();
    for n in [1, 2, 7] {
        set_threads(n);
        let (_, result) = count(|item| match item {
            0..20 => Ok(()),
            _ => Err(Error::index(format!("item {item}"))),
        });
        assert_eq!(result.map_err(|error| error.message), Err("item 20".into()));
    }
    let (_, result) = count(|item| {
        assert!(item < 20, "a panic for the test");
        Ok(())
    });
    let message = result.expect_err("an item panicked").message;
    assert!(message.contains("panicked"), "{message}");
    assert_eq!(count(|_| Ok(())), (64, Ok(())), "the workers go on");
}

#[test]
fn stop_reaches_all_threads() {
    let _alone = alone();
    for n in [1, 2, 7] {
        set_threads(n);
        let asked = Rc::new(Cell::new(0));
        let counts = asked.clone();
        interrupt::set(Some(Rc::new(move || {
            counts.set(counts.get() + 1);
            counts.get() > 3
        })));
        // Each item would take for ever.
        let (ran, result) = count(|_| {
            while !interrupt::spend(1 << 12) {
                std::hint::spin_loop();
            }
            Ok(())
        });
        interrupt::set(None);
        assert!(result.is_ok() && ran <= n && asked.get() > 3);
        let stopped = interrupt::check().map_err(|error| error.kind);
        assert_eq!(stopped, Err(ErrorKind::Interrupted));
        assert_eq!(count(|_| Ok(())), (64, Ok(())), "a Stop ends with its work");
        assert!(interrupt::check().is_ok());
    }
}

#[test]
fn many_threads_may_call_at_once() {
    let _alone = alone();
    set_threads(3);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(count(|_| Ok(())), (64, Ok(())));
                }
            });
        }
    });
}

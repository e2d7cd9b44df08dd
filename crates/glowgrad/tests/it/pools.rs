//! Pools as one kernel each agree with their formulas, on a processor that has every layer and on a GPU:
//! random windows, ties, NaN, and gradients of gradients.
#![cfg(all(feature = "explain", not(target_arch = "wasm32")))]

use glowgrad::autograd::BackwardOptions;
use glowgrad::codegen::pseudo_code;
use glowgrad::op::Attr;
use glowgrad::{DType, Engine, Error, Result, Scalar, Tensor};

use crate::suite;
use crate::suite::layered::{formulas, layered};
use crate::suite::places::apply;
use crate::suite::samples::Numbers;

/// A call of a pool.
#[derive(Debug)]
struct Call {
    op: String,
    shape: Vec<usize>,
    attrs: Vec<Attr>,
    seed: u64,
}

/// A pool over one to three dimensions; none where windows of that kind do not fit.
fn random_call(seed: u64) -> Option<Call> {
    let numbers = &mut Numbers::new(seed);
    let dims = 1 + numbers.below(3);
    let is_max = numbers.below(2) == 0;
    let mut shape: Vec<usize> = (0..1 + numbers.below(2))
        .map(|_| 1 + numbers.below(3))
        .collect();
    let mut lists = [const { Vec::new() }; 4];
    for _ in 0..dims {
        // With two elements or more, every window has one that is not padding.
        let n = 2 + numbers.below(6);
        let (size, step) = (1 + numbers.below(4), 1 + numbers.below(4));
        let dilation = if is_max { 1 + numbers.below(2) } else { 1 };
        let reach = dilation * (size - 1) + 1;
        let padding = numbers.below(reach / 2 + 1);
        if n + 2 * padding < reach {
            return None;
        }
        shape.push(n);
        for (list, n) in lists.iter_mut().zip([size, step, padding, dilation]) {
            list.push(n as i64);
        }
    }
    let [size, step, padding, dilation] = lists.map(|list| Attr::ints(&list));
    let ceil = Attr::Bool(numbers.below(2) == 0);
    let (op, attrs) = match is_max {
        true => ("max", vec![size, step, padding, dilation, ceil]),
        false => {
            let mut attrs = vec![size, step, padding, ceil, Attr::Bool(numbers.below(2) == 0)];
            if dims > 1 {
                attrs.push([Attr::None, Attr::Int(-3)][numbers.below(2)].clone());
            }
            ("avg", attrs)
        }
    };
    Some(Call {
        op: format!("{op}_pool{dims}d"),
        shape,
        attrs,
        seed,
    })
}

fn random_calls(n: usize) -> Vec<Call> {
    (1..).filter_map(random_call).take(n).collect()
}

/// Few numbers, so that many are equal, with both zeros and now and then NaN or an infinity.
fn awkward(engine: &Engine, numbers: &mut Numbers, shape: &[usize]) -> Result<Tensor> {
    const RARE: [f64; 4] = [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 1e-42];
    let one = |_| match numbers.below(8) {
        0 => RARE[numbers.below(4)],
        1 => -0.0,
        n => (n / 2) as f64 - 2.0,
    };
    let values: Vec<f32> = (0..shape.iter().product())
        .map(one)
        .map(|x| x as f32)
        .collect();
    Tensor::from_f32(engine, &values, shape)
}

/// Eighths, of which sums are exact.
fn eighths(engine: &Engine, numbers: &mut Numbers, shape: &[usize]) -> Result<Tensor> {
    let n = shape.iter().product();
    let values: Vec<f32> = (0..n)
        .map(|_| numbers.below(32) as f32 / 8.0 - 2.0)
        .collect();
    Tensor::from_f32(engine, &values, shape)
}

/// The result, the gradient, the gradient made for going on, and its own gradient.
fn results(engine: &Engine, call: &Call) -> Result<[Vec<f64>; 4]> {
    let mut numbers = Numbers::new(call.seed);
    let x = awkward(engine, &mut numbers, &call.shape)?;
    x.set_requires_grad(true)?;
    let y = apply(&call.op, std::slice::from_ref(&x), &call.attrs)?;
    let gy = eighths(engine, &mut numbers, &y.shape())?;
    let only = |mut grads: Vec<Option<Tensor>>| {
        let grad = grads.pop().flatten();
        grad.ok_or_else(|| Error::runtime("there is no gradient"))
    };
    let walk = |y: &Tensor, to: &Tensor, gy: &Tensor, create_graph| {
        let options = BackwardOptions {
            retain_graph: true,
            create_graph,
        };
        let (y, to) = (std::slice::from_ref(y), std::slice::from_ref(to));
        only(Tensor::grad_of(y, to, &[Some(gy.clone())], options)?)
    };
    let gx = walk(&y, &x, &gy, false)?;
    gy.set_requires_grad(true)?;
    let again = walk(&y, &x, &gy, true)?;
    let v = eighths(engine, &mut numbers, &call.shape)?;
    let second = walk(&again, &gy, &v, false)?;
    Ok([y.to_f64()?, gx.to_f64()?, again.to_f64()?, second.to_f64()?])
}

/// Where a device differs from the formulas on the processor.
fn failures(engine: &Engine, calls: &[Call]) -> Vec<String> {
    let cpu = formulas();
    let mut failures = Vec::new();
    for call in calls {
        let (expected, got) = (results(&cpu, call), results(engine, call));
        let expected = expected.unwrap_or_else(|error| panic!("{call:?}: {error}"));
        let got = match got {
            Ok(got) => got,
            Err(error) => {
                failures.push(format!("{call:?}: raised {error}"));
                continue;
            }
        };
        let near = |x: f64, y: f64| match call.op.starts_with("max") {
            true => x == y,
            false => (x - y).abs() <= 1e-6 * (1.0 + y.abs()),
        };
        let same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan() || near(x, y);
        let names = ["result", "gradient", "gradient again", "second gradient"];
        for (name, (got, expected)) in names.iter().zip(got.iter().zip(&expected)) {
            if got.len() != expected.len() || got.iter().zip(expected).any(|(&x, &y)| !same(x, y)) {
                failures.push(format!("{call:?}, {name}: {got:?}, expected {expected:?}"));
            }
        }
    }
    failures
}

fn none(failures: Vec<String>) {
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_layers_mean_is_what_formulas_say() {
    none(failures(&layered().0, &random_calls(400)));
}

/// Windows of more elements than one invocation goes through.
fn large_calls() -> Vec<Call> {
    let call = |op: &str, n: usize, size: i64| {
        let mut attrs = [size, 7, 3].map(Attr::Int).to_vec();
        if op == "max_pool2d" {
            attrs.push(Attr::Int(1));
        }
        attrs.push(Attr::Bool(true));
        Call {
            op: op.to_owned(),
            shape: vec![2, n, n],
            attrs,
            seed: 5,
        }
    };
    vec![
        call("max_pool2d", 40, 20),
        call("max_pool2d", 150, 130),
        call("avg_pool2d", 40, 20),
    ]
}

#[test]
fn large_windows_are_what_formulas_say() {
    none(failures(&layered().0, &large_calls()));
}

/// Half of a window may be padding, but the padded input must fit into memory.
fn refuses_padding_beyond_memory(engine: &Engine) -> Result<()> {
    let (size, padding) = (Attr::Int(i32::MAX.into()), Attr::Int((1 << 30) - 1));
    let (one, no) = (Attr::Int(1), Attr::Bool(false));
    let x = Tensor::full(engine, &[1, 4, 4, 4], Scalar::Float(1.0), DType::F32)?;
    let max = [size, Attr::None, padding, one, no];
    let mean = [0, 1, 2, 4].map(|i| max[i].clone());
    for (op, attrs) in [("max_pool3d", &max[..]), ("avg_pool3d", &mean)] {
        let error = apply(op, std::slice::from_ref(&x), attrs).and_then(|y| y.to_f64());
        let error = error.expect_err("no memory is as large").to_string();
        assert!(
            error.starts_with(&format!("{op}: a tensor of shape [1, 2")),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn padding_beyond_memory_is_refused() -> Result<()> {
    refuses_padding_beyond_memory(&glowgrad::cpu())?;
    refuses_padding_beyond_memory(&layered().0)
}

#[test]
fn golden_cases_hold_with_layers() {
    let engine = layered().0;
    for file in ["pool", "layers", "softmax", "losses"] {
        let text = suite::golden::FILES.iter().find(|(name, _)| *name == file);
        let report = suite::golden::run(&engine, text.expect("a file of golden cases").1);
        println!("{file}: {} passed", report.passed);
        assert!(report.passed > 0, "{file}");
        none(report.failed);
    }
}

#[test]
fn the_first_of_equals_and_the_last_nan_get_the_gradient() -> Result<()> {
    let nan = f32::NAN;
    let engine = layered().0;
    let rows = [
        [2.0, 2.0, nan, 5.0, 1.0, nan, 0.0, -0.0],
        [3.0, 3.0, 1.0, 0.0, -0.0, 0.0, -1.0, -1.0],
    ];
    let x = Tensor::from_f32(&engine, rows.as_flattened(), &[2, 8])?;
    x.set_requires_grad(true)?;
    // Four elements, two apart.
    let mut attrs = [4, 2, 0, 1].map(Attr::Int).to_vec();
    attrs.push(Attr::Bool(false));
    let y = apply("max_pool1d", std::slice::from_ref(&x), &attrs)?;
    y.sum()?.backward(None, Default::default())?;
    let grad = x.grad().expect("a gradient").to_f64()?;
    assert_eq!(grad[..8], [0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    assert_eq!(grad[8..], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn pools_are_told_window_by_window() -> Result<()> {
    let engine = layered().0;
    engine.begin_step();
    let x = Tensor::full(&engine, &[3, 7], Scalar::Float(1.0), DType::F32)?.clone_data()?;
    x.set_requires_grad(true)?;
    let mut attrs = [3, 2, 1, 2].map(Attr::Int).to_vec();
    attrs.push(Attr::Bool(false));
    let y = apply("max_pool1d", std::slice::from_ref(&x), &attrs)?;
    y.backward(Some(&y.detach()), Default::default())?;
    let items = engine.scheduled();
    let told = |name: &str| -> Vec<String> {
        let item = items.iter().find(|item| item.name == name);
        let lines = pseudo_code(item.expect("a pool"), &()).into_iter();
        lines.map(|line| line.text.trim().to_owned()).collect()
    };
    let [gradient, result] = ["max pool gradient", "max pool"].map(told);
    // What is read and written comes first.
    assert_eq!(
        result[2..],
        [
            "for i in 0..3:",
            "for j in 0..3:",
            "# places beyond their plane are left out",
            "places = [7*i + (2*j + 2*a - 1) for a in 0..3]",
            "max_pool_layer.data[3*i + j] = max(clone.data[places])",
        ]
    );
    assert_eq!(
        gradient[3..],
        [
            "max_pool_gradient_layer.data[:] = 0",
            "for i in 0..3:",
            "for j in 0..3:",
            "# places beyond their plane are left out",
            "places = [7*i + (2*j + 2*a - 1) for a in 0..3]",
            "# the first of equals, the last NaN",
            "best = places[argmax(clone.data[places])]",
            "max_pool_gradient_layer.data[best] += max_pool_layer.data[3*i + j]",
        ]
    );
    Ok(())
}

#[cfg(feature = "gpu")]
mod on_a_gpu {
    use std::rc::Rc;

    use glowgrad::gpu::{self, GpuBackend};
    use glowgrad_check::models::MODELS;

    use super::*;

    fn backend() -> Option<Rc<GpuBackend>> {
        match GpuBackend::open(gpu::block_on) {
            Ok(backend) => Some(Rc::new(backend)),
            Err(error) => {
                println!("SKIPPED: {error}");
                None
            }
        }
    }

    #[test]
    fn pools_agree_with_the_formulas() {
        let Some(backend) = backend() else { return };
        let engine = Engine::new(Box::new(backend));
        none(failures(&engine, &random_calls(60)));
        none(failures(&engine, &large_calls()));
    }

    #[test]
    fn a_pool_and_its_gradient_are_a_dispatch_each() -> Result<()> {
        let Some(backend) = backend() else {
            return Ok(());
        };
        let engine = Engine::new(Box::new(backend.clone()));
        let padded = |last: &[Attr]| [&[3, 2, 1].map(Attr::Int)[..], last].concat();
        for (op, attrs) in [
            ("max_pool2d", padded(&[Attr::Int(1), Attr::Bool(true)])),
            (
                "avg_pool2d",
                padded(&[Attr::Bool(true), Attr::Bool(false), Attr::None]),
            ),
            ("adaptive_max_pool2d", vec![Attr::Int(2)]),
            ("adaptive_avg_pool2d", vec![Attr::Int(2)]),
        ] {
            let x = Tensor::full(&engine, &[2, 3, 8, 8], Scalar::Float(1.0), DType::F32)?;
            let x = x.clone_data()?;
            x.set_requires_grad(true)?;
            x.realize()?;
            let counted = || (backend.dispatches(), backend.submits());
            let before = counted();
            let y = apply(op, std::slice::from_ref(&x), &attrs)?;
            y.realize()?;
            let forward = counted();
            let gy = y.detach();
            y.backward(Some(&gy), Default::default())?;
            let backward = counted();
            assert_eq!(
                (forward.0 - before.0, backward.0 - forward.0),
                (1, 1),
                "{op}"
            );
            assert_eq!(backward.1, before.1, "{op}: nothing is waited for");
        }
        Ok(())
    }

    #[test]
    fn a_step_of_a_network_with_max_pools_is_one_submit() -> Result<()> {
        let Some(backend) = backend() else {
            return Ok(());
        };
        let engine = Engine::new(Box::new(backend.clone()));
        let model = MODELS.iter().find(|(name, _)| *name == "convolutions");
        let model = model.expect("a network with pools").1(&engine)?;
        model.step(0)?.item()?;
        let before = (backend.submits(), backend.dispatches());
        for step in 1..=10 {
            model.step(step)?.item()?;
        }
        // What waits within a step sends what came before.
        assert_eq!(backend.submits() - before.0, 10);
        println!("{} dispatches in 10 steps", backend.dispatches() - before.1);
        Ok(())
    }
}

#[cfg(feature = "cuda")]
mod on_a_cuda_gpu {
    use std::rc::Rc;

    use glowgrad::cuda::CudaBackend;

    use super::*;

    #[test]
    fn pools_agree_with_the_formulas() {
        let backend = match CudaBackend::open() {
            Ok(backend) => Rc::new(backend),
            Err(error) => return println!("SKIPPED: {error}"),
        };
        let engine = Engine::new(Box::new(backend.clone()));
        none(failures(&engine, &random_calls(60)));
        none(failures(&engine, &large_calls()));
        let at_fault = |why: &&String| why.contains("layer");
        let fallbacks: Vec<String> = backend.fallbacks().into_keys().collect();
        assert_eq!(fallbacks.iter().find(at_fault), None, "{fallbacks:?}");
    }
}

//! The GPU backend on whatever adapter is at hand: work larger than a workgroup, and errors. That every op
//! gives PyTorch's numbers is checked by `glowgrad-check`.
#![cfg(all(feature = "gpu", not(target_arch = "wasm32")))]

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::backend::Backend;
use glowgrad::codegen::Line;
use glowgrad::gpu::{self, GpuBackend};
use glowgrad::node::NodeRef;
use glowgrad::{DType, Engine, Index, Result, Tensor};
use serde_json::json;

use crate::suite;
use crate::suite::call::call;
use crate::suite::samples::Numbers;
use crate::suite::training::Network;

/// A backend, or the reason for which there is nothing to test.
fn backend() -> Option<Rc<GpuBackend>> {
    match GpuBackend::open(gpu::block_on) {
        Ok(backend) => {
            println!("on {}", backend.name());
            Some(Rc::new(backend))
        }
        Err(error) => {
            println!("SKIPPED: {error}");
            None
        }
    }
}

fn engine(backend: &Rc<GpuBackend>) -> Engine {
    Engine::new(Box::new(backend.clone()))
}

/// A backend that has float16.
fn backend_with_float16() -> Option<Rc<GpuBackend>> {
    let backend = backend()?;
    if !backend.has_f16() {
        println!("SKIPPED: {} has no shader-f16", backend.name());
        return None;
    }
    Some(backend)
}

#[test]
fn large_work_agrees_with_the_cpu() {
    let Some(backend) = backend() else { return };
    let failures = suite::large::failures(&engine(&backend), &[(DType::F32, 1e-5)]);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn layers_agree_with_the_cpu_and_have_gradients_of_gradients() {
    let Some(backend) = backend() else { return };
    let failures = suite::layers::failures(&engine(&backend));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(suite::layers::second_order(&engine(&backend)), Ok(()));
}

#[test]
fn layers_stay_on_the_device_whatever_their_sizes() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    engine.set_strict(true);
    let mut numbers = Numbers::new(7);
    let mut random = |shape: &[usize]| numbers.tensor(&engine, shape, (-1.0, 1.0), DType::F32);
    // More workgroups than one dimension has. Of a single key each, the weight is 1.
    let x = random(&[70_000, 1, 1])?;
    let heads = [x.clone(), x.clone(), x.clone()];
    let y = call(&engine, "scaled_dot_product_attention", &heads, &json!({}))?.remove(0);
    assert_eq!(y.to_f64()?, x.to_f64()?);
    // Strides of which 32 bits do not count the product.
    let operands = [random(&[2, 3, 5, 4])?, random(&[1, 3, 1, 1])?];
    let corner = |stride: i64| {
        let all = call(&engine, "conv2d", &operands, &json!({ "stride": stride }))?;
        all[0]
            .get(&[
                Index::Slice(None, None, None),
                Index::Int(0),
                Index::Int(0),
                Index::Int(0),
            ])?
            .to_f64()
    };
    assert_eq!(corner(100_000)?, corner(1)?);
    Ok(())
}

#[test]
fn large_work_in_float16_agrees_with_the_cpu_and_stays_on_the_device() {
    let Some(backend) = backend_with_float16() else {
        return;
    };
    let failures = suite::large::failures(&engine(&backend), &[(DType::F16, 2e-3)]);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let fallbacks = backend.fallbacks();
    let own = ["integers from what the host knows"];
    assert!(
        fallbacks.keys().all(|why| own.contains(&&**why)),
        "{fallbacks:?}"
    );
}

/// Every float16, the numbers half-way between two and their neighbours, and what is beyond.
fn roundable() -> Vec<f32> {
    let values = |bits: u16| {
        let magnitude = f32::from(bits & 0x3ff);
        let half = match bits >> 10 & 0x1f {
            0 => magnitude * 2f32.powi(-24),
            0x1f if bits & 0x3ff != 0 => f32::NAN,
            0x1f => f32::INFINITY,
            exponent => (1024.0 + magnitude) * 2f32.powi(i32::from(exponent) - 25),
        };
        let between = match bits >> 10 & 0x1f {
            0 | 1 => half + 2f32.powi(-25),
            exponent => half + 2f32.powi(i32::from(exponent) - 26),
        };
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        [half, between, between.next_down(), between.next_up()].map(|x| sign * x)
    };
    let beyond = [1e5, -1e10, f32::MAX, f32::MIN, f32::MIN_POSITIVE];
    (0..=u16::MAX).flat_map(values).chain(beyond).collect()
}

#[test]
fn every_float16_is_read_and_rounded_as_on_the_cpu() -> Result<()> {
    let Some(backend) = backend_with_float16() else {
        return Ok(());
    };
    let values = roundable();
    let numbers = |engine: &Engine| -> Result<[Vec<f64>; 2]> {
        // An odd number of them: half a word is left over.
        let x = Tensor::from_f32(engine, &values, &[values.len()])?;
        let rounded = x.to(DType::F16)?;
        let read = rounded.to(DType::F32)?.add(&rounded.to(DType::F32)?)?;
        Ok([rounded.to_f64()?, read.to_f64()?])
    };
    let device = engine(&backend);
    let (expected, got) = (numbers(&glowgrad::cpu())?, numbers(&device)?);
    assert_eq!(backend.fallbacks().len(), 0);
    for (expected, got) in expected.iter().zip(&got) {
        let is_same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
        let differ = (0..values.len()).filter(|&i| !is_same(expected[i], got[i]));
        let differ: Vec<usize> = differ.collect();
        let shown = differ.iter().take(5);
        let shown: Vec<_> = shown.map(|&i| (values[i], got[i], expected[i])).collect();
        assert!(differ.is_empty(), "{} differ: {shown:?}", differ.len());
    }
    Ok(())
}

/// The result of an elementwise kernel may lie where an operand lay: not where words have another size.
#[test]
fn int16_and_float16_take_each_others_place() -> Result<()> {
    let Some(backend) = backend_with_float16() else {
        return Ok(());
    };
    let engine = engine(&backend);
    engine.set_fusion(false);
    let values: Vec<f32> = (0..100_001).map(|i| (i % 2000) as f32).collect();
    let x = Tensor::from_f32(&engine, &values, &[values.len()])?;
    let one = Tensor::number(&engine, glowgrad::Scalar::Int(1));
    let there = x.to(DType::I16)?.add(&one)?.to(DType::F16)?;
    let back = there.add(&one)?.to(DType::I16)?;
    let expected = values.iter().map(|&x| f64::from(x) + 2.0);
    assert_eq!(back.to_f64()?, expected.collect::<Vec<f64>>());
    // What was on a lost device is computed again.
    backend.destroy_device();
    let expected = values.iter().map(|&x| f64::from(x) + 1.0);
    assert_eq!(there.to_f64()?, expected.collect::<Vec<f64>>());
    Ok(())
}

#[test]
fn a_routine_is_shown_as_its_device_runs_it() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let product = |engine: &Engine| -> Result<Result<Vec<Line>, String>> {
        engine.trace().set_recording(true);
        let x = Tensor::full(engine, &[4, 4], glowgrad::Scalar::Int(1), DType::F32)?;
        assert_eq!(x.matmul(&x)?.to_f64()?, [4.0; 16]);
        let items = engine.scheduled();
        let item = items.iter().find(|item| item.name == "matmul");
        Ok(engine.wgsl(item.expect("a product ran"), &()))
    };
    let lines = product(&engine(&backend))?.expect("it runs as WGSL");
    assert!(lines[0].text.starts_with("// product = matmul("));
    assert!(lines.iter().any(|line| line.text.contains("fn main(")));
    assert!(lines.iter().all(|line| line.nodes.len() == 1));
    let why = product(&glowgrad::cpu())?.expect_err("the processor runs no WGSL");
    assert!(why.starts_with("matmul is a routine"), "{why}");
    Ok(())
}

#[test]
fn compiling_many_shaders_is_told_until_it_is_over() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    let told: Rc<RefCell<Vec<(String, usize, usize)>>> = Rc::default();
    let log = told.clone();
    engine.watch_devices(Rc::new(move |label, done, total| {
        log.borrow_mut().push((label.to_owned(), done, total));
    }));
    let network = Network::new(&engine, 8, false)?;
    network.step()?.item()?;
    let first = told.take();
    let n = backend.pipelines();
    let label = format!("compiling {n} shaders");
    assert_eq!(first.first(), Some(&(label.clone(), 0, n)));
    assert_eq!(first.last(), Some(&(label.clone(), n, n)));
    assert!(
        first.is_sorted() && first.iter().all(|(of, ..)| *of == label),
        "{first:?}"
    );
    // What is compiled is kept.
    network.step()?.item()?;
    assert_eq!(told.take(), []);
    Ok(())
}

#[test]
fn an_index_out_of_range_is_an_error_and_the_device_goes_on() -> Result<()> {
    match backend() {
        Some(backend) => suite::large::refuses_an_index(&engine(&backend)),
        None => Ok(()),
    }
}

#[test]
fn a_device_that_refuses_loses_no_value() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0], &[3])?;
    let twice = x.add(&x)?;
    drop(backend.news());
    // Once may be a device that is about to be lost: it is opened again.
    backend.ask_nonsense();
    assert_eq!(twice.to_f64()?, [2.0, 4.0, 6.0]);
    let news = backend.news().join("\n");
    assert!(news.contains("refused what it was asked ("), "{news}");
    assert!(news.contains("and opened again"), "{news}");
    assert_eq!(x.mul(&twice)?.to_f64()?, [2.0, 8.0, 18.0]);
    assert_eq!(backend.news(), [""; 0]);
    // Again before anything was read: the processor takes over.
    let mut sum = x.clone();
    for _ in 0..2 {
        backend.ask_nonsense();
        sum = sum.add(&x)?;
        sum.realize()?;
    }
    assert_eq!(sum.to_f64()?, [3.0, 6.0, 9.0]);
    let news = backend.news().join("\n");
    assert!(
        news.contains("it refused what it was asked again"),
        "{news}"
    );
    Ok(())
}

#[test]
fn a_device_that_is_lost_loses_no_value() -> Result<()> {
    let Some(whole) = backend() else {
        return Ok(());
    };
    let lost = Rc::new(GpuBackend::open(gpu::block_on)?);
    let networks = [
        Network::new(&engine(&whole), 64, true)?,
        Network::new(&engine(&lost), 64, true)?,
    ];
    let mut news = Vec::new();
    drop((whole.news(), lost.news()));
    // Long enough for checkpoints: what came before them is not computed again.
    for step in 0..400 {
        if step % 20 == 19 {
            lost.destroy_device();
        }
        let [expected, got] = networks.each_ref().map(Network::step);
        // Some steps are read, others ride the next submit.
        if step % 3 == 0 {
            let (expected, got) = (expected?.item()?.as_f64(), got?.item()?.as_f64());
            assert_eq!(expected, got, "step {step}");
        }
        news.extend(lost.news());
    }
    for (expected, got) in networks[0].parameters.iter().zip(&networks[1].parameters) {
        assert_eq!(expected.to_f64()?, got.to_f64()?);
    }
    news.extend(lost.news());
    assert_eq!(news.len(), 20, "{news:#?}");
    let again = |text: &String| -> usize {
        let n = text.split("; ").nth(1).and_then(|t| t.split(' ').next());
        n.and_then(|n| n.parse().ok()).expect("how many ran again")
    };
    let most = news.iter().map(again).max().unwrap_or(0);
    println!("at most {most} kernels ran again; {}", news[19]);
    assert!(most < 6_000, "checkpoints are taken up: {most}");
    assert_eq!(whole.news(), Vec::<String>::new(), "nothing happened to it");
    Ok(())
}

#[test]
fn what_a_gpu_cannot_is_told_or_refused() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    // Of a software adapter.
    backend.news();
    let x = Tensor::from_f64(&engine, &[1.0, 2.0], &[2])?;
    assert_eq!(x.mul(&x)?.to_f64()?, [1.0, 4.0]);
    assert_eq!(x.add(&x)?.to_f64()?, [2.0, 4.0]);
    // Once for each reason.
    assert_eq!(
        backend.news(),
        ["wgpu: WGSL has no float64: the CPU computes it instead"]
    );
    let half = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?.to(DType::F16)?;
    assert_eq!(half.add(&half)?.to_f64()?, [2.0, 4.0]);
    let told =
        "wgpu: this adapter has no shader-f16, which float16 needs: the CPU computes it instead";
    let expected: &[&str] = if backend.has_f16() { &[] } else { &[told] };
    assert_eq!(backend.news(), expected);
    engine.set_strict(true);
    let error = x.mul(&x)?.to_f64().expect_err("the learner wants no CPU");
    assert_eq!(error.kind, glowgrad::ErrorKind::NotImplemented);
    assert!(error.message.contains("lab.fallback(True)"), "{error}");
    // What a GPU can goes on.
    let y = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?;
    assert_eq!(y.mul(&y)?.to_f64()?, [1.0, 4.0]);
    Ok(())
}

const SAXPY: &str = "
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&x)) { out[id.x] = 2.0 * x[id.x] + y[id.x]; }
}
";

#[test]
fn a_shader_of_ones_own_runs_or_says_which_line_is_wrong() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    // A view goes in row by row, and what waits to be computed is computed.
    let inputs = [x.transpose(0, 1)?.node(), x.add(&x)?.node()];
    let run = |source: &str, inputs: &[NodeRef], groups| {
        let written = engine.run_shader(source, inputs, (&[4], DType::F32), groups)?;
        Tensor::from_node(&engine, written).to_f64()
    };
    assert_eq!(run(SAXPY, &inputs, [1, 1, 1])?, [4.0, 10.0, 10.0, 16.0]);

    // A binding has as many elements as its tensor.
    let lengths = SAXPY.replace(
        "out[id.x] = 2.0 * x[id.x] + y[id.x];",
        "out[id.x] = f32(arrayLength(&x) + arrayLength(&out) + u32(0.0 * y[0]));",
    );
    assert_eq!(run(&lengths, &inputs, [1, 1, 1])?, [8.0; 4]);

    let says = |source: &str, groups| {
        let error = run(source, &inputs, groups).expect_err("it is wrong");
        error.message
    };
    let unknown = says(&SAXPY.replace("2.0 * x", "2.0 * z"), [1, 1, 1]);
    assert!(unknown.starts_with("shader: line 8, column "), "{unknown}");
    let unlike = says(&SAXPY.replace("binding(1)", "binding(7)"), [1, 1, 1]);
    assert!(
        unlike.contains("0 to 1 for the inputs and 2 for the result"),
        "{unlike}"
    );
    let none = says(SAXPY, [0, 1, 1]);
    assert!(none.contains("expected 1 to 65535 workgroups"), "{none}");
    // The device goes on after all of them.
    assert_eq!(run(SAXPY, &inputs, [1, 1, 1])?, [4.0, 10.0, 10.0, 16.0]);
    if backend.has_f16() {
        let halves = [
            "enable f16;",
            &SAXPY.replace("<f32>", "<f16>").replace("2.0", "2.0h"),
        ];
        let inputs = [x.to(DType::F16)?.node(), x.to(DType::F16)?.node()];
        let written = (&[4][..], DType::F16);
        let written = engine.run_shader(&halves.concat(), &inputs, written, [1, 1, 1])?;
        let written = Tensor::from_node(&engine, written);
        assert_eq!(written.to_f64()?, [3.0, 6.0, 9.0, 12.0]);
    }
    let cpu = glowgrad::cpu();
    let here = Tensor::from_f32(&cpu, &[1.0], &[1])?;
    let error = cpu.run_shader(SAXPY, &[here.node()], (&[1], DType::F32), [1; 3]);
    let error = error.expect_err("a processor runs no shaders");
    assert!(error.message.contains(".to(\"webgpu\")"), "{error}");
    Ok(())
}

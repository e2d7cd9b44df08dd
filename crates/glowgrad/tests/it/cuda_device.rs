//! The CUDA backend on the GPU at hand: every golden case, in every dtype, and work of sizes that golden
//! cases have not. Without a GPU it says that it is skipped.
#![cfg(all(feature = "cuda", not(target_arch = "wasm32")))]

use std::rc::Rc;

use glowgrad::backend::{Backend, Buffer};
use glowgrad::cuda::{CudaBackend, Precision, devices};
use glowgrad::samples::Numbers;
use glowgrad::{DType, Engine, Result, Scalar, Tensor};
use glowgrad_check::models;
use glowgrad_check::recording::{self, RecordedStep};
use serde_json::json;

use crate::suite;
use crate::suite::call::call;
use crate::suite::training::Network;

/// A backend, or the reason for which there is nothing to test.
fn backend() -> Option<Rc<CudaBackend>> {
    match CudaBackend::open() {
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

fn engine(backend: &Rc<CudaBackend>) -> Engine {
    Engine::new(Box::new(backend.clone()))
}

#[test]
fn golden_cases_are_pytorchs() {
    let Some(backend) = backend() else { return };
    let engine = engine(&backend);
    let (mut passed, mut skipped, mut failed) = (0, 0, Vec::new());
    for (file, text) in suite::golden::FILES {
        let report = suite::golden::run(&engine, text);
        passed += report.passed;
        skipped += report.skipped.len();
        failed.extend(report.failed.iter().map(|why| format!("{file}: {why}")));
    }
    println!(
        "{passed} passed, {skipped} skipped as on the CPU, {} failed",
        failed.len()
    );
    println!("{} tasks on the device; on the CPU:", backend.launched());
    for (why, n) in backend.fallbacks() {
        println!("  {n:5} {why}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(backend.launched() > 10_000, "{}", backend.launched());
}

#[test]
fn large_work_agrees_with_the_cpu() {
    let Some(backend) = backend() else { return };
    let failures = suite::large::failures(
        &engine(&backend),
        &[(DType::F32, 1e-5), (DType::F64, 1e-13)],
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_many_threads_share_agrees_with_the_cpu() {
    let Some(backend) = backend() else { return };
    let engine = engine(&backend);
    let agree = |what: &str, shape: &[usize], run: &dyn Fn(&Tensor) -> Result<Tensor>| {
        for (dtype, within) in [(DType::F32, 1e-5), (DType::F64, 1e-13)] {
            let agreed = suite::large::agree(&engine, &[shape], dtype, within, &|x| run(&x[0]));
            assert_eq!(agreed, Ok(()), "{what}, {dtype}");
        }
    };
    // Parts of a sum of which the last is shorter, beside each other too.
    agree("sum", &[1_000_003], &|x| x.exp()?.sum());
    agree("sum", &[70_001, 3], &|x| x.exp()?.sum_dim(&[0], false));
    // Several pieces of a line, beside each other too.
    let scan = |name: &'static str, dim: i64, part: usize| {
        move |x: &Tensor| -> Result<Tensor> {
            let operands = std::slice::from_ref(x);
            Ok(call(x.engine(), name, operands, &json!({ "dim": dim }))?.remove(part))
        }
    };
    agree("cumsum", &[10_001], &scan("cumsum", 0, 0));
    agree("cumsum", &[2, 3000, 3], &scan("cumsum", 1, 0));
    agree("logcumsumexp", &[5000, 2], &scan("logcumsumexp", 0, 0));
    for name in ["cummax", "cummin"] {
        agree(name, &[2, 5000, 2], &|x| {
            // Few values, each many times.
            let few = x.mul(&Tensor::number(x.engine(), Scalar::Float(4.0)))?;
            let few = call(
                few.engine(),
                "floor",
                std::slice::from_ref(&few),
                &json!({}),
            )?;
            scan(name, 1, 1)(&few[0])
        });
        // Half of them are NaN.
        agree(name, &[5000], &|x| {
            let roots = call(x.engine(), "sqrt", std::slice::from_ref(x), &json!({}))?;
            scan(name, 0, 1)(&roots[0])
        });
    }
}

#[test]
fn a_sum_of_everything_is_the_same_each_time() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    let sum = || -> Result<Vec<u8>> {
        let x = Numbers::new(5).tensor(&engine, &[1_000_003], (-1.0, 1.0), DType::F32)?;
        x.sum()?.to_bytes()
    };
    let first = sum()?;
    for _ in 0..5 {
        assert_eq!(sum()?, first);
    }
    Ok(())
}

#[test]
fn integers_have_64_bits() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    // More than the host would compute by itself.
    let n = 100_000;
    let values: Vec<i64> = (0..n).map(|i| i64::MAX - i * i).collect();
    let x = Tensor::from_i64(&engine, &values, &[n as usize])?;
    let launched = backend.launched();
    let sum = x.add(&x)?.mul(&x)?;
    let expected: Vec<u8> = values
        .iter()
        .flat_map(|x| x.wrapping_add(*x).wrapping_mul(*x).to_le_bytes())
        .collect();
    assert_eq!(sum.to_bytes()?, expected);
    assert!(backend.launched() > launched);
    Ok(())
}

#[test]
fn training_follows_the_cpu() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let (cpu, gpu) = (glowgrad::cpu(), engine(&backend));
    let (on_cpu, on_gpu) = (Network::new(&cpu, 64, true)?, Network::new(&gpu, 64, true)?);
    for step in 0..100 {
        let expected = on_cpu.step()?.item()?.as_f64();
        let got = on_gpu.step()?.item()?.as_f64();
        assert!(
            (expected - got).abs() <= 1e-3 * expected.abs(),
            "step {step}: {got}, on the CPU {expected}"
        );
    }
    let fallbacks: Vec<String> = backend.fallbacks().into_keys().collect();
    assert_eq!(fallbacks, ["a few integers from what the host knows"]);
    Ok(())
}

#[test]
fn a_training_step_is_recorded_and_stays_itself() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let device: Rc<dyn Backend> = backend.clone();
    for (name, make) in models::MODELS {
        let step = RecordedStep::of(&device, |engine| {
            let model = make(engine)?;
            Ok(Box::new(move || model.step(0)?.item().map(drop)))
        })?;
        println!("{name}: {} tasks", step.tasks.len());
        assert_eq!(recording::compare(&*device, &step), Ok(Some(())), "{name}");
    }
    Ok(())
}

#[test]
fn a_recorded_index_out_of_range_is_told_as_a_submitted_one() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let device: Rc<dyn Backend> = backend.clone();
    let step = RecordedStep::of(&device, |engine| {
        let table = Tensor::from_f32(engine, &[1.0, 2.0, 3.0], &[3])?;
        let index = Tensor::from_i64(engine, &[0, 2], &[2])?;
        Ok(Box::new(move || {
            let operands = [table.exp()?, index.clone()];
            let rows = call(
                table.engine(),
                "index_select",
                &operands,
                &json!({ "dim": 0 }),
            )?;
            rows[0].to_f64().map(drop)
        }))
    })?;
    let tasks = &step.tasks;
    let mut inputs = tasks.iter().flat_map(|task| task.ends().0);
    let is_filled = |input: &Buffer| step.filled.iter().any(|(b, _)| b.id() == input.id());
    let index = inputs.find(|input| input.bytes() == 16 && !is_filled(input));
    let index = index.expect("two indices");
    let rows = &tasks.last().expect("a task").ends().1[0];
    let recorded = backend.record(&step.tasks).expect("a recording");
    let fill = |indices: [i64; 2]| {
        let bytes = indices.map(i64::to_le_bytes).concat();
        step.fill(&*backend)?;
        backend.upload(index, &bytes)
    };
    let words = |(at, error): (usize, glowgrad::Error)| (at, error.to_string());
    fill([1, 4])?;
    let why = recorded.run().map_err(words).expect_err("4 is no row");
    fill([1, 4])?;
    assert_eq!(backend.submit(tasks).map_err(words), Err(why.clone()));
    assert!(
        why.1.contains("is out of bounds for dimension with size 3"),
        "{}",
        why.1
    );
    for indices in [[2, 1], [0, 2]] {
        fill(indices)?;
        assert_eq!(backend.submit(tasks).map_err(words), Ok(()));
        let expected = recording::read(&*backend, rows)?;
        fill([1, 1])?;
        assert_eq!(recorded.run().map_err(words), Ok(()));
        assert_ne!(recording::read(&*backend, rows)?, expected);
        fill(indices)?;
        assert_eq!(recorded.run().map_err(words), Ok(()));
        assert_eq!(recording::read(&*backend, rows)?, expected);
    }
    // Ahead of everything, the second time's indices would be the first one's too.
    let twice = [&tasks[..], tasks].concat();
    assert!(backend.record(&twice).is_none());
    Ok(())
}

#[test]
fn what_the_processor_computes_is_not_recorded() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let device: Rc<dyn Backend> = backend.clone();
    let step = RecordedStep::of(&device, |engine| {
        let x = Tensor::from_f32(engine, &[2.0, 1.0, 1.0, 3.0], &[2, 2])?;
        Ok(Box::new(move || {
            let inverse = call(x.engine(), "inv", &[x.exp()?], &json!({}))?;
            inverse[0].to_bytes().map(drop)
        }))
    })?;
    let launched = backend.launched();
    assert!(backend.record(&step.tasks).is_none());
    assert_eq!(backend.launched(), launched);
    Ok(())
}

#[test]
fn coarser_products_are_a_choice() {
    let Some(backend) = backend() else { return };
    let gpu = engine(&backend);
    let shapes: [&[usize]; 2] = [&[64, 512], &[512, 64]];
    for (precision, within) in [
        (Precision::Tf32, 5e-3),
        (Precision::BFloat16, 5e-2),
        (Precision::Full, 1e-5),
    ] {
        backend.set_precision(precision);
        let product =
            suite::large::agree(&gpu, &shapes, DType::F32, within, &|x| x[0].matmul(&x[1]));
        assert_eq!(product, Ok(()), "{precision:?}");
    }
}

#[test]
fn an_index_out_of_range_is_an_error_and_the_device_goes_on() -> Result<()> {
    match backend() {
        Some(backend) => suite::large::refuses_an_index(&engine(&backend)),
        None => Ok(()),
    }
}

#[test]
fn what_is_missing_is_said_with_the_way_out() {
    match CudaBackend::open() {
        Ok(_) => assert!(!devices().is_empty()),
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("cuda: "), "{text}");
            assert!(text.ends_with("use --device cpu"), "{text}");
        }
    }
}

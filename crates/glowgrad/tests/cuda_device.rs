//! The CUDA backend on the GPU at hand: every golden case, in every dtype, and work of sizes that golden
//! cases have not. Without a GPU it says that it is skipped.
#![cfg(all(feature = "cuda", not(target_arch = "wasm32")))]

mod suite;

use std::rc::Rc;

use suite::training::Network;

use glowgrad::backend::Backend;
use glowgrad::cuda::{CudaBackend, Precision, devices};
use glowgrad::{DType, Engine, Result, Tensor};

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
    let aside: Vec<String> = backend.fallbacks().into_keys().collect();
    assert_eq!(aside, ["a few integers from what the host knows"]);
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

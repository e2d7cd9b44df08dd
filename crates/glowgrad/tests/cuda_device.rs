//! The CUDA backend on the GPU at hand: every golden case, in every dtype, and work of sizes that golden
//! cases have not. Without a GPU it says that it is skipped.
#![cfg(all(feature = "cuda", not(target_arch = "wasm32")))]

mod suite;

use std::rc::Rc;

use suite::call;
use suite::samples::Numbers;
use suite::training::Network;

use glowgrad::backend::Backend;
use glowgrad::cuda::{CudaBackend, Precision, devices};
use glowgrad::{DType, Engine, Index, Result, Scalar, Tensor};
use serde_json::json;

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

/// A call on operands of these shapes, on both devices.
fn agree(
    gpu: &Engine,
    shapes: &[&[usize]],
    dtype: DType,
    within: f64,
    run: &dyn Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<(), String> {
    let cpu = glowgrad::cpu();
    let results = [&cpu, gpu].map(|engine| -> Result<Vec<f64>> {
        let mut numbers = Numbers::new(7);
        let operands = shapes
            .iter()
            .map(|shape| numbers.tensor(engine, shape, (-1.0, 1.0), dtype))
            .collect::<Result<Vec<Tensor>>>()?;
        run(&operands)?.to_f64()
    });
    let [expected, got] = results.map(|result| result.map_err(|error| error.to_string()));
    let (expected, got) = (expected?, got?);
    if expected.len() != got.len() {
        return Err(format!("{} elements, not {}", got.len(), expected.len()));
    }
    // Sums of many products come in another order.
    let differs = |(x, y): &(&f64, &f64)| (*x - *y).abs() > within * (10.0 + y.abs());
    match got.iter().zip(&expected).position(|pair| differs(&pair)) {
        Some(at) => Err(format!("element {at}: {}, not {}", got[at], expected[at])),
        None => Ok(()),
    }
}

#[test]
fn large_work_agrees_with_the_cpu() {
    let Some(backend) = backend() else { return };
    let gpu = engine(&backend);
    let mut failures = Vec::new();
    let mut check = |what: &str, shapes: &[&[usize]], run: &dyn Fn(&[Tensor]) -> Result<Tensor>| {
        for (dtype, within) in [(DType::F32, 1e-5), (DType::F64, 1e-13)] {
            if let Err(why) = agree(&gpu, shapes, dtype, within, run) {
                failures.push(format!("{what}, {dtype}: {why}"));
            }
        }
    };
    for (m, k, n) in [(1, 300, 1), (33, 65, 31), (64, 64, 64), (100, 784, 257)] {
        check("matmul", &[&[m, k], &[k, n]], &|x| x[0].matmul(&x[1]));
        check("matmul of a transpose", &[&[k, m], &[n, k]], &|x| {
            x[0].transpose(0, 1)?.matmul(&x[1].transpose(0, 1)?)
        });
        // cuBLAS has no layout for a step of two.
        check("matmul of every other", &[&[m, 2 * k], &[k, n]], &|x| {
            let every_other = Index::Slice(None, None, Some(2));
            let all = Index::Slice(None, None, None);
            x[0].get(&[all, every_other])?.matmul(&x[1])
        });
    }
    check("batched matmul", &[&[3, 2, 40, 20], &[2, 20, 50]], &|x| {
        x[0].matmul(&x[1])
    });
    check("5 million elements", &[&[5_000_000], &[1]], &|x| {
        x[0].mul(&x[1])?
            .tanh()?
            .get(&[Index::Slice(Some(4_999_000), None, None)])
    });
    check("a sum of a million", &[&[1_000_000]], &|x| {
        x[0].exp()?.mean()
    });
    check("sums of rows", &[&[300, 1000]], &|x| x[0].softmax(1));
    check("sums of columns", &[&[1000, 300]], &|x| x[0].softmax(0));
    check("the first of many largest", &[&[400, 600], &[1]], &|x| {
        let less = call::call(x[0].engine(), "lt", x, &json!({}))?;
        less[0].to(DType::F32)?.argmax(1)
    });
    check("a sort", &[&[3, 1000, 2]], &|x| {
        let sorted = call::call(x[0].engine(), "argsort", x, &json!({ "dim": 1 }))?;
        Ok(sorted[0].clone())
    });
    check("rows added where indices say", &[&[500, 8]], &|x| {
        let engine = x[0].engine();
        let index: Vec<i64> = (0..500).map(|i| i * i % 37).collect();
        let index = Tensor::from_i64(engine, &index, &[500])?;
        let zeros = Tensor::full(engine, &[37, 8], Scalar::Int(0), x[0].dtype())?;
        let inputs = [zeros, index, x[0].clone()];
        let sums = call::call(engine, "index_add", &inputs, &json!({ "dim": 0 }))?;
        Ok(sums[0].clone())
    });
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
        let product = agree(&gpu, &shapes, DType::F32, within, &|x| x[0].matmul(&x[1]));
        assert_eq!(product, Ok(()), "{precision:?}");
    }
}

#[test]
fn an_index_out_of_range_is_an_error_and_the_device_goes_on() -> Result<()> {
    let Some(backend) = backend() else {
        return Ok(());
    };
    let engine = engine(&backend);
    let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0], &[3])?;
    let index = Tensor::from_i64(&engine, &[0, 3], &[2])?;
    let picked = call::call(
        &engine,
        "index_select",
        &[x.clone(), index],
        &json!({ "dim": 0 }),
    );
    let error = picked.and_then(|all| all[0].to_bytes());
    let error = error.expect_err("3 is no row");
    assert_eq!(error.kind, glowgrad::ErrorKind::Index);
    assert_eq!(x.mul(&x)?.to_f64()?, [1.0, 4.0, 9.0]);
    Ok(())
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

//! Work that is stopped in the middle leaves no wrong value behind.
#![cfg(not(target_arch = "wasm32"))]

use std::cell::Cell;
use std::rc::Rc;

use glowgrad::{ErrorKind, Result, Scalar, Tensor, interrupt};

const N: usize = 1 << 20;

/// Eight kernels one after another, each of which may write over its input.
fn chain(x: &Tensor) -> Result<Tensor> {
    let engine = x.engine();
    let number = |value: f64| Tensor::number(engine, Scalar::Float(value));
    let mut y = x.clone();
    for i in 0..8 {
        y = y.mul(&number(0.5))?.add(&number(f64::from(i)))?.tanh()?;
    }
    Ok(y)
}

#[test]
fn a_value_is_right_or_an_error_wherever_stop_came() -> Result<()> {
    let values: Vec<f32> = (0..N).map(|i| i as f32 / N as f32).collect();
    let expected = chain(&Tensor::from_f32(&glowgrad::cpu(), &values, &[N])?)?.to_f64()?;
    let (mut stopped, mut recovered) = (0, 0);
    for stops_after in 0..24 {
        let engine = glowgrad::cpu();
        engine.set_fusion(false);
        let x = Tensor::from_f32(&engine, &values, &[N])?;
        let y = chain(&x)?;
        let asked = Cell::new(0);
        interrupt::set(Some(Rc::new(move || {
            asked.set(asked.get() + 1);
            asked.get() > stops_after
        })));
        let first = y.to_f64();
        interrupt::set(None);
        match first {
            Ok(got) => assert_eq!(got, expected),
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Interrupted);
                stopped += 1;
                // The variables are as they were, and what hangs on a lost value says so.
                assert_eq!(x.to_f64()?[N - 1], f64::from(values[N - 1]));
                match y.to_f64() {
                    Ok(got) => {
                        assert_eq!(got, expected, "after {stops_after}");
                        recovered += 1;
                    }
                    Err(error) => {
                        assert!(error.message.contains("run the line"), "{error}");
                    }
                }
            }
        }
    }
    println!("{stopped} stopped, of which {recovered} went on to the value");
    assert!(stopped >= 3, "only {stopped} were stopped");
    Ok(())
}

#[cfg(feature = "gpu")]
#[test]
fn a_wait_for_a_gpu_hears_stop_and_the_value_is_there_later() -> Result<()> {
    let backend = match glowgrad::gpu::GpuBackend::open(glowgrad::gpu::block_on) {
        Ok(backend) => Box::new(backend),
        Err(error) => {
            println!("SKIPPED: {error}");
            return Ok(());
        }
    };
    let engine = glowgrad::Engine::new(backend);
    let side = 1200;
    let x = Tensor::full(
        &engine,
        &[side, side],
        Scalar::Float(0.5),
        glowgrad::DType::F32,
    )?;
    let mut product = x.matmul(&x)?;
    for _ in 0..4 {
        product = product.matmul(&x)?;
    }
    let y = product.sum()?;
    interrupt::set(Some(Rc::new(|| true)));
    let first = y.to_f64();
    interrupt::set(None);
    match first {
        // A GPU may be done before the first look.
        Ok(_) => println!("the GPU was done before Stop was looked for"),
        Err(error) => assert_eq!(error.kind, ErrorKind::Interrupted),
    }
    let expected = 0.5f64.powi(6) * (side as f64).powi(7);
    let got = y.to_f64()?[0];
    assert!((got / expected - 1.0).abs() < 1e-4, "{got} {expected}");
    Ok(())
}

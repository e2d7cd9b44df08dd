//! The golden numbers and the oracle once more, in the browser: wasm computes what native code does.
#![cfg(target_arch = "wasm32")]

use std::cell::Cell;

use glowgrad::op::Attrs;
use glowgrad::{CpuBackend, Engine, Level, Result, Tensor, ops};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use crate::suite;

// The page's own file: `crates/web` is a module for browsers alone, and no library.
#[path = "../../../web/src/functions.rs"]
mod functions;

wasm_bindgen_test_configure!(run_in_browser);

/// Runs a test with the matrix kernels of SIMD128 and every kernel interpreted, then with those of relaxed SIMD, which
/// the browser of these tests has, and every kernel compiled that can be.
fn with_engines(test: impl Fn(Engine)) {
    assert!(functions::add_relaxed());
    for (level, least_work) in [(Level::Baseline, None), (Level::Relaxed, Some(0))] {
        functions::compile_kernels(least_work);
        test(Engine::new(Box::new(CpuBackend::with_level(level))));
    }
}

fn none(failures: Vec<String>) {
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[wasm_bindgen_test]
fn golden_numbers() {
    with_engines(|engine| {
        for (file, text) in suite::golden::FILES {
            let report = suite::golden::run(&engine, text);
            assert!(report.passed > 0, "{file} has no cases");
            let failed = report.failed.into_iter();
            none(failed.map(|why| format!("{file}: {why}")).collect());
        }
    });
}

#[wasm_bindgen_test]
fn tensors_print_as_in_pytorch() {
    none(suite::printing::failures(&glowgrad::cpu()));
}

#[wasm_bindgen_test]
fn the_backend_agrees_with_the_interpreter() {
    with_engines(|engine| {
        none(suite::parity::registry_failures(&engine));
        for (file, text) in suite::golden::FILES {
            let (passed, failures) = suite::parity::golden_failures(&engine, text);
            assert!(passed > 0, "{file} has no cases");
            none(failures);
        }
    });
}

thread_local! {
    static COMPILED: Cell<usize> = const { Cell::new(0) };
}

/// Compiles as the page does, and counts.
fn counted(module: &[u8], place: Option<usize>) -> Option<usize> {
    COMPILED.set(COMPILED.get() + 1);
    functions::compile(module, place)
}

/// Elementwise ops of one and of two tensors, alone and in a chain, at sizes with and without a rest, on zeros,
/// infinities, NaN, subnormals and numbers at the edges of the functions' ranges; some views broadcast.
fn elementwise(engine: &Engine) -> Result<Vec<Vec<u8>>> {
    const EDGES: [f32; 23] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -1.5,
        2.5,
        0.55,
        -3.92,
        9.02,
        22.0,
        88.8,
        -87.5,
        -103.5,
        1e-40,
        -1e-45,
        1e38,
        -1e20,
        8_388_609.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
    ];
    let filled = |n: usize, step: usize| -> Result<Tensor> {
        let values: Vec<f32> = (0..n).map(|i| EDGES[i * step % EDGES.len()]).collect();
        Tensor::from_f32(engine, &values, &[n])
    };
    let unary = "neg abs sign sqrt rsqrt reciprocal exp expm1 log log1p tanh sigmoid erf silu relu floor \
                 ceil round trunc isnan isinf logical_not";
    let binary = "add sub mul div maximum minimum eq ne lt le logical_and logical_or logical_xor copysign atan2 pow";
    let find = |name: &str| ops::find(name).unwrap_or_else(|| panic!("no op {name}"));
    let mut read = Vec::new();
    for n in (1..=17).chain([61, 513, 1031]) {
        let (x, y) = (filled(n, 1)?, filled(n, 5)?);
        let one = filled(1, 1)?.add(&filled(1, 1)?.exp()?)?;
        for name in unary.split_whitespace() {
            read.push(Tensor::apply(engine, find(name), &[x.clone()], Attrs::new())?.to_bytes()?);
        }
        for name in binary.split_whitespace() {
            for operands in [[&x, &y], [&x, &one], [&one, &y]] {
                let operands = operands.map(Clone::clone);
                read.push(Tensor::apply(engine, find(name), &operands, Attrs::new())?.to_bytes()?);
            }
        }
        let chain = x.mul(&y)?.tanh()?.add(&x.exp()?)?.sub(&one)?;
        read.push(chain.to_bytes()?);
        read.push(chain.exp()?.sum()?.to_bytes()?);
    }
    Ok(read)
}

#[wasm_bindgen_test]
#[allow(unsafe_code, reason = "has kernels compiled by a compiler that counts")]
fn compiled_kernels_give_the_bits_of_interpreted_ones() {
    let engine = glowgrad::cpu();
    functions::compile_kernels(None);
    let interpreted = elementwise(&engine).expect("values");
    // SAFETY: the page's own compiler does as is asked for.
    unsafe { glowgrad::use_compiler(Some(counted), 0) };
    let compiled = elementwise(&engine).expect("values");
    assert!(COMPILED.get() > 40, "{} functions", COMPILED.get());
    functions::compile_kernels(None);
    for (i, (compiled, interpreted)) in compiled.iter().zip(&interpreted).enumerate() {
        assert_eq!(compiled, interpreted, "result {i}");
    }
}

#[wasm_bindgen_test]
fn gradients_agree_with_finite_differences() {
    none(suite::differences::failures(&glowgrad::cpu()).1);
}

#[wasm_bindgen_test]
fn ten_thousand_training_steps_hold_no_more_than_three() {
    let engine = glowgrad::cpu();
    let network = suite::training::Network::new(&engine, 8, true).expect("a network");
    let live_after = |steps: usize| {
        for _ in 0..steps {
            network.step().and_then(|loss| loss.item()).expect("a step");
        }
        engine.trace().memory().live
    };
    assert_eq!(live_after(3), live_after(9_997));
}

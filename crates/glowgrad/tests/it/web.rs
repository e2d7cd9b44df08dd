//! The golden numbers and the oracle once more, in the browser: wasm computes what native code does.
#![cfg(target_arch = "wasm32")]

use glowgrad::{CpuBackend, Engine, Level};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use crate::suite;

// The page's own file: `crates/web` is a module for browsers alone, and no library.
#[path = "../../../web/src/relaxed.rs"]
mod relaxed;

wasm_bindgen_test_configure!(run_in_browser);

/// Engines with the matrix kernels of SIMD128, and with those of relaxed SIMD, which the browser of these tests has.
fn engines() -> [Engine; 2] {
    assert!(relaxed::install());
    [Level::Baseline, Level::Relaxed]
        .map(|level| Engine::new(Box::new(CpuBackend::with_level(level))))
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
    for engine in engines() {
        for (file, text) in suite::golden::FILES {
            let report = suite::golden::run(&engine, text);
            assert!(report.passed > 0, "{file} has no cases");
            let failed = report.failed.into_iter();
            none(failed.map(|why| format!("{file}: {why}")).collect());
        }
    }
}

#[wasm_bindgen_test]
fn tensors_print_as_in_pytorch() {
    none(suite::printing::failures(&glowgrad::cpu()));
}

#[wasm_bindgen_test]
fn the_backend_agrees_with_the_interpreter() {
    for engine in engines() {
        none(suite::parity::registry_failures(&engine));
        for (file, text) in suite::golden::FILES {
            let (passed, failures) = suite::parity::golden_failures(&engine, text);
            assert!(passed > 0, "{file} has no cases");
            none(failures);
        }
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

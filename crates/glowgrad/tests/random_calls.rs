//! Thousands of random calls of every op, edge values and errors included, against what PyTorch answered
//! (`tests/golden/random_calls.json`, made by `generator/calls.py`).
//!
//! The file stays out of the page and of the device checks: the ops' definitions are the same there, the
//! golden cases hold each device to them, and this file would double what a page loads.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad_check::golden::{self, Skip};
use serde_json::Value as Json;

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/golden/random_calls.json"
);

/// Calls that are not held to PyTorch, and why.
const SKIPPED: &[Skip] = &[];

#[test]
fn random_calls_answer_as_pytorch_does() {
    let text = std::fs::read_to_string(FILE).expect("the recorded calls");
    let calls = golden::json::cases(&text);
    let with = |key: &str| calls.iter().filter(|call| !call[key].is_null()).count();
    let (gradients, errors) = (with("grads"), with("error"));
    let report = golden::run_calls(&calls, SKIPPED);
    println!(
        "{} calls, {gradients} with gradients, {errors} errors: {} passed, {} skipped, {} failed",
        calls.len(),
        report.passed,
        report.skipped.len(),
        report.failed.len()
    );
    for why in &report.skipped {
        println!("  skipped {why}");
    }
    assert!(calls.len() >= 5000 && gradients >= 2000);
    assert!(
        report.failed.is_empty(),
        "{} differ:\n{}",
        report.failed.len(),
        report.failed.join("\n")
    );
}

#[allow(dead_code, reason = "what the table's conditions are written with")]
fn dtypes(call: &Json) -> Vec<&str> {
    let inputs = call["inputs"].as_array().into_iter().flatten();
    inputs.filter_map(|input| input["dtype"].as_str()).collect()
}

//! What each op's gradient reads (`tests/golden/saved.json`, made by `generator/saved.py`): for the gradient
//! of each input, which inputs and results must not be written over before `backward()`.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::{Engine, Result, Tensor};
use glowgrad_check::golden::{self, call::call_named};
use serde_json::Value as Json;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/saved.json");

/// Whether a recorded call is one of those, and why they differ.
type Skip = (fn(&Json) -> bool, &'static str);

/// Calls of which PyTorch saves something else, and why.
const SKIPPED: &[Skip] = &[
    (
        |case| case["attrs"]["padding"] == "same",
        "PyTorch convolves a padded copy of the input",
    ),
    (
        |case| case["op"] == "cross_entropy" && !case["inputs"][2].is_null(),
        "PyTorch reads the scores again for class weights alone",
    ),
    (
        |case| case["op"] == "kl_div" && case["attrs"]["log_target"] == true,
        "PyTorch saves the exponential of the target",
    ),
    (
        |case| case["op"] == "poisson_nll_loss" && case["attrs"]["log_input"] == false,
        "PyTorch saves the sum with eps",
    ),
    (
        |case| case["op"] == "pad" && case["attrs"]["mode"].is_string(),
        "PyTorch saves the input for its shape",
    ),
    (
        |case| case["op"] == "qr",
        "PyTorch saves both factors, the engine the one that it computes",
    ),
    (
        |case| case["op"] == "take_along_dim" && case["attrs"]["dim"].is_null(),
        "PyTorch saves the index where it need not be stretched",
    ),
    (
        |case| case["op"] == "tensordot" && case["attrs"]["dims"].is_array(),
        "PyTorch multiplies a copy in another order",
    ),
];

/// The inputs and results (which come after the inputs) whose write makes `backward()` raise, where input
/// number `wants` alone wants a gradient.
fn read_for(engine: &Engine, case: &Json, wants: usize) -> Result<Vec<usize>> {
    let n_written = case["inputs"].as_array().expect("inputs").len()
        + case["grad_of"].as_u64().unwrap_or(0) as usize
        + 1;
    let mut read = Vec::new();
    for written in 0..n_written {
        let inputs = golden::inputs(engine, case);
        for (i, input) in inputs.iter().enumerate() {
            if input.requires_grad() && i != wants {
                input.set_requires_grad(false)?;
            }
        }
        let results = call_named(
            engine,
            case["op"].as_str().expect("an op"),
            &inputs,
            &case["inputs_names"],
            &case["attrs"],
        )?;
        let total = results[case["grad_of"].as_u64().unwrap_or(0) as usize].sum()?;
        let tensors: Vec<&Tensor> = inputs.iter().chain(&results).collect();
        let over = tensors[written];
        // The recorded call copies running statistics, which it would write.
        let is_copied = (case["inputs_names"][written].as_str())
            .is_some_and(|name| name.starts_with("running_"));
        if is_copied || over.node().number.is_some() {
            continue;
        }
        let was_on = engine.set_grad_enabled(false);
        let written_over = over.clone_data().and_then(|same| over.assign(&same));
        engine.set_grad_enabled(was_on);
        written_over?;
        match total.backward(None, Default::default()) {
            Ok(()) => {}
            Err(error) if error.message.contains("modified by an inplace operation") => {
                read.push(written);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[test]
fn backward_raises_after_a_write_where_pytorch_does() {
    let text = std::fs::read_to_string(FILE).expect("the recorded calls");
    let engine = glowgrad::cpu();
    let (mut n_checked, mut failed) = (0, Vec::new());
    for case in golden::json::cases(&text) {
        if SKIPPED.iter().any(|(which, _)| which(&case)) {
            continue;
        }
        for (wants, raises) in case["raises"]
            .as_array()
            .expect("a list")
            .iter()
            .enumerate()
        {
            let Some(raises) = raises.as_array() else {
                continue;
            };
            n_checked += 1;
            let expected: Vec<usize> = raises
                .iter()
                .map(|i| i.as_u64().expect("a number") as usize)
                .collect();
            let found = read_for(&engine, &case, wants);
            if found.as_ref().ok() != Some(&expected) {
                failed.push(format!(
                    "{} {} {} for input {wants}: {found:?}, PyTorch {expected:?}",
                    case["op"], case["inputs_names"], case["attrs"]
                ));
            }
        }
    }
    println!("{n_checked} gradients");
    assert!(n_checked >= 700);
    assert!(
        failed.is_empty(),
        "{} differ:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

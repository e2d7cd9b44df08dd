//! `ops_*.json` and `promotion.json`: forward, gradient and second gradient of every op are PyTorch's.

pub mod call;
mod creation;
pub mod json;
mod layers;
mod skipped;

use std::collections::HashMap;

use glowgrad::autograd::BackwardOptions;
use glowgrad::{Engine, Scalar, Tensor};
use serde_json::Value as Json;

use crate::tolerance::Judge;
use call::call_named;
use skipped::SKIPPED;

macro_rules! files {
    ($($name:ident)*) => {
        &[
            ("promotion", include_str!("../../../tests/golden/promotion.json")),
            $((
                stringify!($name),
                include_str!(concat!("../../../tests/golden/ops_", stringify!($name), ".json")),
            )),*
        ]
    };
}

/// Every file with cases of ops.
pub const FILES: &[(&str, &str)] = files! {
    unary binary choice convert reduction scan sort order statistics movement movement2 index2
    indexing matmul linalg softmax losses exponential trigonometry bitwise rounding arithmetic
    activation boundary dtypes creation everywhere casts conv pool fold norm attention layers losses2 special
};

/// What came of a file.
#[derive(Default)]
pub struct Report {
    /// Cases that hold.
    pub passed: usize,
    /// Of these, the ones that hold only as well as their device promises.
    pub loose: Vec<String>,
    /// Cases that nothing is held to, and why.
    pub skipped: Vec<String>,
    /// Cases between two that ran.
    pub left_out: usize,
    /// Cases that do not hold, and what came instead.
    pub failed: Vec<String>,
}

/// Runs every case of a file.
pub fn run(engine: &Engine, text: &str) -> Report {
    run_watched(engine, text, 1, &mut |_| {})
}

/// As [`run`], of each op's cases the first and every `step`th after it; `ran` gets the op of every case that ran, so
/// that what the device did can be counted by op.
pub fn run_watched(engine: &Engine, text: &str, step: usize, ran: &mut dyn FnMut(&str)) -> Report {
    let mut report = Report::default();
    let mut seen = HashMap::new();
    for case in json::cases(text) {
        let (op, note) = (
            case["op"].as_str().expect("an op"),
            case["note"].as_str().unwrap_or(""),
        );
        let before = seen.entry(op.to_owned()).or_insert(0_usize);
        *before += 1;
        if !(*before - 1).is_multiple_of(step) {
            report.left_out += 1;
            continue;
        }
        if let Some((.., reason)) = SKIPPED.iter().find(|(o, n, part, _)| {
            *o == op && *n == note && case["attrs"].to_string().contains(part)
        }) {
            report.skipped.push(format!("{op}, {note}: {reason}"));
            continue;
        }
        let judge = Judge::new(engine, op);
        match check(engine, &judge, &case) {
            Ok(()) => report.passed += 1,
            Err(why) => match judge.excuse(note) {
                Some(reason) => report.skipped.push(format!("{op}, {note}: {reason}")),
                None => report.failed.push(format!("{op}, {note}: {why}")),
            },
        }
        if let Some(why) = judge.loose() {
            report.loose.push(format!("{op}, {note}: {why}"));
        }
        ran(op);
    }
    report
}

/// Calls that need not hold: ops (none are all), which of their calls and of the differences, reason.
pub type Skip = (
    &'static [&'static str],
    fn(&Json, &str) -> bool,
    &'static str,
);

/// Runs recorded calls. Those that differ as a table says are skipped, with its reason.
pub fn run_calls(calls: &[Json], skipped: &[Skip]) -> Report {
    let mut engine = glowgrad::cpu();
    let mut report = Report::default();
    for call in calls {
        let op = call["op"].as_str().expect("an op");
        let name = format!("{op}, {}", call["note"].as_str().unwrap_or(""));
        let held = || check(&engine, &Judge::new(&engine, op), call);
        // A panic is a failure of one call, not the end of the others.
        let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(held));
        let held = held.unwrap_or_else(|_| {
            engine = glowgrad::cpu();
            Err("panicked".to_owned())
        });
        let Err(why) = held else {
            report.passed += 1;
            continue;
        };
        let found = skipped
            .iter()
            .find(|(ops, which, _)| (ops.is_empty() || ops.contains(&op)) && which(call, &why));
        match found {
            Some((.., reason)) => report.skipped.push(format!("{name}: {why}: {reason}")),
            None => report.failed.push(format!("{name}: {why}")),
        }
    }
    report
}

/// A case's inputs, as leaves that want the gradients that PyTorch's wanted.
pub fn inputs(engine: &Engine, case: &Json) -> Vec<Tensor> {
    let input = |input: &Json| match input.get("scalar") {
        Some(number) => Tensor::number(engine, json::scalar(number)),
        None => {
            let tensor = json::tensor(engine, input);
            if input["requires_grad"] == true {
                let leaf = tensor.detach();
                leaf.set_requires_grad(true).expect("a leaf of floats");
                return leaf;
            }
            tensor
        }
    };
    case["inputs"]
        .as_array()
        .expect("inputs")
        .iter()
        .map(input)
        .collect()
}

fn check(engine: &Engine, judge: &Judge, case: &Json) -> Result<(), String> {
    let inputs = inputs(engine, case);
    let op = case["op"].as_str().expect("an op");
    let outputs = call_named(engine, op, &inputs, &case["inputs_names"], &case["attrs"]);
    if let Some(error) = case["error"].as_str() {
        // Some are found when the values are computed.
        let read = |outputs: Vec<Tensor>| {
            outputs
                .iter()
                .try_for_each(|output| output.to_scalars().map(|_| ()))
        };
        return match outputs.and_then(read) {
            Ok(_) => Err(format!("should raise {error}")),
            // NotImplementedError is a RuntimeError.
            Err(got) if python_name(got.kind) == error => Ok(()),
            Err(got)
                if got.kind == glowgrad::ErrorKind::NotImplemented && error == "RuntimeError" =>
            {
                Ok(())
            }
            Err(got) => Err(format!(
                "should raise {error}, raised {}: {got}",
                python_name(got.kind)
            )),
        };
    }
    let outputs = outputs.map_err(|error| format!("raised: {error}"))?;
    let more = case["expected_more"].as_array().into_iter().flatten();
    for (output, expected) in outputs
        .iter()
        .zip(std::iter::once(&case["expected"]).chain(more))
    {
        same_tensor(judge, output, expected)?;
    }
    if let Some(error) = case["grad_error"].as_str() {
        return match outputs[0]
            .sum()
            .and_then(|y| y.backward(None, Default::default()))
        {
            Ok(()) => Err(format!("backward should raise {error}")),
            Err(got) if python_name(got.kind) == error => Ok(()),
            Err(got) => Err(format!("backward should raise {error}, raised: {got}")),
        };
    }
    if case["grads"].is_null() {
        return Ok(());
    }
    let output = &outputs[case["grad_of"].as_u64().unwrap_or(0) as usize];
    let weights = Tensor::from_scalars(
        engine,
        &json::scalars(&case["grad_output"]),
        &output.shape(),
        output.dtype(),
    );
    let weights = weights.map_err(|error| format!("grad_output: {error}"))?;
    if !case["grad2"].is_null() {
        second_order(judge, case, &inputs, output, &weights)
            .map_err(|why| format!("second order: {why}"))?;
    }
    output
        .backward(Some(&weights), Default::default())
        .map_err(|error| format!("backward raised: {error}"))?;
    for (i, (input, expected)) in inputs
        .iter()
        .zip(case["grads"].as_array().expect("gradients"))
        .enumerate()
    {
        match (input.grad(), expected.is_null()) {
            (None, true) => {}
            (None, false) => return Err(format!("input {i} has no gradient")),
            (Some(_), true) => return Err(format!("input {i} has a gradient")),
            (Some(grad), false) => {
                if grad.shape() != input.shape() || grad.dtype() != input.dtype() {
                    return Err(format!(
                        "gradient {i} is {} {:?}",
                        grad.dtype(),
                        &grad.shape()[..]
                    ));
                }
                judge
                    .same(&grad, &json::scalars(expected))
                    .map_err(|why| format!("gradient {i}: {why}"))?;
            }
        }
    }
    Ok(())
}

/// The gradient of the gradients, weighted with the case's vectors and summed.
fn second_order(
    judge: &Judge,
    case: &Json,
    inputs: &[Tensor],
    output: &Tensor,
    weights: &Tensor,
) -> Result<(), String> {
    let words = |error: glowgrad::Error| format!("raised: {error}");
    let wanted: Vec<usize> = (0..inputs.len())
        .filter(|&i| inputs[i].requires_grad())
        .collect();
    let leaves: Vec<Tensor> = wanted.iter().map(|&i| inputs[i].clone()).collect();
    let options = BackwardOptions {
        retain_graph: true,
        create_graph: true,
    };
    let grads = Tensor::grad_of(
        std::slice::from_ref(output),
        &leaves,
        &[Some(weights.clone())],
        options,
    )
    .map_err(words)?;
    let mut total: Option<Tensor> = None;
    for (&i, grad) in wanted.iter().zip(grads) {
        let (Some(grad), vector) = (grad, &case["grad2_v"][i]) else {
            continue;
        };
        if vector.is_null() || !grad.requires_grad() {
            continue;
        }
        let vector = Tensor::from_scalars(
            grad.engine(),
            &json::scalars(vector),
            &grad.shape(),
            grad.dtype(),
        );
        let part = vector.and_then(|v| grad.mul(&v)?.sum()).map_err(words)?;
        total = Some(match total {
            Some(sum) => sum.add(&part).map_err(words)?,
            None => part,
        });
    }
    let grads = match &total {
        Some(total) => Tensor::grad_of(std::slice::from_ref(total), &leaves, &[None], options)
            .map_err(words)?,
        // PyTorch differentiates again, if only to zeros, where this would raise.
        None => return Err("the gradients do not depend on any operand".to_owned()),
    };
    for (&i, grad) in wanted.iter().zip(grads) {
        let expected = &case["grad2"][i];
        if expected.is_null() {
            continue;
        }
        let expected = json::scalars(expected);
        match grad {
            Some(grad) => {
                // A zero of the second order has the sign that the order of the factors gave it.
                let got = grad.to_scalars().map_err(words)?;
                let unsigned = |x: &Scalar| match x.as_f64() == 0.0 {
                    true => Scalar::Float(0.0),
                    false => *x,
                };
                let got: Vec<Scalar> = got.iter().map(unsigned).collect();
                let expected: Vec<Scalar> = expected.iter().map(unsigned).collect();
                judge
                    .same_scalars(&got, &expected, grad.dtype())
                    .map_err(|why| format!("gradient {i}: {why}"))?
            }
            // No path is a zero.
            None if expected.iter().all(|x| x.as_f64() == 0.0) => {}
            None => return Err(format!("gradient {i} is missing")),
        }
    }
    Ok(())
}

/// The Python exception of an error.
pub fn python_name(kind: glowgrad::ErrorKind) -> &'static str {
    use glowgrad::ErrorKind::*;
    match kind {
        Runtime | LinAlg => "RuntimeError",
        Index => "IndexError",
        Type => "TypeError",
        Value => "ValueError",
        NotImplemented => "NotImplementedError",
        Interrupted => "KeyboardInterrupt",
    }
}

fn same_tensor(judge: &Judge, got: &Tensor, expected: &Json) -> Result<(), String> {
    let (dtype, shape) = (
        json::dtype(&expected["dtype"]),
        json::sizes(&expected["shape"]),
    );
    if got.dtype() != dtype || got.shape()[..] != shape[..] {
        return Err(format!(
            "is {} {:?}, expected {dtype} {shape:?}",
            got.dtype(),
            &got.shape()[..]
        ));
    }
    judge.same(got, &json::scalars(&expected["data"]))
}

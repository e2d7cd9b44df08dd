//! Interpreter = backend, fused = backend, op by op: over the registry's samples and all golden
//! cases, values and gradients.

use glowgrad::alu::Value;
use glowgrad::autograd::BackwardOptions;
use glowgrad::interpret::interpret;
use glowgrad::{DType, Engine, Result, Tensor, ops};
use serde_json::Value as Json;

use super::samples::{samples, samples_of_multi_output};
use super::{call::call_named, golden, json};

/// Ops made of `exp`, `log`, `tanh` and the like: a backend's own approximations, within 4 units in
/// the last place of each, which products and sums carry on. All others differ from the interpreter
/// by the order of sums only.
const RELATIVE_F32: f64 = 4e-6;
const RELATIVE_F64: f64 = 1e-14;

/// Ops that are one rounding an element: the very same bits.
pub fn is_exact(op: &str) -> bool {
    const EXACT: &[&str] = &[
        "neg",
        "abs",
        "sign",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "square",
        "relu",
        "floor",
        "ceil",
        "round",
        "trunc",
        "leaky_relu",
        "clamp",
        "isnan",
        "isinf",
        "isfinite",
        "logical_not",
        "add",
        "sub",
        "mul",
        "div",
        "remainder",
        "floor_divide",
        "maximum",
        "minimum",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "logical_and",
        "logical_or",
        "logical_xor",
        "where",
        "masked_fill",
        "to",
        "clone",
        "contiguous",
        "detach",
        "amax",
        "amin",
        "max",
        "min",
        "max_dim",
        "min_dim",
        "argmax",
        "argmin",
        "any",
        "all",
        "reshape",
        "permute",
        "transpose",
        "t",
        "expand",
        "squeeze",
        "unsqueeze",
        "flatten",
        "narrow",
        "select",
        "slice",
        "flip",
        "cat",
        "stack",
        "tril",
        "triu",
        "gather",
        "index_select",
        "embedding",
        "one_hot",
        "index",
    ];
    EXACT.contains(&op) || ops::find(op).is_some_and(|op| op.exact)
}

/// Runs one call three ways; what differs, in words.
fn check(engine: &Engine, op: &str, run: &dyn Fn() -> Result<Vec<Tensor>>) -> Result<(), String> {
    let words = |error: glowgrad::Error| format!("raised: {error}");
    let mut ways = Vec::new();
    for fused in [true, false] {
        engine.set_fusion(fused);
        let results = run().map_err(words)?;
        let oracle: Result<Vec<Vec<Value>>> = results
            .iter()
            .map(|t| interpret(engine, &t.node()))
            .collect();
        let read: Result<Vec<Vec<u8>>> = results.iter().map(Tensor::to_bytes).collect();
        ways.push((oracle.map_err(words)?, read.map_err(words)?, results));
    }
    engine.set_fusion(true);
    for (fused, (oracle, read, results)) in [true, false].into_iter().zip(&ways) {
        for (i, ((oracle, bytes), result)) in oracle.iter().zip(read).zip(results).enumerate() {
            let got = glowgrad::Scalar::of_bytes(bytes, result.dtype());
            if oracle.len() != got.len() {
                return Err(format!(
                    "result {i}: {} elements, expected {}",
                    got.len(),
                    oracle.len()
                ));
            }
            for (at, (got, expected)) in got.iter().zip(oracle).enumerate() {
                let expected = expected.scalar();
                // A gradient (any result but the first) is many ops; its sums may be reordered.
                if !same(
                    got.as_f64(),
                    expected.as_f64(),
                    result.dtype(),
                    is_exact(op) && i == 0,
                ) {
                    return Err(format!(
                        "result {i}, element {at}, fused {fused}: {got:?}, expected {expected:?}"
                    ));
                }
            }
        }
    }
    Ok(())
}

pub fn same(x: f64, y: f64, dtype: DType, exact: bool) -> bool {
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    if x == y {
        return x != 0.0 || x.is_sign_negative() == y.is_sign_negative();
    }
    let relative = match dtype {
        // What is rounded to so few digits may be rounded the other way.
        DType::F16 => 2e-3,
        DType::BF16 => 1.6e-2,
        DType::F32 => RELATIVE_F32,
        DType::F64 => RELATIVE_F64,
        _ => return false,
    };
    !exact && (x - y).abs() <= relative * (1.0 + y.abs())
}

/// The gradients of a result that its inputs want, on the tape so that they can be gone over again.
fn with_gradients(inputs: &[Tensor], mut results: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let wanted: Vec<Tensor> = inputs
        .iter()
        .filter(|t| t.requires_grad())
        .cloned()
        .collect();
    if results[0].requires_grad() {
        let engine = results[0].engine();
        let ones = Tensor::full(
            engine,
            &results[0].shape(),
            glowgrad::Scalar::Float(0.75),
            results[0].dtype(),
        )?;
        let options = BackwardOptions {
            retain_graph: true,
            create_graph: true,
        };
        let grads = Tensor::grad_of(&results[..1], &wanted, &[Some(ones)], options)?;
        results.extend(grads.into_iter().flatten());
    }
    Ok(results)
}

/// Every op of the registry on its samples, in each float dtype.
pub fn registry_failures(engine: &Engine) -> Vec<String> {
    engine.set_retain_sources(true);
    let mut failures = Vec::new();
    for op in ops::all() {
        for dtype in [DType::F32, DType::F64] {
            for (i, sample) in samples(engine, op, dtype).into_iter().enumerate() {
                let run = || {
                    let inputs: Vec<Tensor> = sample.operands.iter().map(Tensor::detach).collect();
                    for input in inputs
                        .iter()
                        .filter(|t| op.is_differentiable() && t.dtype().is_float())
                    {
                        input.set_requires_grad(true)?;
                    }
                    let y = Tensor::apply(engine, op, &inputs, sample.attrs.clone())?;
                    with_gradients(&inputs, vec![y])
                };
                if let Err(why) = check(engine, op.name, &run) {
                    failures.push(format!("{}, sample {i}, {dtype}: {why}", op.name));
                }
            }
        }
    }
    for several in ops::multi_output() {
        for dtype in [DType::F32, DType::F64] {
            let calls = samples_of_multi_output(engine, several, dtype);
            for (i, sample) in calls.into_iter().enumerate() {
                let run = || {
                    let inputs: Vec<Tensor> = sample.operands.iter().map(Tensor::detach).collect();
                    let takes_grad =
                        |t: &&Tensor| several.is_differentiable && t.dtype().is_float();
                    for input in inputs.iter().filter(takes_grad) {
                        input.set_requires_grad(true)?;
                    }
                    let results = Tensor::apply_multi(engine, several, &inputs, &sample.attrs)?;
                    if results.is_empty() {
                        return Ok(results);
                    }
                    with_gradients(&inputs, results)
                };
                if let Err(why) = check(engine, several.name, &run) {
                    failures.push(format!("{}, sample {i}, {dtype}: {why}", several.name));
                }
            }
        }
    }
    engine.set_retain_sources(false);
    failures
}

/// Every golden case that does not raise.
pub fn golden_failures(engine: &Engine, text: &str) -> (usize, Vec<String>) {
    engine.set_retain_sources(true);
    let (mut passed, mut failures) = (0, Vec::new());
    for case in json::cases(text) {
        if case["error"].is_string() {
            continue;
        }
        let op = case["op"].as_str().expect("an op");
        let run = || {
            let inputs = golden::inputs(engine, &case);
            let results = call_named(engine, op, &inputs, &case["inputs_names"], &case["attrs"])?;
            // Where PyTorch has a gradient: `floor_divide` raises one step later.
            if case["grads"].is_null() || case["grad_error"].is_string() {
                return Ok(results);
            }
            with_gradients(&inputs, results)
        };
        match check(engine, op, &run) {
            Ok(()) => passed += 1,
            Err(why) => failures.push(format!("{op}, {}: {why}", note(&case))),
        }
    }
    engine.set_retain_sources(false);
    (passed, failures)
}

fn note(case: &Json) -> &str {
    case["note"].as_str().unwrap_or("")
}

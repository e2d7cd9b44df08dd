//! `ops_*.json` and `promotion.json`: forward and gradient of every op are PyTorch's.

use glowgrad::autograd::WalkOptions;
use glowgrad::{DType, Engine, Result, Scalar, Tensor};
use serde_json::Value as Json;

use super::{call::call_named, json};

macro_rules! files {
    ($($name:ident)*) => {
        &[
            ("promotion", include_str!("../../../../tests/golden/promotion.json")),
            $((
                stringify!($name),
                include_str!(concat!("../../../../tests/golden/ops_", stringify!($name), ".json")),
            )),*
        ]
    };
}

/// Every file with cases of ops.
pub const FILES: &[(&str, &str)] = files! {
    unary binary choice convert reduction scan sort order statistics movement movement2 index2
    indexing matmul linalg softmax losses exponential trigonometry bitwise rounding arithmetic
    activation dtypes creation everywhere casts conv pool fold norm attention layers losses2
};

/// Cases that are not held to PyTorch: op, note, part of the attributes, reason. Printed and counted
/// by the harness.
pub const SKIPPED: &[(&str, &str, &str, &str)] = &[
    (
        "gelu",
        "edges",
        "none",
        "PyTorch's float32 kernel turns infinity into NaN; its float64 kernel and its tanh form do not, nor do we",
    ),
    (
        "rsqrt",
        "float16",
        "",
        "PyTorch rounds the root to the half-width dtype before it divides; ours is rounded once",
    ),
    ("rsqrt", "bfloat16", "", "as above"),
    (
        "gelu",
        "bfloat16, edges",
        "",
        "PyTorch's kernel turns infinity into NaN",
    ),
    (
        "atan2",
        "float32 with float64",
        "",
        "PyTorch squares the float32 operand in float32 before it meets the float64 one; ours meet first",
    ),
    (
        "binary_cross_entropy",
        "float64",
        "",
        "PyTorch adds 1e-12 to both probabilities in its second derivative; ours is the first's derivative",
    ),
    (
        "binary_cross_entropy",
        "float64, none",
        "",
        "PyTorch adds 1e-12 to both probabilities in its second derivative; ours is the first's derivative",
    ),
    (
        "pixel_unshuffle",
        "no samples",
        "",
        "PyTorch 2.15 leaves the shape of nothing as it is; we give it the sizes that any other batch has",
    ),
    (
        "cumprod",
        "edges",
        "",
        "PyTorch divides by an element that is NaN; our gradient has no division, so that it is infinite there",
    ),
    (
        "prod",
        "edges, everywhere",
        "",
        "PyTorch divides by an element that is NaN; our gradient is the product of the others",
    ),
    (
        "cumprod",
        "bfloat16",
        "",
        "PyTorch rounds each step of the gradient to bfloat16; ours is rounded once",
    ),
    (
        "prod",
        "float64, only zeros",
        "null",
        "PyTorch makes new zeros where two factors are zero; ours are products and keep their sign",
    ),
    (
        "logcumsumexp",
        "large",
        "",
        "PyTorch's float32 gradient is off by 4e-5 of itself, from differences of logarithms near 1000; ours is its float64 one",
    ),
    (
        "det",
        "singular",
        "",
        "PyTorch's zero has the sign that its swaps of rows happened to leave; ours has none",
    ),
];

/// What came of a file.
#[derive(Default)]
pub struct Report {
    pub passed: usize,
    pub skipped: Vec<String>,
    pub failed: Vec<String>,
}

/// Runs every case of a file.
pub fn run(engine: &Engine, text: &str) -> Report {
    let mut report = Report::default();
    for case in json::cases(text) {
        let (op, note) = (
            case["op"].as_str().expect("an op"),
            case["note"].as_str().unwrap_or(""),
        );
        if let Some((.., reason)) = SKIPPED.iter().find(|(o, n, part, _)| {
            *o == op && *n == note && case["attrs"].to_string().contains(part)
        }) {
            report.skipped.push(format!("{op}, {note}: {reason}"));
            continue;
        }
        match check(engine, &case) {
            Ok(()) => report.passed += 1,
            Err(why) => report.failed.push(format!("{op}, {note}: {why}")),
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

fn check(engine: &Engine, case: &Json) -> Result<(), String> {
    let inputs = inputs(engine, case);
    let op = case["op"].as_str().expect("an op");
    let outputs = call_named(engine, op, &inputs, &case["inputs_names"], &case["attrs"]);
    if let Some(error) = case["error"].as_str() {
        return match outputs {
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
        same_tensor(output, expected, op)?;
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
        second_order(engine, case, &inputs, output, &weights)
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
                same_numbers(&grad, &json::scalars(expected), op)
                    .map_err(|why| format!("gradient {i}: {why}"))?;
            }
        }
    }
    Ok(())
}

/// The gradient of the gradients, weighted with the case's vectors and summed.
fn second_order(
    engine: &Engine,
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
    let options = WalkOptions {
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
        let vector =
            Tensor::from_scalars(engine, &json::scalars(vector), &grad.shape(), grad.dtype());
        let part = vector.and_then(|v| grad.mul(&v)?.sum()).map_err(words)?;
        total = Some(match total {
            Some(sum) => sum.add(&part).map_err(words)?,
            None => part,
        });
    }
    let grads = match &total {
        Some(total) => Tensor::grad_of(std::slice::from_ref(total), &leaves, &[None], options)
            .map_err(words)?,
        None => vec![None; leaves.len()],
    };
    for (&i, grad) in wanted.iter().zip(grads) {
        let expected = &case["grad2"][i];
        if expected.is_null() {
            continue;
        }
        let expected = json::scalars(expected);
        let op = case["op"].as_str().expect("an op");
        match grad {
            Some(grad) => {
                same_numbers(&grad, &expected, op).map_err(|why| format!("gradient {i}: {why}"))?
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
        Runtime => "RuntimeError",
        Index => "IndexError",
        Type => "TypeError",
        Value => "ValueError",
        NotImplemented => "NotImplementedError",
    }
}

fn same_tensor(got: &Tensor, expected: &Json, op: &str) -> Result<(), String> {
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
    same_numbers(got, &json::scalars(&expected["data"]), op)
}

/// Whether elements are sums of many products. Where these cancel, the rounding of the result is as
/// large as that of its terms, and a processor without fused multiply-add (wasm) rounds twice.
fn is_product(op: &str) -> bool {
    const PRODUCTS: &[&str] = &[
        "matmul",
        "linear",
        "mm",
        "bmm",
        "mv",
        "dot",
        "inner",
        "addmm",
        "addmv",
        "baddbmm",
        "einsum",
        "tensordot",
        "det",
        "inv",
        "solve",
        "cholesky",
        "qr",
    ];
    PRODUCTS.contains(&op) || op.starts_with("conv")
}

/// Whether PyTorch rounds the steps of this op to the half-width dtype on the way: then its result is
/// within 2 units in the last place of the largest element, where ours is rounded once.
fn rounds_each_step(op: &str, dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
        && matches!(op, "log_softmax" | "layer_norm" | "cross_entropy")
}

/// 2 units in the last place of a half-width number near 1.
fn half_unit(dtype: DType) -> f64 {
    if dtype == DType::F16 {
        2.0 / 1024.0
    } else {
        2.0 / 128.0
    }
}

/// Compares as `tests/golden/README.md` says; of products, within the same share of the largest
/// element.
fn same_numbers(got: &Tensor, expected: &[Scalar], op: &str) -> Result<(), String> {
    let dtype = got.dtype();
    let largest = expected
        .iter()
        .map(|x| x.as_f64().abs())
        .filter(|x| x.is_finite());
    let scale = match is_product(op) || rounds_each_step(op, dtype) {
        true => largest.fold(1.0, f64::max),
        false => 1.0,
    };
    // A shader may take it that zeros have no sign.
    let any_zero = &*got.engine().device_kind(got.device()) == "wgpu";
    let numbers = got
        .to_scalars()
        .map_err(|error| format!("raised when read: {error}"))?;
    if numbers.len() != expected.len() {
        return Err(format!(
            "has {} elements, expected {}",
            numbers.len(),
            expected.len()
        ));
    }
    for (i, (got, expected)) in numbers.iter().zip(expected).enumerate() {
        let close = same(*got, *expected, dtype, scale)
            || any_zero && got.as_f64() == 0.0 && expected.as_f64() == 0.0
            || rounds_each_step(op, dtype)
                && (got.as_f64() - expected.as_f64()).abs() <= half_unit(dtype) * scale;
        if !close {
            return Err(format!("element {i} is {got:?}, expected {expected:?}"));
        }
    }
    Ok(())
}

fn same(got: Scalar, expected: Scalar, dtype: DType, scale: f64) -> bool {
    let (relative, absolute) = match dtype {
        // One unit in the last place: PyTorch rounds once more here and there.
        DType::F16 => (1.0 / 1024.0, 1e-6),
        DType::BF16 => (1.0 / 128.0, 1e-6),
        DType::F32 => (1e-5, 1e-6),
        DType::F64 => (1e-12, 1e-12),
        _ => return got == expected || got.as_f64() == expected.as_f64(),
    };
    let (x, mut y) = (got.as_f64(), expected.as_f64());
    if dtype == DType::F32 {
        y = f64::from(y as f32);
    }
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    if x.is_infinite() || y.is_infinite() || y == 0.0 && x == 0.0 {
        return x == y && x.is_sign_negative() == y.is_sign_negative();
    }
    (x - y).abs() <= absolute * scale + relative * y.abs()
}

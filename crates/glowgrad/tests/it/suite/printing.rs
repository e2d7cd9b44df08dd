//! `print.json`: the text of a tensor is PyTorch's, to the space.

use glowgrad::{Engine, Tensor};

use super::json;

pub const GOLDEN: &str = include_str!("../../../../../tests/golden/print.json");

/// Prints every case; what differs, in words.
pub fn failures(engine: &Engine) -> Vec<String> {
    let mut failures = Vec::new();
    for case in json::cases(GOLDEN) {
        let source = case["source"].as_str().expect("a source");
        let mut tensor = match case.get("fill") {
            Some(fill) => {
                let (shape, dtype) = (json::sizes(&fill["shape"]), json::dtype(&fill["dtype"]));
                Tensor::full(engine, &shape, json::scalar(&fill["value"]), dtype)
                    .expect("a shape that fits")
            }
            None => json::tensor(engine, &case["tensor"]),
        };
        if case["requires_grad"] == true {
            tensor.set_requires_grad(true).expect("a leaf of floats");
        }
        if let Some(grad_fn) = case["grad_fn"].as_str() {
            tensor = with_grad_fn(&tensor, grad_fn);
        }
        let (got, expected) = (tensor.to_string(), case["repr"].as_str().expect("a repr"));
        if got != expected {
            failures.push(format!(
                "{source}\n  got      {got:?}\n  expected {expected:?}"
            ));
        }
    }
    failures
}

/// The same numbers as the result of the op that prints so.
fn with_grad_fn(tensor: &Tensor, grad_fn: &str) -> Tensor {
    let engine = tensor.engine();
    let number = |x: f64| Tensor::number(engine, glowgrad::Scalar::Float(x));
    let leaf = match grad_fn {
        "ExpBackward0" => tensor.log(),
        "SigmoidBackward0" => number(1.0)
            .div(tensor)
            .and_then(|x| x.sub(&number(1.0))?.log()?.neg()),
        _ => Ok(tensor.clone()),
    };
    let leaf = leaf.expect("an op on floats").detach();
    leaf.set_requires_grad(true).expect("a leaf of floats");
    let result = match grad_fn {
        "AddBackward0" => leaf.add(&number(0.0)),
        "MulBackward0" => leaf.mul(&number(1.0)),
        "DivBackward0" => leaf.div(&number(1.0)),
        "SumBackward0" => leaf.sum(),
        "ExpBackward0" => leaf.exp(),
        "SigmoidBackward0" => leaf.sigmoid(),
        other => panic!("no op is known to print {other}"),
    };
    result.expect("an op on floats")
}

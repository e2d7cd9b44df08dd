//! Layers that a device may have as one kernel, with their gradients, in sizes that golden cases have not.

use glowgrad::autograd::BackwardOptions;
use glowgrad::{DType, Engine, Result, Tensor};
use serde_json::{Value, json};

use super::call::call;
use super::large::agree;

/// What differs from the CPU.
pub fn failures(device: &Engine) -> Vec<String> {
    let mut failures = Vec::new();
    let mut check = |op: &str, shapes: &[&[usize]], attrs: &Value| {
        for what in 0..=shapes.len() {
            let run = |x: &[Tensor]| one_of(op, x, attrs, what);
            if let Err(why) = agree(device, shapes, DType::F32, 1e-5, &run) {
                failures.push(format!("{op} {shapes:?} {attrs}, {what}: {why}"));
            }
        }
    };
    // Few elements a line, some, many; lines one after the other and side by side.
    for shape in [
        [700, 9, 1],
        [130, 77, 1],
        [3, 3000, 1],
        [2, 40, 3000],
        [4, 500, 6],
    ] {
        for op in ["softmax", "log_softmax"] {
            check(op, &[&shape], &json!({ "dim": 1 }));
        }
    }
    for (rows, n) in [(300, 10), (70, 100), (5, 2000)] {
        let attrs = json!({ "normalized_shape": [n] });
        check("layer_norm", &[&[rows, n]], &attrs);
        check("layer_norm", &[&[rows, n], &[n]], &attrs);
        check("layer_norm", &[&[rows, n], &[n], &[n]], &attrs);
    }
    for (queries, keys, width, v_width) in [(1, 1, 1, 1), (70, 90, 20, 33), (130, 130, 128, 8)] {
        for attrs in [json!({}), json!({ "is_causal": true, "scale": 0.3 })] {
            let shapes = [
                [2, 3, queries, width],
                [2, 3, keys, width],
                [2, 3, keys, v_width],
            ];
            let shapes = shapes.each_ref().map(|shape| &shape[..]);
            check("scaled_dot_product_attention", &shapes, &attrs);
        }
    }
    failures
}

/// The result of a call, or the gradient of one of its operands.
fn one_of(op: &str, x: &[Tensor], attrs: &Value, what: usize) -> Result<Tensor> {
    for operand in x {
        operand.set_requires_grad(what > 0)?;
    }
    let y = call(x[0].engine(), op, x, attrs)?.swap_remove(0);
    let Some(operand) = what.checked_sub(1) else {
        return Ok(y);
    };
    y.mul(&y.tanh()?)?
        .sum()?
        .backward(None, Default::default())?;
    Ok(x[operand].grad().expect("a gradient"))
}

/// The gradient of a gradient is there on a device with layers, and the CPU's.
pub fn second_order(device: &Engine) -> Result<(), String> {
    let calls: [(&str, &[&[usize]], Value); 3] = [
        ("softmax", &[&[3, 5]], json!({ "dim": 1 })),
        (
            "layer_norm",
            &[&[3, 5], &[5]],
            json!({ "normalized_shape": [5] }),
        ),
        (
            "scaled_dot_product_attention",
            &[&[1, 3, 2], &[1, 4, 2], &[1, 4, 2]],
            json!({}),
        ),
    ];
    for (op, shapes, attrs) in calls {
        let run = |x: &[Tensor]| -> Result<Tensor> {
            x[0].set_requires_grad(true)?;
            let y = call(x[0].engine(), op, x, &attrs)?.swap_remove(0);
            let walk = BackwardOptions {
                create_graph: true,
                retain_graph: true,
            };
            y.mul(&y)?.sum()?.backward(None, walk)?;
            let first = x[0].grad().expect("a gradient");
            x[0].set_grad(None)?;
            first
                .mul(&first)?
                .sum()?
                .backward(None, Default::default())?;
            Ok(x[0].grad().expect("a gradient"))
        };
        agree(device, shapes, DType::F32, 1e-5, &run).map_err(|why| format!("{op}: {why}"))?;
    }
    Ok(())
}

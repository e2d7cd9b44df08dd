//! Recurrent layers: gates stand in another order in ONNX, and results have a dimension for the direction.

use glowgrad::Tensor;
use glowgrad::bind::Arg;
use serde_json::json;

use super::drawing::{Drawing, Result1, args, no};
use super::functions::{int, text};
use super::seen::SeenNode;
use crate::call::{Methods, op};

/// Draws a node of these; false for one of another kind.
pub(super) fn draw(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<bool> {
    // Of each gate in PyTorch's order, where it stands in ONNX.
    let order: &[usize] = match step.node.op.as_str() {
        "LSTM" => &[0, 2, 3, 1],
        "GRU" => &[1, 0, 2],
        "RNN" => &[0],
        _ => return Ok(false),
    };
    let node = step.node;
    let input = |at: usize| {
        step.inputs
            .get(at)
            .map(String::as_str)
            .filter(|name| !name.is_empty())
    };
    let plain = ["activation_alpha", "activation_beta", "clip"]
        .iter()
        .all(|name| node.attribute(name).is_none());
    let mut has_relu = false;
    if let Some(named) = node.attribute("activations") {
        let named: Vec<String> = named
            .strings
            .iter()
            .map(|s| String::from_utf8_lossy(s).into_owned())
            .collect();
        let usual: &[&str] = match node.op.as_str() {
            "LSTM" => &["Sigmoid", "Tanh", "Tanh"],
            "GRU" => &["Sigmoid", "Tanh"],
            _ => &["Tanh"],
        };
        has_relu = node.op == "RNN" && named.iter().all(|name| name == "Relu");
        if !has_relu && named.iter().zip(usual.iter().cycle()).any(|(a, b)| a != b) {
            return no(format!("its activations are {}", named.join(", ")));
        }
    }
    if !plain
        || int(node, "layout", 0) != 0
        || int(node, "input_forget", 0) != 0
        || input(7).is_some()
    {
        return no("it clips, couples gates, looks at cells, or has its batch first");
    }
    if node.op == "GRU" && int(node, "linear_before_reset", 0) == 0 {
        return no("its linear_before_reset is 0, which PyTorch's GRU has not");
    }
    let directions = match text(node, "direction", "forward") {
        "forward" => 1,
        "bidirectional" => 2,
        other => return no(format!("its direction is {other}")),
    };
    if let Some(lengths) = input(4)
        && d.seen.whole(lengths)?.is_none_or(|lengths| {
            lengths
                .iter()
                .any(|&n| n != d.seen.shapes(&step.inputs[0])[0][0] as i64)
        })
    {
        return no("its sequences have lengths of their own");
    }
    for state in [input(5), input(6)].into_iter().flatten() {
        let is_zero = match d.seen.sized(state) {
            Some(pair) => pair[0].to_f64()?.iter().all(|&x| x == 0.0),
            None => false,
        };
        if !is_zero {
            return no("its first state is not zero");
        }
    }
    let constant = |d: &Drawing<'_, '_>, at: usize| -> Result1<Option<Tensor>> {
        let Some(name) = input(at) else {
            return Ok(None);
        };
        match d.seen.constant(name)? {
            Some(tensor) => Ok(Some(tensor.clone())),
            None => no(format!(
                "its input {name:?} is computed, and a layer's weights are not"
            )),
        }
    };
    let (Some(w), Some(r)) = (constant(d, 1)?, constant(d, 2)?) else {
        return no("its weights are missing");
    };
    let b = constant(d, 3)?;
    let hidden = r.shape()[2];
    let gates = order.len();
    let ordered = |x: &Tensor| -> glowgrad::Result<Tensor> {
        let each: glowgrad::Result<Vec<Tensor>> = order
            .iter()
            .map(|&gate| x.narrow(0, gate * hidden, hidden))
            .collect();
        op(x.engine(), "cat", vec![Arg::tensors(each?)])
    };
    let mut weights = Vec::new();
    for direction in 0..directions {
        let suffix = if direction == 1 { "_reverse" } else { "" };
        weights.push((
            format!("weight_ih_l0{suffix}"),
            ordered(&w.select(0, direction)?)?,
        ));
        weights.push((
            format!("weight_hh_l0{suffix}"),
            ordered(&r.select(0, direction)?)?,
        ));
        if let Some(b) = &b {
            let both = b.select(0, direction)?;
            weights.push((
                format!("bias_ih_l0{suffix}"),
                ordered(&both.narrow(0, 0, gates * hidden)?)?,
            ));
            weights.push((
                format!("bias_hh_l0{suffix}"),
                ordered(&both.narrow(0, gates * hidden, gates * hidden)?)?,
            ));
        }
    }
    let mut settings = args(&[
        ("input_size", json!(w.shape()[2])),
        ("hidden_size", json!(hidden)),
    ]);
    if has_relu {
        settings.insert("nonlinearity".to_owned(), json!("relu"));
    }
    if b.is_none() {
        settings.insert("bias".to_owned(), json!(false));
    }
    if directions == 2 {
        settings.insert("bidirectional".to_owned(), json!(true));
    }
    let x = d.source(&step.inputs[0])?;
    let called: Vec<&str> = step.inputs[1..]
        .iter()
        .map(String::as_str)
        .take(3)
        .collect();
    let named = weights
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor.clone()))
        .collect();
    let id = d.layer(&node.op, settings, &called, named, vec![x])?;
    if let Some(output) = step.outputs.first().filter(|name| !name.is_empty()) {
        let of_each = match directions {
            1 => d.add("unsqueeze", args(&[("dim", json!(1))]), vec![id.clone()]),
            _ => {
                let parts = args(&[("dim", json!(2)), ("sizes", json!([directions, hidden]))]);
                let parts = d.add("unflatten", parts, vec![id.clone()]);
                d.add(
                    "transpose",
                    args(&[("dim0", json!(1)), ("dim1", json!(2))]),
                    vec![parts],
                )
            }
        };
        d.set(output, of_each);
    }
    for (at, output) in step.outputs.iter().enumerate().skip(1) {
        d.set(output, format!("{id}.{at}"));
    }
    Ok(true)
}

//! Nodes without weights: arithmetic, activations, shapes, parts, reductions.

use glowgrad::{DType, Tensor};
use serde_json::json;

use super::drawing::{Drawing, Result1, args, no};
use super::parts::{expanded, gather, permuted, reshaped, slice, split};
use super::seen::SeenNode;
use crate::graph::Node;

/// Operators that are a function, or a layer without arguments, on one input.
const SAME: [(&str, &str); 11] = [
    ("Relu", "relu"),
    ("Sigmoid", "sigmoid"),
    ("Tanh", "tanh"),
    ("Exp", "exp"),
    ("HardSwish", "Hardswish"),
    ("Softplus", "Softplus"),
    ("Softsign", "Softsign"),
    ("Mish", "Mish"),
    ("Swish", "silu"),
    ("Identity", ""),
    ("Dropout", ""),
];

pub(super) fn int(node: &Node, name: &str, default: i64) -> i64 {
    node.attribute(name).and_then(|a| a.i).unwrap_or(default)
}

/// A number of an attribute, as it was written before it was a 32-bit float.
pub(super) fn float(node: &Node, name: &str, default: f32) -> f64 {
    short(node.attribute(name).and_then(|a| a.f).unwrap_or(default))
}

pub(super) fn ints(node: &Node, name: &str) -> Option<Vec<i64>> {
    node.attribute(name).map(|a| a.ints.clone())
}

pub(super) fn text<'n>(node: &'n Node, name: &str, default: &'n str) -> &'n str {
    let bytes = node.attribute(name).and_then(|a| a.s.as_deref());
    bytes
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or(default)
}

/// 0.1 for the 32-bit float that is nearest to it.
pub(super) fn short(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

/// An axis counted from the front.
pub(super) fn axis(at: i64, n: usize) -> usize {
    usize::try_from(if at < 0 { at + n as i64 } else { at }).unwrap_or(0)
}

/// Draws a node of these; false for one of another kind.
pub(super) fn draw(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<bool> {
    let node = step.node;
    if !node.domain.is_empty() {
        return no("");
    }
    let op = node.op.as_str();
    let first = |d: &mut Drawing<'_, '_>| d.source(step.inputs.first().map_or("", String::as_str));
    if let Some((_, kind)) = SAME.iter().find(|(name, _)| *name == op) {
        if op == "Dropout" && step.outputs.get(1).is_some_and(|name| !name.is_empty()) {
            return no("its mask is used");
        }
        let x = first(d)?;
        let result = if kind.is_empty() {
            x
        } else {
            d.add(kind, args(&[]), vec![x])
        };
        d.set(&step.outputs[0], result);
        return Ok(true);
    }
    let result = match op {
        "Add" | "Sub" | "Mul" | "Div" => arithmetic(d, step)?,
        "Neg" => {
            let x = first(d)?;
            d.add("scale", args(&[("factor", json!(-1.0))]), vec![x])
        }
        "Pow" => match d.seen.number(&step.inputs[1])? {
            Some(2.0) => {
                let x = first(d)?;
                d.add("mul", args(&[]), vec![x.clone(), x])
            }
            Some(1.0) => first(d)?,
            _ => return no("only squares have one"),
        },
        "Cast" | "CastLike" => {
            let (from, to) = (
                d.seen.dtype(&step.inputs[0]),
                d.seen.dtype(&step.outputs[0]),
            );
            let whole = |dtype| matches!(dtype, DType::I32 | DType::I64);
            match from == to || whole(from) && whole(to) {
                true => first(d)?,
                false => return no(format!("it makes {to} of {from}")),
            }
        }
        "LeakyRelu" => layer(d, step, "LeakyReLU", "negative_slope", "alpha", 0.01)?,
        "Elu" => layer(d, step, "ELU", "alpha", "alpha", 1.0)?,
        "Celu" => layer(d, step, "CELU", "alpha", "alpha", 1.0)?,
        "Selu" => {
            let (alpha, gamma) = (node.attribute("alpha"), node.attribute("gamma"));
            if alpha.is_none() && gamma.is_none() {
                let x = first(d)?;
                d.add("SELU", args(&[]), vec![x])
            } else {
                let inner = layer(d, step, "ELU", "alpha", "alpha", 1.673_263_2)?;
                let factor = json!(float(node, "gamma", 1.050_701));
                d.add("scale", args(&[("factor", factor)]), vec![inner])
            }
        }
        "ThresholdedRelu" => {
            let x = first(d)?;
            let threshold = json!(float(node, "alpha", 1.0));
            d.add(
                "Threshold",
                args(&[("threshold", threshold), ("value", json!(0.0))]),
                vec![x],
            )
        }
        "HardSigmoid" => {
            let (alpha, beta) = (float(node, "alpha", 0.2), float(node, "beta", 0.5));
            if (alpha - 1.0 / 6.0).abs() > 1e-6 || beta != 0.5 {
                return no("its alpha is not 1/6, or its beta not 0.5");
            }
            let x = first(d)?;
            d.add("Hardsigmoid", args(&[]), vec![x])
        }
        "Gelu" => {
            let x = first(d)?;
            match text(node, "approximate", "none") {
                "none" => d.add("gelu", args(&[]), vec![x]),
                _ => d.add("GELU", args(&[("approximate", json!("tanh"))]), vec![x]),
            }
        }
        "Clip" => clip(d, step)?,
        "Softmax" | "LogSoftmax" => {
            let n = d.seen.shapes(&step.inputs[0])[0].len();
            let default = if d.seen.opset < 13 { 1 } else { -1 };
            let at = axis(int(node, "axis", default), n);
            if d.seen.opset < 13 && at + 1 != n {
                return no("before version 13 it goes over several dimensions at once");
            }
            let x = first(d)?;
            let kind = if op == "Softmax" {
                "softmax"
            } else {
                "log_softmax"
            };
            let dim = if at + 1 == n { -1 } else { at as i64 };
            d.add(kind, args(&[("dim", json!(dim))]), vec![x])
        }
        "Where" => masked(d, step)?,
        "MatMul" => {
            let (a, b) = (d.source(&step.inputs[0])?, d.source(&step.inputs[1])?);
            if step
                .inputs
                .iter()
                .any(|name| d.seen.shapes(name)[0].len() < 2)
            {
                return no("a network's products are of matrices, and one of these is a vector");
            }
            d.add("matmul", args(&[]), vec![a, b])
        }
        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" => {
            let x = first(d)?;
            reshaped(d, &step.inputs[0], &step.outputs[0], x)?
        }
        "Transpose" => {
            let x = first(d)?;
            let n = d.seen.shapes(&step.inputs[0])[0].len() as i64;
            let order = ints(node, "perm").unwrap_or_else(|| (0..n).rev().collect());
            permuted(d, &order, x)
        }
        "Concat" => {
            let each: Result1<Vec<String>> =
                step.inputs.iter().map(|name| d.source(name)).collect();
            let each = each?;
            let n = d.seen.shapes(&step.outputs[0])[0].len();
            let dim = axis(int(node, "axis", 0), n);
            match &each[..] {
                [one] => one.clone(),
                _ => d.add("cat", args(&[("dim", json!(dim))]), each),
            }
        }
        "Split" => return split(d, step),
        "Slice" => slice(d, step)?,
        "Gather" => gather(d, step)?,
        "Expand" => {
            let x = first(d)?;
            expanded(d, &step.inputs[0], &step.outputs[0], x)?
        }
        "ReduceMean" => reduced(d, step, "mean")?,
        "ReduceSum" => reduced(d, step, "sum")?,
        "ReduceMax" => reduced(d, step, "amax")?,
        "DepthToSpace" if text(node, "mode", "DCR") == "CRD" => {
            let x = first(d)?;
            let factor = json!(int(node, "blocksize", 1));
            d.add("PixelShuffle", args(&[("upscale_factor", factor)]), vec![x])
        }
        _ => return Ok(false),
    };
    d.set(&step.outputs[0], result);
    Ok(true)
}

/// A layer of one number.
fn layer(
    d: &mut Drawing<'_, '_>,
    step: &SeenNode<'_>,
    kind: &str,
    argument: &str,
    attribute: &str,
    default: f32,
) -> Result1<String> {
    let x = d.source(&step.inputs[0])?;
    let value = json!(float(step.node, attribute, default));
    Ok(d.add(kind, args(&[(argument, value)]), vec![x]))
}

fn arithmetic(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let kind = step.node.op.to_lowercase();
    let [a, b] = &step.inputs[..] else {
        return no("it has not two inputs");
    };
    let numbers = (d.seen.number(a)?, d.seen.number(b)?);
    // A number in more dimensions than the other makes the result's shape.
    let keeps = |one: &String| d.seen.shapes(one) == d.seen.shapes(&step.outputs[0]);
    let factor = match (step.node.op.as_str(), numbers) {
        ("Mul", (Some(x), None)) if keeps(b) => Some((b, x)),
        ("Mul", (None, Some(x))) if keeps(a) => Some((a, x)),
        ("Div", (None, Some(x))) if keeps(a) && x != 0.0 => Some((a, 1.0 / x)),
        _ => None,
    };
    if let Some((x, factor)) = factor {
        let x = d.source(x)?;
        return Ok(d.add("scale", args(&[("factor", json!(factor))]), vec![x]));
    }
    if matches!(
        (step.node.op.as_str(), numbers.1),
        ("Add" | "Sub", Some(0.0))
    ) && keeps(a)
    {
        return d.source(a);
    }
    if !d.seen.dtype(&step.outputs[0]).is_float() {
        return no("it computes with whole numbers");
    }
    let sources = vec![d.source(a)?, d.source(b)?];
    Ok(d.add(&kind, args(&[]), sources))
}

fn clip(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let bound = |i: usize, name: &str| -> Result1<Option<f64>> {
        match step.inputs.get(i).filter(|input| !input.is_empty()) {
            Some(input) => match d.seen.number(input)? {
                Some(x) => Ok(Some(short(x as f32))),
                None => no("its bounds are no numbers"),
            },
            None => Ok(step.node.attribute(name).and_then(|a| a.f).map(short)),
        }
    };
    let far = f64::from(f32::MAX);
    let low = bound(1, "min")?.filter(|x| *x > -far);
    let high = bound(2, "max")?.filter(|x| *x < far);
    let x = d.source(&step.inputs[0])?;
    Ok(match (low, high) {
        (None, None) => x,
        (Some(0.0), None) => d.add("relu", args(&[]), vec![x]),
        (Some(0.0), Some(6.0)) => d.add("ReLU6", args(&[]), vec![x]),
        (low, high) => {
            let bounds = [
                ("min_val", json!(low.unwrap_or(-far))),
                ("max_val", json!(high.unwrap_or(far))),
            ];
            d.add("Hardtanh", args(&bounds), vec![x])
        }
    })
}

/// Where a fixed mask lies, a value in the place of others: times 0 and 1, plus what stands there. Minus infinity is added.
fn masked(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let [condition, a, b] = &step.inputs[..] else {
        return no("it has not three inputs");
    };
    let Some(mask) = d.seen.constant(condition)? else {
        return no("its mask is no constant");
    };
    let mask = mask.to(DType::F32)?;
    let (x, other, keep) = match (d.seen.constant(a)?, d.seen.constant(b)?) {
        (None, Some(other)) => (a, other.clone(), mask),
        (Some(other), None) => (
            b,
            other.clone(),
            mask.mul(&number(&mask, -1.0)?)?.add(&number(&mask, 1.0)?)?,
        ),
        _ => return no("one of its values has to be a constant"),
    };
    let gone = keep.mul(&number(&keep, -1.0)?)?.add(&number(&keep, 1.0)?)?;
    let source = d.source(x)?;
    if other.numel() == 1 && other.item()?.as_f64() == f64::NEG_INFINITY {
        // 0 where the value stays; the logarithm of 0 elsewhere.
        let bias = keep.log()?;
        let bias = d.parameter(&format!("{condition} bias"), &bias)?;
        return Ok(d.add("add", args(&[]), vec![source, bias]));
    }
    let kept = d.parameter(&format!("{condition} kept {x}"), &keep)?;
    let added = gone.mul(&other.to(DType::F32)?)?;
    let added = d.parameter(&format!("{condition} added {x}"), &added)?;
    let product = d.add("mul", args(&[]), vec![source, kept]);
    Ok(d.add("add", args(&[]), vec![product, added]))
}

fn number(beside: &Tensor, x: f64) -> glowgrad::Result<Tensor> {
    Tensor::full(
        beside.engine(),
        &[],
        glowgrad::Scalar::Float(x),
        beside.dtype(),
    )
}

fn reduced(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>, kind: &str) -> Result1<String> {
    let node = step.node;
    let n = d.seen.shapes(&step.inputs[0])[0].len();
    let given = match step.inputs.get(1).filter(|input| !input.is_empty()) {
        Some(input) => d.seen.whole(input)?,
        None => ints(node, "axes"),
    };
    let axes: Vec<i64> = match given.filter(|axes| !axes.is_empty()) {
        Some(axes) => axes.iter().map(|&at| axis(at, n) as i64).collect(),
        None if int(node, "noop_with_empty_axes", 0) != 0 => return d.source(&step.inputs[0]),
        None => (0..n as i64).collect(),
    };
    let keeps = int(node, "keepdims", 1) != 0;
    let x = d.source(&step.inputs[0])?;
    Ok(d.add(
        kind,
        args(&[("dim", json!(axes)), ("keepdim", json!(keeps))]),
        vec![x],
    ))
}

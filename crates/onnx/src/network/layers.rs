//! Nodes with weights: products, convolutions, normalizations.

use glowgrad::{DType, Scalar, Tensor};
use serde_json::{Value as Json, json};

use super::drawing::{Drawing, Result1, args, no};
use super::functions::{float, int, ints};
use super::pooling::{Windows, number_or_list, padded, sizes_of};
use super::seen::SeenNode;

/// Draws a node of these; false for one of another kind.
pub(super) fn draw(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<bool> {
    let result = match step.node.op.as_str() {
        "Gemm" => gemm(d, step)?,
        "Conv" => convolution(d, step)?,
        "ConvTranspose" => transposed(d, step)?,
        "BatchNormalization" => batch_norm(d, step)?,
        "InstanceNormalization" => instance_norm(d, step)?,
        "LayerNormalization" => layer_norm(d, step)?,
        "GroupNormalization" => group_norm(d, step)?,
        "PRelu" => {
            let slope = weight(d, step, 1)?;
            let n = slope.numel();
            let of = d.seen.shapes(&step.inputs[0])[0].clone();
            let is_each = slope.shape().len() + 1 == of.len() && slope.shape().first() == of.get(1);
            if n != 1 && !(is_each && of.get(1) == Some(&n)) {
                return no("it has not one slope for each channel");
            }
            let slope = slope.reshape(&[n as i64])?;
            let x = d.source(&step.inputs[0])?;
            let weights = vec![("weight", slope)];
            d.layer(
                "PReLU",
                args(&[("num_parameters", json!(n))]),
                &[&step.inputs[1]],
                weights,
                vec![x],
            )?
        }
        _ => return Ok(false),
    };
    d.set(&step.outputs[0], result);
    Ok(true)
}

fn name<'a>(step: &'a SeenNode<'_>, at: usize) -> Option<&'a str> {
    step.inputs
        .get(at)
        .map(String::as_str)
        .filter(|name| !name.is_empty())
}

/// A constant input.
fn weight(d: &Drawing<'_, '_>, step: &SeenNode<'_>, at: usize) -> Result1<Tensor> {
    let Some(name) = name(step, at) else {
        return no(format!("its input {at} is missing"));
    };
    match d.seen.constant(name)? {
        Some(tensor) => Ok(tensor.clone()),
        None => no(format!(
            "its input {name:?} is computed, and a layer's weights are not"
        )),
    }
}

fn bias(d: &Drawing<'_, '_>, step: &SeenNode<'_>, at: usize) -> Result1<Option<Tensor>> {
    match name(step, at) {
        Some(_) => weight(d, step, at).map(Some),
        None => Ok(None),
    }
}

fn times(x: &Tensor, factor: f64) -> glowgrad::Result<Tensor> {
    if factor == 1.0 {
        return Ok(x.clone());
    }
    x.mul(&Tensor::number(x.engine(), Scalar::Float(factor)))
}

/// A linear layer of a weight [out, in].
pub(super) fn linear(
    d: &mut Drawing<'_, '_>,
    x: &str,
    weight: Tensor,
    bias: Option<Tensor>,
    called: &[&str],
) -> Result1<String> {
    let (out, inner) = (weight.shape()[0], weight.shape()[1]);
    let mut settings = args(&[("in_features", json!(inner)), ("out_features", json!(out))]);
    let mut weights = vec![("weight", weight)];
    match bias {
        Some(bias) => weights.push(("bias", bias.expand(&[out as i64])?)),
        None => {
            settings.insert("bias".to_owned(), Json::Bool(false));
        }
    }
    let x = d.source(x)?;
    d.layer("Linear", settings, called, weights, vec![x])
}

fn gemm(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let node = step.node;
    let (alpha, beta) = (float(node, "alpha", 1.0), float(node, "beta", 1.0));
    if int(node, "transA", 0) != 0 {
        return no("its first matrix is transposed");
    }
    let is_turned = int(node, "transB", 0) != 0;
    let fixed = weight(d, step, 1).ok().filter(|w| w.shape().len() == 2);
    let Some(w) = fixed else {
        let (a, mut b) = (d.source(&step.inputs[0])?, d.source(&step.inputs[1])?);
        if alpha != 1.0 || beta != 1.0 {
            return no("its alpha and beta are not 1");
        }
        if is_turned {
            b = d.add(
                "transpose",
                args(&[("dim0", json!(0)), ("dim1", json!(1))]),
                vec![b],
            );
        }
        let product = d.add("matmul", args(&[]), vec![a, b]);
        return Ok(match name(step, 2) {
            Some(c) => {
                let c = d.source(c)?;
                d.add("add", args(&[]), vec![product, c])
            }
            None => product,
        });
    };
    let w = if is_turned { w } else { w.transpose(0, 1)? };
    let w = times(&w, alpha)?;
    let out = w.shape()[0];
    let called: Vec<&str> = step.inputs[1..].iter().map(String::as_str).collect();
    match name(step, 2).map(|c| d.seen.constant(c)).transpose()? {
        None => linear(d, &step.inputs[0], w, None, &called),
        Some(Some(c)) if c.numel() == out || c.numel() == 1 => {
            let c = times(&c.reshape(&[c.numel() as i64])?, beta)?;
            linear(d, &step.inputs[0], w, Some(c), &called)
        }
        Some(_) => {
            // What is added is no bias: it is another matrix.
            let product = linear(d, &step.inputs[0], w, None, &called)?;
            let mut c = d.source(&step.inputs[2])?;
            if beta != 1.0 {
                c = d.add("scale", args(&[("factor", json!(beta))]), vec![c]);
            }
            Ok(d.add("add", args(&[]), vec![product, c]))
        }
    }
}

fn of_dims(kind: &str, dims: usize) -> String {
    format!("{kind}{dims}d")
}

fn convolution(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let w = weight(d, step, 1)?;
    let windows = Windows::of(d, step, Some(&w))?;
    let shape = w.shape();
    let groups = int(step.node, "group", 1);
    let (x, padding) = padded(d, &windows, step, 0.0)?;
    let mut settings = args(&[
        ("in_channels", json!(shape[1] as i64 * groups)),
        ("out_channels", json!(shape[0])),
        ("kernel_size", number_or_list(&windows.kernel)),
    ]);
    for (name, list, usual) in [
        ("stride", &windows.stride, 1),
        ("padding", &padding, 0),
        ("dilation", &windows.dilation, 1),
    ] {
        if list.iter().any(|&n| n != usual) {
            settings.insert(name.to_owned(), number_or_list(list));
        }
    }
    if groups != 1 {
        settings.insert("groups".to_owned(), json!(groups));
    }
    let kind = of_dims("Conv", windows.kernel.len());
    with_bias(d, step, &kind, settings, w, x)
}

fn with_bias(
    d: &mut Drawing<'_, '_>,
    step: &SeenNode<'_>,
    kind: &str,
    mut settings: glowgrad_architecture::Args,
    w: Tensor,
    x: String,
) -> Result1<String> {
    let mut weights = vec![("weight", w)];
    match bias(d, step, 2)? {
        Some(bias) => weights.push(("bias", bias)),
        None => {
            settings.insert("bias".to_owned(), Json::Bool(false));
        }
    }
    let called: Vec<&str> = step.inputs[1..].iter().map(String::as_str).collect();
    d.layer(kind, settings, &called, weights, vec![x])
}

fn transposed(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let w = weight(d, step, 1)?;
    let node = step.node;
    if node.attribute("output_shape").is_some()
        || super::functions::text(node, "auto_pad", "NOTSET") != "NOTSET"
    {
        return no("its padding follows from the shape of its output; export it with pads");
    }
    let windows = Windows::of(d, step, Some(&w))?;
    if windows.before != windows.after {
        return no("it is cut more on one side than on the other");
    }
    let shape = w.shape();
    let groups = int(node, "group", 1);
    let more = ints(node, "output_padding").unwrap_or_else(|| vec![0; windows.kernel.len()]);
    let mut settings = args(&[
        ("in_channels", json!(shape[0])),
        ("out_channels", json!(shape[1] as i64 * groups)),
        ("kernel_size", number_or_list(&windows.kernel)),
    ]);
    for (name, list, usual) in [
        ("stride", &windows.stride, 1),
        ("padding", &windows.before, 0),
        ("output_padding", &more, 0),
        ("dilation", &windows.dilation, 1),
    ] {
        if list.iter().any(|&n| n != usual) {
            settings.insert(name.to_owned(), number_or_list(list));
        }
    }
    if groups != 1 {
        settings.insert("groups".to_owned(), json!(groups));
    }
    let x = d.source(&step.inputs[0])?;
    let kind = of_dims("ConvTranspose", windows.kernel.len());
    with_bias(d, step, &kind, settings, w, x)
}

/// The number of dimensions of an image behind batch and channels.
fn image_dims(d: &Drawing<'_, '_>, step: &SeenNode<'_>) -> usize {
    d.seen.shapes(&step.inputs[0])[0].len().saturating_sub(2)
}

fn batch_norm(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    if int(step.node, "training_mode", 0) != 0
        || step.outputs.len() > 1 && step.outputs[1..].iter().any(|o| !o.is_empty())
    {
        return no("it is in training; export the model for use");
    }
    let names = ["weight", "bias", "running_mean", "running_var"];
    let mut weights = Vec::new();
    for (i, name) in names.into_iter().enumerate() {
        weights.push((name, weight(d, step, i + 1)?));
    }
    let n = weights[0].1.numel();
    let engine = weights[0].1.engine().clone();
    weights.push((
        "num_batches_tracked",
        Tensor::full(&engine, &[], Scalar::Int(0), DType::I64)?,
    ));
    let settings = args(&[
        ("num_features", json!(n)),
        ("eps", json!(float(step.node, "epsilon", 1e-5))),
    ]);
    let dims = image_dims(d, step).max(1);
    if dims > 3 {
        return no("its input has more than five dimensions");
    }
    let x = d.source(&step.inputs[0])?;
    let called: Vec<&str> = step.inputs[1..].iter().map(String::as_str).collect();
    d.layer(
        &of_dims("BatchNorm", dims),
        settings,
        &called,
        weights,
        vec![x],
    )
}

fn instance_norm(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let (scale, shift) = (weight(d, step, 1)?, weight(d, step, 2)?);
    let dims = image_dims(d, step);
    if !(1..=3).contains(&dims) {
        return no("its input has not three to five dimensions");
    }
    let settings = args(&[
        ("num_features", json!(scale.numel())),
        ("eps", json!(float(step.node, "epsilon", 1e-5))),
        ("affine", json!(true)),
    ]);
    let x = d.source(&step.inputs[0])?;
    let called: Vec<&str> = step.inputs[1..].iter().map(String::as_str).collect();
    let weights = vec![("weight", scale), ("bias", shift)];
    d.layer(
        &of_dims("InstanceNorm", dims),
        settings,
        &called,
        weights,
        vec![x],
    )
}

fn layer_norm(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    if step.outputs.len() > 1 && step.outputs[1..].iter().any(|name| !name.is_empty()) {
        return no("its mean is used");
    }
    let [first, second] = d.seen.shapes(&step.inputs[0]);
    let n = first.len() as i64;
    let at = int(step.node, "axis", -1);
    let at = usize::try_from(if at < 0 { at + n } else { at }).unwrap_or(0);
    if first[at..] != second[at..] {
        return no("it goes over an open size");
    }
    let over = &first[at..];
    let whole: Vec<i64> = over.iter().map(|&n| n as i64).collect();
    let mut settings = args(&[
        ("normalized_shape", sizes_of(over)),
        ("eps", json!(float(step.node, "epsilon", 1e-5))),
    ]);
    let mut weights = vec![("weight", weight(d, step, 1)?.expand(&whole)?)];
    match bias(d, step, 2)? {
        Some(bias) => weights.push(("bias", bias.expand(&whole)?)),
        None => {
            settings.insert("bias".to_owned(), Json::Bool(false));
        }
    }
    let x = d.source(&step.inputs[0])?;
    let called: Vec<&str> = step.inputs[1..].iter().map(String::as_str).collect();
    d.layer("LayerNorm", settings, &called, weights, vec![x])
}

fn group_norm(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let groups = int(step.node, "num_groups", 1);
    let channels = d.seen.shapes(&step.inputs[0])[0]
        .get(1)
        .copied()
        .unwrap_or(1) as i64;
    let each = |d: &Drawing<'_, '_>, at| -> Result1<Tensor> {
        let values = weight(d, step, at)?;
        // Before version 21 there was one number for each group.
        Ok(match values.numel() as i64 == channels {
            true => values,
            false => values
                .reshape(&[groups, 1])?
                .expand(&[groups, channels / groups.max(1)])?
                .reshape(&[channels])?,
        })
    };
    let weights = vec![("weight", each(d, 1)?), ("bias", each(d, 2)?)];
    let settings = args(&[
        ("num_groups", json!(groups)),
        ("num_channels", json!(channels)),
        ("eps", json!(float(step.node, "epsilon", 1e-5))),
    ]);
    let x = d.source(&step.inputs[0])?;
    let called: Vec<&str> = step.inputs[1..].iter().map(String::as_str).collect();
    d.layer("GroupNorm", settings, &called, weights, vec![x])
}

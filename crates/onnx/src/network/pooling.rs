//! Windows over images, borders around them, and other sizes of them.

use glowgrad::Tensor;
use serde_json::{Value as Json, json};

use super::drawing::{Drawing, Result1, args, no};
use super::functions::{int, ints, text};
use super::seen::SeenNode;

/// One number where all are the same, otherwise the list.
pub(super) fn number_or_list(list: &[i64]) -> Json {
    match list {
        [first, rest @ ..] if rest.iter().all(|n| n == first) => json!(first),
        list => json!(list),
    }
}

pub(super) fn sizes_of(list: &[usize]) -> Json {
    match list {
        [one] => json!(one),
        list => json!(list),
    }
}

/// Where windows lie, one number for each dimension of an image.
pub(super) struct Windows {
    pub(super) kernel: Vec<i64>,
    pub(super) stride: Vec<i64>,
    pub(super) dilation: Vec<i64>,
    pub(super) before: Vec<i64>,
    pub(super) after: Vec<i64>,
}

impl Windows {
    pub(super) fn of(
        d: &Drawing<'_, '_>,
        step: &SeenNode<'_>,
        weight: Option<&Tensor>,
    ) -> Result1<Windows> {
        let node = step.node;
        let shapes = d.seen.shapes(&step.inputs[0]);
        let dims = shapes[0].len().saturating_sub(2);
        if !(1..=3).contains(&dims) {
            return no("its input has not three to five dimensions");
        }
        let kernel = match (weight, ints(node, "kernel_shape")) {
            (Some(weight), _) => weight.shape()[2..].iter().map(|&n| n as i64).collect(),
            (None, Some(kernel)) => kernel,
            (None, None) => return no("it says no kernel_shape"),
        };
        let each = |name: &str| ints(node, name).unwrap_or_else(|| vec![1; dims]);
        let (stride, dilation) = (each("strides"), each("dilations"));
        let pads = ints(node, "pads").unwrap_or_else(|| vec![0; 2 * dims]);
        if pads.len() != 2 * dims
            || [&kernel, &stride, &dilation]
                .iter()
                .any(|list| list.len() != dims)
        {
            return no("its attributes have another number of dimensions than its input");
        }
        let (mut before, mut after) = (pads[..dims].to_vec(), pads[dims..].to_vec());
        match text(node, "auto_pad", "NOTSET") {
            "NOTSET" | "" => {}
            "VALID" => (before, after) = (vec![0; dims], vec![0; dims]),
            mode => {
                for i in 0..dims {
                    let total = |size: usize| {
                        let count = (size as i64 + stride[i] - 1) / stride[i];
                        let extent = dilation[i] * (kernel[i] - 1) + 1;
                        ((count - 1) * stride[i] + extent - size as i64).max(0)
                    };
                    let [a, b] = [0, 1].map(|which: usize| total(shapes[which][i + 2]));
                    if a != b {
                        return no("its padding follows from an open size; export it with pads");
                    }
                    let (less, more) = (a / 2, a - a / 2);
                    (before[i], after[i]) = if mode == "SAME_LOWER" {
                        (more, less)
                    } else {
                        (less, more)
                    };
                }
            }
        }
        Ok(Windows {
            kernel,
            stride,
            dilation,
            before,
            after,
        })
    }
}

/// The input of windows, and their padding: a border that differs from side to side is a layer before them.
pub(super) fn padded(
    d: &mut Drawing<'_, '_>,
    windows: &Windows,
    step: &SeenNode<'_>,
    value: f64,
) -> Result1<(String, Vec<i64>)> {
    let x = d.source(&step.inputs[0])?;
    if windows.before == windows.after {
        return Ok((x, windows.before.clone()));
    }
    let sides: Vec<i64> = (windows.before.iter().zip(&windows.after).rev())
        .flat_map(|(&before, &after)| [before, after])
        .collect();
    let kind = format!("ConstantPad{}d", windows.kernel.len());
    let id = d.add(
        &kind,
        args(&[("padding", json!(sides)), ("value", json!(value))]),
        vec![x],
    );
    Ok((id, vec![0; windows.kernel.len()]))
}

/// Draws a node of these; false for one of another kind.
pub(super) fn draw(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<bool> {
    let op = step.node.op.as_str();
    let result = match op {
        "MaxPool" | "AveragePool" => pool(d, step)?,
        "GlobalAveragePool" | "GlobalMaxPool" => {
            let dims = d.seen.shapes(&step.inputs[0])[0].len().saturating_sub(2);
            let kind = if op == "GlobalMaxPool" {
                "AdaptiveMaxPool"
            } else {
                "AdaptiveAvgPool"
            };
            if !(1..=3).contains(&dims) {
                return no("its input has not three to five dimensions");
            }
            let x = d.source(&step.inputs[0])?;
            d.add(
                &format!("{kind}{dims}d"),
                args(&[("output_size", json!(1))]),
                vec![x],
            )
        }
        "Pad" => pad(d, step)?,
        "Resize" | "Upsample" => resized(d, step)?,
        _ => return Ok(false),
    };
    d.set(&step.outputs[0], result);
    Ok(true)
}

fn pool(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let windows = Windows::of(d, step, None)?;
    let is_max = step.node.op == "MaxPool";
    if step.outputs.get(1).is_some_and(|name| !name.is_empty()) {
        return no("its indices are used");
    }
    if windows.before != windows.after {
        return no("its border is wider on one side than on the other");
    }
    let counts = int(step.node, "count_include_pad", 0) != 0;
    if !is_max && windows.dilation.iter().any(|&n| n != 1) {
        return no("its windows have gaps");
    }
    let mut settings = args(&[("kernel_size", number_or_list(&windows.kernel))]);
    if windows.stride != windows.kernel {
        settings.insert("stride".to_owned(), number_or_list(&windows.stride));
    }
    let has_border = windows.before.iter().any(|&n| n != 0);
    if has_border {
        settings.insert("padding".to_owned(), number_or_list(&windows.before));
    }
    if windows.dilation.iter().any(|&n| n != 1) {
        settings.insert("dilation".to_owned(), number_or_list(&windows.dilation));
    }
    if int(step.node, "ceil_mode", 0) != 0 {
        settings.insert("ceil_mode".to_owned(), json!(true));
    }
    if !is_max && has_border && !counts {
        settings.insert("count_include_pad".to_owned(), json!(false));
    }
    let x = d.source(&step.inputs[0])?;
    let kind = if is_max { "MaxPool" } else { "AvgPool" };
    Ok(d.add(
        &format!("{kind}{}d", windows.kernel.len()),
        settings,
        vec![x],
    ))
}

fn pad(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let n = d.seen.shapes(&step.inputs[0])[0].len();
    let given = match step.inputs.get(1).filter(|name| !name.is_empty()) {
        Some(name) => d.seen.whole(name)?,
        None => ints(step.node, "pads"),
    };
    let has_axes = step.inputs.get(3).is_some_and(|name| !name.is_empty());
    let Some(pads) = given.filter(|pads| pads.len() == 2 * n && !has_axes) else {
        return no("its border is not given for each dimension");
    };
    let first = (0..n)
        .find(|&i| pads[i] != 0 || pads[n + i] != 0)
        .unwrap_or(n);
    let x = d.source(&step.inputs[0])?;
    if first == n {
        return Ok(x);
    }
    let dims = n.saturating_sub(2);
    if first < 2 || !(1..=3).contains(&dims) {
        return no("it goes around the batch or the channels");
    }
    let sides: Vec<i64> = (2..n).rev().flat_map(|i| [pads[i], pads[n + i]]).collect();
    let mut settings = args(&[("padding", json!(sides))]);
    let kind = match text(step.node, "mode", "constant") {
        "constant" => {
            let value = match step.inputs.get(2).filter(|name| !name.is_empty()) {
                Some(name) => d.seen.number(name)?.unwrap_or(0.0),
                None => super::functions::float(step.node, "value", 0.0),
            };
            settings.insert("value".to_owned(), json!(value));
            "ConstantPad"
        }
        "reflect" => "ReflectionPad",
        "edge" => "ReplicationPad",
        other => return no(format!("its mode is {other}")),
    };
    Ok(d.add(&format!("{kind}{dims}d"), settings, vec![x]))
}

fn resized(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let node = step.node;
    let shapes = (
        d.seen.shapes(&step.inputs[0]),
        d.seen.shapes(&step.outputs[0]),
    );
    let n = shapes.0[0].len();
    if !(3..=5).contains(&n) || shapes.0[0][..2] != shapes.1[0][..2] {
        return no("its input is no image");
    }
    let mut factors = Vec::new();
    for i in 2..n {
        let [a, b] = [0, 1].map(|which: usize| {
            let (before, after) = (
                [&shapes.0[0], &shapes.0[1]][which][i],
                [&shapes.1[0], &shapes.1[1]][which][i],
            );
            after as f64 / before.max(1) as f64
        });
        if a != b || a.fract() != 0.0 || a < 1.0 {
            return no("its image grows by no whole factor");
        }
        factors.push(a as i64);
    }
    let place = text(node, "coordinate_transformation_mode", "half_pixel");
    let mode = text(node, "mode", "nearest");
    let is_old = node.op == "Upsample";
    let mut settings = args(&[("scale_factor", number_or_list(&factors))]);
    match mode {
        "nearest"
            if is_old
                || place == "asymmetric"
                    && text(node, "nearest_mode", "round_prefer_floor") == "floor" => {}
        // Whole factors: both ways of rounding find the same neighbour.
        "nearest" if matches!(place, "half_pixel" | "pytorch_half_pixel") => {}
        "linear" if matches!(place, "half_pixel" | "pytorch_half_pixel" | "align_corners") => {
            let name = ["linear", "bilinear", "trilinear"][n - 3];
            settings.insert("mode".to_owned(), json!(name));
            if place == "align_corners" {
                settings.insert("align_corners".to_owned(), json!(true));
            }
        }
        _ => return no(format!("its mode is {mode}, {place}")),
    }
    let x = d.source(&step.inputs[0])?;
    Ok(d.add("Upsample", settings, vec![x]))
}

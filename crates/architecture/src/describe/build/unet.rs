//! U-Net: halves the image, doubles it again, and joins what it saw at each size (Ronneberger and others, 2015).

use serde_json::json;

use super::images::begin;
use super::{Build, as_function, node, norm};
use crate::describe::data::Sample;
use crate::describe::resolve::{NetworkPlan, Output};
use crate::describe::slots::{Request, Slot};
use crate::model::{Architecture, Block, Node, Parameter};

/// Draws a U-Net.
pub(super) fn unet(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (mut build, _) = begin("UNet", request, plan);
    let (c, h, w) = match plan.sample {
        Sample::Image(c, h, w) => (c, h, w),
        _ => (3, 64, 64),
    };
    let is_joined = request.flag(Slot::Residual) != Some(false);
    let widths = widths(request, h, w);
    build.net.blocks.push(double(&build));
    let mut seen: Vec<String> = Vec::new();
    let mut n_in = c;
    for (i, &width) in widths.iter().enumerate() {
        let is_last = i + 1 == widths.len();
        let id = if is_last {
            "middle".to_owned()
        } else {
            format!("down{}", i + 1)
        };
        seen.push(build.add(&id, "DoubleConv", json!({"n_in": n_in, "n_out": width})));
        n_in = width;
        if !is_last {
            build.add(
                &format!("pool{}", i + 1),
                "MaxPool2d",
                json!({"kernel_size": 2}),
            );
        }
    }
    build.drop();
    for (i, &width) in widths.iter().enumerate().rev().skip(1) {
        let up = build.add(
            &format!("up{}", i + 1),
            "ConvTranspose2d",
            json!({"out_channels": width, "kernel_size": 2, "stride": 2}),
        );
        let n_in = if is_joined {
            build.join("cat", "cat", json!({"dim": 1}), &[&seen[i], &up]);
            2 * width
        } else {
            width
        };
        build.add(
            &format!("join{}", i + 1),
            "DoubleConv",
            json!({"n_in": n_in, "n_out": width}),
        );
    }
    let n = match plan.output {
        Output::Mask(n) => n,
        _ => 1,
    };
    build.add(
        "head",
        "Conv2d",
        json!({"out_channels": n, "kernel_size": 1}),
    );
    build.squash(plan.output);
    build.done("Halves the image and doubles it again; what was seen at each size is joined (Ronneberger and others, 2015).")
}

/// Channels from the first stage to the middle: as many as the image can be halved, at most four.
fn widths(request: &Request, h: u64, w: u64) -> Vec<u64> {
    let possible = (0..4)
        .take_while(|&n| {
            (h >> n).is_multiple_of(2) && (w >> n).is_multiple_of(2) && (h.min(w) >> n) >= 8
        })
        .count();
    if let Some(mut said) = request.sizes(Slot::Channels)
        && said.len() > 1
    {
        if said.len() > possible + 1 {
            request.contradict(format!(
                "An image of {h} by {w} can be halved {possible} times, and {} stages are spoken of: {} are taken.",
                said.len(),
                possible + 1
            ));
            said.truncate(possible + 1);
        }
        return said;
    }
    let first = request
        .sizes(Slot::Channels)
        .and_then(|all| all.first().copied())
        .unwrap_or(match request.name(Slot::Scale) {
            Some("small") => 16,
            Some("large") => 64,
            _ => 32,
        });
    let wanted = request
        .size(Slot::Layers)
        .or_else(|| request.size(Slot::ConvLayers))
        .map_or(3, |n| n as usize);
    let times = wanted.min(possible);
    if wanted != times && (request.has(Slot::Layers) || request.has(Slot::ConvLayers)) {
        request.contradict(format!(
            "An image of {h} by {w} can be halved {possible} times, not {wanted}: {times} are taken."
        ));
    }
    let widths: Vec<u64> = (0..=times).map(|i| (first << i).min(1024)).collect();
    let shown: Vec<String> = widths.iter().map(u64::to_string).collect();
    request.assume(format!(
        "Channels from the outside to the middle: {}.",
        shown.join(", ")
    ));
    widths
}

/// Two convolutions of 3 by 3.
fn double(build: &Build<'_>) -> Block {
    let request = build.request;
    let mut nodes: Vec<Node> = Vec::new();
    let mut at = "x".to_owned();
    let name = match request.name(Slot::Norm) {
        None | Some("any") => "BatchNorm",
        Some(name) => name,
    };
    for n in 1..=2 {
        let n_in = if n == 1 { "=n_in" } else { "=n_out" };
        let mut all =
            json!({"in_channels": n_in, "out_channels": "=n_out", "kernel_size": 3, "padding": 1});
        if name == "BatchNorm" || !build.bias() {
            all["bias"] = false.into();
        }
        let id = format!("conv{n}");
        nodes.push(node(&id, "Conv2d", all, &[&at]));
        at = id;
        if let Some((kind, mut all)) = norm(request, name, &[16, 1, 1]) {
            for name in ["num_features", "num_channels"] {
                if all.get(name).is_some() {
                    all[name] = "=n_out".into();
                }
            }
            let id = format!("bn{n}");
            nodes.push(node(&id, &kind, all, &[&at]));
            at = id;
        }
        if let Some((name, all)) = build.activation("ReLU") {
            let id = format!("act{n}");
            nodes.push(match as_function(name) {
                Some(function) => node(&id, function, json!({}), &[&at]),
                None => node(&id, name, all, &[&at]),
            });
            at = id;
        }
    }
    let parameter = |name: &str| Parameter {
        name: name.to_owned(),
        default: 32.into(),
    };
    Block {
        name: "DoubleConv".to_owned(),
        note: "Two convolutions of 3 by 3.".to_owned(),
        parameters: vec![parameter("n_in"), parameter("n_out")],
        inputs: vec!["x".to_owned()],
        nodes,
        outputs: vec![at],
    }
}

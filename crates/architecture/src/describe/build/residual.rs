//! Residual networks of basic blocks: ResNet-18 and 34 with four stages, and those of 6n + 2 layers for small images.

use serde_json::json;

use super::images::begin;
use super::{Build, as_function, child, divisor, node};
use crate::describe::resolve::NetworkPlan;
use crate::describe::slots::{Request, Slot};
use crate::model::{Architecture, Block, Node, Parameter};

/// Draws a residual network.
pub(super) fn resnet(request: &Request, plan: &NetworkPlan) -> Architecture {
    let said = request.size(Slot::Depth);
    let blocks = request.size(Slot::Layers);
    let wanted = said.or(blocks);
    let (depth, stages, first): (u64, Vec<u64>, u64) = match wanted {
        None => {
            request.assume("Without a number the residual network is ResNet-18.");
            (18, vec![2, 2, 2, 2], 64)
        }
        Some(18) => (18, vec![2, 2, 2, 2], 64),
        Some(34) => (34, vec![3, 4, 6, 3], 64),
        Some(n @ (20 | 32 | 44 | 56 | 110)) => (n, vec![(n - 2) / 6; 3], 16),
        Some(n) => {
            let (depth, stages) = if n > 26 {
                (34, vec![3, 4, 6, 3])
            } else {
                (18, vec![2, 2, 2, 2])
            };
            let why = match n {
                50 | 101 | 152 => " (its blocks have three convolutions)",
                _ => "",
            };
            request.assume(format!(
                "There is no ResNet-{n} here{why}: ResNet-{depth} is the nearest one."
            ));
            (depth, stages, 64)
        }
    };
    let (mut build, _) = begin(&format!("ResNet{depth}"), request, plan);
    let has_norm = norm_of(request) != "none";
    let side = build.side();
    let is_large = side >= 128 && first == 64;
    let mut all = if is_large {
        json!({"out_channels": first, "kernel_size": 7, "stride": 2, "padding": 3})
    } else {
        json!({"out_channels": first, "kernel_size": 3, "padding": 1})
    };
    if has_norm || !build.bias() {
        all["bias"] = false.into();
    }
    build.add("conv1", "Conv2d", all);
    normalized(&mut build, first);
    build.activate("ReLU");
    if is_large {
        build.add(
            "maxpool",
            "MaxPool2d",
            json!({"kernel_size": 3, "stride": 2, "padding": 1}),
        );
    }
    build.net.blocks.push(block(&build, false));
    build.net.blocks.push(block(&build, true));
    let mut width = first;
    for (i, &times) in stages.iter().enumerate() {
        let mut children: Vec<Node> = Vec::new();
        if i > 0 {
            children.push(child(
                "DownBlock",
                json!({"n_in": width, "n_out": 2 * width}),
            ));
            width *= 2;
        }
        while (children.len() as u64) < times {
            children.push(child("BasicBlock", json!({"channels": width})));
        }
        build.add(&format!("layer{}", i + 1), "Sequential", json!({}));
        if let Some(last) = build.net.nodes.last_mut() {
            last.children = children;
        }
    }
    build.add("avgpool", "AdaptiveAvgPool2d", json!({"output_size": 1}));
    build.flatten();
    build.drop();
    build.head("fc", plan.output);
    let mut net =
        build.done("Each block adds what it found to what it read (He and others, 2015).");
    // The name of the first convolution is torchvision's, whose weights it has.
    for node in &mut net.nodes {
        for name in node.inputs.iter_mut().chain([&mut node.id]) {
            match name.as_str() {
                "conv" => "conv1".clone_into(name),
                "bn" => "bn1".clone_into(name),
                _ => {}
            }
        }
    }
    net
}

/// The normalization of a residual network: batch norm unless another one is asked for, or none.
fn norm_of(request: &Request) -> &'static str {
    match request.name(Slot::Norm) {
        None | Some("any") => "BatchNorm",
        Some(name) => name,
    }
}

/// Adds the stem's normalization.
fn normalized(build: &mut Build<'_>, channels: u64) {
    let (kind, all) = match norm_node(build.request, channels, None) {
        Some(found) => found,
        None => return,
    };
    build.add("bn1", &kind, all);
}

/// A normalization of channels: a number, or an expression of a block's parameters.
fn norm_node(
    request: &Request,
    channels: u64,
    text: Option<&str>,
) -> Option<(String, serde_json::Value)> {
    let size = text.map_or_else(|| channels.into(), serde_json::Value::from);
    Some(match norm_of(request) {
        "none" => return None,
        "InstanceNorm" => ("InstanceNorm2d".to_owned(), json!({"num_features": size})),
        "GroupNorm" => {
            let groups = divisor(channels, request.size(Slot::Groups).unwrap_or(8));
            (
                "GroupNorm".to_owned(),
                json!({"num_groups": groups, "num_channels": size}),
            )
        }
        "LayerNorm" | "RMSNorm" => {
            request.assume("A norm over the layer is GroupNorm with one group for images.");
            (
                "GroupNorm".to_owned(),
                json!({"num_groups": 1, "num_channels": size}),
            )
        }
        _ => ("BatchNorm2d".to_owned(), json!({"num_features": size})),
    })
}

/// The block that keeps the image's size, or the one that halves it.
fn block(build: &Build<'_>, is_down: bool) -> Block {
    let request = build.request;
    let (n_in, n_out) = if is_down {
        ("=n_in", "=n_out")
    } else {
        ("=channels", "=channels")
    };
    let has_norm = norm_of(request) != "none";
    let conv = |kernel: u64, n_in: &str, stride: u64| {
        let mut all = json!({"in_channels": n_in, "out_channels": n_out, "kernel_size": kernel});
        if kernel > 1 {
            all["padding"] = (kernel / 2).into();
        }
        if stride > 1 {
            all["stride"] = stride.into();
        }
        if has_norm || !build.bias() {
            all["bias"] = false.into();
        }
        all
    };
    // Groups divide the narrowest stage, and so all.
    let norm = |id: &str, source: &str| -> Option<Node> {
        norm_node(request, 16, Some(n_out)).map(|(kind, all)| node(id, &kind, all, &[source]))
    };
    let act = |id: &str, source: &str| -> Option<Node> {
        let (name, all) = build.activation("ReLU")?;
        Some(match as_function(name) {
            Some(function) => node(id, function, json!({}), &[source]),
            None => node(id, name, all, &[source]),
        })
    };
    let act_id = build
        .activation("ReLU")
        .and_then(|(name, _)| as_function(name))
        .unwrap_or("act");
    let mut nodes: Vec<Node> = Vec::new();
    let mut at = "x".to_owned();
    let push = |one: Option<Node>, at: &mut String, nodes: &mut Vec<Node>| {
        if let Some(one) = one {
            at.clone_from(&one.id);
            nodes.push(one);
        }
    };
    let stride = if is_down { 2 } else { 1 };
    push(
        Some(node("conv1", "Conv2d", conv(3, n_in, stride), &["x"])),
        &mut at,
        &mut nodes,
    );
    push(norm("bn1", &at), &mut at, &mut nodes);
    push(act(act_id, &at), &mut at, &mut nodes);
    if let Some(p) = request.number(Slot::Dropout)
        && p > 0.0
    {
        push(
            Some(node("dropout", "Dropout", json!({"p": p}), &[&at])),
            &mut at,
            &mut nodes,
        );
    }
    push(
        Some(node("conv2", "Conv2d", conv(3, n_out, 1), &[&at])),
        &mut at,
        &mut nodes,
    );
    push(norm("bn2", &at), &mut at, &mut nodes);
    let around = if is_down {
        let mut way = node("downsample", "Sequential", json!({}), &["x"]);
        way.children.push(child("Conv2d", conv(1, n_in, 2)));
        if let Some((kind, all)) = norm_node(request, 16, Some(n_out)) {
            way.children.push(child(&kind, all));
        }
        nodes.push(way);
        "downsample"
    } else {
        "x"
    };
    push(
        Some(node("add", "add", json!({}), &[&at, around])),
        &mut at,
        &mut nodes,
    );
    push(act(&format!("{act_id}_2"), &at), &mut at, &mut nodes);
    let parameter = |name: &str, default: u64| Parameter {
        name: name.to_owned(),
        default: default.into(),
    };
    Block {
        name: if is_down { "DownBlock" } else { "BasicBlock" }.to_owned(),
        note: if is_down {
            "A block that halves the image; the way around it is a convolution of 1 by 1."
        } else {
            "Two convolutions of 3 by 3 and a way around them."
        }
        .to_owned(),
        parameters: if is_down {
            vec![parameter("n_in", 64), parameter("n_out", 128)]
        } else {
            vec![parameter("channels", 64)]
        },
        inputs: vec!["x".to_owned()],
        nodes,
        outputs: vec![at],
    }
}

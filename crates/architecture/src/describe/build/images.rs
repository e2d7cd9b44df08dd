//! Networks of convolutions: plain ones, LeNet, VGG, MobileNetV2.

use serde_json::{Value as Json, json};

use super::{Build, as_function, hidden, node, norm};
use crate::describe::data::Sample;
use crate::describe::resolve::{NetworkPlan, Output};
use crate::describe::slots::{Request, Slot};
use crate::model::{Architecture, Block, Parameter};
use crate::presets::preset;

/// What a sample of a network of convolutions is: its input, and how many dimensions a kernel has.
pub(super) fn begin<'a>(
    name: &str,
    request: &'a Request,
    plan: &NetworkPlan,
) -> (Build<'a>, usize) {
    match plan.sample {
        Sample::Image(c, h, w) => (Build::new(name, request, &[c, h, w]), 2),
        Sample::Text(vocabulary, length) => {
            let mut build = Build::of_tokens(name, request, length);
            let width = request.size_or(Slot::Embedding, 64, "The size of an embedding");
            build.add(
                "embedding",
                "Embedding",
                json!({"num_embeddings": vocabulary, "embedding_dim": width}),
            );
            build.add("transpose", "transpose", json!({"dim0": 1, "dim1": 2}));
            (build, 1)
        }
        Sample::Series(length, features) => {
            let mut build = Build::new(name, request, &[length, features]);
            build.add("transpose", "transpose", json!({"dim0": 1, "dim1": 2}));
            (build, 1)
        }
        Sample::Table(n) => {
            request.assume("The features are read as a sequence.");
            let mut build = Build::new(name, request, &[n]);
            build.add("unsqueeze", "unsqueeze", json!({"dim": 1}));
            (build, 1)
        }
    }
}

/// The channels of convolutions, one after the other.
fn channels(request: &Request, side: u64, plan_sample: Sample) -> Vec<u64> {
    let is_few = |sizes: &Vec<u64>| matches!(plan_sample, Sample::Series(_, n) if sizes.len() == 1 && sizes[0] == n && n <= 8);
    let said = request
        .sizes(Slot::Channels)
        .filter(|sizes| !is_few(sizes))
        .or_else(|| match request.value(Slot::Sizes) {
            Some(_) if !request.has(Slot::Layers) => None,
            _ => request
                .sizes(Slot::Sizes)
                .or_else(|| request.size(Slot::Width).map(|n| vec![n])),
        });
    let count = request.size(Slot::ConvLayers).or_else(|| {
        if request.has(Slot::HiddenLayers) && request.has(Slot::Hidden) {
            None
        } else {
            request.size(Slot::Layers)
        }
    });
    let count = count.map(|n| {
        if n > 32 {
            request.contradict(format!(
                "A CNN here has at most 32 convolutions, not {n}: 32 are drawn."
            ));
        }
        n.min(32)
    });
    let first = match request.name(Slot::Scale) {
        Some("small") => 16,
        Some("large") => 64,
        _ => 32,
    };
    let doubled = |n: usize| -> Vec<u64> { (0..n).map(|i| (first << i.min(3)).min(256)).collect() };
    let sizes = match (said, count.map(|n| n as usize)) {
        (Some(sizes), Some(n)) if sizes.len() == 1 => return vec![sizes[0]; n],
        (Some(sizes), Some(n)) if sizes.len() != n => {
            request.contradict(format!(
                "{n} convolutions and {} numbers of channels do not go together: the channels count.",
                sizes.len()
            ));
            return sizes;
        }
        (Some(sizes), _) => return sizes,
        (None, Some(n)) => doubled(n),
        (None, None) => {
            let usual = match request.flag(Slot::Deep) {
                Some(true) => 6,
                Some(false) => 1,
                None if side >= 64 => 4,
                None if side >= 30 => 3,
                None => 2,
            };
            doubled(usual)
        }
    };
    let shown: Vec<String> = sizes.iter().map(u64::to_string).collect();
    request.assume(format!(
        "Channels of the convolutions: {}.",
        shown.join(", ")
    ));
    sizes
}

/// A convolution with its normalization and its bend.
pub(super) fn conv(build: &mut Build<'_>, n: usize, dims: usize, all: Json) {
    let has_norm = !matches!(build.request.name(Slot::Norm), None | Some("none"));
    let mut all = all;
    if has_norm && matches!(build.request.name(Slot::Norm), Some("BatchNorm" | "any")) {
        all["bias"] = false.into();
    }
    let all = build.with_bias(all);
    build.add(&format!("conv{n}"), &format!("Conv{dims}d"), all);
    build.normalize(&format!("bn{n}"), "BatchNorm");
    build.activate("ReLU");
}

/// Convolutions and pools, then linear layers.
pub(super) fn cnn(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (mut build, dims) = begin("CNN", request, plan);
    let kernel = request.size(Slot::Kernel).unwrap_or(3);
    let stride = request.size(Slot::Stride).unwrap_or(1);
    let padding = request.size(Slot::Padding).unwrap_or(kernel / 2);
    let pool = request.name(Slot::Pool).unwrap_or("max");
    let is_global = request.flag(Slot::Global) == Some(true);
    let is_residual = request.flag(Slot::Residual) == Some(true);
    let side = build.side();
    let sizes = channels(request, side, plan.sample);
    if !request.has(Slot::Kernel) {
        let text = if dims == 2 { "3 by 3" } else { "3" };
        request.assume(format!("The kernels are {text}."));
    }
    let mut left_out = 0;
    // Where there are many convolutions, pools stand after every second one.
    let every = if sizes.len() > 4 { 2 } else { 1 };
    for (i, &channels) in sizes.iter().enumerate() {
        let n = i + 1;
        let side = build.side();
        let mut all = json!({"out_channels": channels, "kernel_size": kernel});
        if side + 2 * padding < kernel {
            all["kernel_size"] = 1.into();
            request.contradict(format!(
                "A kernel of {kernel} is larger than what convolution {n} reads, {side}: it has 1."
            ));
        } else {
            if padding > 0 {
                all["padding"] = padding.into();
            }
            let is_strided = pool == "stride" && n % every == 0 && !request.has(Slot::Stride);
            let step = if is_strided { 2 } else { stride };
            if step > 1 && side > 1 {
                all["stride"] = step.into();
            }
        }
        conv(&mut build, n, dims, all);
        if is_residual {
            residual_block(&mut build, n, dims, channels, kernel);
        }
        let side = build.side();
        if matches!(pool, "max" | "average") && stride == 1 && n % every == 0 {
            if side < 2 {
                left_out += 1;
                continue;
            }
            let kind = if pool == "max" { "MaxPool" } else { "AvgPool" };
            build.add(
                &format!("pool{}", n / every),
                &format!("{kind}{dims}d"),
                json!({"kernel_size": 2}),
            );
        }
    }
    if left_out > 0 {
        request.assume(format!(
            "The image becomes too small to be halved: {left_out} {} left out.",
            if left_out == 1 {
                "pool is"
            } else {
                "pools are"
            }
        ));
    }
    let dense = match request.has(Slot::Hidden)
        || request.has(Slot::DenseSizes)
        || request.has(Slot::HiddenLayers)
        || (request.has(Slot::Sizes) && request.has(Slot::Channels))
        || (request.has(Slot::Sizes) && !request.has(Slot::Layers))
    {
        true => {
            let mut dense = hidden(request, &[128]);
            // "2 linear layers of 64 and 10" with ten classes: the last one answers.
            if request.has(Slot::DenseSizes)
                && dense.len() > 1
                && plan.output == Output::Classes(dense[dense.len() - 1])
            {
                request.assume("The last of the linear layers is the one that answers.");
                dense.pop();
            }
            if request.has(Slot::Layers) && request.has(Slot::HiddenLayers) {
                request.size(Slot::Layers);
            }
            dense
        }
        false if is_global || dims == 1 || row(&build) > 8192 => Vec::new(),
        false => {
            request.assume("A linear layer of 128 units follows the convolutions.");
            vec![128]
        }
    };
    if is_global || dims == 1 || (dense.is_empty() && row(&build) > 8192) {
        build.add(
            "pool",
            &format!("AdaptiveAvgPool{dims}d"),
            json!({"output_size": 1}),
        );
    }
    build.flatten();
    for (i, size) in dense.iter().enumerate() {
        let all = build.with_bias(json!({"out_features": size}));
        build.add(&format!("fc{}", i + 1), "Linear", all);
        build.activate("ReLU");
        build.drop();
    }
    if dense.is_empty() {
        build.drop();
    }
    build.head(&format!("fc{}", dense.len() + 1), plan.output);
    build.done("Convolutions that look for patterns, and linear layers that answer.")
}

fn row(build: &Build<'_>) -> u64 {
    build.shape().iter().product()
}

/// A convolution that adds to what it read, as a block.
fn residual_block(build: &mut Build<'_>, n: usize, dims: usize, channels: u64, kernel: u64) {
    let request = build.request;
    let kernel = if kernel % 2 == 1 { kernel } else { 3 };
    if build.net.block("ResidualBlock").is_none() {
        let all = build.with_bias(json!({
            "in_channels": "=channels", "out_channels": "=channels", "kernel_size": kernel, "padding": kernel / 2,
        }));
        let mut nodes = vec![node("conv", &format!("Conv{dims}d"), all, &["x"])];
        let mut at = "conv";
        let name = match request.name(Slot::Norm).unwrap_or("none") {
            "any" => "BatchNorm",
            name => name,
        };
        let shape = vec![channels; dims + 1];
        if let Some((kind, mut all)) = norm(request, name, &shape) {
            for name in ["num_features", "num_channels", "normalized_shape"] {
                if all.get(name).is_some() {
                    all[name] = "=channels".into();
                }
            }
            // Layer norm of a sequence is over its channels, which stand before its steps.
            if kind == "GroupNorm" || kind.contains("1d") || kind.contains("2d") {
                nodes.push(node("norm", &kind, all, &[at]));
                at = "norm";
            }
        }
        nodes.push(node("add", "add", json!({}), &["x", at]));
        let mut last = "add";
        if let Some((name, all)) = build.activation("ReLU") {
            match as_function(name) {
                Some(function) => nodes.push(node("act", function, json!({}), &["add"])),
                None => nodes.push(node("act", name, all, &["add"])),
            }
            last = "act";
        }
        build.net.blocks.push(Block {
            name: "ResidualBlock".to_owned(),
            note: "A convolution that adds to what it read.".to_owned(),
            parameters: vec![Parameter {
                name: "channels".to_owned(),
                default: channels.into(),
            }],
            inputs: vec!["x".to_owned()],
            nodes,
            outputs: vec![last.to_owned()],
        });
    }
    build.add(
        &format!("block{n}"),
        "ResidualBlock",
        json!({"channels": channels}),
    );
}

/// LeNet: two convolutions and pools, then three linear layers.
pub(super) fn lenet(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (mut build, _) = begin("LeNet", request, plan);
    let pool = match request.name(Slot::Pool) {
        Some("average") => "AvgPool2d",
        _ => "MaxPool2d",
    };
    for (n, channels) in [(1, 6u64), (2, 16)] {
        let side = build.side();
        let mut all = json!({"out_channels": channels, "kernel_size": 5});
        // 28 by 28 is padded to the 32 by 32 that LeNet reads; what is small keeps its size.
        if (n == 1 && side <= 28) || side < 6 {
            all["padding"] = 2.into();
        }
        conv(&mut build, n, 2, all);
        build.add(&format!("pool{n}"), pool, json!({"kernel_size": 2}));
    }
    build.flatten();
    for (n, size) in [(1, 120), (2, 84)] {
        let all = build.with_bias(json!({"out_features": size}));
        build.add(&format!("fc{n}"), "Linear", all);
        build.activate("ReLU");
        build.drop();
    }
    build.head("fc3", plan.output);
    build.done(
        "Convolutions and pools that halve the image, then linear layers (LeCun and others, 1998).",
    )
}

/// VGG: convolutions of 3 by 3 between pools that halve the image.
pub(super) fn vgg(request: &Request, plan: &NetworkPlan) -> Architecture {
    let wanted = request
        .size(Slot::Depth)
        .or_else(|| request.size(Slot::Layers))
        .unwrap_or(11);
    if !request.has(Slot::Depth) && !request.has(Slot::Layers) {
        request.assume("The smallest VGG is drawn: VGG-11.");
    }
    let (depth, stages): (u64, [usize; 5]) = match wanted {
        0..=11 => (11, [1, 1, 2, 2, 2]),
        12..=14 => (13, [2, 2, 2, 2, 2]),
        15..=17 => (16, [2, 2, 3, 3, 3]),
        _ => (19, [2, 2, 4, 4, 4]),
    };
    if wanted != depth {
        request.assume(format!(
            "There is no VGG-{wanted}: VGG-{depth} is the nearest one."
        ));
    }
    let (mut build, _) = begin(&format!("VGG{depth}"), request, plan);
    let side = build.side();
    let mut n = 0;
    for (i, &times) in stages.iter().enumerate() {
        let channels = 64u64 << i.min(3);
        for _ in 0..times {
            n += 1;
            conv(
                &mut build,
                n,
                2,
                json!({"out_channels": channels, "kernel_size": 3, "padding": 1}),
            );
        }
        if build.side() >= 2 {
            build.add(
                &format!("pool{}", i + 1),
                "MaxPool2d",
                json!({"kernel_size": 2}),
            );
        }
    }
    let dense: &[u64] = if side >= 128 {
        build.add("avgpool", "AdaptiveAvgPool2d", json!({"output_size": 7}));
        &[4096, 4096]
    } else {
        build.add("avgpool", "AdaptiveAvgPool2d", json!({"output_size": 1}));
        request.assume("For small images one linear layer follows the convolutions.");
        &[]
    };
    build.flatten();
    for (i, size) in dense.iter().enumerate() {
        let all = build.with_bias(json!({"out_features": size}));
        build.add(&format!("fc{}", i + 1), "Linear", all);
        build.activate("ReLU");
        build.drop();
    }
    if dense.is_empty() {
        build.drop();
    }
    build.head(&format!("fc{}", dense.len() + 1), plan.output);
    build.done(
        "Convolutions of 3 by 3 between pools that halve the image (Simonyan and Zisserman, 2014).",
    )
}

/// MobileNetV2, as the preset has it, for images of any size.
pub(super) fn mobilenet(request: &Request, plan: &NetworkPlan) -> Option<Architecture> {
    let mut net = preset("mobilenet_v2").ok()?;
    net.training = None;
    let Sample::Image(c, h, w) = plan.sample else {
        return None;
    };
    net.inputs[0].shape = super::sizes(&[c, h, w]);
    let stem = net.nodes.first_mut()?;
    stem.args.insert("n_in".to_owned(), c.into());
    if h.min(w) >= 128 {
        stem.args.insert("stride".to_owned(), 2.into());
        let second = net
            .nodes
            .iter_mut()
            .find(|node| node.kind == "Sequential")?;
        second
            .children
            .first_mut()?
            .args
            .insert("stride".to_owned(), 2.into());
    }
    let head = net.nodes.last()?.clone();
    let p = request.number(Slot::Dropout);
    let width = head.args.get("in_features")?.as_u64()?;
    net.nodes.pop();
    net.nodes.retain(|node| node.kind != "Dropout");
    let at = net.nodes.last()?.id.clone();
    net.outputs = vec![at];
    let mut build = Build::after(net, request);
    match p {
        Some(p) if p > 0.0 => {
            build.drop();
        }
        Some(_) => {}
        None => {
            request.assume("Dropout of 0.2 stands before the last layer, as in the paper.");
            build.add("dropout", "Dropout", json!({"p": 0.2}));
        }
    }
    if build.shape() != [width] {
        return None;
    }
    build.head("classifier", plan.output);
    Some(
        build.done("Inverted residual blocks between two convolutions (Sandler and others, 2018)."),
    )
}

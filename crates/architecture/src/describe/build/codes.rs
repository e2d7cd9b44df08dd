//! Networks around a code: autoencoders, and the two halves of a GAN.

use serde_json::json;

use super::{Build, activation_args, args, child, dense, hidden, norm, row, sizes};
use crate::describe::data::Sample;
use crate::describe::resolve::NetworkPlan;
use crate::describe::slots::{Request, Slot, Value};
use crate::model::{Architecture, Node};

/// How many numbers the code has.
fn code(request: &Request, usual: u64) -> u64 {
    // "2×64" or a list may say it; a number of its own counts.
    request.size_or(Slot::Bottleneck, usual, "The numbers in the bottleneck")
}

/// Whether values are to lie between 0 and 1 at the end.
fn squash(request: &Request, plan: &NetworkPlan) -> Option<&'static str> {
    match request.name(Slot::Squash) {
        Some("sigmoid") => Some("Sigmoid"),
        Some("tanh") => Some("Tanh"),
        Some("softmax") => {
            request.assume("Softmax over an image says nothing and is left out.");
            None
        }
        _ if request.name(Slot::Loss) == Some("BCELoss") || plan.training == "digits" => {
            Some("Sigmoid")
        }
        _ => None,
    }
}

/// An input through a bottleneck and back.
pub(super) fn autoencoder(request: &Request, plan: &NetworkPlan) -> Architecture {
    let is_conv = request.flag(Slot::Convolution) == Some(true)
        || request.has(Slot::Channels)
        || request.has(Slot::ConvLayers)
        || request.has(Slot::Kernel);
    match plan.sample {
        Sample::Image(c, h, w) if is_conv => convolutional(request, plan, [c, h, w]),
        _ => {
            if is_conv {
                request.assume(
                    "Only an autoencoder of images has convolutions here: linear layers are drawn.",
                );
            }
            linear(request, plan)
        }
    }
}

/// An autoencoder of linear layers: the decoder is the encoder backwards.
fn linear(request: &Request, plan: &NetworkPlan) -> Architecture {
    let n = row(plan.sample);
    let mut way = vec![n];
    match request.sizes(Slot::Chain) {
        Some(chain) if chain.len() > 1 => {
            // 784-128-2 and 784-128-2-128-784 are one.
            let least = (0..chain.len()).min_by_key(|&i| chain[i]).unwrap_or(0);
            let said = chain[least];
            if let Some(bottleneck) = request.size(Slot::Bottleneck)
                && bottleneck != said
            {
                request.contradict(format!(
                    "The smallest size is {said}, and a bottleneck of {bottleneck} is spoken of: the sizes count."
                ));
            }
            if chain[0] != n {
                request.contradict(format!(
                    "A sample has {n} numbers, and the sizes begin with {}: the data counts.",
                    chain[0]
                ));
            }
            way.extend(&chain[1..=least.max(1)]);
        }
        _ => {
            let usual: &[u64] = match n {
                0..=16 => &[16],
                17..=128 => &[64],
                _ => &[128, 32],
            };
            let mut layers = hidden(request, usual);
            // Sizes that go down and up again are those of both halves.
            if let (Some(first), Some(last)) = (layers.first(), layers.last())
                && layers.len() > 2
                && first == last
                && layers.iter().rev().eq(layers.iter())
            {
                let least = layers.len() / 2;
                if layers.len() % 2 == 1 && !request.has(Slot::Bottleneck) && layers[least] < *first
                {
                    way.extend(&layers[..=least]);
                    return halves(request, plan, &way);
                }
                let both_same = layers.iter().all(|size| size == first);
                if !both_same {
                    layers.truncate(least);
                }
            }
            way.extend(layers);
            way.push(code(request, 16.min(n)));
        }
    }
    let least = way.last().copied().unwrap_or(1);
    if least >= n {
        request.assume(format!(
            "The bottleneck has {least} numbers and a sample {n}: nothing has to be left out on the way."
        ));
    }
    halves(request, plan, &way)
}

/// An encoder along sizes, and a decoder back.
fn halves(request: &Request, plan: &NetworkPlan, way: &[u64]) -> Architecture {
    let back: Vec<u64> = way.iter().rev().copied().collect();
    let mut build = match plan.sample {
        Sample::Series(length, features) => {
            let mut build = Build::new("Autoencoder", request, &[length, features]);
            build.flatten();
            build
        }
        sample => Build::new("Autoencoder", request, &[row(sample)]),
    };
    let encoder = dense::stack(&build, way);
    build.add("encoder", "Sequential", json!({}));
    children(&mut build, encoder);
    let mut decoder = dense::stack(&build, &back);
    if let Some(kind) = squash(request, plan) {
        decoder.push(child(kind, json!({})));
    }
    build.add("decoder", "Sequential", json!({}));
    children(&mut build, decoder);
    if let Sample::Series(length, features) = plan.sample {
        build.add(
            "unflatten",
            "unflatten",
            json!({"dim": 1, "sizes": [length, features]}),
        );
    }
    build.done("A sample through a bottleneck and back.")
}

fn children(build: &mut Build<'_>, all: Vec<Node>) {
    if let Some(last) = build.net.nodes.last_mut() {
        last.children = all;
    }
}

/// The normalization and the bend that follow a layer, as children.
fn bend(build: &Build<'_>, channels: u64, usual: &'static str) -> Vec<Node> {
    let request = build.request;
    let mut all = Vec::new();
    let name = match request.name(Slot::Norm) {
        None => "none",
        Some("any") => "BatchNorm",
        Some(name) => name,
    };
    if let Some((kind, arguments)) = norm(request, name, &[channels, 2, 2]) {
        all.push(child(&kind, arguments));
    }
    if let Some((name, _)) = build.activation(usual) {
        let mut one = child(name, json!({}));
        one.args = args(activation_args(request, name));
        if name == "LeakyReLU" && one.args.is_empty() && usual == "LeakyReLU" {
            one.args = args(json!({"negative_slope": 0.2}));
        }
        all.push(one);
    }
    if let Some(p) = request.number(Slot::Dropout)
        && p > 0.0
    {
        all.push(child("Dropout", json!({"p": p})));
    }
    all
}

/// How often an image can be halved, at most `most` times, down to 3 by 3 and more.
fn halvings(h: u64, w: u64, most: usize) -> usize {
    (0..most)
        .take_while(|&n| {
            (h >> n).is_multiple_of(2) && (w >> n).is_multiple_of(2) && (h.min(w) >> n) >= 4
        })
        .count()
}

/// The channels of convolutions that halve an image, as many as it can be halved.
fn halving_channels(request: &Request, h: u64, w: u64, usual: &[u64]) -> Vec<u64> {
    let said = request.sizes(Slot::Channels);
    let count = request
        .size(Slot::ConvLayers)
        .or_else(|| request.size(Slot::Layers))
        .map(|n| n as usize);
    let mut channels = match (said, count) {
        (Some(said), Some(n)) if said.len() == 1 => vec![said[0]; n],
        (Some(said), _) => said,
        (None, Some(n)) => (0..n).map(|i| (usual[0] << i.min(4)).min(512)).collect(),
        (None, None) => {
            let usual: Vec<u64> = usual
                .iter()
                .copied()
                .take(halvings(h, w, usual.len()))
                .collect();
            let shown: Vec<String> = usual.iter().map(u64::to_string).collect();
            request.assume(format!(
                "Channels of the convolutions: {}.",
                shown.join(", ")
            ));
            usual
        }
    };
    let possible = halvings(h, w, channels.len());
    if possible < channels.len() {
        request.contradict(format!(
            "An image of {h} by {w} can be halved {possible} times, and {} convolutions halve it: {possible} are drawn.",
            channels.len()
        ));
        channels.truncate(possible);
    }
    channels
}

/// An autoencoder of convolutions that halve the image and others that double it.
fn convolutional(request: &Request, plan: &NetworkPlan, [c, h, w]: [u64; 3]) -> Architecture {
    let channels = halving_channels(request, h, w, &[16, 32]);
    let kernel = match request.size(Slot::Kernel) {
        None | Some(3) => 3,
        Some(n) if n % 2 == 1 => n,
        Some(n) => {
            request.assume(format!("A kernel of {n} has no middle: 3 is taken."));
            3
        }
    };
    let mut build = Build::new("ConvAutoencoder", request, &[c, h, w]);
    let mut encoder = Vec::new();
    let mut n_in = c;
    for &n in &channels {
        encoder.push(child("Conv2d", json!({"in_channels": n_in, "out_channels": n, "kernel_size": kernel, "stride": 2, "padding": kernel / 2})));
        encoder.extend(bend(&build, n, "ReLU"));
        n_in = n;
    }
    let (small_h, small_w) = (h >> channels.len(), w >> channels.len());
    let flat = n_in * small_h * small_w;
    let bottleneck = code(request, 16);
    encoder.push(child("Flatten", json!({})));
    encoder.push(child(
        "Linear",
        json!({"in_features": flat, "out_features": bottleneck}),
    ));
    build.add("encoder", "Sequential", json!({}));
    children(&mut build, encoder);
    build.add(
        "fc",
        "Linear",
        json!({"in_features": bottleneck, "out_features": flat}),
    );
    build.activate("ReLU");
    build.add(
        "unflatten",
        "unflatten",
        json!({"dim": 1, "sizes": [n_in, small_h, small_w]}),
    );
    let mut decoder = Vec::new();
    for i in (0..channels.len()).rev() {
        let n = if i == 0 { c } else { channels[i - 1] };
        decoder.push(child(
            "ConvTranspose2d",
            json!({"in_channels": channels[i], "out_channels": n, "kernel_size": 2, "stride": 2}),
        ));
        if i > 0 {
            decoder.extend(bend(&build, n, "ReLU"));
        }
    }
    if decoder.is_empty() {
        decoder.push(child("Identity", json!({})));
    }
    if let Some(kind) = squash(request, plan) {
        decoder.push(child(kind, json!({})));
    }
    build.add("decoder", "Sequential", json!({}));
    children(&mut build, decoder);
    build.done(
        "Convolutions that halve an image down to a bottleneck, and others that double it again.",
    )
}

/// An autoencoder with a bottleneck of normal random numbers.
pub(super) fn vae(request: &Request, plan: &NetworkPlan) -> Architecture {
    if request.flag(Slot::Convolution) == Some(true) || request.has(Slot::Channels) {
        request.assume("The VAE here has linear layers.");
        request.sizes(Slot::Channels);
    }
    let n = row(plan.sample);
    let layers = match request.sizes(Slot::Chain) {
        Some(chain) if chain.len() > 2 => chain[1..chain.len() - 1].to_vec(),
        _ => hidden(request, &[if n > 128 { 400 } else { 64 }]),
    };
    let latent = match (request.value(Slot::Bottleneck), request.sizes(Slot::Chain)) {
        (None, Some(chain)) => chain.last().copied().unwrap_or(20),
        (Some(Value::Number(n)), _) => *n as u64,
        _ => code(request, 20),
    };
    let mut build = match plan.sample {
        Sample::Series(length, features) => {
            let mut build = Build::new("VAE", request, &[length, features]);
            build.flatten();
            build
        }
        _ => Build::new("VAE", request, &[n]),
    };
    for (i, &size) in layers.iter().enumerate() {
        build.add(
            &format!("fc{}", i + 1),
            "Linear",
            json!({"out_features": size}),
        );
        build.normalize(&format!("bn{}", i + 1), "BatchNorm");
        build.activate("ReLU");
        build.drop();
    }
    let h = build.at.clone();
    let mean = build.add("mean", "Linear", json!({"out_features": latent}));
    build.at = h;
    let log_variance = build.add("log_variance", "Linear", json!({"out_features": latent}));
    build.add("scale", "scale", json!({"factor": 0.5}));
    let std = build.add("std", "exp", json!({}));
    let noise = build.add("noise", "randn_like", json!({}));
    let spread = build.join("mul", "mul", json!({}), &[&std, &noise]);
    build.join("code", "add", json!({}), &[&mean, &spread]);
    for (i, &size) in layers.iter().rev().enumerate() {
        let k = layers.len() + i + 1;
        build.add(&format!("fc{k}"), "Linear", json!({"out_features": size}));
        build.normalize(&format!("bn{k}"), "BatchNorm");
        build.activate("ReLU");
    }
    build.add(
        &format!("fc{}", 2 * layers.len() + 1),
        "Linear",
        json!({"out_features": n}),
    );
    match request.name(Slot::Squash) {
        Some("tanh") => {
            build.add("tanh", "tanh", json!({}));
        }
        _ => {
            build.add("sigmoid", "sigmoid", json!({}));
        }
    }
    if let Sample::Series(length, features) = plan.sample {
        build.add(
            "unflatten",
            "unflatten",
            json!({"dim": 1, "sizes": [length, features]}),
        );
    }
    let image = build.at.clone();
    build.net.outputs = vec![image, mean, log_variance];
    request.assume("The VAE gives the sample, the mean and the logarithm of the variance; its loss is left to a program.");
    build.done("An autoencoder whose bottleneck is drawn from a normal distribution; it gives the sample, the mean and the log of the variance.")
}

/// The half of a GAN that makes images of noise.
pub(super) fn generator(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (c, h, w) = match plan.sample {
        Sample::Image(c, h, w) => (c, h, w),
        _ => (1, 28, 28),
    };
    let noise = request.size_or(Slot::Bottleneck, 64, "The numbers of noise");
    let mut build = Build::new("Generator", request, &[noise]);
    build.net.inputs[0].shape = sizes(&[noise]);
    let is_dense = request.flag(Slot::Convolution) == Some(false)
        || request.has(Slot::Hidden)
        || request.has(Slot::HiddenLayers);
    if is_dense {
        for (i, &size) in hidden(request, &[128, 256]).iter().enumerate() {
            build.add(
                &format!("fc{}", i + 1),
                "Linear",
                json!({"out_features": size}),
            );
            build.normalize(&format!("bn{}", i + 1), "BatchNorm");
            build.activate("ReLU");
            build.drop();
        }
        build.add("out", "Linear", json!({"out_features": c * h * w}));
        build.add(
            "unflatten",
            "unflatten",
            json!({"dim": 1, "sizes": [c, h, w]}),
        );
    } else {
        let most = if h.min(w) > 32 { 4 } else { 2 };
        let usual: Vec<u64> = (0..most).map(|i| 32 << i).collect();
        let channels = halving_channels(request, h, w, &usual);
        let (small_h, small_w) = (h >> channels.len(), w >> channels.len());
        let first = channels.last().copied().unwrap_or(32);
        build.add(
            "fc",
            "Linear",
            json!({"out_features": first * small_h * small_w}),
        );
        build.activate("ReLU");
        build.add(
            "unflatten",
            "unflatten",
            json!({"dim": 1, "sizes": [first, small_h, small_w]}),
        );
        for i in (1..channels.len()).rev() {
            let n = channels.len() - i;
            build.add(&format!("up{n}"), "ConvTranspose2d", json!({"out_channels": channels[i - 1], "kernel_size": 4, "stride": 2, "padding": 1}));
            build.normalize(&format!("bn{n}"), "BatchNorm");
            build.activate("ReLU");
        }
        if channels.is_empty() {
            build.add(
                "out",
                "Conv2d",
                json!({"out_channels": c, "kernel_size": 1}),
            );
        } else {
            build.add(
                "out",
                "ConvTranspose2d",
                json!({"out_channels": c, "kernel_size": 4, "stride": 2, "padding": 1}),
            );
        }
    }
    match request.name(Slot::Squash) {
        Some("sigmoid") => build.add("sigmoid", "sigmoid", json!({})),
        _ => build.add("tanh", "tanh", json!({})),
    };
    request.assume("A generator is trained together with a discriminator, by a program.");
    build.done("The half of a GAN that makes images of noise (Goodfellow and others, 2014).")
}

/// The half of a GAN that tells real images from made ones.
pub(super) fn discriminator(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (c, h, w) = match plan.sample {
        Sample::Image(c, h, w) => (c, h, w),
        _ => (1, 28, 28),
    };
    let is_dense = request.flag(Slot::Convolution) == Some(false)
        || request.has(Slot::Hidden)
        || request.has(Slot::HiddenLayers);
    let mut build = Build::new("Discriminator", request, &[c, h, w]);
    if is_dense {
        build.flatten();
        for (i, &size) in hidden(request, &[256, 128]).iter().enumerate() {
            build.add(
                &format!("fc{}", i + 1),
                "Linear",
                json!({"out_features": size}),
            );
            build.activate("LeakyReLU");
            build.drop();
        }
        build.head("out", plan.output);
    } else {
        let most = if h.min(w) > 32 { 4 } else { 2 };
        let usual: Vec<u64> = (0..most).map(|i| 32 << i).collect();
        for (i, &n) in halving_channels(request, h, w, &usual).iter().enumerate() {
            build.add(
                &format!("conv{}", i + 1),
                "Conv2d",
                json!({"out_channels": n, "kernel_size": 4, "stride": 2, "padding": 1}),
            );
            build.normalize(&format!("bn{}", i + 1), "BatchNorm");
            build.activate("LeakyReLU");
            build.drop();
        }
        build.flatten();
        build.head("fc", plan.output);
    }
    build.done(
        "The half of a GAN that tells real images from made ones (Goodfellow and others, 2014).",
    )
}

//! What a sample is: a data set's sizes, or those that are said, or what the network usually reads.

use super::a;
use crate::describe::data::{DataSet, Sample};
use crate::describe::slots::{Request, Slot, Value};

/// What a sample is: the data set's, or what is said, or what the network usually reads.
pub(super) fn sample(
    request: &mut Request,
    family: &'static str,
    data: Option<&DataSet>,
) -> Sample {
    let image_size = request.sizes(Slot::ImageSize);
    let channels = request.size(Slot::ImageChannels);
    if let Some(data) = data {
        match data.sample {
            Sample::Image(c, h, w) => {
                if let Some(size) = image_size
                    && size != [h, w]
                {
                    request.contradict(format!(
                        "The images of {} are {h} by {w}, not {} by {}: the data set counts.",
                        data.name, size[0], size[1]
                    ));
                }
                if let Some(said) = channels
                    && said != c
                {
                    request.contradict(format!(
                        "The images of {} have {c} {}, not {said}: the data set counts.",
                        data.name,
                        if c == 1 { "channel" } else { "channels" }
                    ));
                }
            }
            Sample::Table(n) => {
                if let Some(said) = request.size(Slot::Features)
                    && said != n
                {
                    request.contradict(format!(
                        "{} has {n} features, not {said}: the data set counts.",
                        data.name
                    ));
                }
            }
            Sample::Text(vocabulary, length) => {
                let length = request.size(Slot::Length).unwrap_or(length);
                let vocabulary = request.size(Slot::Vocabulary).unwrap_or(vocabulary);
                return Sample::Text(vocabulary, length);
            }
            Sample::Series(length, features) => {
                return Sample::Series(
                    request.size(Slot::Length).unwrap_or(length),
                    request.size(Slot::Features).unwrap_or(features),
                );
            }
        }
        let kind = request.name(Slot::Kind);
        let is_image = matches!(data.sample, Sample::Image(..));
        if matches!(kind, Some("text" | "series" | "table")) && is_image {
            request.contradict(format!(
                "{} has images, and {} is spoken of: the data set counts.",
                data.name,
                kind.unwrap_or("")
            ));
        } else if kind == Some("images") && !is_image {
            request.contradict(format!(
                "{} has rows of numbers, and images are spoken of: the data set counts.",
                data.name
            ));
        }
        return data.sample;
    }
    let kind = request.name(Slot::Kind);
    let is_image = image_size.is_some()
        || (channels.is_some() && !matches!(kind, Some("sequences" | "series")))
        || kind == Some("images");
    let image = |request: &Request, usual: (u64, u64, u64)| {
        let (c, h, w) = match (&image_size, channels) {
            (Some(size), Some(c)) => (c, size[0], size[1]),
            (Some(size), None) => {
                request.assume("The images have 3 channels.");
                (3, size[0], size[1])
            }
            (None, Some(c)) => {
                let side = if c == 1 { 28 } else { 32 };
                request.assume(format!("The images are {side} by {side}."));
                (c, side, side)
            }
            (None, None) => {
                let (c, h, w) = usual;
                let name = match usual {
                    (1, 28, 28) => ", like MNIST's",
                    (3, 32, 32) => ", like CIFAR-10's",
                    _ => "",
                };
                request.assume(format!("The images have {c} by {h} by {w} numbers{name}."));
                usual
            }
        };
        Sample::Image(c, h, w)
    };
    let text = |request: &Request, usual: u64| {
        let vocabulary = request.size_or(Slot::Vocabulary, usual, "The number of different tokens");
        let length = request.size_or(Slot::Length, 64, "The number of tokens in a sample");
        Sample::Text(vocabulary, length)
    };
    let series = |request: &Request| {
        let length = request.size_or(Slot::Length, 50, "The number of steps in a sequence");
        let usual = if kind == Some("series") { 1 } else { 8 };
        // "signals with 2 channels": what the channels of an image are to it.
        let few = match request.told(Slot::Channels).map(|told| &told.value) {
            Some(Value::Sizes(all)) if all.len() == 1 && all[0] <= 8 => Some(all[0]),
            _ => None,
        };
        if let Some(n) = channels.or(few)
            && !request.has(Slot::Features)
        {
            request.assume(format!("Each step of the sequence has {n} channels."));
            return Sample::Series(length, n);
        }
        let features = request.size_or(Slot::Features, usual, "The number of numbers in each step");
        Sample::Series(length, features)
    };
    let is_text = kind == Some("text")
        || request.has(Slot::Vocabulary)
        || request.name(Slot::Task) == Some("next token");
    let is_series = matches!(kind, Some("sequences" | "series"))
        || request.name(Slot::Task) == Some("forecast")
        || (request.has(Slot::Length) && request.has(Slot::Features));
    match family {
        "LeNet" => image(request, (1, 28, 28)),
        "generator" | "discriminator" => image(request, (1, 28, 28)),
        "ResNet" | "VGG" | "MobileNetV2" | "ViT" => image(request, (3, 32, 32)),
        "U-Net" => image(request, (3, 64, 64)),
        "GPT" => text(request, 65),
        "CNN" if is_text => text(request, 5000),
        "CNN" if is_series => series(request),
        "CNN" if request.has(Slot::Features) && !is_image => {
            let n = request.size(Slot::Features).unwrap_or(20).max(4);
            request.assume(format!(
                "The {n} features are read as a sequence of {n} steps."
            ));
            Sample::Series(n, 1)
        }
        "CNN" => image(request, (1, 28, 28)),
        "Transformer" if is_image => image(request, (3, 32, 32)),
        "LSTM" | "GRU" | "RNN" | "Transformer" => {
            if is_image {
                image(request, (1, 28, 28))
            } else if is_text {
                let is_next = request.name(Slot::Task) == Some("next token");
                text(request, if is_next { 65 } else { 5000 })
            } else if is_series
                || request.has(Slot::Features)
                || (family != "Transformer"
                    && (request.has(Slot::Classes) || request.has(Slot::Outputs)))
                || request.name(Slot::Task).is_some()
            {
                if request.name(Slot::Task) == Some("classify")
                    && !is_series
                    && !request.has(Slot::Features)
                    && family == "Transformer"
                {
                    text(request, 5000)
                } else {
                    series(request)
                }
            } else {
                text(request, if family == "Transformer" { 5000 } else { 65 })
            }
        }
        _ => {
            // Networks that read a row of numbers.
            if let Some(chain) = request.sizes(Slot::Chain) {
                let first = chain.first().copied().unwrap_or(64);
                if let Some(n) = request.size(Slot::Features)
                    && n != first
                {
                    request.contradict(format!(
                        "The sizes begin with {first}, and {n} features are spoken of: the sizes count."
                    ));
                }
                return Sample::Table(first);
            }
            if let Some(n) = request.size(Slot::Features) {
                return match is_series && request.has(Slot::Length) {
                    true => series(request),
                    false => Sample::Table(n),
                };
            }
            if is_image {
                return image(request, (1, 28, 28));
            }
            if is_series {
                return series(request);
            }
            if kind == Some("text") || request.has(Slot::Vocabulary) {
                if matches!(family, "MLP") {
                    return text(request, 5000);
                }
                request.contradict(format!(
                    "{} reads numbers, and text is spoken of: the network counts.",
                    a(family)
                ));
            }
            if kind == Some("table") {
                let n = request.size_or(Slot::Features, 20, "The number of features");
                return Sample::Table(n);
            }
            match family {
                "autoencoder" | "VAE" => {
                    request.assume("The images have 1 by 28 by 28 numbers, like MNIST's.");
                    Sample::Image(1, 28, 28)
                }
                "linear regression" => {
                    Sample::Table(request.size_or(Slot::Features, 8, "The number of features"))
                }
                _ => {
                    if request.name(Slot::Task) == Some("regress") {
                        return Sample::Table(request.size_or(
                            Slot::Features,
                            8,
                            "The number of features",
                        ));
                    }
                    request.assume("A sample has 64 numbers, like the digits of 8 by 8.");
                    Sample::Table(64)
                }
            }
        }
    }
}

//! From facts to a plan: which network, what a sample is, what the network gives. What contradicts itself is decided here.
//!
//! The rules: of two values the last one said counts ([`super::read`]); a data set's sizes count before sizes that are said; a
//! network counts before data that it cannot read; what makes a network what it is cannot be taken out of it, so that a CNN
//! without convolutions becomes an MLP.

mod output;
mod sample;

use super::data::{DataSet, Sample};
use super::read::data_set;
use super::slots::{Request, Slot, Value};
use output::output;
use sample::sample;

/// What is to be drawn.
#[derive(Debug, Clone)]
pub(super) struct NetworkPlan {
    pub(super) family: &'static str,
    pub(super) sample: Sample,
    pub(super) output: Output,
    /// The data of a description of training.
    pub(super) training: &'static str,
}

/// What a network gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// A score for each class.
    Classes(u64),
    /// One number: how much speaks for yes.
    Logit,
    /// So many numbers.
    Numbers(u64),
    /// A score for each token, at each place.
    NextToken(u64),
    /// Its input again.
    Same,
    /// A score for each pixel and class.
    Mask(u64),
}

/// The plan of a request; none where no network is asked for. `is_network` is whether a network is asked for in general,
/// `unknown` how many words are not known.
pub(super) fn plan(request: &mut Request, is_network: bool, unknown: usize) -> Option<NetworkPlan> {
    let data = request.name(Slot::Data).and_then(data_set);
    let said = request.name(Slot::Family);
    let mut family = match said {
        Some(family) => family,
        None => {
            let (family, why, is_weak) = inferred(request, data, is_network)?;
            if is_weak && unknown > 1 {
                return None;
            }
            request.assume(format!("{why}: {family}."));
            family
        }
    };
    if family == "GAN" {
        request.assume(
            "A GAN has two networks: the generator is drawn; “discriminator” draws the other one.",
        );
        family = "generator";
    }
    let named = family;
    family = without_its_core(request, family);
    if named == "linear regression" && family == "MLP" && request.value(Slot::Task).is_none() {
        // What was a regression stays one.
        request.tell(Slot::Task, Value::Name("regress"), 0, 0);
    }
    family = for_text(request, data, family);
    chained(request, data, family);
    let (family, data) = readable(request, family, data);
    let sample = sample(request, family, data);
    let family = match (family, sample) {
        ("Transformer", Sample::Image(..)) => {
            request.assume("A Transformer of images reads patches: ViT.");
            "ViT"
        }
        (family, _) => family,
    };
    let output = output(request, family, sample, data);
    let training = match (data, sample) {
        (Some(data), _) => data.training,
        (None, Sample::Image(1, 28, 28))
            if !request.has(Slot::ImageSize) && !request.has(Slot::Kind) =>
        {
            "mnist"
        }
        (None, Sample::Image(3, 32, 32))
            if !request.has(Slot::ImageSize) && !request.has(Slot::Kind) =>
        {
            "cifar10"
        }
        (None, Sample::Text(65, _))
            if matches!(output, Output::NextToken(_)) && !request.has(Slot::Vocabulary) =>
        {
            "shakespeare"
        }
        (None, Sample::Table(64))
            if !request.has(Slot::Features)
                && !request.has(Slot::Kind)
                && !request.has(Slot::Chain) =>
        {
            "digits"
        }
        _ => "",
    };
    Some(NetworkPlan {
        family,
        sample,
        output,
        training,
    })
}

/// The network of a request that names none, why, and whether little speaks for it.
fn inferred(
    request: &Request,
    data: Option<&DataSet>,
    is_network: bool,
) -> Option<(&'static str, &'static str, bool)> {
    let kind = request.name(Slot::Kind);
    let task = request.name(Slot::Task);
    let sample = data.map(|data| data.sample);
    let is_image = kind == Some("images")
        || matches!(sample, Some(Sample::Image(..)))
        || request.has(Slot::ImageSize)
        || request.has(Slot::ImageChannels);
    let has = |slots: &[Slot]| slots.iter().any(|slot| request.has(*slot));
    let is_conv = matches!(
        request.told(Slot::Convolution).map(|told| &told.value),
        Some(Value::Flag(true))
    );
    Some(if task == Some("segment") {
        ("U-Net", "A mask is asked for", false)
    } else if task == Some("reconstruct") || (has(&[Slot::Bottleneck]) && !has(&[Slot::Classes])) {
        ("autoencoder", "An input is to come out again", false)
    } else if has(&[Slot::Chain]) {
        (
            "MLP",
            "Sizes with - between them are those of linear layers",
            false,
        )
    } else if is_conv || has(&[Slot::Channels, Slot::ConvLayers, Slot::Kernel]) {
        ("CNN", "Convolutions are spoken of", false)
    } else if has(&[Slot::Patch]) {
        ("ViT", "Patches are spoken of", false)
    } else if task == Some("next token") {
        ("GPT", "The next token is asked for", false)
    } else if has(&[Slot::Heads]) || request.flag(Slot::Attention) == Some(true) {
        match is_image {
            true => ("ViT", "Attention over images is spoken of", false),
            false => ("Transformer", "Attention is spoken of", false),
        }
    } else if task == Some("forecast") || has(&[Slot::Bidirectional]) {
        ("LSTM", "A sequence is read", false)
    } else if is_image {
        (
            "CNN",
            "Images are read",
            data.is_none() && !is_network && task.is_none(),
        )
    } else if matches!(kind, Some("text" | "sequences" | "series"))
        || matches!(sample, Some(Sample::Text(..) | Sample::Series(..)))
        || has(&[Slot::Vocabulary])
    {
        (
            "LSTM",
            "A sequence is read",
            data.is_none() && !is_network && task.is_none(),
        )
    } else if data.is_some()
        || kind == Some("table")
        || has(&[
            Slot::Features,
            Slot::Hidden,
            Slot::HiddenLayers,
            Slot::DenseSizes,
        ])
    {
        (
            "MLP",
            "Numbers are read",
            data.is_none() && !has(&[Slot::Features]),
        )
    } else if is_network || task.is_some() {
        let is_weak = !has(&[Slot::Layers, Slot::Sizes, Slot::Classes, Slot::Outputs]);
        ("MLP", "No kind of network is named", is_weak)
    } else if has(&[Slot::Layers, Slot::Sizes]) && has(&[Slot::Classes, Slot::Outputs, Slot::Width])
    {
        ("MLP", "No kind of network is named", true)
    } else {
        return None;
    })
}

/// Sizes with - between them are those of linear layers, from what comes in to what goes out. Where neither end fits the data,
/// and in networks of other layers, they are the sizes of what lies between.
fn chained(request: &mut Request, data: Option<&DataSet>, family: &str) {
    let Some(told) = request.told(Slot::Chain).cloned() else {
        return;
    };
    let Value::Sizes(sizes) = &told.value else {
        return;
    };
    let slot = match family {
        "autoencoder" | "VAE" => return,
        "MLP" | "linear regression" | "logistic regression" => {
            let n_in = match data.map(|data| data.sample) {
                Some(Sample::Image(c, h, w)) => Some(c * h * w),
                Some(Sample::Table(n)) => Some(n),
                _ => request.size(Slot::Features),
            };
            let n_out = data
                .and_then(|data| data.classes)
                .or_else(|| request.size(Slot::Classes))
                .or_else(|| request.size(Slot::Outputs));
            let fits = |n: Option<u64>, size: Option<&u64>| n.is_none() || n.as_ref() == size;
            let is_known = n_in.is_some() || n_out.is_some();
            if !is_known
                || fits(n_in, sizes.first())
                || fits(n_out, sizes.last()) && n_out.is_some()
            {
                return;
            }
            Slot::Hidden
        }
        "LSTM" | "GRU" | "RNN" | "Transformer" | "GPT" | "ViT" => Slot::Sizes,
        _ => Slot::Channels,
    };
    request.forget(Slot::Chain);
    request.tell(slot, told.value, told.start, told.end);
}

/// A or an, before a network.
fn a(family: &str) -> String {
    let is_vowel = matches!(family, "MLP" | "LSTM" | "RNN" | "autoencoder");
    format!("{} {family}", if is_vowel { "An" } else { "A" })
}

/// What a network becomes without what makes it one.
fn without_its_core(request: &Request, family: &'static str) -> &'static str {
    let is_conv = matches!(
        family,
        "CNN" | "LeNet" | "ResNet" | "VGG" | "MobileNetV2" | "U-Net"
    );
    let is_attentive = matches!(family, "Transformer" | "GPT" | "ViT");
    if is_conv && request.flag(Slot::Convolution) == Some(false) {
        request.contradict(format!(
            "{} is made of convolutions, which are taken out: an MLP is drawn.",
            a(family)
        ));
        "MLP"
    } else if is_attentive && request.flag(Slot::Attention) == Some(false) {
        let other = if family == "ViT" { "CNN" } else { "LSTM" };
        request.contradict(format!(
            "{} is made of attention, which is taken out: a network without it is drawn, {other}.",
            a(family)
        ));
        other
    } else if family == "ResNet" && request.flag(Slot::Residual) == Some(false) {
        request.contradict(
            "A ResNet is made of skip connections, which are taken out: a plain CNN is drawn.",
        );
        "CNN"
    } else if matches!(family, "linear regression" | "logistic regression")
        && [Slot::Hidden, Slot::HiddenLayers]
            .into_iter()
            .filter_map(|slot| request.told(slot))
            .any(|told| told.value != Value::Number(0.0))
    {
        request.contradict(format!(
            "A {family} has no hidden layers, and the request has: an MLP is drawn."
        ));
        "MLP"
    } else {
        family
    }
}

/// A network that gives a token at each place, where one is asked for.
fn for_text(request: &Request, data: Option<&DataSet>, family: &'static str) -> &'static str {
    let is_next = request.name(Slot::Task) == Some("next token");
    let is_image = matches!(
        data.map(|data| data.sample),
        Some(Sample::Image(..) | Sample::Table(_))
    );
    if !is_next || is_image {
        return family;
    }
    match family {
        "Transformer" => {
            request.assume(
                "A Transformer that predicts the next token looks only at those before it: GPT.",
            );
            "GPT"
        }
        "LSTM" | "GRU" | "RNN" | "GPT" => family,
        family => {
            request.contradict(format!(
                "{} gives no token at each place, and the next token is asked for: the task counts, and an LSTM is drawn.",
                a(family)
            ));
            "LSTM"
        }
    }
}

/// Whether a network can read samples of a form.
fn reads(family: &str, sample: Sample) -> bool {
    match family {
        "LeNet" | "ResNet" | "VGG" | "MobileNetV2" | "U-Net" | "ViT" | "generator"
        | "discriminator" => {
            matches!(sample, Sample::Image(..))
        }
        "CNN" => !matches!(sample, Sample::Table(n) if n < 4),
        "GPT" => matches!(sample, Sample::Text(..)),
        "Transformer" => !matches!(sample, Sample::Table(_)),
        "LSTM" | "GRU" | "RNN" => !matches!(sample, Sample::Table(n) if n < 4),
        "autoencoder" | "VAE" | "linear regression" | "logistic regression" => {
            !matches!(sample, Sample::Text(..))
        }
        _ => true,
    }
}

/// The network with data that it can read: it counts before data that it cannot.
fn readable(
    request: &mut Request,
    family: &'static str,
    data: Option<&'static DataSet>,
) -> (&'static str, Option<&'static DataSet>) {
    let Some(found) = data else {
        return (family, None);
    };
    if reads(family, found.sample) {
        return (family, data);
    }
    let what = match found.sample {
        Sample::Image(..) => "images",
        Sample::Table(_) => "rows of numbers",
        Sample::Text(..) => "text",
        Sample::Series(..) => "sequences",
    };
    request.contradict(format!(
        "{} does not read {what}, which {} has: the network counts, and the data is left out.",
        a(family),
        found.name
    ));
    request.forget(Slot::Data);
    (family, None)
}

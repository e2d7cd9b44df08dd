//! A plan drawn: each kind of network is a function that adds layers one after the other.
//!
//! Sizes that the source decides come from [`Architecture::add_after`]; names are those of Python attributes: `conv1`, `bn1`,
//! `fc`.

mod codes;
mod dense;
mod images;
mod residual;
mod sequences;
mod unet;

use std::cell::RefCell;

use serde_json::{Value as Json, json};

use super::data::Sample;
use super::resolve::{NetworkPlan, Output};
use super::slots::{Request, Slot};
use super::train;
use crate::analysis::{Analysis, Dim, analyse};
use crate::edit::free_id;
use crate::functions::function;
use crate::model::{Architecture, Args, Input, Node, Size};

/// Draws a plan.
pub(super) fn draw(request: &Request, plan: &NetworkPlan) -> Option<Architecture> {
    let mut net = match (plan.family, plan.sample) {
        ("MLP" | "linear regression" | "logistic regression", _) => dense::mlp(request, plan),
        ("CNN", _) => images::cnn(request, plan),
        ("LeNet", _) => images::lenet(request, plan),
        ("VGG", _) => images::vgg(request, plan),
        ("MobileNetV2", _) => images::mobilenet(request, plan)?,
        ("ResNet", _) => residual::resnet(request, plan),
        ("U-Net", _) => unet::unet(request, plan),
        ("LSTM" | "GRU" | "RNN", _) => sequences::recurrent(request, plan),
        ("Transformer", _) => sequences::transformer(request, plan),
        ("GPT", _) => sequences::gpt(request, plan)?,
        ("ViT", _) => sequences::vit(request, plan),
        ("autoencoder", _) => codes::autoencoder(request, plan),
        ("VAE", _) => codes::vae(request, plan),
        ("generator", _) => codes::generator(request, plan),
        ("discriminator", _) => codes::discriminator(request, plan),
        _ => return None,
    };
    net.training = train::training(request, plan, &mut net);
    Some(net)
}

/// A network that is being drawn.
pub(super) struct Build<'a> {
    pub(super) net: Architecture,
    /// The source that the next layer reads.
    pub(super) at: String,
    pub(super) request: &'a Request,
    /// The shape of a source where it is known already, with the number of nodes at which it was found.
    known: RefCell<Option<(String, usize, Vec<u64>)>>,
}

/// Sizes of an input: open, then numbers.
pub(super) fn sizes(sizes: &[u64]) -> Vec<Size> {
    let mut all = vec![Size::Open("N".to_owned())];
    all.extend(sizes.iter().map(|&n| Size::Number(n)));
    all
}

/// Arguments of a call.
pub(super) fn args(value: Json) -> Args {
    match value {
        Json::Object(args) => args,
        _ => Args::new(),
    }
}

/// A node by its parts.
pub(super) fn node(id: &str, kind: &str, all: Json, inputs: &[&str]) -> Node {
    Node {
        id: id.to_owned(),
        kind: kind.to_owned(),
        args: args(all),
        inputs: inputs.iter().map(|&text| text.to_owned()).collect(),
        ..Node::default()
    }
}

/// A layer of a `Sequential`.
pub(super) fn child(kind: &str, all: Json) -> Node {
    node("", kind, all, &[])
}

impl<'a> Build<'a> {
    /// A network that reads numbers of a shape.
    pub(super) fn new(name: &str, request: &'a Request, shape: &[u64]) -> Build<'a> {
        let mut net = Architecture::empty(name);
        net.inputs = vec![Input {
            name: "x".to_owned(),
            shape: sizes(shape),
            dtype: "float32".to_owned(),
            at: None,
        }];
        Build {
            net,
            at: "x".to_owned(),
            request,
            known: RefCell::new(None),
        }
    }

    /// Goes on with a network from its output.
    pub(super) fn after(net: Architecture, request: &'a Request) -> Build<'a> {
        Build {
            at: net.outputs.first().cloned().unwrap_or_default(),
            net,
            request,
            known: RefCell::new(None),
        }
    }

    /// A network that reads tokens, so many of them.
    pub(super) fn of_tokens(name: &str, request: &'a Request, length: u64) -> Build<'a> {
        let mut build = Build::new(name, request, &[length]);
        build.net.inputs[0].name = "tokens".to_owned();
        build.net.inputs[0].dtype = "int64".to_owned();
        build.at = "tokens".to_owned();
        build
    }

    /// The sizes after the first of what the next layer reads.
    pub(super) fn shape(&self) -> Vec<u64> {
        if let Some((at, n, shape)) = &*self.known.borrow()
            && *at == self.at
            && *n == self.net.nodes.len()
        {
            return shape.clone();
        }
        let shape = self.found(&analyse(&self.net));
        self.learn(&shape);
        shape
    }

    /// Keeps the shape of what the next layer reads.
    pub(super) fn learn(&self, shape: &[u64]) {
        let known = (self.at.clone(), self.net.nodes.len(), shape.to_vec());
        *self.known.borrow_mut() = Some(known);
    }

    /// The sizes after the first of what the next layer reads, as an analysis has them.
    pub(super) fn found(&self, analysis: &Analysis) -> Vec<u64> {
        let fact = match analysis.nodes.get(&self.at) {
            Some(facts) => facts.results.first(),
            None => analysis.inputs.get(&self.at),
        };
        let sizes = fact.map_or(&[][..], |fact| &fact.shape);
        sizes
            .iter()
            .skip(1)
            .map(|size| match size {
                Dim::Number(n) => u64::try_from(*n).unwrap_or(0),
                Dim::Open(_) => 0,
            })
            .collect()
    }

    /// The smaller side of the image, or the steps of the sequence, that the next layer reads.
    pub(super) fn side(&self) -> u64 {
        self.shape().iter().skip(1).copied().min().unwrap_or(1)
    }

    /// Adds a layer or a function with a name that begins like `id`.
    pub(super) fn add(&mut self, id: &str, kind: &str, all: Json) -> String {
        let id = free_id(&self.net.nodes, &self.net.input_names(), id);
        let all = args(all);
        let pairs: Vec<(&str, Json)> = (all.iter())
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        let at = self.at.clone();
        if function(kind).is_some() || self.net.block(kind).is_some() || kind == "Sequential" {
            self.net
                .nodes
                .push(node(&id, kind, Json::Object(all.clone()), &[&at]));
        } else {
            self.net.add_after(&at, kind, &pairs);
            if let Some(last) = self.net.nodes.last_mut() {
                last.id.clone_from(&id);
            }
        }
        self.net.outputs = vec![id.clone()];
        self.at.clone_from(&id);
        id
    }

    /// Adds a node that reads several sources.
    pub(super) fn join(&mut self, id: &str, kind: &str, all: Json, inputs: &[&str]) -> String {
        let id = free_id(&self.net.nodes, &self.net.input_names(), id);
        self.net.nodes.push(node(&id, kind, all, inputs));
        self.net.outputs = vec![id.clone()];
        self.at.clone_from(&id);
        id
    }

    /// The activation that is asked for; none where it is taken out.
    pub(super) fn activation(&self, usual: &'static str) -> Option<(&'static str, Json)> {
        let name = self.request.name(Slot::Activation).unwrap_or(usual);
        let name = match name {
            "none" => return None,
            "any" => usual,
            name => name,
        };
        Some((name, activation_args(self.request, name)))
    }

    /// Adds the activation: a function where there is one.
    pub(super) fn activate(&mut self, usual: &'static str) {
        if let Some((name, all)) = self.activation(usual) {
            match as_function(name) {
                Some(function) => self.add(function, function, json!({})),
                None => self.add("act", name, all),
            };
        }
    }

    /// Adds dropout where it is asked for.
    pub(super) fn drop(&mut self) {
        if let Some(p) = self.request.number(Slot::Dropout)
            && p > 0.0
        {
            self.add("dropout", "Dropout", json!({"p": p}));
        }
    }

    /// Adds the normalization that is asked for.
    pub(super) fn normalize(&mut self, id: &str, usual: &'static str) {
        let shape = self.shape();
        let name = self.request.name(Slot::Norm).unwrap_or("none");
        let name = if name == "any" { usual } else { name };
        let Some((kind, all)) = norm(self.request, name, &shape) else {
            return;
        };
        let id = if name == "BatchNorm" {
            id.to_owned()
        } else {
            id.replacen("bn", "norm", 1)
        };
        self.add(&id, &kind, all);
    }

    /// Makes one row of numbers of what has several dimensions.
    pub(super) fn flatten(&mut self) {
        if self.shape().len() > 1 {
            self.add("flatten", "flatten", json!({"start_dim": 1}));
        }
    }

    /// Whether linear layers and convolutions add numbers; an argument where they do not.
    pub(super) fn bias(&self) -> bool {
        self.request.flag(Slot::Bias) != Some(false)
    }

    /// Arguments with `bias` where it is not the usual one.
    pub(super) fn with_bias(&self, mut all: Json) -> Json {
        if !self.bias() {
            all["bias"] = false.into();
        }
        all
    }

    /// Adds the layer that answers, and squashes it where that is asked for.
    pub(super) fn head(&mut self, id: &str, output: Output) {
        let n = match output {
            Output::Classes(n) | Output::Numbers(n) | Output::NextToken(n) | Output::Mask(n) => n,
            Output::Logit | Output::Same => 1,
        };
        let all = self.with_bias(json!({"out_features": n}));
        self.add(id, "Linear", all);
        self.squash(output);
    }

    /// What is asked to follow the last layer.
    pub(super) fn squash(&mut self, output: Output) {
        let loss = self.request.name(Slot::Loss);
        let is_classes = matches!(output, Output::Classes(_) | Output::NextToken(_));
        match self.request.name(Slot::Squash) {
            Some("softmax") if is_classes && loss != Some("NLLLoss") => {
                self.request
                    .assume("CrossEntropyLoss takes scores and has softmax in it, so that no softmax is added.");
            }
            Some("softmax") if !is_classes && output != Output::Same => {
                self.request
                    .assume("Softmax over one answer says nothing and is left out.");
            }
            Some("sigmoid") if !is_classes => {
                self.add("sigmoid", "sigmoid", json!({}));
            }
            Some("tanh") if !is_classes => {
                self.add("tanh", "tanh", json!({}));
            }
            Some("sigmoid" | "tanh") => self.request.assume(
                "CrossEntropyLoss takes scores of any size, so that nothing squashes them.",
            ),
            _ if output == Output::Logit && loss == Some("BCELoss") => {
                self.add("sigmoid", "sigmoid", json!({}));
            }
            _ => {}
        }
        if is_classes && loss == Some("NLLLoss") {
            self.add("log_softmax", "log_softmax", json!({}));
        }
    }

    /// The network, in which a name with a number that stands alone has none: `fc`, not `fc1`.
    pub(super) fn done(mut self, note: &str) -> Architecture {
        note.clone_into(&mut self.net.note);
        let ids: Vec<String> = self.net.nodes.iter().map(|node| node.id.clone()).collect();
        for id in &ids {
            let Some(base) = id.strip_suffix('1').filter(|base| {
                !base.is_empty() && !base.ends_with(|c: char| c.is_ascii_digit() || c == '_')
            }) else {
                continue;
            };
            let is_alone = !ids.iter().any(|other| {
                other != id
                    && other
                        .strip_prefix(base)
                        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
            });
            if is_alone && crate::check::is_name(base) && !base.starts_with("layer") {
                self.rename(id, base);
            }
        }
        self.net
    }

    fn rename(&mut self, from: &str, to: &str) {
        let names = (self.net.nodes.iter_mut())
            .flat_map(|node| node.inputs.iter_mut().chain([&mut node.id]))
            .chain(&mut self.net.outputs);
        for name in names {
            if name == from {
                to.clone_into(name);
            }
        }
    }
}

/// The function of an activation, where there is one.
pub(super) fn as_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "ReLU" => "relu",
        "GELU" => "gelu",
        "SiLU" => "silu",
        "Tanh" => "tanh",
        "Sigmoid" => "sigmoid",
        _ => return None,
    })
}

/// The arguments of an activation.
pub(super) fn activation_args(request: &Request, name: &str) -> Json {
    match (name, request.number(Slot::Slope)) {
        ("LeakyReLU", Some(slope)) => json!({"negative_slope": slope}),
        _ => json!({}),
    }
}

/// The normalization of a shape, with its arguments; none for "none".
pub(super) fn norm(request: &Request, name: &str, shape: &[u64]) -> Option<(String, Json)> {
    let dims = shape.len().saturating_sub(1);
    let channels = shape.first().copied().unwrap_or(1);
    Some(match name {
        "BatchNorm" | "InstanceNorm" => {
            let d = dims.max(1);
            if dims == 0 && name == "InstanceNorm" {
                request.assume(
                    "InstanceNorm of single numbers leaves nothing; LayerNorm stands in its place.",
                );
                return Some((
                    "LayerNorm".to_owned(),
                    json!({"normalized_shape": channels}),
                ));
            }
            (format!("{name}{d}d"), json!({"num_features": channels}))
        }
        "GroupNorm" => {
            let wanted = request.size(Slot::Groups).unwrap_or(8);
            let groups = divisor(channels, wanted);
            if request.has(Slot::Groups) && groups != wanted {
                request.contradict(format!(
                    "{channels} channels are not {wanted} equal groups: {groups} are taken."
                ));
            }
            (
                "GroupNorm".to_owned(),
                json!({"num_groups": groups, "num_channels": channels}),
            )
        }
        "LayerNorm" | "RMSNorm" if dims == 2 => {
            request.assume(format!("{name} of images is GroupNorm with one group."));
            (
                "GroupNorm".to_owned(),
                json!({"num_groups": 1, "num_channels": channels}),
            )
        }
        "LayerNorm" | "RMSNorm" => {
            let last = shape.last().copied().unwrap_or(1);
            (name.to_owned(), json!({"normalized_shape": last}))
        }
        _ => return None,
    })
}

/// The largest divisor of a number that is at most another.
pub(super) fn divisor(n: u64, most: u64) -> u64 {
    (1..=most.min(n).max(1))
        .rev()
        .find(|d| n.is_multiple_of(*d))
        .unwrap_or(1)
}

/// The sizes of hidden layers: those that are said, or as many of the usual size as there are to be.
pub(super) fn hidden(request: &Request, usual: &[u64]) -> Vec<u64> {
    let said = request
        .sizes(Slot::Hidden)
        .or_else(|| request.sizes(Slot::DenseSizes))
        .or_else(|| request.sizes(Slot::Sizes))
        .or_else(|| request.size(Slot::Width).map(|width| vec![width]));
    if request.has(Slot::Layers) && !request.has(Slot::HiddenLayers) && said.is_none() {
        request.assume("Layers are counted as hidden ones; the layer that answers follows them.");
    }
    let count = request
        .size(Slot::HiddenLayers)
        .or_else(|| request.size(Slot::Layers));
    let is_deep = request.flag(Slot::Deep);
    let scaled = |n: u64| match request.name(Slot::Scale) {
        Some("small") => n / 2,
        Some("large") => n * 4,
        _ => n,
    };
    match (said, count.map(|n| n as usize)) {
        (_, Some(0)) => Vec::new(),
        (Some(sizes), Some(n)) if sizes.len() == 1 => vec![sizes[0]; n],
        (Some(sizes), Some(n)) if sizes.len() != n => {
            request.contradict(format!(
                "{n} layers and {} sizes do not go together: the sizes count.",
                sizes.len()
            ));
            sizes
        }
        (Some(sizes), _) => {
            // "deep" with one size: it repeats.
            if is_deep == Some(true) && sizes.len() == 1 {
                request.assume("A deep network has 4 hidden layers.");
                return vec![sizes[0]; 4];
            }
            sizes
        }
        (None, Some(n)) => {
            let size = scaled(usual.first().copied().unwrap_or(128));
            request.assume(format!("Each hidden layer has {size} units."));
            vec![size; n]
        }
        (None, None) => {
            let sizes: Vec<u64> = match is_deep {
                Some(true) => vec![scaled(usual.first().copied().unwrap_or(128)); 4],
                Some(false) => vec![scaled(usual.first().copied().unwrap_or(128))],
                None => usual.iter().map(|&n| scaled(n)).collect(),
            };
            if !sizes.is_empty() {
                let shown: Vec<String> = sizes.iter().map(u64::to_string).collect();
                request.assume(format!("Units of the hidden layers: {}.", shown.join(", ")));
            }
            sizes
        }
    }
}

/// The numbers of a sample in a row.
pub(super) fn row(sample: Sample) -> u64 {
    match sample {
        Sample::Image(c, h, w) => c * h * w,
        Sample::Table(n) => n,
        Sample::Text(_, length) => length,
        Sample::Series(length, features) => length * features,
    }
}

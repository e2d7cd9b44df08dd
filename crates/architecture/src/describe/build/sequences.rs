//! Networks that read sequences: recurrent ones and Transformers, of text, of numbers, of patches.

use serde_json::{Value as Json, json};

use super::{Build, divisor};
use crate::describe::data::Sample;
use crate::describe::resolve::{NetworkPlan, Output};
use crate::describe::slots::{Request, Slot};
use crate::model::{Architecture, Block, Node};
use crate::presets::preset;

/// The input, and the embedding of tokens; gives how many numbers a step has.
fn begin<'a>(name: &str, request: &'a Request, plan: &NetworkPlan, width: u64) -> Build<'a> {
    match plan.sample {
        Sample::Text(vocabulary, length) => {
            let mut build = Build::of_tokens(name, request, length);
            let width = request.size(Slot::Embedding).unwrap_or(width);
            build.add(
                "embedding",
                "Embedding",
                json!({"num_embeddings": vocabulary, "embedding_dim": width}),
            );
            build
        }
        Sample::Image(c, h, w) => {
            request.assume("The rows of an image are read as the steps of a sequence.");
            let mut build = Build::new(name, request, &[c, h, w]);
            if c == 1 {
                build.add("rows", "flatten", json!({"start_dim": 1, "end_dim": 2}));
            } else {
                build.add("permute", "permute", json!({"dims": [0, 2, 1, 3]}));
                build.add("rows", "flatten", json!({"start_dim": 2}));
            }
            build
        }
        Sample::Series(length, features) => Build::new(name, request, &[length, features]),
        Sample::Table(n) => {
            request.assume("The features are read as the steps of a sequence.");
            let mut build = Build::new(name, request, &[n]);
            build.add("steps", "unsqueeze", json!({"dim": 2}));
            build
        }
    }
}

/// LSTM, GRU or RNN.
pub(super) fn recurrent(request: &Request, plan: &NetworkPlan) -> Architecture {
    let is_next = matches!(plan.output, Output::NextToken(_));
    let name = match (plan.family, is_next) {
        ("LSTM", true) => "CharLSTM",
        ("GRU", true) => "CharGRU",
        ("RNN", true) => "CharRNN",
        (family, _) => &format!("{family}Net"),
    };
    let sizes = match request
        .sizes(Slot::Sizes)
        .or_else(|| request.sizes(Slot::Hidden))
    {
        Some(sizes) if sizes.len() == 2 && !request.has(Slot::Layers) && sizes[0] <= 4 => {
            request.assume(format!("{} layers of {} are read.", sizes[0], sizes[1]));
            vec![sizes[1]; sizes[0] as usize]
        }
        Some(sizes) if sizes.len() > 1 => {
            if let Some(n) = request.size(Slot::Layers)
                && n as usize != sizes.len()
            {
                request.contradict(format!(
                    "{n} layers and {} sizes do not go together: the sizes count.",
                    sizes.len()
                ));
            }
            sizes
        }
        one => {
            let width = one
                .and_then(|one| one.first().copied())
                .or_else(|| request.size(Slot::Width))
                .unwrap_or_else(|| {
                    let width = match request.name(Slot::Scale) {
                        Some("small") => 64,
                        Some("large") => 512,
                        _ => 128,
                    };
                    request.assume(format!("The hidden state has {width} numbers."));
                    width
                });
            let count = request
                .size(Slot::Layers)
                .or_else(|| request.size(Slot::HiddenLayers))
                .unwrap_or_else(|| {
                    let n = if request.flag(Slot::Deep) == Some(true) {
                        3
                    } else {
                        1
                    };
                    request.assume(if n == 1 {
                        "There is one recurrent layer."
                    } else {
                        "There are three recurrent layers."
                    });
                    n
                });
            vec![width; count.max(1) as usize]
        }
    };
    let embedding = match (request.size(Slot::Embedding), plan.sample) {
        (None, Sample::Text(..)) => {
            request.assume("An embedding has 64 numbers.");
            64
        }
        (said, _) => said.unwrap_or(64),
    };
    let mut build = begin(name, request, plan, embedding);
    let mut is_both = request.flag(Slot::Bidirectional) == Some(true);
    if is_both && is_next {
        request.contradict(
            "A network that reads in both directions sees the next token, which it is to predict: it reads forwards.",
        );
        is_both = false;
    }
    let dropout = request.number(Slot::Dropout).filter(|&p| p > 0.0);
    let is_even = sizes.iter().all(|&size| size == sizes[0]);
    let stacks: Vec<(u64, usize)> = if is_even {
        vec![(sizes[0], sizes.len())]
    } else {
        sizes.iter().map(|&size| (size, 1)).collect()
    };
    for (i, &(size, count)) in stacks.iter().enumerate() {
        let mut all = json!({"hidden_size": size, "batch_first": true});
        if count > 1 {
            all["num_layers"] = count.into();
            if let Some(p) = dropout {
                all["dropout"] = p.into();
            }
        }
        if is_both {
            all["bidirectional"] = true.into();
        }
        if plan.family == "RNN" && request.name(Slot::Activation) == Some("ReLU") {
            all["nonlinearity"] = "relu".into();
        }
        let all = build.with_bias(all);
        build.add(&format!("rnn{}", i + 1), plan.family, all);
    }
    if !is_next {
        // The last step has read all of them.
        build.add("last", "select", json!({"dim": 1, "index": -1}));
    }
    build.normalize("bn", "LayerNorm");
    build.drop();
    build.head("head", plan.output);
    build.done(if is_next {
        "A network with a memory that reads a text and scores the next token."
    } else {
        "A network with a memory that reads a sequence and answers at its end."
    })
}

/// The width and the heads of attention: heads divide the width.
fn width_and_heads(request: &Request, width: u64, heads: u64) -> (u64, u64) {
    let is_said =
        request.has(Slot::Width) || request.has(Slot::Embedding) || request.has(Slot::Sizes);
    let width = request
        .size(Slot::Width)
        .or_else(|| request.size(Slot::Embedding))
        .or_else(|| request.size(Slot::Sizes))
        .unwrap_or_else(|| {
            let scaled = match request.name(Slot::Scale) {
                Some("small") => width / 2,
                Some("large") => width * 4,
                _ => width,
            };
            // A width that nothing is said of follows the heads.
            match request.size(Slot::Heads) {
                Some(heads) if scaled % heads != 0 => heads * (scaled / heads).max(8),
                _ => scaled,
            }
        });
    if !is_said {
        request.assume(format!("The width is {width}."));
    }
    if request.has(Slot::Width) && request.has(Slot::Embedding) {
        request.size(Slot::Embedding);
    }
    let heads = match request.size(Slot::Heads) {
        Some(said) if width.is_multiple_of(said) => said,
        Some(said) => {
            let heads = divisor(width, said);
            request.contradict(format!(
                "A width of {width} is not {said} equal heads: {heads} are taken."
            ));
            heads
        }
        None => {
            let heads = divisor(width, heads);
            request.assume(format!("Attention has {heads} heads."));
            heads
        }
    };
    (width, heads)
}

/// How many Transformer blocks stand in a row.
fn depth(request: &Request, usual: u64) -> u64 {
    let n = request
        .size(Slot::Layers)
        .or_else(|| request.size(Slot::HiddenLayers))
        .unwrap_or_else(|| {
            let n = match (request.flag(Slot::Deep), request.name(Slot::Scale)) {
                (Some(true), _) => 3 * usual,
                (_, Some("small")) => (usual / 2).max(1),
                (_, Some("large")) => 2 * usual,
                _ => usual,
            };
            request.assume(if n == 1 {
                "There is one block.".to_owned()
            } else {
                format!("{n} blocks stand in a row.")
            });
            n
        });
    n.clamp(1, 64)
}

/// Adds blocks of a Transformer's encoder.
fn encoder(build: &mut Build<'_>, width: u64, heads: u64, count: u64) {
    let request = build.request;
    let inner = request.size(Slot::FeedForward).unwrap_or(4 * width);
    let mut all = json!({
        "d_model": width, "nhead": heads, "dim_feedforward": inner, "batch_first": true, "norm_first": true,
        "dropout": request.number(Slot::Dropout).unwrap_or(0.0),
    });
    match request.name(Slot::Activation) {
        None | Some("GELU" | "any" | "none") => all["activation"] = "gelu".into(),
        Some("ReLU") => {}
        Some(name) => {
            request.assume(format!(
                "A Transformer's block has ReLU or GELU, not {name}: it has GELU."
            ));
            all["activation"] = "gelu".into();
        }
    }
    let all = build.with_bias(all);
    build.add("encoder", "TransformerEncoderLayer", all);
    if let Some(last) = build.net.nodes.last_mut()
        && count > 1
    {
        last.repeat = Some(count as u32);
    }
}

/// A Transformer's encoder that answers once for a sequence, or at each place.
pub(super) fn transformer(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (width, heads) = width_and_heads(request, 64, 4);
    let count = depth(request, 2);
    let mut build = match plan.sample {
        Sample::Text(..) => begin_text(request, plan, width),
        _ => {
            let mut build = begin("Transformer", request, plan, width);
            let all = build.with_bias(json!({"out_features": width}));
            build.add("enter", "Linear", all);
            build
        }
    };
    let length = build.shape().first().copied().unwrap_or(1);
    let tokens = build.at.clone();
    build.join(
        "position",
        "parameter",
        json!({"shape": [1, length, width], "init": "normal"}),
        &[],
    );
    let places = build.at.clone();
    build.join("add", "add", json!({}), &[&tokens, &places]);
    encoder(&mut build, width, heads, count);
    build.add("norm", "LayerNorm", json!({"normalized_shape": width}));
    build.add("mean", "mean", json!({"dim": [1]}));
    build.head("head", plan.output);
    build.done("Each place of a sequence looks at all others; the mean of the places answers (Vaswani and others, 2017).")
}

fn begin_text<'a>(request: &'a Request, plan: &NetworkPlan, width: u64) -> Build<'a> {
    let Sample::Text(vocabulary, length) = plan.sample else {
        return Build::new("Transformer", request, &[width]);
    };
    let mut build = Build::of_tokens("Transformer", request, length);
    build.add(
        "embedding",
        "Embedding",
        json!({"num_embeddings": vocabulary, "embedding_dim": width}),
    );
    build
}

/// A Transformer of an image's patches.
pub(super) fn vit(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (c, h, w) = match plan.sample {
        Sample::Image(c, h, w) => (c, h, w),
        _ => (3, 32, 32),
    };
    let common = |n: u64| h % n == 0 && w % n == 0;
    let usual = if h.min(w) >= 128 { 16 } else { 4 };
    let wanted = request.size(Slot::Patch).unwrap_or(usual);
    let patch = (1..=wanted).rev().find(|&n| common(n)).unwrap_or(1);
    if request.has(Slot::Patch) && patch != wanted {
        request.contradict(format!(
            "An image of {h} by {w} has no whole patches of {wanted}: {patch} by {patch} are taken."
        ));
    } else if !request.has(Slot::Patch) {
        request.assume(format!("A patch has {patch} by {patch} pixels."));
    }
    let (width, heads) = width_and_heads(request, 64, 4);
    let count = depth(request, 4);
    let mut build = Build::new("ViT", request, &[c, h, w]);
    build.add(
        "patches",
        "Conv2d",
        json!({"out_channels": width, "kernel_size": patch, "stride": patch}),
    );
    build.add("flatten", "flatten", json!({"start_dim": 2}));
    let places = build.add("transpose", "transpose", json!({"dim0": 1, "dim1": 2}));
    let token = build.join(
        "class_token",
        "parameter",
        json!({"shape": [1, 1, width]}),
        &[],
    );
    let token = build.join(
        "expand_batch",
        "expand_batch",
        json!({}),
        &[&token, &places],
    );
    let all = build.join("cat", "cat", json!({"dim": 1}), &[&token, &places]);
    let n = (h / patch) * (w / patch) + 1;
    let positions = build.join(
        "position",
        "parameter",
        json!({"shape": [1, n, width], "init": "normal"}),
        &[],
    );
    build.join("add", "add", json!({}), &[&all, &positions]);
    encoder(&mut build, width, heads, count);
    build.add("norm", "LayerNorm", json!({"normalized_shape": width}));
    build.add("select", "select", json!({"dim": 1, "index": 0}));
    build.head("head", plan.output);
    build.done("Patches of an image as a sequence, a class token before them, and a Transformer (Dosovitskiy and others, 2020).")
}

/// GPT: the preset's blocks with the sizes that are asked for.
pub(super) fn gpt(request: &Request, plan: &NetworkPlan) -> Option<Architecture> {
    let Sample::Text(vocabulary, length) = plan.sample else {
        return None;
    };
    let (width, heads) = width_and_heads(request, 128, 4);
    let count = depth(request, 4);
    let mut net = preset("gpt").ok()?;
    net.training = None;
    net.inputs[0].shape = super::sizes(&[length]);
    let mut tables = [vocabulary, length].into_iter();
    for node in &mut net.nodes {
        let mut set = |name: &str, value: u64| {
            node.args.insert(name.to_owned(), value.into());
        };
        match node.kind.as_str() {
            "Embedding" => {
                set("num_embeddings", tables.next()?);
                set("embedding_dim", width);
            }
            "Block" => {
                set("width", width);
                set("heads", heads);
                node.repeat = (count > 1).then_some(count as u32);
            }
            "LayerNorm" => set("normalized_shape", width),
            "Linear" => {
                set("in_features", width);
                set("out_features", vocabulary);
            }
            _ => {}
        }
    }
    if let Some(inner) = request.size(Slot::FeedForward)
        && inner != 4 * width
    {
        request.contradict(format!(
            "The inner width of these blocks is 4 times {width}, not {inner}: 4 times is taken."
        ));
    }
    let dropout = request.number(Slot::Dropout).filter(|&p| p > 0.0);
    let bias = request.flag(Slot::Bias) == Some(true);
    let act = match request.name(Slot::Activation) {
        None | Some("none" | "any") => None,
        Some(name) => Some((name, super::as_function(name).unwrap_or(name))),
    };
    let is_rms = match request.name(Slot::Norm) {
        Some("RMSNorm") => true,
        None | Some("LayerNorm" | "any") => false,
        Some(name) => {
            request.assume(format!(
                "A GPT is normalized by LayerNorm or RMSNorm, not {name}: LayerNorm is taken."
            ));
            false
        }
    };
    for block in &mut net.blocks {
        if let Some(p) = dropout {
            with_dropout(block, p);
        }
        for node in &mut block.nodes {
            if let (Some((_, kind)), "gelu") = (act, node.kind.as_str()) {
                kind.clone_into(&mut node.kind);
            }
        }
    }
    let nodes = net
        .blocks
        .iter_mut()
        .flat_map(|block| &mut block.nodes)
        .chain(&mut net.nodes);
    for node in nodes {
        if is_rms && node.kind == "LayerNorm" {
            "RMSNorm".clone_into(&mut node.kind);
            node.args.remove("bias");
        }
        if bias {
            node.args.remove("bias");
        }
    }
    let mut build = Build::after(net, request);
    build.squash(plan.output);
    Some(build.net)
}

/// Dropout after the last layer of a block that ends in one.
fn with_dropout(block: &mut Block, p: f64) {
    let Some(last) = block.nodes.last().filter(|node| node.kind == "Linear") else {
        return;
    };
    let dropout = Node {
        id: "dropout".to_owned(),
        kind: "Dropout".to_owned(),
        args: super::args(json!({"p": Json::from(p)})),
        inputs: vec![last.id.clone()],
        ..Node::default()
    };
    block.nodes.push(dropout);
    block.outputs = vec!["dropout".to_owned()];
}

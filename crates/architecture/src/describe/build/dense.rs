//! Networks of linear layers.

use serde_json::json;

use super::{Build, activation_args, args, as_function, child, divisor, hidden, node, norm, row};
use crate::describe::data::Sample;
use crate::describe::resolve::NetworkPlan;
use crate::describe::slots::{Request, Slot};
use crate::model::{Architecture, Block, Parameter};

/// Linear layers with bends between them; without hidden ones, a regression.
pub(super) fn mlp(request: &Request, plan: &NetworkPlan) -> Architecture {
    let (name, note) = match plan.family {
        "linear regression" => ("LinearRegression", "A weighted sum of the features."),
        "logistic regression" => (
            "LogisticRegression",
            "A weighted sum of the features for each class.",
        ),
        _ => ("MLP", "Linear layers with bends between them."),
    };
    let mut build = match plan.sample {
        Sample::Text(vocabulary, length) => {
            let mut build = Build::of_tokens(name, request, length);
            let width = request.size_or(Slot::Embedding, 64, "The size of an embedding");
            build.add(
                "embedding",
                "Embedding",
                json!({"num_embeddings": vocabulary, "embedding_dim": width}),
            );
            build.add("mean", "mean", json!({"dim": [1]}));
            request.assume("The mean of the tokens' embeddings is read.");
            build
        }
        Sample::Series(length, features) => {
            let mut build = Build::new(name, request, &[length, features]);
            build.flatten();
            build
        }
        sample => Build::new(name, request, &[row(sample)]),
    };
    let chain = request.sizes(Slot::Chain);
    let sizes = match (&chain, plan.family) {
        (Some(chain), _) if chain.len() > 1 => {
            if let (Some(first), [said]) = (chain.first(), &build.shape()[..])
                && first != said
            {
                request.contradict(format!(
                    "A sample has {said} numbers, and the sizes begin with {first}: the data counts."
                ));
            }
            if request.has(Slot::Hidden) {
                request.contradict("Hidden layers are said besides the sizes with - between them: the latter count.");
                request.sizes(Slot::Hidden);
            }
            chain[1..chain.len() - 1].to_vec()
        }
        (_, "MLP") => hidden(request, &[128]),
        _ => Vec::new(),
    };
    let is_residual = request.flag(Slot::Residual) == Some(true);
    if is_residual {
        residual(&mut build, &sizes);
    } else {
        for (i, size) in sizes.iter().enumerate() {
            let n = i + 1;
            let all = build.with_bias(json!({"out_features": size}));
            build.add(&format!("fc{n}"), "Linear", all);
            build.normalize(&format!("bn{n}"), "BatchNorm");
            build.activate("ReLU");
            build.drop();
        }
    }
    if sizes.is_empty() {
        build.drop();
    }
    let id = match (sizes.len(), is_residual) {
        (0, _) => "fc".to_owned(),
        (_, true) => "head".to_owned(),
        (n, false) => format!("fc{}", n + 1),
    };
    build.head(&id, plan.output);
    build.done(note)
}

/// A linear layer to the width, then blocks that add to what they read.
fn residual(build: &mut Build<'_>, sizes: &[u64]) {
    let request = build.request;
    let width = sizes.first().copied().unwrap_or(128);
    if sizes.iter().any(|&size| size != width) {
        request.assume(format!(
            "Blocks with a way around them keep their width: all hidden layers have {width} units."
        ));
    }
    let all = build.with_bias(json!({"out_features": width}));
    build.add("fc1", "Linear", all);
    build.activate("ReLU");
    let mut nodes = vec![node(
        "fc",
        "Linear",
        build.with_bias(json!({"in_features": "=width", "out_features": "=width"})),
        &["x"],
    )];
    let mut at = "fc".to_owned();
    let name =
        request.name(Slot::Norm).map_or(
            "none",
            |name| if name == "any" { "BatchNorm" } else { name },
        );
    if let Some((kind, _)) = norm(request, name, &[width]) {
        let argument = match kind.as_str() {
            "GroupNorm" => {
                json!({"num_groups": divisor(width, request.size(Slot::Groups).unwrap_or(8)), "num_channels": "=width"})
            }
            "LayerNorm" | "RMSNorm" => json!({"normalized_shape": "=width"}),
            _ => json!({"num_features": "=width"}),
        };
        nodes.push(node("norm", &kind, argument, &[&at]));
        "norm".clone_into(&mut at);
    }
    if let Some((name, all)) = build.activation("ReLU") {
        match as_function(name) {
            Some(function) => nodes.push(node("act", function, json!({}), &[&at])),
            None => nodes.push(node("act", name, all, &[&at])),
        }
        "act".clone_into(&mut at);
    }
    if let Some(p) = request.number(Slot::Dropout)
        && p > 0.0
    {
        nodes.push(node("dropout", "Dropout", json!({"p": p}), &[&at]));
        "dropout".clone_into(&mut at);
    }
    nodes.push(node("add", "add", json!({}), &["x", &at]));
    build.net.blocks.push(Block {
        name: "ResidualBlock".to_owned(),
        note: "A linear layer that adds to what it read.".to_owned(),
        parameters: vec![Parameter {
            name: "width".to_owned(),
            default: width.into(),
        }],
        inputs: vec!["x".to_owned()],
        nodes,
        outputs: vec!["add".to_owned()],
    });
    let count = sizes.len().saturating_sub(1).max(1);
    build.add("blocks", "ResidualBlock", json!({"width": width}));
    if let Some(last) = build.net.nodes.last_mut()
        && count > 1
    {
        last.repeat = Some(count as u32);
    }
}

/// Linear layers as children of a `Sequential`: sizes from the first to the last, with bends between them.
pub(super) fn stack(build: &Build<'_>, sizes: &[u64]) -> Vec<crate::model::Node> {
    let request = build.request;
    let mut children = Vec::new();
    for (i, pair) in sizes.windows(2).enumerate() {
        children.push(child(
            "Linear",
            build.with_bias(json!({"in_features": pair[0], "out_features": pair[1]})),
        ));
        if i + 2 == sizes.len() {
            break;
        }
        let name =
            request.name(Slot::Norm).map_or(
                "none",
                |name| if name == "any" { "BatchNorm" } else { name },
            );
        if let Some((kind, all)) = norm(request, name, &[pair[1]]) {
            children.push(child(&kind, all));
        }
        if let Some((name, _)) = build.activation("ReLU") {
            let mut one = child(name, json!({}));
            one.args = args(activation_args(request, name));
            children.push(one);
        }
        if let Some(p) = request.number(Slot::Dropout)
            && p > 0.0
        {
            children.push(child("Dropout", json!({"p": p})));
        }
    }
    children
}

//! One layer of a list: its arguments in the order of the signature, held to the catalog.

use serde_json::{Value as Json, json};

use super::Element;
use crate::analysis::analyse;
use crate::catalog;
use crate::describe::build::{Build, as_function, divisor};
use crate::describe::data::Sample;
use crate::describe::slots::Slot;

/// Arguments that the source decides.
const DECIDED: [&str; 10] = [
    "in_features",
    "in_channels",
    "num_features",
    "input_size",
    "normalized_shape",
    "num_channels",
    "d_model",
    "embed_dim",
    "num_parameters",
    "num_groups",
];

/// Adds a layer; says what it is, or why it cannot stand there.
pub(super) fn add(
    build: &mut Build<'_>,
    element: &Element,
    is_next: bool,
    sample: Sample,
) -> Result<String, String> {
    let shape = build.shape();
    let dims = shape.len().saturating_sub(1);
    let mut numbers: Vec<f64> = element.numbers.iter().map(|number| number.value).collect();
    let whole = |x: f64| x.fract() == 0.0 && (0.0..=1e9).contains(&x);
    let named = |slots: &[Slot]| {
        element
            .named
            .iter()
            .find(|(slot, _)| slots.contains(slot))
            .map(|(_, value)| *value)
    };
    let kind = element.kind;
    // What a kind without its dimensions is here.
    let full = match kind {
        "Conv" | "ConvTranspose" | "MaxPool" | "AvgPool" | "AdaptiveAvgPool"
        | "AdaptiveMaxPool" | "LPPool" | "ZeroPad" | "ReflectionPad" | "ReplicationPad"
        | "CircularPad" | "ConstantPad" | "InstanceNorm" => {
            format!("{kind}{}d", dims.max(1))
        }
        "BatchNorm" => format!("BatchNorm{}d", dims.clamp(1, 3)),
        "GlobalPool" => format!("AdaptiveAvgPool{}d", dims.max(1)),
        kind => kind.to_owned(),
    };
    if dims == 0 && (full.starts_with("Conv") || full.contains("Pool")) {
        let n = shape.first().copied().unwrap_or(0);
        return Err(format!(
            "left out: {kind} reads images or sequences, and here stand {n} numbers in a row"
        ));
    }
    let mut all = json!({});
    let mut id = full.as_str();
    match full.as_str() {
        "Dropout" | "Dropout1d" | "Dropout2d" | "Dropout3d" | "AlphaDropout" => {
            if let Some(&p) = numbers.first() {
                let p = if p > 1.0 && p <= 95.0 { p / 100.0 } else { p };
                if !(0.0..=1.0).contains(&p) {
                    return Err(format!("a probability lies between 0 and 1, not {p}"));
                }
                all["p"] = p.into();
            }
        }
        "Flatten" => {
            build.add("flatten", "flatten", json!({"start_dim": 1}));
            return checked(build, "flatten");
        }
        "Softmax" | "LogSoftmax" => {
            let function = if full == "Softmax" {
                "softmax"
            } else {
                "log_softmax"
            };
            build.add(function, function, json!({}));
            return checked(build, function);
        }
        name if as_function(name).is_some() => {
            let function = as_function(name).unwrap_or("relu");
            build.add(function, function, json!({}));
            return checked(build, function);
        }
        "Linear" => {
            id = "fc1";
            if shape.len() >= 3 {
                build.request.assume(
                    "A linear layer reads rows: what has more dimensions is flattened before it.",
                );
                build.flatten();
            } else if shape.len() == 2
                && !is_next
                && build
                    .net
                    .nodes
                    .iter()
                    .any(|node| matches!(node.kind.as_str(), "LSTM" | "GRU" | "RNN"))
            {
                build
                    .request
                    .assume("The last step of the sequence answers.");
                build.add("last", "select", json!({"dim": 1, "index": -1}));
            } else if shape.len() == 2
                && !is_next
                && (matches!(sample, Sample::Text(..))
                    || build
                        .net
                        .nodes
                        .iter()
                        .any(|node| node.kind.starts_with("Conv")))
            {
                build.flatten();
            }
            let n = named(&[Slot::Sizes, Slot::Outputs, Slot::Channels]);
            let n = n.or(numbers.last().copied()).unwrap_or(64.0);
            if numbers.is_empty() && element.named.is_empty() {
                build
                    .request
                    .assume("A linear layer without a number has 64 units.");
            }
            if !whole(n) || n < 1.0 || n > 65_536.0 {
                return Err(format!("a linear layer has 1 to 65536 units, not {n}"));
            }
            all["out_features"] = (n as u64).into();
            numbers.clear();
        }
        "LSTM" | "GRU" | "RNN" => {
            id = "rnn1";
            all["batch_first"] = true.into();
            let (mut width, mut layers) = (
                named(&[Slot::Sizes])
                    .or(numbers.last().copied())
                    .unwrap_or(128.0),
                1.0,
            );
            if let Some([a, b]) = element.products.first().map(|all| &all[..]) {
                (layers, width) = (*a as f64, *b as f64);
            } else if numbers.len() == 3 {
                (width, layers) = (numbers[1], numbers[2]);
            }
            if !whole(width)
                || !(1.0..=65_536.0).contains(&width)
                || !(1.0..=64.0).contains(&layers)
            {
                return Err(format!(
                    "{kind} has 1 to 65536 numbers in its state, not {width}"
                ));
            }
            all["hidden_size"] = (width as u64).into();
            if layers > 1.0 {
                all["num_layers"] = (layers as u64).into();
            }
            numbers.clear();
        }
        "Embedding" => {
            let Sample::Text(vocabulary, _) = sample else {
                return Err("an embedding reads tokens; it stands first".to_owned());
            };
            if !build.net.nodes.is_empty() {
                return Err("an embedding reads tokens; it stands first".to_owned());
            }
            let width = numbers.last().copied().unwrap_or(64.0);
            if !whole(width) || !(1.0..=65_536.0).contains(&width) {
                return Err(format!("an embedding has 1 to 65536 numbers, not {width}"));
            }
            all["num_embeddings"] = vocabulary.into();
            all["embedding_dim"] = (width as u64).into();
            numbers.clear();
        }
        "MultiheadAttention" | "TransformerEncoderLayer" => {
            let width = shape.last().copied().unwrap_or(1);
            let heads = named(&[Slot::Heads])
                .or(numbers.last().copied())
                .filter(|&n| whole(n) && n >= 1.0)
                .unwrap_or(4.0);
            let heads = divisor(width, heads as u64);
            all["batch_first"] = true.into();
            if full == "MultiheadAttention" {
                let at = build.at.clone();
                let all = json!({"embed_dim": width, "num_heads": heads, "batch_first": true});
                build.join("attention", "MultiheadAttention", all, &[&at, &at, &at]);
                return checked(build, "MultiheadAttention");
            }
            all["d_model"] = width.into();
            all["nhead"] = heads.into();
            numbers.clear();
        }
        "GroupNorm" => {
            let channels = shape.first().copied().unwrap_or(1);
            let wanted = named(&[Slot::Groups])
                .or(numbers.first().copied())
                .filter(|&n| whole(n) && n >= 1.0)
                .unwrap_or(8.0);
            all["num_groups"] = divisor(channels, wanted as u64).into();
            all["num_channels"] = channels.into();
            numbers.clear();
        }
        "Upsample" => {
            let factor = numbers
                .first()
                .copied()
                .or(element.products.first().map(|all| all[0] as f64))
                .unwrap_or(2.0);
            all["scale_factor"] = if whole(factor) {
                (factor as u64).into()
            } else {
                factor.into()
            };
            numbers.clear();
        }
        _ if kind == "GlobalPool" => {
            id = "pool1";
            all["output_size"] = 1.into();
            numbers.clear();
        }
        _ => {}
    }
    let row = catalog::layer(&full).ok_or_else(|| format!("{full} is no layer"))?;
    let is_conv = full.starts_with("Conv");
    if is_conv {
        id = if full.contains("Transpose") {
            "up1"
        } else {
            "conv1"
        };
        // Conv2d(1, 32, 3): what comes in is said first.
        if numbers.len() >= 3 && Some(numbers[0]) == shape.first().map(|&n| n as f64) {
            numbers.remove(0);
        }
    } else if full.contains("Pool") {
        id = "pool1";
    } else if full.starts_with("BatchNorm") {
        id = "bn1";
    } else if full.contains("Norm") {
        id = "norm1";
    } else if as_function(&full).is_none()
        && numbers.is_empty()
        && row.settings().all(|one| !one.required)
        && full != "Dropout"
    {
        id = "act";
    }
    for (slot, value) in &element.named {
        let name = match slot {
            Slot::Kernel => "kernel_size",
            Slot::Stride => "stride",
            Slot::Padding => "padding",
            Slot::Channels | Slot::Sizes | Slot::Outputs if is_conv => "out_channels",
            Slot::Groups => "groups",
            Slot::Slope => "negative_slope",
            _ => continue,
        };
        if row.argument(name).is_some() && all.get(name).is_none() {
            all[name] = as_json(*value);
        }
    }
    for product in &element.products {
        if row.argument("kernel_size").is_some() && all.get("kernel_size").is_none() {
            all["kernel_size"] = match &product[..] {
                [a, b] if a == b => (*a).into(),
                several => json!(several),
            };
        }
    }
    let mut rest = numbers.into_iter();
    if all.get("p").is_some() {
        rest.next();
    }
    for argument in row.settings() {
        if DECIDED.contains(&argument.name.as_str()) || all.get(&argument.name).is_some() {
            continue;
        }
        let Some(number) = rest.next() else { break };
        let value = crate::expression::Value::from_json(&as_json(number));
        if !crate::arguments::takes(argument, &value) {
            return Err(format!(
                "{full} takes {} as {}, not {number}",
                argument.name, argument.type_text
            ));
        }
        all[&argument.name] = as_json(number);
    }
    if is_conv && !full.contains("Transpose") {
        let kernel = all.get("kernel_size").cloned().unwrap_or_else(|| {
            build
                .request
                .assume("A convolution without a kernel has one of 3.");
            all["kernel_size"] = 3.into();
            3.into()
        });
        // A kernel with a middle keeps the image's size, where nothing else is said.
        let is_call = element.numbers.len() >= 3;
        if all.get("padding").is_none()
            && all.get("stride").is_none()
            && !is_call
            && let Some(kernel) = kernel.as_u64()
            && kernel % 2 == 1
            && kernel > 1
        {
            build
                .request
                .assume("Convolutions keep the size of what they read.");
            all["padding"] = (kernel / 2).into();
        }
    }
    if is_conv && all.get("out_channels").is_none() {
        build
            .request
            .assume("A convolution without a number has 16 channels.");
    }
    if full.contains("Pool") && !full.contains("Adaptive") && all.get("kernel_size").is_none() {
        all["kernel_size"] = 2.into();
    }
    build.add(&numbered(build, id), &full, all);
    checked(build, &full)
}

/// `conv3` for the third `conv1`; other names as they are.
fn numbered(build: &Build<'_>, id: &str) -> String {
    match id.strip_suffix('1') {
        Some(base) => {
            let count = build
                .net
                .nodes
                .iter()
                .filter(|node| {
                    node.id.strip_prefix(base).is_some_and(|rest| {
                        !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit())
                    })
                })
                .count();
            format!("{base}{}", count + 1)
        }
        None => crate::edit::base_id(id),
    }
}

/// Takes the last node out again where it has a fault.
fn checked(build: &mut Build<'_>, what: &str) -> Result<String, String> {
    let Some(id) = build.net.nodes.last().map(|node| node.id.clone()) else {
        return Ok(what.to_owned());
    };
    let analysis = analyse(&build.net);
    let facts = analysis.nodes.get(&id);
    let fault = facts.and_then(|facts| facts.fault.clone());
    match fault {
        Some(fault) => {
            let node = build.net.nodes.pop();
            let before = node
                .and_then(|node| node.inputs.first().cloned())
                .unwrap_or_else(|| "x".to_owned());
            build.net.outputs = vec![before.clone()];
            build.at = before;
            Err(format!("left out: {fault}"))
        }
        None => {
            build.learn(&build.found(&analysis));
            let shape = facts
                .and_then(|facts| facts.results.first())
                .map_or_else(String::new, |fact| format!(", gives {fact}"));
            Ok(format!("{what}{shape}"))
        }
    }
}

fn as_json(x: f64) -> Json {
    if x.fract() == 0.0 && x.abs() < 1e15 {
        Json::from(x as i64)
    } else {
        Json::from(x)
    }
}

//! What `glowgrad.nn.functional` does in Python before it calls the registry, for golden cases: it
//! chooses the op by which optional tensors are given, and works out sizes that PyTorch takes as
//! words, factors or `None`.

use glowgrad::{Result, Scalar, Tensor};
use serde_json::{Value as Json, json};

/// The op and the arguments that a layer's call becomes.
pub(super) struct Chosen {
    pub(super) op: String,
    pub(super) inputs: Vec<Tensor>,
    pub(super) names: Json,
    pub(super) attrs: Json,
}

fn ints(value: &Json, n: usize) -> Vec<i64> {
    match value {
        Json::Array(list) => list.iter().map(|v| v.as_i64().expect("an int")).collect(),
        Json::Null => vec![1; n],
        one => vec![one.as_i64().expect("an int"); n],
    }
}

/// What the Python wrapper makes of a call; none where it is the op of that name as it is.
pub(super) fn choose(
    name: &str,
    inputs: &[Tensor],
    names: &Json,
    attrs: &Json,
) -> Result<Option<Chosen>> {
    let mut attrs = attrs.clone();
    let mut op = name.to_owned();
    let mut given = inputs.to_vec();
    let mut names = names.clone();
    let remove = |attrs: &mut Json, key: &str| {
        if let Some(attrs) = attrs.as_object_mut() {
            attrs.remove(key);
        }
    };
    match name {
        "conv1d" | "conv2d" | "conv3d" if attrs["padding"].is_string() => {
            let kernel = &inputs[1].shape()[2..];
            let dilation = ints(&attrs["dilation"], kernel.len());
            let total = |d: usize| dilation[d] * (kernel[d] as i64 - 1);
            let same = attrs["padding"] == "same";
            let before = (0..kernel.len()).map(|d| if same { total(d) / 2 } else { 0 });
            let after = (0..kernel.len()).map(|d| if same { total(d) - total(d) / 2 } else { 0 });
            attrs["padding"] = json!(before.chain(after).collect::<Vec<i64>>());
        }
        "unfold" => op = "im2col".to_owned(),
        "fold" => op = "col2im".to_owned(),
        "max_pool1d" | "max_pool2d" if attrs["return_indices"] == true => {
            op = format!("{name}_with_indices");
            attrs
                .as_object_mut()
                .expect("attributes")
                .remove("return_indices");
        }
        "adaptive_avg_pool2d" | "adaptive_max_pool2d" if attrs["output_size"].is_array() => {
            let list = attrs["output_size"].as_array_mut().expect("a list");
            if !list.contains(&Json::Null) {
                return Ok(None);
            }
            for size in list {
                // None keeps the size.
                *size = size.as_i64().map_or(json!(-1), |n| json!(n));
            }
        }
        "interpolate" => {
            op = "upsample".to_owned();
            let space = &inputs[0].shape()[2..];
            let n = space.len();
            let number = |value: &Json| match value {
                Json::String(word) => word.parse::<f64>().expect("a number"),
                value => value.as_f64().expect("a number"),
            };
            let factor = |d: usize| match &attrs["scale_factor"] {
                Json::Null => None,
                Json::Array(list) => Some(number(&list[d])),
                one => Some(number(one)),
            };
            let size = |d: usize| match factor(d) {
                Some(factor) => (space[d] as f64 * factor).floor() as i64,
                None => ints(&attrs["size"], n)[d],
            };
            let mut chosen = json!({ "output_size": (0..n).map(size).collect::<Vec<_>>() });
            for (i, key) in ["factor_w", "factor_h", "factor_d"]
                .iter()
                .enumerate()
                .take(n)
            {
                if let Some(factor) = factor(n - 1 - i) {
                    chosen[*key] = json!(factor);
                }
            }
            for key in ["mode", "align_corners"] {
                if !attrs[key].is_null() {
                    chosen[key] = attrs[key].clone();
                }
            }
            attrs = chosen;
        }
        "batch_norm" | "instance_norm"
            if attrs
                .get("training")
                .or(attrs.get("use_input_stats"))
                .is_some() =>
        {
            let own = attrs["training"] == true || attrs["use_input_stats"] == true;
            let running = names.to_string().contains("running_mean");
            if !own {
                op = "batch_norm_eval".to_owned();
            } else if running {
                given.drain(1..3);
                names = json!(["input", "weight", "bias"]);
            }
            for key in ["training", "use_input_stats", "momentum"] {
                remove(&mut attrs, key);
            }
        }
        "binary_cross_entropy_with_logits" if inputs.len() > 2 => {
            op = "binary_cross_entropy_with_logits_weighted".to_owned();
            let one = Tensor::full(inputs[0].engine(), &[], Scalar::Int(1), inputs[0].dtype())?;
            let at = usize::from(names[2] == "weight");
            given.insert(2 + at, one);
            names = Json::Null;
        }
        "cross_entropy" if inputs[1].dtype().is_float() => {
            op = "soft_cross_entropy".to_owned();
            remove(&mut attrs, "ignore_index");
        }
        "dropout" => {
            let keeps = if attrs["training"] == true && attrs["p"].as_f64() == Some(1.0) {
                0
            } else {
                1
            };
            op = "mul".to_owned();
            given.push(Tensor::full(
                inputs[0].engine(),
                &[],
                Scalar::Int(keeps),
                inputs[0].dtype(),
            )?);
            attrs = json!({});
        }
        _ => return Ok(None),
    }
    Ok(Some(Chosen {
        op,
        inputs: given,
        names,
        attrs,
    }))
}

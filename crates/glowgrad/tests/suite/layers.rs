//! What `glowgrad.nn.functional` does in Python before it calls the registry, for golden cases: it
//! chooses the op by which optional tensors are given, and works out sizes that PyTorch takes as
//! words, factors or `None`.

use glowgrad::{Result, Tensor};
use serde_json::{Value as Json, json};

/// The op and the arguments that a layer's call becomes.
pub struct Chosen {
    pub op: String,
    pub attrs: Json,
}

fn ints(value: &Json, n: usize) -> Vec<i64> {
    match value {
        Json::Array(list) => list.iter().map(|v| v.as_i64().expect("an int")).collect(),
        Json::Null => vec![1; n],
        one => vec![one.as_i64().expect("an int"); n],
    }
}

/// What the Python wrapper makes of a call; none where it is the op of that name as it is.
pub fn choose(name: &str, inputs: &[Tensor], attrs: &Json) -> Result<Option<Chosen>> {
    let mut attrs = attrs.clone();
    let mut op = name.to_owned();
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
        _ => return Ok(None),
    }
    Ok(Some(Chosen {
        op: std::mem::take(&mut op),
        attrs,
    }))
}

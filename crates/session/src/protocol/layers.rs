//! The rows of layers, losses and optimizers, as `glow reference` writes them to `lessons/reference/layers.json`.
//!
//! Python's `glowgrad/_rows` is where they are defined and says what each field means. No event carries them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is known of one class of `torch.nn` or `torch.optim`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct LayerRow {
    /// `nn.Linear`, `optim.SGD`: its name in the reference.
    pub name: String,
    /// `layer`, `loss`, `optimizer`, `container` or `base`.
    pub kind: String,
    /// `torch.nn.Linear`; none where PyTorch has no such class.
    pub torch: Option<String>,
    /// One sentence.
    pub doc: String,
    pub arguments: Vec<LayerArgument>,
    /// Shape rules, `[*, in_features] -> [*, out_features]`; the first one that fits the inputs counts.
    pub rules: Vec<String>,
    /// What the rules use besides: `step`, `windows(n, i)` and their expressions.
    #[serde(rename = "where")]
    pub definitions: BTreeMap<String, String>,
    /// Arguments and dimensions of inputs by name, and the expression that divides each.
    pub divisible: BTreeMap<String, String>,
    /// How many spatial dimensions it works on; empty where it has none of its own.
    pub dims: Vec<u32>,
    /// How many parameters it has, as an expression of its arguments; empty where these do not say.
    pub parameters: String,
    /// Of an optimizer: what it remembers of a parameter of the shape `[*]`.
    pub state: BTreeMap<String, String>,
    /// ONNX's operators, in the order in which they run; empty where there are none.
    pub operators: Vec<String>,
    /// What else is to be said of them, or why there are none.
    pub onnx: String,
    pub examples: Vec<LayerExample>,
}

/// An argument of its constructor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct LayerArgument {
    pub name: String,
    /// The whole type as text: `sizes | "same" | "valid" | None`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The words of the type: `size`, `sizes`, `number`, `bool`, …
    pub words: Vec<String>,
    /// Texts that it may be.
    pub choices: Vec<String>,
    /// Whether it may be None.
    pub none: bool,
    /// Whether it is given by name alone.
    pub keyword: bool,
    pub required: bool,
    pub default: Option<LayerValue>,
}

/// A call, and the shape of its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct LayerExample {
    pub arguments: BTreeMap<String, Option<LayerValue>>,
    pub inputs: Vec<LayerInput>,
    /// A shape, or a list of them where there are several results.
    pub output: Option<LayerValue>,
}

/// An input of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct LayerInput {
    pub shape: Vec<u32>,
    /// `normal`, `index<10`, `probability`, `sign` or `=4`.
    pub values: String,
}

/// A value of an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(untagged)]
pub enum LayerValue {
    Flag(bool),
    Whole(#[cfg_attr(test, ts(type = "number"))] i64),
    Number(f64),
    Text(String),
    List(Vec<Option<LayerValue>>),
    /// A module.
    Module {
        #[serde(rename = "type")]
        kind: String,
        args: BTreeMap<String, Option<LayerValue>>,
    },
}

//! A network as data: the nodes of its graph, blocks that are defined once and used several times, and how it is trained.
//!
//! ```json
//! {"format": "glowgrad.architecture", "version": 1, "name": "Net",
//!  "inputs": [{"name": "x", "shape": ["N", 784]}],
//!  "nodes": [
//!    {"id": "fc1", "type": "Linear", "args": {"in_features": 784, "out_features": 128}, "inputs": ["x"]},
//!    {"id": "relu", "type": "relu", "inputs": ["fc1"]},
//!    {"id": "fc2", "type": "Linear", "args": {"in_features": 128, "out_features": 10}, "inputs": ["relu"]}],
//!  "outputs": ["fc2"]}
//! ```
//!
//! A node's type is a layer of `torch.nn`, a function of [`crate::functions`], or a block of this network. An argument is
//! a JSON value, or in a block a text such as `"=4 * width"`: an expression of the block's parameters. A source is the name
//! of an input or of a node; `lstm.1` is the second result of `lstm`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the member `format` of a description says.
pub const FORMAT: &str = "glowgrad.architecture";
/// The version of the form that this crate reads and writes.
pub const VERSION: u32 = 1;
/// The longest text of a description that is read, in bytes.
pub const LONGEST_TEXT: usize = 1 << 20;
/// The most nodes of a network, those in its blocks counted once.
pub const MOST_NODES: usize = 5_000;
/// How often a block may stand in a row.
pub const MOST_REPEATS: u32 = 1_000;

/// The arguments of a node by name.
pub type Args = Map<String, Value>;

/// A network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The name of its class.
    pub name: String,
    /// What it is, in words: the docstring of its class.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The tensors that it takes.
    pub inputs: Vec<Input>,
    /// Layers, functions and uses of blocks, each after its sources.
    pub nodes: Vec<Node>,
    /// The sources that it gives.
    pub outputs: Vec<String>,
    /// What nodes may use, each before its users.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// How it is trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
}

/// A tensor that a network takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The argument of `forward`.
    pub name: String,
    /// Its sizes; a letter such as `N` stands for one that is open.
    pub shape: Vec<Size>,
    /// `float32`, `int64` or `bool`.
    #[serde(default = "float32", skip_serializing_if = "is_float32")]
    pub dtype: String,
    /// Where it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 2]>,
}

fn float32() -> String {
    "float32".to_owned()
}

fn is_float32(dtype: &String) -> bool {
    dtype == "float32"
}

/// The size of a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Size {
    /// So many.
    Number(u64),
    /// Any number, under a name.
    Open(String),
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Size::Number(n) => write!(f, "{n}"),
            Size::Open(name) => f.write_str(name),
        }
    }
}

/// A layer, a function, or the use of a block.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its name: of a layer, the attribute of the module.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// A layer's, a function's or a block's name; empty where `same` is given.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The layer that this node uses once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<String>,
    /// Arguments by name; those that are left out have their default.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub args: Args,
    /// Of a `Sequential`: its layers, which have neither names nor sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Node>,
    /// How often it stands in a row, each time with weights of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// Its sources, in the order in which it takes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// A comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Where it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 2]>,
}

/// A part of a network that is defined once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The name of its class.
    pub name: String,
    /// What it is, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What its users may set, with the values it has otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// The names of the tensors that it takes.
    pub inputs: Vec<String>,
    /// As those of a network.
    pub nodes: Vec<Node>,
    /// The sources that it gives.
    pub outputs: Vec<String>,
}

/// What users of a block may set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name in expressions.
    pub name: String,
    /// The value that it has where a user says nothing.
    pub default: Value,
}

/// How a network is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// What training minimises, by a name of [`crate::objective`]; empty for the loss of the result and the target.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub objective: String,
    /// A data set of [`crate::training`].
    pub data: String,
    /// A loss of `torch.nn`.
    pub loss: String,
    /// An optimizer of `torch.optim`.
    pub optimizer: String,
    /// The optimizer's arguments.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub optimizer_args: Args,
    /// A schedule of `torch.optim.lr_scheduler`; none if it is empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub schedule: String,
    /// The number of samples in a step.
    pub batch_size: u32,
    /// How often the training samples are gone through.
    pub epochs: u32,
    /// What random numbers begin with.
    pub seed: u64,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            objective: String::new(),
            data: "digits".to_owned(),
            loss: "CrossEntropyLoss".to_owned(),
            optimizer: "Adam".to_owned(),
            optimizer_args: Args::new(),
            schedule: String::new(),
            batch_size: 32,
            epochs: 5,
            seed: 0,
        }
    }
}

/// A source: a name, and which of its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source<'a> {
    /// An input's or a node's name.
    pub name: &'a str,
    /// Which result; 0 where there is one.
    pub result: usize,
}

impl<'a> Source<'a> {
    /// Reads `name` or `name.result`.
    pub fn parse(text: &'a str) -> Source<'a> {
        let numbered = text.rsplit_once('.');
        match numbered.and_then(|(name, n)| Some((name, n.parse().ok()?))) {
            Some((name, result)) => Source { name, result },
            None => Source {
                name: text,
                result: 0,
            },
        }
    }

    /// The text of a source: a result is named where there are several.
    pub fn text(name: &str, result: usize) -> String {
        match result {
            0 => name.to_owned(),
            result => format!("{name}.{result}"),
        }
    }
}

/// A list of nodes with what it takes and gives: a network's or a block's.
#[derive(Debug, Clone, Copy)]
pub struct Graph<'a> {
    /// The block's name; none of the network itself.
    pub block: Option<&'a str>,
    /// Names of inputs.
    pub inputs: &'a [String],
    /// Its nodes.
    pub nodes: &'a [Node],
    /// Its results.
    pub outputs: &'a [String],
}

impl Block {
    /// Its graph.
    pub fn graph(&self) -> Graph<'_> {
        Graph {
            block: Some(&self.name),
            inputs: &self.inputs,
            nodes: &self.nodes,
            outputs: &self.outputs,
        }
    }
}

impl Architecture {
    /// A network without nodes, which takes one image of 1 by 28 by 28.
    ///
    /// ```
    /// let empty = glowgrad_architecture::Architecture::empty("Net");
    /// assert!(empty.nodes.is_empty() && empty.outputs.is_empty());
    /// ```
    pub fn empty(name: &str) -> Architecture {
        Architecture {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: name.to_owned(),
            note: String::new(),
            inputs: vec![Input {
                name: "x".to_owned(),
                shape: vec![
                    Size::Open("N".to_owned()),
                    Size::Number(1),
                    Size::Number(28),
                    Size::Number(28),
                ],
                dtype: float32(),
                at: None,
            }],
            nodes: Vec::new(),
            outputs: Vec::new(),
            blocks: Vec::new(),
            training: None,
        }
    }

    /// The description as JSON, a node a line.
    ///
    /// ```
    /// use glowgrad_architecture::Architecture;
    ///
    /// let net = Architecture::empty("Net");
    /// assert_eq!(Architecture::parse(&net.to_json())?, net);
    /// # Ok::<(), glowgrad_architecture::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        let mut text = laid_out(&value, "");
        text.push('\n');
        text
    }

    /// Its graph; `names` are those of its inputs.
    pub fn graph<'a>(&'a self, names: &'a [String]) -> Graph<'a> {
        Graph {
            block: None,
            inputs: names,
            nodes: &self.nodes,
            outputs: &self.outputs,
        }
    }

    /// The names of its inputs.
    pub fn input_names(&self) -> Vec<String> {
        self.inputs.iter().map(|input| input.name.clone()).collect()
    }

    /// A block by name.
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// The same network without the places of its nodes, which mean nothing to its code.
    #[must_use]
    pub fn without_places(mut self) -> Architecture {
        for input in &mut self.inputs {
            input.at = None;
        }
        let nodes = self.blocks.iter_mut().map(|block| &mut block.nodes);
        for node in nodes.chain([&mut self.nodes]).flatten() {
            node.at = None;
        }
        self
    }
}

/// The order in which members stand; others follow by name.
const ORDER: [&str; 15] = [
    "format",
    "version",
    "name",
    "note",
    "id",
    "type",
    "same",
    "parameters",
    "args",
    "inputs",
    "children",
    "nodes",
    "outputs",
    "blocks",
    "training",
];

/// JSON in lines of at most 110 letters where it can be.
fn laid_out(value: &Value, indent: &str) -> String {
    let line = in_order(value);
    if indent.len() + line.len() <= 110 {
        return line;
    }
    let inner = format!("{indent}  ");
    match value {
        Value::Object(members) => {
            let parts: Vec<String> = ordered(members)
                .map(|(name, member)| {
                    format!("{inner}{}: {}", Value::from(name), laid_out(member, &inner))
                })
                .collect();
            format!("{{\n{}\n{indent}}}", parts.join(",\n"))
        }
        Value::Array(items) => {
            let parts: Vec<String> = items
                .iter()
                .map(|item| format!("{inner}{}", laid_out(item, &inner)))
                .collect();
            format!("[\n{}\n{indent}]", parts.join(",\n"))
        }
        _ => line,
    }
}

fn ordered(members: &Args) -> impl Iterator<Item = (&str, &Value)> {
    let mut all: Vec<(&str, &Value)> = members.iter().map(|(k, v)| (k.as_str(), v)).collect();
    all.sort_by_key(|(name, _)| {
        ORDER
            .iter()
            .position(|one| one == name)
            .unwrap_or(ORDER.len())
    });
    all.into_iter()
}

fn in_order(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let parts: Vec<String> = ordered(members)
                .map(|(name, member)| format!("{}: {}", Value::from(name), in_order(member)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        Value::Array(items) => {
            let parts: Vec<String> = items.iter().map(in_order).collect();
            format!("[{}]", parts.join(", "))
        }
        other => other.to_string(),
    }
}

//! The rows of layers, losses and optimizers, as `lessons/reference/layers.json` has them.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

/// What is known of a layer, a loss or an optimizer.
#[derive(Debug, Deserialize)]
pub struct Row {
    /// `nn.Linear`.
    pub name: String,
    /// `layer`, `loss`, `optimizer`, `container` or `base`.
    pub kind: String,
    /// PyTorch's name of it; none of what PyTorch does not have.
    pub torch: Option<String>,
    /// What it does, in a sentence.
    pub doc: String,
    /// Its arguments, in the order of the signature.
    pub arguments: Vec<Argument>,
    /// Its shape rules: the first one that fits counts.
    pub rules: Vec<String>,
    /// What the rules use besides, by name.
    #[serde(rename = "where")]
    pub definitions: HashMap<String, String>,
    /// Arguments and dimensions of inputs by name, and the expression that divides each.
    pub divisible: BTreeMap<String, String>,
    /// Numbers of spatial dimensions.
    pub dims: Vec<usize>,
    /// How many parameters it has, as an expression of its arguments; empty where these do not say.
    pub parameters: String,
    /// ONNX's operators for it.
    pub operators: Vec<String>,
    /// Calls for which the row is tested.
    pub examples: Vec<Example>,
}

/// An argument of a row.
#[derive(Debug, Deserialize)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its type, as the reference writes it.
    #[serde(rename = "type")]
    pub type_text: String,
    /// The words of its type.
    pub words: Vec<String>,
    /// Texts that it may be.
    pub choices: Vec<String>,
    /// Whether it may be nothing.
    pub none: bool,
    /// Whether it is given by name alone.
    pub keyword: bool,
    /// Whether it has to be given.
    pub required: bool,
    /// Its value where it is not given.
    pub default: Value,
}

/// A call for which a row is tested.
#[derive(Debug, Deserialize)]
pub struct Example {
    /// Arguments by name.
    pub arguments: serde_json::Map<String, Value>,
    /// What goes in.
    pub inputs: Vec<ExampleInput>,
    /// The shape of what comes out.
    pub output: Value,
}

/// An input of an example.
#[derive(Debug, Deserialize)]
pub struct ExampleInput {
    /// Its sizes.
    pub shape: Vec<i64>,
    /// What its values are: `normal`, `index<10`, and so on.
    pub values: String,
}

impl Row {
    /// The name without its module: `Linear`.
    pub fn short(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// An argument by name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// The arguments that a description holds: not devices, older spellings and options of PyTorch.
    pub fn settings(&self) -> impl Iterator<Item = &Argument> {
        self.arguments
            .iter()
            .filter(|argument| argument.is_setting())
    }
}

/// Words of arguments that no description holds.
const LEFT_OUT: [&str; 8] = [
    "device",
    "dtype",
    "legacy",
    "options",
    "params",
    "parameters",
    "module",
    "modules",
];

impl Argument {
    /// Whether a description holds it.
    pub fn is_setting(&self) -> bool {
        !self
            .words
            .iter()
            .any(|word| LEFT_OUT.contains(&word.as_str()))
            || self.words.is_empty()
            || self.choices.iter().any(|choice| !choice.is_empty())
    }

    /// Whether it has this word in its type.
    pub fn is(&self, word: &str) -> bool {
        self.words.iter().any(|one| one == word)
    }
}

/// All rows.
pub fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let text = include_str!("../../../lessons/reference/layers.json");
        serde_json::from_str(text).expect("the committed rows have this form: a test reads them")
    })
}

/// A row by the name without its module.
pub fn row(name: &str) -> Option<&'static Row> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| rows().iter().map(|row| (row.short(), row)).collect());
    by_name.get(name).copied()
}

/// The row of a layer that a node may be.
pub fn layer(name: &str) -> Option<&'static Row> {
    row(name).filter(|row| row.kind == "layer")
}

/// The nearest names to one that does not exist, best first.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(usize, &str)> = names
        .map(|other| (distance(&name.to_lowercase(), &other.to_lowercase()), other))
        .filter(|(distance, other)| *distance <= 1 + other.len() / 4)
        .collect();
    near.sort_by_key(|(distance, other)| (*distance, other.len()));
    near.into_iter().take(3).map(|(_, other)| other).collect()
}

/// How many letters have to be changed, added or taken out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(80).enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

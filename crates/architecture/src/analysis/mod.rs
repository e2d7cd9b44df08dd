//! What flows through a network: the shape and dtype of every result, the number of parameters, and what does not fit.
//!
//! Open sizes are found by computing twice, with two numbers for each letter: a size that differs is written as a
//! multiple of its letter.
mod run;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::expression::Scope;
use crate::model::{Architecture, Size, Source};

use run::{Found, Run, Tensor, dtype_named, result_names};
pub(crate) use run::{Kind, kind};

/// What is known of a network.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Analysis {
    /// Of each node: `conv1`, and in a block `Block/conv1`, as its first use has it.
    pub nodes: BTreeMap<String, Facts>,
    /// Of each input.
    pub inputs: BTreeMap<String, Fact>,
    /// What the network gives.
    pub outputs: Vec<Fact>,
    /// The number of all parameters.
    pub parameters: u64,
    /// What does not fit anywhere else, such as a network without a result.
    pub faults: Vec<String>,
}

/// A tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    /// Its sizes: a number, or a text such as `N` or `4*N`.
    pub shape: Vec<Dim>,
    /// `float32`, `int64` or `bool`.
    pub dtype: &'static str,
}

/// A size of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Dim {
    /// A number.
    Number(i64),
    /// An open one, in letters.
    Open(String),
}

impl std::fmt::Display for Dim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Dim::Number(n) => write!(f, "{n}"),
            Dim::Open(text) => f.write_str(text),
        }
    }
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes: Vec<String> = self.shape.iter().map(Dim::to_string).collect();
        write!(f, "[{}]", sizes.join(", "))
    }
}

/// What is known of a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Facts {
    /// Its results, in order.
    pub results: Vec<Fact>,
    /// Names of the results where there are several.
    pub names: Vec<String>,
    /// The number of its parameters, all repeats counted; 0 of what uses a layer once more.
    pub parameters: u64,
    /// Why it has no result.
    pub fault: Option<String>,
    /// Whether the fault is only that a source has one.
    pub is_waiting: bool,
}

/// What one computation found, its outputs and its inputs.
type Computed = (BTreeMap<String, Found>, Vec<Option<Tensor>>, Vec<Tensor>);

/// Numbers for the first, second, third letter: primes, so that a product tells its factors.
const NUMBERS: [[i64; 2]; 6] = [
    [61, 67],
    [89, 97],
    [113, 127],
    [149, 157],
    [173, 179],
    [191, 193],
];

fn letters(net: &Architecture) -> Vec<&str> {
    let mut letters: Vec<&str> = Vec::new();
    for size in net.inputs.iter().flat_map(|input| &input.shape) {
        if let Size::Open(name) = size
            && !letters.contains(&name.as_str())
        {
            letters.push(name);
        }
    }
    letters
}

fn dim(first: i64, second: i64, letters: &[&str]) -> Dim {
    if first == second {
        return Dim::Number(first);
    }
    for (i, letter) in letters.iter().enumerate().take(NUMBERS.len()) {
        let [a, b] = NUMBERS[i];
        if first % a == 0 && second % b == 0 && first / a == second / b {
            return Dim::Open(match first / a {
                1 => (*letter).to_owned(),
                n => format!("{n}*{letter}"),
            });
        }
        for (j, other) in letters.iter().enumerate().take(NUMBERS.len()).skip(i) {
            let [c, d] = NUMBERS[j];
            if first % (a * c) == 0 && second % (b * d) == 0 && first / (a * c) == second / (b * d)
            {
                let n = first / (a * c);
                let product = format!("{letter}*{other}");
                return Dim::Open(if n == 1 {
                    product
                } else {
                    format!("{n}*{product}")
                });
            }
        }
    }
    // Something else that grows with a letter: a window that moves along it, or one more than it.
    for (i, letter) in letters.iter().enumerate().take(NUMBERS.len()) {
        let [a, b] = NUMBERS[i];
        if first - a == second - b {
            let more = first - a;
            let sign = if more < 0 { '-' } else { '+' };
            return Dim::Open(format!("{letter}{sign}{}", more.abs()));
        }
    }
    Dim::Open("?".to_owned())
}

/// Analyses a network.
///
/// ```
/// use glowgrad_architecture::{analyse, Architecture};
///
/// let net = Architecture::parse(r#"{"format": "glowgrad.architecture", "version": 1, "name": "Net",
///   "inputs": [{"name": "x", "shape": ["N", 3]}],
///   "nodes": [{"id": "fc", "type": "Linear", "args": {"in_features": 3, "out_features": 2}, "inputs": ["x"]}],
///   "outputs": ["fc"]}"#)?;
/// let found = analyse(&net);
/// assert_eq!(found.nodes["fc"].results[0].to_string(), "[N, 2]");
/// assert_eq!(found.parameters, 8);
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
pub fn analyse(net: &Architecture) -> Analysis {
    let letters = letters(net);
    let names = net.input_names();
    let runs: Vec<Computed> = (0..2)
        .map(|which| {
            let inputs: Vec<Tensor> = (net.inputs.iter())
                .map(|input| Tensor {
                    shape: (input.shape.iter())
                        .map(|size| match size {
                            Size::Number(n) => i64::try_from(*n).unwrap_or(i64::MAX),
                            Size::Open(name) => {
                                let at = letters.iter().position(|one| one == name).unwrap_or(0);
                                NUMBERS[at.min(NUMBERS.len() - 1)][which]
                            }
                        })
                        .collect(),
                    dtype: dtype_named(&input.dtype),
                })
                .collect();
            let mut run = Run::new(net);
            let outputs = run.graph(
                &net.graph(&names),
                inputs.iter().cloned().map(Some).collect(),
                &Scope::default(),
                "",
            );
            (run.found, outputs, inputs)
        })
        .collect();
    let fact = |first: &Tensor, second: &Tensor| Fact {
        shape: (first.shape.iter().zip(&second.shape))
            .map(|(&a, &b)| dim(a, b, &letters))
            .collect(),
        dtype: first.dtype,
    };
    let (one, two) = (&runs[0], &runs[1]);
    let mut analysis = Analysis::default();
    for (path, first) in &one.0 {
        let second = two.0.get(path).unwrap_or(first);
        let results: Vec<Fact> = first
            .results
            .iter()
            .zip(&second.results)
            .map(|(a, b)| fact(a, b))
            .collect();
        let kind = kind_at(net, path).unwrap_or_default();
        let fault = first.fault.clone().or_else(|| second.fault.clone());
        analysis.nodes.insert(
            path.clone(),
            Facts {
                names: result_names(kind, results.len()),
                results: if fault.is_some() { Vec::new() } else { results },
                parameters: first.parameters,
                fault: fault.map(|fault| in_letters(&fault, &letters)),
                is_waiting: first.is_waiting,
            },
        );
        if !path.contains('/') {
            analysis.parameters = analysis.parameters.saturating_add(first.parameters);
        }
    }
    for (name, (a, b)) in names.iter().zip(one.2.iter().zip(&two.2)) {
        analysis.inputs.insert(name.clone(), fact(a, b));
    }
    for (a, b) in one.1.iter().zip(&two.1) {
        if let (Some(a), Some(b)) = (a, b) {
            analysis.outputs.push(fact(a, b));
        }
    }
    if net.outputs.is_empty() {
        analysis
            .faults
            .push("the network has no result: mark a node as its output".to_owned());
    }
    for text in &net.outputs {
        let name = Source::parse(text).name;
        if !net.nodes.iter().any(|node| node.id == name) && !names.iter().any(|input| input == name)
        {
            analysis
                .faults
                .push(format!("the output {name} does not exist"));
        }
    }
    analysis
}

/// The type of a node at a path of [`Analysis::nodes`].
fn kind_at<'a>(net: &'a Architecture, path: &str) -> Option<&'a str> {
    let (nodes, id) = match path.split_once('/') {
        Some((block, id)) => (&net.block(block)?.nodes, id),
        None => (&net.nodes, path),
    };
    let node = nodes.iter().find(|node| node.id == id)?;
    match &node.same {
        Some(name) => nodes
            .iter()
            .find(|other| other.id == *name)
            .map(|other| other.kind.as_str()),
        None => Some(&node.kind),
    }
}

/// A sentence with the letters in place of the numbers that stood for them.
fn in_letters(text: &str, letters: &[&str]) -> String {
    let mut text = text.to_owned();
    for (i, letter) in letters.iter().enumerate().take(NUMBERS.len()) {
        let number = NUMBERS[i][0].to_string();
        for (before, after) in [("[", ","), (" ", ","), (" ", "]"), ("[", "]")] {
            let from = format!("{before}{number}{after}");
            text = text.replace(&from, &format!("{before}{letter}{after}"));
        }
    }
    text
}

//! A model that was run twice: of each value its shapes, and whether an input decides it.

use std::collections::{HashMap, HashSet};

use glowgrad::{DType, Engine, Error, Result, Scalar, Tensor};
use glowgrad_architecture::is_name;
use glowgrad_architecture::model::{Input, Size as InputSize};

use crate::graph::{Graph, Kind, Node};
use crate::model::{Resolved, own_inputs};
use crate::run::one_node;
use crate::value::{Size, Value};
use glowgrad_files::tensor::{from_array, of_file};

/// What stands for an open batch in the two runs.
const BATCH: [usize; 2] = [2, 3];
/// What stands for other open sizes, tried in this order: windows have to fit into them, and they into tables of places.
const OTHERS: [[usize; 2]; 4] = [[32, 64], [128, 256], [8, 12], [2, 3]];

/// A node with the names of its values in the whole model.
pub(super) struct SeenNode<'a> {
    pub(super) node: &'a Node,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
}

pub(super) struct Seen<'a> {
    pub(super) steps: Vec<SeenNode<'a>>,
    pub(super) inputs: Vec<Input>,
    /// Names of values that the model gives.
    pub(super) outputs: Vec<String>,
    /// The step that makes a value, and which of its results it is.
    pub(super) makers: HashMap<String, (usize, usize)>,
    /// Names of inputs in the model, in the network's order.
    pub(super) input_names: Vec<String>,
    pub(super) opset: i64,
    values: HashMap<String, [Tensor; 2]>,
    varying: HashSet<String>,
    weights: HashSet<String>,
}

impl<'a> Seen<'a> {
    pub(super) fn of(engine: &Engine, resolved: &'a Resolved) -> Result<Seen<'a>> {
        let graph = &resolved.graph;
        let mut steps = Vec::new();
        flatten(graph, "", &HashMap::new(), &mut steps);
        let bad: Vec<String> = (steps.iter())
            .filter(|step| {
                matches!(step.node.kind, Kind::Unsupported) || !step.node.bodies.is_empty()
            })
            .map(|step| told(step.node))
            .collect();
        if !bad.is_empty() {
            return Err(super::refused(&bad));
        }
        let given = own_inputs(graph)?;
        let mut first = None;
        for other in OTHERS {
            let taken = std::mem::take(&mut steps);
            let (found, back) = Seen::with(engine, resolved, &given, taken, other)?;
            match found {
                Ok(()) => return Ok(back),
                Err(error) if error.kind == glowgrad::ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    // Sizes that are fixed are tried once.
                    if !back.is_open() {
                        return Err(error);
                    }
                    first.get_or_insert(error);
                }
            }
            steps = back.steps;
        }
        let mut error = first.unwrap_or_else(|| Error::value("the model cannot be run"));
        error.message.push_str(
            "; the model leaves sizes open, and none that was tried fits: export it with fixed sizes",
        );
        Err(error)
    }

    /// The model run with these numbers for open sizes, and what came of it.
    fn with(
        engine: &Engine,
        resolved: &Resolved,
        given: &[Value],
        steps: Vec<SeenNode<'a>>,
        other: [usize; 2],
    ) -> Result<(Result<()>, Seen<'a>)> {
        let graph = &resolved.graph;
        let (inputs, runs) = inputs(given, other)?;
        let mut seen = Seen {
            makers: HashMap::new(),
            input_names: given.iter().map(|value| value.name.clone()).collect(),
            outputs: graph
                .outputs
                .iter()
                .map(|output| output.name().to_owned())
                .collect(),
            opset: resolved.versions.get("").copied().unwrap_or(0),
            values: HashMap::new(),
            varying: given.iter().map(|value| value.name.clone()).collect(),
            weights: HashSet::new(),
            inputs,
            steps,
        };
        for (value, (shapes, dtype)) in given.iter().zip(&runs) {
            let [a, b] = shapes;
            let pair = [stand_in(engine, *dtype, a)?, stand_in(engine, *dtype, b)?];
            seen.values.insert(value.name.clone(), pair);
        }
        for proto in &graph.constants {
            let tensor = from_array(engine, &proto.to_array().map_err(of_file)?)?;
            seen.weights.insert(proto.name().to_owned());
            seen.values
                .insert(proto.name().to_owned(), [tensor.clone(), tensor]);
        }
        let ran = seen.run(engine);
        Ok((ran, seen))
    }

    /// Whether rows of a table are looked up, as many as an open size says: an embedding of places.
    fn looks_up(&self, step: &SeenNode<'_>) -> bool {
        let [table, index] = &step.inputs[..] else {
            return false;
        };
        let [a, b] = self.shapes(index);
        let is_matrix = self.shapes(table)[0].len() == 2 && self.dtype(table).is_float();
        step.node.op == "Gather" && is_matrix && a != b
    }

    fn is_open(&self) -> bool {
        let mut sizes = self.inputs.iter().flat_map(|input| &input.shape);
        sizes.any(|size| matches!(size, InputSize::Open(_)))
    }

    fn run(&mut self, engine: &Engine) -> Result<()> {
        for (at, step) in self.steps.iter().enumerate() {
            let mut made = Vec::new();
            for which in 0..2 {
                let inputs = (step.inputs.iter())
                    .map(|name| self.values.get(name).map(|pair| pair[which].clone()))
                    .collect();
                made.push(one_node(engine, step.node, inputs)?);
            }
            // What has only an input's sizes is the same for all of its values.
            let is_size = matches!(step.node.op.as_str(), "Shape" | "Size");
            let reads = step.inputs.iter().any(|name| self.varying.contains(name));
            let varies = !is_size && reads || self.looks_up(step);
            let second = made.pop().unwrap_or_default();
            let first = made.pop().unwrap_or_default();
            for (result, (name, pair)) in step
                .outputs
                .iter()
                .zip(first.into_iter().zip(second))
                .enumerate()
            {
                if name.is_empty() {
                    continue;
                }
                if varies {
                    self.varying.insert(name.clone());
                }
                self.makers.insert(name.clone(), (at, result));
                self.values.insert(name.clone(), pair.into());
            }
        }
        let lost = self
            .outputs
            .iter()
            .find(|name| !self.values.contains_key(*name));
        match lost {
            Some(name) => Err(Error::value(format!("no node makes the output {name:?}"))),
            None => Ok(()),
        }
    }

    /// The shapes of a value in both runs.
    pub(super) fn shapes(&self, name: &str) -> [Vec<usize>; 2] {
        match self.values.get(name) {
            Some([a, b]) => [a.shape().to_vec(), b.shape().to_vec()],
            None => [Vec::new(), Vec::new()],
        }
    }

    pub(super) fn dtype(&self, name: &str) -> DType {
        self.values.get(name).map_or(DType::F32, |[a, _]| a.dtype())
    }

    /// Whether an input's values decide a value.
    pub(super) fn varies(&self, name: &str) -> bool {
        self.varying.contains(name)
    }

    pub(super) fn is_weight(&self, name: &str) -> bool {
        self.weights.contains(name)
    }

    /// A value that is the same for all inputs; none where an input, or its size, decides it.
    pub(super) fn constant(&self, name: &str) -> Result<Option<&Tensor>> {
        let Some([a, b]) = self.values.get(name).filter(|_| !self.varies(name)) else {
            return Ok(None);
        };
        let is_same = self.is_weight(name)
            || a.dtype() == b.dtype() && a.shape() == b.shape() && a.to_bytes()? == b.to_bytes()?;
        Ok(is_same.then_some(a))
    }

    /// Both values of what only sizes decide.
    pub(super) fn sized(&self, name: &str) -> Option<&[Tensor; 2]> {
        self.values.get(name).filter(|_| !self.varies(name))
    }

    /// The one number of a constant.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(match self.constant(name)? {
            Some(tensor) if tensor.numel() == 1 => Some(tensor.item()?.as_f64()),
            _ => None,
        })
    }

    /// The whole numbers of a constant.
    pub(super) fn whole(&self, name: &str) -> Result<Option<Vec<i64>>> {
        self.constant(name)?.map(crate::call::integers).transpose()
    }
}

/// A node as a message names it.
pub(super) fn told(node: &Node) -> String {
    let set = match node.domain.as_str() {
        "" => String::new(),
        other => format!("{other}."),
    };
    format!("{:?} ({set}{})", node.name, node.op)
}

/// The nodes of a graph with those of functions in their places.
fn flatten<'a>(
    graph: &'a Graph,
    prefix: &str,
    names: &HashMap<String, String>,
    into: &mut Vec<SeenNode<'a>>,
) {
    let of = |name: &String| match (name.as_str(), names.get(name)) {
        ("", _) => String::new(),
        (_, Some(outer)) => outer.clone(),
        (name, None) => format!("{prefix}{name}"),
    };
    for node in &graph.nodes {
        let inputs: Vec<String> = node.inputs.iter().map(of).collect();
        let outputs: Vec<String> = node.outputs.iter().map(of).collect();
        let Kind::Function(body) = &node.kind else {
            into.push(SeenNode {
                node,
                inputs,
                outputs,
            });
            continue;
        };
        let mut own = HashMap::new();
        let given = inputs.into_iter().chain(std::iter::repeat(String::new()));
        for (info, name) in body.inputs.iter().zip(given) {
            own.insert(info.name().to_owned(), name);
        }
        for (info, name) in body.outputs.iter().zip(outputs) {
            // An output that is an input too keeps the input's name; nothing reads it under the other.
            if !name.is_empty() && !own.contains_key(info.name()) {
                own.insert(info.name().to_owned(), name);
            }
        }
        let prefix = format!("{prefix}{}/{}/", node.name, into.len());
        flatten(body, &prefix, &own, into);
    }
}

type Runs = Vec<([Vec<usize>; 2], DType)>;

/// The network's inputs, and what stands for them in the two runs.
fn inputs(given: &[Value], other: [usize; 2]) -> Result<(Vec<Input>, Runs)> {
    let mut letters: Vec<(String, [usize; 2])> = Vec::new();
    let (mut inputs, mut runs) = (Vec::new(), Vec::new());
    let mut taken: HashSet<String> = HashSet::new();
    for value in given {
        let dtype = match value.dtype {
            Some(DType::F32) => "float32",
            Some(DType::I64 | DType::I32) => "int64",
            Some(DType::Bool) => "bool",
            other => {
                return Err(Error::not_implemented(format!(
                    "the model's input {:?} is {}; a network takes float32, int64 or bool: export the model in float32",
                    value.name,
                    other.map_or_else(|| "of any type".to_owned(), |dtype| dtype.to_string())
                )));
            }
        };
        let Some(sizes) = &value.shape else {
            return Err(Error::not_implemented(format!(
                "the model says no shape of its input {:?}; export it with one, sizes that stay open as names",
                value.name
            )));
        };
        let mut shape = Vec::new();
        let mut both = [Vec::new(), Vec::new()];
        for (i, size) in sizes.iter().enumerate() {
            let letter = match size {
                Size::Fixed(n) => {
                    shape.push(InputSize::Number(*n as u64));
                    both.iter_mut().for_each(|sizes| sizes.push(*n));
                    continue;
                }
                Size::Named(name) if is_name(name) => name.clone(),
                _ if i == 0 => "N".to_owned(),
                _ => free("L", |name| letters.iter().any(|(known, _)| known == name)),
            };
            let known = letters.iter().find(|(known, _)| *known == letter);
            let stands = known.map_or(if i == 0 { BATCH } else { other }, |(_, stands)| *stands);
            if known.is_none() {
                letters.push((letter.clone(), stands));
            }
            shape.push(InputSize::Open(letter));
            both.iter_mut()
                .zip(stands)
                .for_each(|(sizes, n)| sizes.push(n));
        }
        let name = free(&tidy(&value.name, "x"), |name| taken.contains(name));
        taken.insert(name.clone());
        inputs.push(Input {
            name,
            shape,
            dtype: dtype.to_owned(),
            at: None,
        });
        runs.push((both, value.dtype.unwrap_or(DType::F32)));
    }
    Ok((inputs, runs))
}

/// A name that is not taken: the text, or the text with a number.
pub(super) fn free(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(base) {
        return base.to_owned();
    }
    let mut n = 2;
    loop {
        let name = format!("{base}_{n}");
        if !is_taken(&name) {
            return name;
        }
        n += 1;
    }
}

/// A text as a name of Python: other letters become `_`. `otherwise` where nothing is left.
pub(super) fn tidy(text: &str, otherwise: &str) -> String {
    let mut name = String::new();
    for letter in text.chars().take(48) {
        match letter.is_ascii_alphanumeric() {
            true => name.push(letter),
            false if name.ends_with('_') => {}
            false => name.push('_'),
        }
    }
    let name = name
        .trim_matches('_')
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    match is_name(name) {
        true => name.to_owned(),
        false => otherwise.to_owned(),
    }
}

/// Zeros for a tensor whose values are not looked at.
fn stand_in(engine: &Engine, dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let zero = match dtype.is_float() {
        true => Scalar::Float(0.0),
        false => Scalar::Int(0),
    };
    Tensor::full(engine, shape, zero, dtype)
}

//! A network as it grows: nodes, their sources, and weights under the names that its class gives them.

use std::collections::{HashMap, HashSet};

use glowgrad::{DType, Error, Result, Tensor};
use glowgrad_architecture::edit::base_id;
use glowgrad_architecture::functions::function;
use glowgrad_architecture::model::{FORMAT, MOST_NODES, Node, Source, VERSION};
use glowgrad_architecture::{Architecture, Args, catalog, is_name};
use serde_json::{Value as Json, json};

use super::Drawn;
use super::patterns::Pattern;
use super::seen::{Seen, SeenNode, free, tidy, told};

/// Whether something was drawn, or why it has no picture.
pub(super) type Result1<T> = std::result::Result<T, Why>;

pub(super) enum Why {
    /// The node has no picture, for this reason.
    No(String),
    Error(Error),
}

impl From<Error> for Why {
    fn from(error: Error) -> Why {
        Why::Error(error)
    }
}

pub(super) fn no<T>(why: impl Into<String>) -> Result1<T> {
    Err(Why::No(why.into()))
}

/// Arguments of a node.
pub(super) fn args(each: &[(&str, Json)]) -> Args {
    each.iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

pub(super) struct Drawing<'s, 'm> {
    pub(super) seen: &'s Seen<'m>,
    pub(super) nodes: Vec<Node>,
    /// Of each value of the model that is drawn, the source in the network.
    pub(super) sources: HashMap<String, String>,
    weights: Vec<(String, Tensor)>,
    /// Layers and parameters that are there already, by what they are made of.
    shared: HashMap<String, String>,
    taken: HashSet<String>,
    /// How often a name was given.
    counts: HashMap<String, usize>,
}

impl<'s, 'm> Drawing<'s, 'm> {
    pub(super) fn new(seen: &'s Seen<'m>) -> Self {
        let mut drawing = Drawing {
            seen,
            nodes: Vec::new(),
            sources: HashMap::new(),
            weights: Vec::new(),
            shared: HashMap::new(),
            taken: seen.inputs.iter().map(|input| input.name.clone()).collect(),
            counts: HashMap::new(),
        };
        for (input, name) in seen.inputs.iter().zip(&seen.input_names) {
            drawing.sources.insert(name.clone(), input.name.clone());
        }
        drawing
    }

    /// Draws what the outputs need: from the outputs back it is found what is needed, then forth it is drawn.
    pub(super) fn draw(&mut self) -> Result<()> {
        let seen = self.seen;
        let mut needed: HashSet<String> = seen.outputs.iter().cloned().collect();
        let mut plans: Vec<Option<Option<Pattern>>> = Vec::new();
        for at in (0..seen.steps.len()).rev() {
            let step = &seen.steps[at];
            if !step
                .outputs
                .iter()
                .any(|name| needed.contains(name) && seen.varies(name))
            {
                plans.push(None);
                continue;
            }
            let pattern = super::patterns::find(seen, at)?;
            match &pattern {
                Some(pattern) => needed.extend(pattern.reads().into_iter().map(str::to_owned)),
                None => needed.extend(step.inputs.iter().filter(|name| !name.is_empty()).cloned()),
            }
            plans.push(Some(pattern));
        }
        let mut refused = Vec::new();
        for (at, plan) in plans.into_iter().rev().enumerate() {
            let Some(pattern) = plan else { continue };
            let step = &seen.steps[at];
            if !refused.is_empty() && step.inputs.iter().any(|name| self.is_lost(name)) {
                continue;
            }
            let drawn = match pattern {
                Some(pattern) => super::patterns::draw(self, step, &pattern),
                None => self.step(step),
            };
            match drawn {
                Ok(()) => {}
                Err(Why::No(why)) => refused.push(match why.as_str() {
                    "" => told(step.node),
                    why => format!("{}: {why}", told(step.node)),
                }),
                Err(Why::Error(error)) => return Err(error),
            }
            if self.nodes.len() > MOST_NODES {
                return Err(Error::value(format!(
                    "the model has more than the {MOST_NODES} nodes that a network may have"
                )));
            }
        }
        match refused.is_empty() {
            true => Ok(()),
            false => Err(super::refused(&refused)),
        }
    }

    /// Whether a value should be there and is not: its node was refused.
    fn is_lost(&self, name: &str) -> bool {
        self.seen.varies(name) && !self.sources.contains_key(name)
    }

    fn step(&mut self, step: &SeenNode<'_>) -> Result1<()> {
        if let Some(gone) = step.inputs.iter().find(|name| self.is_lost(name)) {
            return no(format!("its input {gone:?} has no picture"));
        }
        if super::functions::draw(self, step)?
            || super::layers::draw(self, step)?
            || super::pooling::draw(self, step)?
            || super::recurrent::draw(self, step)?
        {
            return Ok(());
        }
        no("")
    }

    /// The source of a value: what is drawn already, a parameter for a constant, or what only sizes decide.
    pub(super) fn source(&mut self, name: &str) -> Result1<String> {
        if let Some(source) = self.sources.get(name) {
            return Ok(source.clone());
        }
        if let Some(tensor) = self.seen.constant(name)? {
            let tensor = tensor.clone();
            return self.parameter(name, &tensor);
        }
        match self.seen.sized(name).cloned() {
            Some(pair) => super::parts::sized(self, name, &pair),
            None => no(format!("its input {name:?} has no picture")),
        }
    }

    /// A parameter with a constant's numbers.
    pub(super) fn parameter(&mut self, name: &str, tensor: &Tensor) -> Result1<String> {
        if !tensor.dtype().is_float() {
            return no(format!(
                "its input {name:?} holds constants of {}, and a network's are floats",
                tensor.dtype()
            ));
        }
        let key = format!("parameter {name}");
        if let Some(id) = self.shared.get(&key) {
            return Ok(id.clone());
        }
        let mut shape = tensor.shape().to_vec();
        if shape.is_empty() {
            shape.push(1);
        }
        if shape.contains(&0) {
            return no(format!("its input {name:?} has no element"));
        }
        let base = if self.seen.is_weight(name) {
            tidy(name, "parameter")
        } else {
            "parameter".to_owned()
        };
        let id = self.id(&base);
        let sizes: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
        self.weight(id.clone(), tensor.reshape(&sizes)?)?;
        self.push(
            &id,
            "parameter",
            args(&[("shape", json!(shape))]),
            Vec::new(),
        );
        self.shared.insert(key, id.clone());
        Ok(id)
    }

    /// Notes a weight, as 32-bit floats.
    pub(super) fn weight(&mut self, name: String, tensor: Tensor) -> Result1<()> {
        let tensor = match tensor.dtype() {
            DType::F32 | DType::I64 => tensor,
            _ => tensor.to(DType::F32)?,
        };
        self.weights.push((name, tensor));
        Ok(())
    }

    /// A free name.
    fn id(&mut self, base: &str) -> String {
        let base = if is_name(base) {
            base.to_owned()
        } else {
            format!("{base}_1")
        };
        let n = self.counts.entry(base.clone()).or_insert(0);
        *n += 1;
        let first = if *n == 1 {
            base.clone()
        } else {
            format!("{base}_{n}")
        };
        let id = free(&first, |name| self.taken.contains(name));
        self.taken.insert(id.clone());
        id
    }

    fn push(&mut self, id: &str, kind: &str, args: Args, inputs: Vec<String>) {
        self.nodes.push(Node {
            id: id.to_owned(),
            kind: kind.to_owned(),
            args,
            inputs,
            ..Node::default()
        });
    }

    /// Adds a function, or a layer without weights; gives its name.
    pub(super) fn add(&mut self, kind: &str, args: Args, inputs: Vec<String>) -> String {
        let id = self.id(&base_id(kind));
        self.push(&id, kind, args, inputs);
        id
    }

    /// Adds a layer with weights; `called` are values of the model that it has its name from. The same values again are
    /// the same layer once more.
    pub(super) fn layer(
        &mut self,
        kind: &str,
        args: Args,
        called: &[&str],
        weights: Vec<(&str, Tensor)>,
        inputs: Vec<String>,
    ) -> Result1<String> {
        let key = format!("{kind} {} {called:?}", Json::Object(args.clone()));
        if let Some(same) = self.shared.get(&key).cloned() {
            let id = self.id(&same);
            self.nodes.push(Node {
                id: id.clone(),
                same: Some(same),
                inputs,
                ..Node::default()
            });
            return Ok(id);
        }
        let named = called.iter().find_map(|name| self.named_by(name));
        let id = self.id(&named.unwrap_or_else(|| base_id(kind)));
        for (name, tensor) in weights {
            self.weight(format!("{id}.{name}"), tensor)?;
        }
        self.push(&id, kind, args, inputs);
        self.shared.insert(key, id.clone());
        Ok(id)
    }

    /// The layer that a weight's name tells of: `layer1_0_conv1` of `layer1.0.conv1.weight`. What is made of one weight
    /// alone, such as its transpose, has its name.
    fn named_by(&self, name: &str) -> Option<String> {
        let mut name = name.to_owned();
        while !self.seen.is_weight(&name) {
            let step = &self.seen.steps[self.seen.makers.get(&name)?.0];
            name = step.inputs.first()?.clone();
        }
        let (layer, _) = name.rsplit_once('.')?;
        let tidied = tidy(layer, "");
        (!tidied.is_empty()).then_some(tidied)
    }

    /// Says that a value is this source.
    pub(super) fn set(&mut self, name: &str, source: impl Into<String>) {
        if !name.is_empty() {
            self.sources.insert(name.to_owned(), source.into());
        }
    }

    pub(super) fn finished(mut self, name: &str) -> Result<Drawn> {
        let seen = self.seen;
        let mut outputs = Vec::new();
        for output in &seen.outputs {
            match self.source(output) {
                Ok(source) => outputs.push(source),
                Err(Why::Error(error)) => return Err(error),
                Err(Why::No(why)) => {
                    return Err(super::refused(&[format!("the output {output:?}: {why}")]));
                }
            }
        }
        let name = tidy(name, "Imported");
        let mut letters = name.chars();
        let name: String = letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(letters).collect()
        });
        let is_other = catalog::row(&name).is_some() || function(&name).is_some();
        let net = Architecture {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: if is_other {
                "Imported".to_owned()
            } else {
                name
            },
            note: String::new(),
            inputs: seen.inputs.clone(),
            nodes: self.nodes,
            outputs,
            blocks: Vec::new(),
            training: None,
        };
        let net = without_unused(net)
            .sorted()
            .map_err(|error| Error::value(error.message))?;
        // A parameter that nothing reads is gone, and so are its numbers.
        let there: HashSet<&str> = net.nodes.iter().map(|node| node.id.as_str()).collect();
        let layer = |name: &str| {
            name.split_once('.')
                .map_or(name, |(layer, _)| layer)
                .to_owned()
        };
        let weights = self
            .weights
            .into_iter()
            .filter(|(name, _)| there.contains(layer(name).as_str()));
        let weights = weights.collect();
        Architecture::parse(&net.to_json()).map_err(|error| Error::value(error.message))?;
        Ok(Drawn { net, weights })
    }
}

/// Without the nodes that no output needs.
fn without_unused(mut net: Architecture) -> Architecture {
    let mut used: HashSet<String> = (net.outputs.iter())
        .map(|text| Source::parse(text).name.to_owned())
        .collect();
    for node in net.nodes.iter().rev() {
        if used.contains(&node.id) {
            let sources = node
                .inputs
                .iter()
                .map(|text| Source::parse(text).name.to_owned());
            used.extend(sources.chain(node.same.clone()));
        }
    }
    net.nodes.retain(|node| used.contains(&node.id));
    net
}

//! A network read from its JSON, and its form: names that are unique and can stand in code, blocks before their users, no circles.
//!
//! What is merely not finished, such as a layer without a source, is left to [`crate::analysis`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::error::{Error, Result};
use crate::functions::function;
use crate::model::{
    Architecture, FORMAT, Graph, LONGEST_TEXT, MOST_NODES, MOST_REPEATS, Node, Size, Source,
    VERSION,
};
use crate::{catalog, expression};

/// Words that Python or the generated code have for themselves.
const RESERVED: [&str; 45] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield", "self", "super", "torch", "nn", "F", "forward", "training", "engine", "fn",
    "type",
];

/// Whether a text can be a name in Python and in Rust.
pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.len() <= 60
        && !text.starts_with("__")
        && text != "_"
        && !RESERVED.contains(&text)
}

fn named(text: &str, what: &str) -> Result<()> {
    match is_name(text) {
        true => Ok(()),
        false => Err(Error::new(format!(
            "{what} is named {text:?}; a name has letters, digits and _, begins with a letter and is no word of Python"
        ))),
    }
}

/// Checks a network's form.
///
/// # Errors
/// For the first fault that is found.
pub(crate) fn check(net: &Architecture) -> Result<()> {
    named(&net.name, "the network")?;
    let mut count = net.nodes.len();
    let mut blocks: HashSet<&str> = HashSet::new();
    for block in &net.blocks {
        named(&block.name, "a block")?;
        if block.name == net.name
            || catalog::row(&block.name).is_some()
            || function(&block.name).is_some()
        {
            return Err(Error::new(format!(
                "a block is named {}, which is the name of something else; give it another one",
                block.name
            )));
        }
        for parameter in &block.parameters {
            named(&parameter.name, "a block's parameter")?;
            if !matches!(
                expression::Value::from_json(&parameter.default),
                expression::Value::None
            ) {
                continue;
            }
            return Err(Error::new(format!(
                "the parameter {} of {} needs a default value",
                parameter.name, block.name
            )));
        }
        let parameters: Vec<&str> = block
            .parameters
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        graph(&block.graph(), &parameters, &blocks, net)?;
        if !blocks.insert(&block.name) {
            return Err(Error::new(format!("two blocks are named {}", block.name)));
        }
        count += block.nodes.len();
    }
    if count > MOST_NODES {
        return Err(Error::new(format!(
            "a network has at most {MOST_NODES} nodes, and this one {count}; repeat a block in place of copies"
        )));
    }
    for input in &net.inputs {
        for size in &input.shape {
            if let Size::Open(name) = size {
                named(name, "an open size")?;
            }
        }
        if !matches!(input.dtype.as_str(), "float32" | "int64" | "bool") {
            return Err(Error::new(format!(
                "the input {} has the dtype {:?}; expected float32, int64 or bool",
                input.name, input.dtype
            )));
        }
        if input.shape.len() > 16 {
            return Err(Error::new(format!(
                "the input {} has more than 16 dimensions",
                input.name
            )));
        }
    }
    graph(&net.graph(&net.input_names()), &[], &blocks, net)
}

fn graph(
    graph: &Graph<'_>,
    parameters: &[&str],
    blocks: &HashSet<&str>,
    net: &Architecture,
) -> Result<()> {
    let mut names: HashSet<&str> = HashSet::new();
    for input in graph.inputs {
        named(input, "an input")?;
        if !names.insert(input) {
            return Err(Error::new(format!("two inputs are named {input}")));
        }
    }
    for node in graph.nodes {
        named(&node.id, "a node")?;
        if !names.insert(&node.id) || parameters.contains(&node.id.as_str()) {
            return Err(Error::new(format!("the name {} is given twice", node.id)));
        }
        if node.repeat.is_some_and(|n| n == 0 || n > MOST_REPEATS) {
            return Err(Error::new(format!(
                "{} stands {} times in a row; expected 1 to {MOST_REPEATS}",
                node.id,
                node.repeat.unwrap_or(0)
            )));
        }
        let uses_later = net
            .blocks
            .iter()
            .any(|block| uses(node, &block.name) && !blocks.contains(block.name.as_str()));
        if uses_later {
            return Err(Error::new(format!(
                "{} uses the block {}, which is defined after it or holds it; define a block before its users",
                node.id, node.kind
            )));
        }
        depth(node, 0)?;
    }
    sorted(graph.nodes).map(|_| ())
}

fn uses(node: &Node, block: &str) -> bool {
    node.kind == block || node.children.iter().any(|child| uses(child, block))
}

fn depth(node: &Node, deep: usize) -> Result<()> {
    if deep > 8 || node.children.len() > 1_000 {
        return Err(Error::new(format!(
            "{} has too many layers in layers",
            node.kind
        )));
    }
    node.children
        .iter()
        .try_for_each(|child| depth(child, deep + 1))
}

/// The nodes, each after its sources, otherwise in the order in which they stand.
///
/// # Errors
/// Where nodes feed each other in a circle.
pub(crate) fn sorted(nodes: &[Node]) -> Result<Vec<usize>> {
    let by_id: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(i, node)| (node.id.as_str(), i))
        .collect();
    let mut order = Vec::with_capacity(nodes.len());
    // 0: not seen; 1: its sources are being placed; 2: placed.
    let mut state = vec![0u8; nodes.len()];
    // A parameter stands just before its first reader, as in code.
    let is_parameter = |at: &usize| nodes[*at].kind == "parameter";
    let (last, first): (Vec<usize>, Vec<usize>) = (0..nodes.len()).partition(is_parameter);
    for start in first.into_iter().chain(last) {
        let mut stack = vec![start];
        while let Some(&at) = stack.last() {
            if state[at] == 2 {
                stack.pop();
                continue;
            }
            state[at] = 1;
            let node = &nodes[at];
            let sources = node.inputs.iter().map(|text| Source::parse(text).name);
            let mut waits = sources
                .chain(node.same.as_deref())
                .filter_map(|name| by_id.get(name).copied())
                .filter(|&other| state[other] != 2);
            match waits.next() {
                Some(other) if state[other] == 1 => {
                    return Err(Error::new(format!(
                        "{} and {} feed each other in a circle; a network goes one way",
                        nodes[other].id, node.id
                    )));
                }
                Some(other) => stack.push(other),
                None => {
                    state[at] = 2;
                    order.push(at);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

/// Leaves out arguments of a function that are its defaults, which its code does not say either.
fn usual(node: &mut Node) {
    if let Some(function) = function(&node.kind) {
        node.args.retain(|name, value| {
            let setting = function.arguments.iter().find(|one| one.name == name);
            setting
                .and_then(crate::functions::Setting::default_value)
                .as_ref()
                != Some(value)
        });
    }
}

impl Architecture {
    /// Reads a description, and checks that it is one.
    ///
    /// ```
    /// use glowgrad_architecture::Architecture;
    ///
    /// let fault = Architecture::parse("{\"format\": \"png\"}").unwrap_err();
    /// assert!(fault.to_string().contains("glowgrad.architecture"));
    /// ```
    ///
    /// # Errors
    /// For a text that is too long, is no JSON, has another form or version, names what there is not, or has a circle.
    pub fn parse(text: &str) -> Result<Architecture> {
        if text.len() > LONGEST_TEXT {
            return Err(Error::new(format!(
                "a description has at most {LONGEST_TEXT} bytes, and this one {}",
                text.len()
            )));
        }
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Error::new(format!("the description is no JSON: {error}")))?;
        let said = value["format"].as_str().unwrap_or("nothing");
        if said != FORMAT {
            return Err(Error::new(format!(
                "a network's description has the format {FORMAT:?}; this text says {said:?}"
            )));
        }
        if value["version"].as_u64() != Some(VERSION.into()) {
            return Err(Error::new(format!(
                "version {VERSION} of a description is read here; this one says {}; open it with the program that wrote it",
                value["version"]
            )));
        }
        let read: Architecture = serde_json::from_value(value).map_err(|error| {
            Error::new(format!(
                "the description has another form than a network: {error}"
            ))
        })?;
        check(&read)?;
        Ok(read)
    }

    /// The same network with each node after its sources, and without arguments of functions that are the defaults.
    ///
    /// # Errors
    /// Where nodes feed each other in a circle.
    pub fn sorted(mut self) -> Result<Architecture> {
        for nodes in self
            .blocks
            .iter_mut()
            .map(|block| &mut block.nodes)
            .chain([&mut self.nodes])
        {
            nodes.iter_mut().for_each(usual);
            let order = sorted(nodes)?;
            *nodes = order.into_iter().map(|at| nodes[at].clone()).collect();
        }
        Ok(self)
    }
}

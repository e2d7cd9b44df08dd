//! Changes to a network: nodes added with the arguments that their source decides, sizes that follow a change, and what
//! would mend a fault.

use serde_json::Value as Json;

use crate::analysis::{Analysis, Dim, Fact, Kind, analyse, kind};
use crate::catalog;
use crate::functions::{Settings, Shape, function};
use crate::model::{Architecture, Args, Node, Source};
use crate::shapes::decided;
use crate::{arguments, expression};

/// A change that mends a fault.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The network with it.
    pub net: Architecture,
}

/// The sizes of a tensor, -1 for an open one.
fn sizes(fact: &Fact) -> Shape {
    let size = |dim: &Dim| match dim {
        Dim::Number(n) => *n,
        Dim::Open(_) => -1,
    };
    fact.shape.iter().map(size).collect()
}

/// What is known of a source in the network, or in a block under its prefix.
fn fact<'a>(analysis: &'a Analysis, prefix: &str, source: &str) -> Option<&'a Fact> {
    let source = Source::parse(source);
    let node = analysis.nodes.get(&format!("{prefix}{}", source.name));
    match node {
        Some(facts) => facts.results.get(source.result),
        None if prefix.is_empty() => analysis.inputs.get(source.name),
        None => None,
    }
}

/// The arguments of a layer that its source decides; none where one of them is open.
fn decided_args(kind: &str, args: &Args, fact: &Fact) -> Option<Args> {
    let row = catalog::layer(kind)?;
    let settings: Settings = (args.iter())
        .filter(|(_, value)| arguments::expression(value).is_none())
        .map(|(name, value)| (name.clone(), expression::Value::from_json(value)))
        .collect();
    let found = decided(row, &settings, &sizes(fact));
    let is_open = |value: &Json| match value {
        Json::Array(items) => items.contains(&Json::from(-1)),
        value => value.as_i64() == Some(-1),
    };
    if found.values().any(is_open) || found.is_empty() {
        return None;
    }
    Some(found.into_iter().collect())
}

/// A name for a new node of a type, which no other node or input has: `relu`, `relu_2`.
pub fn free_id(nodes: &[Node], inputs: &[String], kind: &str) -> String {
    let base = base_id(kind);
    let is_taken =
        |id: &str| nodes.iter().any(|node| node.id == id) || inputs.iter().any(|input| input == id);
    if !is_taken(&base) && crate::check::is_name(&base) {
        return base;
    }
    (2..)
        .map(|n| format!("{base}_{n}"))
        .find(|id| !is_taken(id))
        .unwrap_or(base)
}

/// `conv` of `Conv2d`, `batch_norm` of `BatchNorm2d`, `relu` of `relu`.
pub fn base_id(kind: &str) -> String {
    if kind.chars().all(|c| !c.is_uppercase()) {
        return kind.to_owned();
    }
    if let Some(short) = match kind {
        "Linear" => Some("fc"),
        "BatchNorm1d" | "BatchNorm2d" | "BatchNorm3d" => Some("bn"),
        "LayerNorm" | "RMSNorm" | "GroupNorm" => Some("norm"),
        "MultiheadAttention" | "GroupedQueryAttention" => Some("attention"),
        "TransformerEncoder" | "TransformerEncoderLayer" => Some("encoder"),
        "Sequential" => Some("layers"),
        _ => None,
    } {
        return short.to_owned();
    }
    let kind = kind
        .trim_end_matches("1d")
        .trim_end_matches("2d")
        .trim_end_matches("3d");
    if kind.chars().all(|c| c.is_uppercase() || c.is_ascii_digit()) {
        return kind.to_lowercase();
    }
    let mut name = String::new();
    let mut was_lower = false;
    for letter in kind.chars() {
        if letter.is_uppercase() && was_lower {
            name.push('_');
        }
        was_lower = letter.is_lowercase();
        name.extend(letter.to_lowercase());
    }
    name
}

impl Architecture {
    /// Adds a node to the network after a source, with the arguments that the source decides, and makes it the output if
    /// the source was; gives its name.
    ///
    /// ```
    /// use glowgrad_architecture::{analyse, Architecture};
    ///
    /// let mut net = Architecture::empty("Net");
    /// let conv = net.add_after("x", "Conv2d", &[("out_channels", 8.into()), ("kernel_size", 3.into())]);
    /// let flat = net.add_after(&conv, "Flatten", &[]);
    /// net.add_after(&flat, "Linear", &[("out_features", 10.into())]);
    /// assert_eq!(analyse(&net).outputs[0].to_string(), "[N, 10]");
    /// ```
    pub fn add_after(&mut self, source: &str, kind: &str, args: &[(&str, Json)]) -> String {
        let args: Args = args
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let id = free_id(&self.nodes, &self.input_names(), kind);
        let analysis = analyse(self);
        let mut all = with_examples(kind, &args);
        if let Some(more) =
            fact(&analysis, "", source).and_then(|fact| decided_args(kind, &all, fact))
        {
            for (name, value) in more {
                if !args.contains_key(&name) {
                    all.insert(name, value);
                }
            }
        }
        self.nodes.push(Node {
            id: id.clone(),
            kind: kind.to_owned(),
            args: all,
            inputs: if source.is_empty() {
                Vec::new()
            } else {
                vec![source.to_owned()]
            },
            ..Node::default()
        });
        if self.outputs.is_empty() || self.outputs == [source] {
            self.outputs = vec![id.clone()];
        }
        id
    }

    /// The network in which sizes that are decided by a source follow a change: what fitted before and does not now gets
    /// the arguments that its source decides.
    #[must_use]
    pub fn settled(mut self, before: &Analysis) -> Architecture {
        for _ in 0..64 {
            let analysis = analyse(&self);
            let Some((block, at, args)) = self.unsettled(&analysis, before) else {
                return self;
            };
            let nodes = match block {
                Some(block) => &mut self.blocks[block].nodes,
                None => &mut self.nodes,
            };
            nodes[at].args = args;
        }
        self
    }

    /// A node with a fault that arguments mend, with them.
    fn unsettled(
        &self,
        analysis: &Analysis,
        before: &Analysis,
    ) -> Option<(Option<usize>, usize, Args)> {
        let graphs = (self.blocks.iter().enumerate())
            .map(|(i, block)| (Some(i), format!("{}/", block.name), &block.nodes))
            .chain([(None, String::new(), &self.nodes)]);
        for (block, prefix, nodes) in graphs {
            for (at, node) in nodes.iter().enumerate() {
                let path = format!("{prefix}{}", node.id);
                let facts = analysis.nodes.get(&path);
                let has_fault =
                    facts.is_some_and(|facts| facts.fault.is_some() && !facts.is_waiting);
                let had_fault = before
                    .nodes
                    .get(&path)
                    .is_some_and(|facts| facts.fault.is_some());
                if !has_fault || had_fault {
                    continue;
                }
                let source = node
                    .inputs
                    .first()
                    .and_then(|source| fact(analysis, &prefix, source));
                let args = source.and_then(|fact| decided_args(&node.kind, &node.args, fact));
                let Some(found) = args else { continue };
                let is_expression = |name: &String| {
                    node.args
                        .get(name)
                        .is_some_and(|one| arguments::expression(one).is_some())
                };
                if found.keys().any(is_expression)
                    || found
                        .iter()
                        .all(|(name, value)| node.args.get(name) == Some(value))
                {
                    continue;
                }
                let mut args = node.args.clone();
                args.extend(found);
                return Some((block, at, args));
            }
        }
        None
    }

    /// What would mend the fault of a node at a path of [`Analysis::nodes`] where sizes decide it, at most four changes;
    /// `mending` has these and others.
    pub fn fixes(&self, path: &str) -> Vec<Fix> {
        let (prefix, id) = match path.split_once('/') {
            Some((block, id)) => (format!("{block}/"), id),
            None => (String::new(), path),
        };
        let block = prefix
            .strip_suffix('/')
            .and_then(|name| self.blocks.iter().position(|one| one.name == name));
        let nodes = match block {
            Some(block) => &self.blocks[block].nodes,
            None => &self.nodes,
        };
        let analysis = analyse(self);
        let Some(at) = nodes.iter().position(|node| node.id == id) else {
            return Vec::new();
        };
        let node = &nodes[at];
        let mut fixes: Vec<Fix> = Vec::new();
        let mut offer = |title: String, changed: Architecture| {
            let found = analyse(&changed);
            let is_mended = found
                .nodes
                .get(path)
                .is_some_and(|facts| facts.fault.is_none());
            if is_mended && fixes.len() < 4 && fixes.iter().all(|fix| fix.title != title) {
                fixes.push(Fix {
                    title,
                    net: changed,
                });
            }
        };
        let change = |edit: &dyn Fn(&mut Vec<Node>)| {
            let mut net = self.clone();
            edit(match block {
                Some(block) => &mut net.blocks[block].nodes,
                None => &mut net.nodes,
            });
            net
        };
        let source = node
            .inputs
            .first()
            .and_then(|source| fact(&analysis, &prefix, source));
        if let Some(found) = source.and_then(|fact| decided_args(&node.kind, &node.args, fact)) {
            let texts: Vec<String> = found
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let mut texts = texts;
            texts.sort();
            offer(
                format!("Set {}", texts.join(", ")),
                change(&|nodes| nodes[at].args.extend(found.clone())),
            );
        }
        let block_inputs = block.map(|block| self.blocks[block].inputs.clone());
        let inputs = block_inputs.unwrap_or_else(|| self.input_names());
        // Something between a source and the node, with the node's decided arguments after it.
        for (operand, source) in node.inputs.iter().enumerate() {
            let Some(before) = fact(&analysis, &prefix, source) else {
                continue;
            };
            for (kind, args, title) in between(node, operand, before, &analysis, &prefix) {
                let inserted = Node {
                    id: free_id(nodes, &inputs, kind),
                    kind: kind.to_owned(),
                    args,
                    inputs: vec![source.clone()],
                    ..Node::default()
                };
                let new_id = inserted.id.clone();
                let plain = change(&|nodes| {
                    nodes[at].inputs[operand].clone_from(&new_id);
                    nodes.insert(at, inserted.clone());
                });
                let followed = analyse(&plain);
                let decided = fact(&followed, &prefix, &new_id)
                    .and_then(|fact| decided_args(&node.kind, &node.args, fact));
                offer(title.clone(), plain.clone());
                if let Some(args) = decided {
                    let mut net = plain;
                    let nodes = match block {
                        Some(block) => &mut net.blocks[block].nodes,
                        None => &mut net.nodes,
                    };
                    let texts: Vec<String> = args
                        .iter()
                        .map(|(name, value)| format!("{name}={value}"))
                        .collect();
                    nodes[at + 1].args.extend(args);
                    offer(format!("{title}, and set {}", texts.join(", ")), net);
                }
            }
        }
        fixes
    }
}

/// Arguments that have to be given, filled with those of the row's first example where nothing decides them.
pub fn with_examples(kind: &str, args: &Args) -> Args {
    let mut all = args.clone();
    if let Some(row) = catalog::layer(kind) {
        for argument in row.settings().filter(|argument| argument.required) {
            let example = row
                .examples
                .first()
                .and_then(|example| example.arguments.get(&argument.name));
            if let Some(value) = usual(&argument.name).or_else(|| example.cloned()) {
                all.entry(argument.name.clone()).or_insert(value);
            }
        }
    }
    if let Some(function) = function(kind) {
        for setting in function
            .arguments
            .iter()
            .filter(|setting| setting.default.is_none())
        {
            let value = match (setting.name, setting.kind) {
                ("factor", _) => Json::from(0.5),
                ("chunks", _) => Json::from(2),
                ("length" | "dim1", _) => Json::from(2),
                ("shape", _) => Json::from(vec![1, 1]),
                ("sizes", _) => Json::from(vec![2, -1]),
                ("dims", _) => Json::from(vec![0, 2, 1]),
                ("dim" | "dim0", "int") => Json::from(1),
                ("dim", _) => Json::from(vec![1]),
                _ => Json::from(0),
            };
            all.entry(setting.name).or_insert(value);
        }
    }
    all
}

/// What an argument is at first, where nothing is said of it.
fn usual(name: &str) -> Option<Json> {
    Some(Json::from(match name {
        "out_features" | "hidden_size" | "embedding_dim" => 64,
        "out_channels" => 16,
        "kernel_size" => 3,
        "num_embeddings" => 65,
        "num_heads" | "nhead" => 4,
        "num_groups" => 4,
        _ => return None,
    }))
}

/// What may stand between a source and a node: a type, its arguments, and what that does.
fn between(
    node: &Node,
    operand: usize,
    before: &Fact,
    analysis: &Analysis,
    prefix: &str,
) -> Vec<(&'static str, Args, String)> {
    let args = |all: &[(&str, Json)]| -> Args {
        all.iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    };
    let mut found = Vec::new();
    let sizes = sizes(before);
    if matches!(node.kind.as_str(), "add" | "sub" | "mul") {
        // The other operand says what shape is needed.
        let other = node
            .inputs
            .get(1 - operand.min(1))
            .and_then(|source| fact(analysis, prefix, source));
        let Some(other) = other.map(self::sizes) else {
            return found;
        };
        if let ([.., from], [.., to]) = (&sizes[..], &other[..])
            && sizes.len() == other.len()
            && sizes.len() != 4
        {
            found.push((
                "Linear",
                args(&[
                    ("in_features", (*from).into()),
                    ("out_features", (*to).into()),
                ]),
                format!("Put a Linear({from}, {to}) before it"),
            ));
        }
        if let ([_, from, h, w], [_, to, new_h, new_w]) = (&sizes[..], &other[..]) {
            let stride = if *new_h > 0 && h % new_h == 0 && w % new_w == 0 && h / new_h == w / new_w
            {
                h / new_h
            } else {
                1
            };
            let mut all = vec![
                ("in_channels", (*from).into()),
                ("out_channels", (*to).into()),
                ("kernel_size", 1.into()),
            ];
            if stride > 1 {
                all.push(("stride", stride.into()));
            }
            found.push((
                "Conv2d",
                args(&all),
                format!("Put a Conv2d of 1 by 1 from {from} to {to} channels before it"),
            ));
        }
        return found;
    }
    if sizes.len() > 2 {
        found.push(("Flatten", Args::new(), "Put a Flatten before it".to_owned()));
    }
    if sizes.len() == 3 {
        found.push((
            "transpose",
            args(&[("dim0", 1.into()), ("dim1", 2.into())]),
            "Exchange dimensions 1 and 2 before it".to_owned(),
        ));
        found.push((
            "select",
            args(&[("dim", 1.into()), ("index", (-1).into())]),
            "Take the last of dimension 1 before it".to_owned(),
        ));
    }
    found.push((
        "unsqueeze",
        args(&[("dim", 1.into())]),
        "Add a dimension of 1 before it".to_owned(),
    ));
    found
}

/// Whether a name is that of something that a node can be.
pub fn is_kind(net: &Architecture, name: &str) -> bool {
    kind(net, name).is_ok_and(|kind| match kind {
        Kind::Layer(_) | Kind::Function(_) | Kind::Block(_) | Kind::Sequential => true,
    })
}

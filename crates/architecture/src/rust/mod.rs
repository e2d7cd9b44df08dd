//! A network as Rust: a struct for each block and one for the network, made of the types of `glowgrad::nn`.

mod body;
mod expression;
mod layers;
mod package;

use std::collections::BTreeSet;

use crate::analysis::analyse;
use crate::error::{Error, Result};
use crate::expression::Value;
use crate::functions::function;
use crate::model::{Architecture, Block, Graph, Node, Parameter};

pub use layers::LAYERS;
pub use package::package;

/// Words that Rust has for itself.
const KEYWORDS: [&str; 31] = [
    "abstract", "become", "box", "const", "crate", "do", "dyn", "enum", "extern", "final", "gen",
    "impl", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "static", "struct", "trait", "typeof", "unsafe", "unsized", "use", "where",
];

/// The module of a network, which a crate that depends on `glowgrad` compiles.
///
/// ```
/// let net = glowgrad_architecture::presets::preset("mlp")?;
/// let code = glowgrad_architecture::rust::write(&net)?;
/// assert!(code.contains("pub struct MLP {"));
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
///
/// # Errors
/// When the network has a fault, a layer that has no type in Rust, or a name that Rust has for itself.
pub fn write(net: &Architecture) -> Result<String> {
    let found = analyse(net);
    let faults = found.nodes.iter().filter(|(_, facts)| !facts.is_waiting);
    let fault = faults
        .filter_map(|(path, facts)| Some(format!("{path}: {}", facts.fault.as_ref()?)))
        .next();
    if let Some(fault) = fault.or_else(|| found.faults.first().cloned()) {
        return Err(Error::new(format!(
            "the network does not fit together yet: {fault}"
        )));
    }
    let net = net.clone().sorted()?;
    let mut writer = Writer {
        net: &net,
        lines: Vec::new(),
        types: BTreeSet::new(),
        calls: BTreeSet::new(),
    };
    for block in &net.blocks {
        writer.structure(&block.name, &block.note, &block.graph(), Some(block))?;
    }
    let names = net.input_names();
    writer.structure(&net.name, &net.note, &net.graph(&names), None)?;
    Ok(writer.finished())
}

struct Writer<'a> {
    net: &'a Architecture,
    lines: Vec<String>,
    /// Types of `glowgrad::nn` that are used.
    types: BTreeSet<String>,
    /// What else is used: `call`, `call_multi`, `args`, `ToArg`, `Scalar`, `DType`, `functional`, `init`.
    calls: BTreeSet<&'static str>,
}

impl Writer<'_> {
    fn push(&mut self, indent: usize, text: impl AsRef<str>) {
        for line in text.as_ref().lines() {
            let margin = "    ".repeat(indent);
            let lines = wrapped(line.trim_end(), WIDTH.saturating_sub(margin.len()));
            self.lines
                .extend(lines.into_iter().map(|line| match line.as_str() {
                    "" => line,
                    line => format!("{margin}{line}"),
                }));
        }
    }

    fn gap(&mut self) {
        self.lines.push(String::new());
    }

    fn finished(self) -> String {
        let Writer {
            net,
            lines,
            types,
            calls,
            ..
        } = self;
        let mut head = vec![
            format!("//! {}, made in glowgrad's studio.", net.name),
            String::new(),
        ];
        let uses = |place: &str, names: Vec<&str>| match &names[..] {
            [] => None,
            [one] => Some(format!("use {place}::{one};")),
            _ => Some(format!("use {place}::{{{}}};", names.join(", "))),
        };
        let bind: Vec<&str> = ["ToArg", "call", "call_multi"]
            .into_iter()
            .filter(|name| calls.contains(name))
            .collect();
        head.extend(uses("glowgrad::bind", bind));
        let mut all: BTreeSet<&str> = types.iter().map(String::as_str).collect();
        all.insert("Module");
        all.extend(
            ["functional", "init"]
                .into_iter()
                .filter(|name| calls.contains(name)),
        );
        head.extend(uses("glowgrad::nn", all.into_iter().collect()));
        let mut own = vec!["Engine", "Result", "Tensor"];
        own.extend(
            ["DType", "Scalar", "args"]
                .into_iter()
                .filter(|name| calls.contains(name)),
        );
        own.sort_by_key(|name| (name.starts_with(char::is_lowercase), *name));
        head.extend(uses("glowgrad", own));
        head.push(String::new());
        let head: Vec<String> = head.iter().flat_map(|line| wrapped(line, WIDTH)).collect();
        format!("{}\n{}\n", head.join("\n"), lines.join("\n").trim())
    }

    fn structure(
        &mut self,
        name: &str,
        note: &str,
        graph: &Graph<'_>,
        block: Option<&Block>,
    ) -> Result<()> {
        for node in graph.nodes {
            if KEYWORDS.contains(&node.id.as_str()) {
                return Err(Error::new(format!(
                    "{} is a word of Rust; give that node another name",
                    node.id
                )));
            }
        }
        let parameters = block.map_or(&[][..], |block| &block.parameters[..]);
        let parts: Vec<&Node> = graph.nodes.iter().filter(|node| is_part(node)).collect();
        self.gap();
        let doc = if note.trim().is_empty() {
            name
        } else {
            note.trim()
        };
        for line in doc.lines() {
            self.push(0, format!("/// {line}"));
        }
        let kept: Vec<&Parameter> = parameters
            .iter()
            .filter(|one| body::reads(graph, &one.name))
            .collect();
        self.push(0, format!("pub struct {name} {{"));
        for node in &parts {
            for line in node.note.lines() {
                self.push(1, format!("/// {line}"));
            }
            let kind = self.field(node)?;
            self.push(1, format!("pub {}: {kind},", node.id));
        }
        for one in &kept {
            self.push(1, format!("{}: {},", one.name, type_of(&one.default)));
        }
        self.push(0, "}");
        let names: Vec<&str> = parts.iter().map(|node| node.id.as_str()).collect();
        self.push(
            0,
            format!("glowgrad::parts!({name}: {});", names.join(", ")),
        );
        self.gap();
        self.push(0, format!("impl {name} {{"));
        self.push(1, "/// With weights drawn anew.");
        let given: Vec<String> = parameters
            .iter()
            .map(|one| format!(", {}: {}", one.name, type_of(&one.default)))
            .collect();
        let reads_engine = !parts.is_empty();
        let engine = if reads_engine { "engine" } else { "_engine" };
        self.push(
            1,
            format!(
                "pub fn new({engine}: &Engine{}) -> Result<{name}> {{",
                given.concat()
            ),
        );
        self.push(2, format!("Ok({name} {{"));
        for node in &parts {
            let made = self.made(node, parameters)?;
            self.push(3, format!("{}: {made},", node.id));
        }
        for one in &kept {
            self.push(3, format!("{},", one.name));
        }
        self.push(2, "})");
        self.push(1, "}");
        let is_module = graph.inputs.len() == 1 && graph.outputs.len() == 1;
        if !is_module {
            self.gap();
            self.push(1, "/// What it computes.");
            let inputs: Vec<String> = graph
                .inputs
                .iter()
                .map(|input| format!(", {input}: &Tensor"))
                .collect();
            let results = match graph.outputs.len() {
                1 => "Tensor".to_owned(),
                n if n > MOST_IN_A_TUPLE => format!("[Tensor; {n}]"),
                n => format!("({})", vec!["Tensor"; n].join(", ")),
            };
            self.push(
                1,
                format!(
                    "pub fn run(&self{}) -> Result<{results}> {{",
                    inputs.concat()
                ),
            );
            self.forward(graph, parameters)?;
            self.push(1, "}");
        }
        self.push(0, "}");
        if is_module {
            self.gap();
            self.push(0, format!("impl Module for {name} {{"));
            self.push(
                1,
                format!(
                    "fn forward(&self, {}: &Tensor) -> Result<Tensor> {{",
                    graph.inputs[0]
                ),
            );
            self.forward(graph, parameters)?;
            self.push(1, "}");
            self.push(0, "}");
        }
        Ok(())
    }

    /// The type of a node's field.
    fn field(&mut self, node: &Node) -> Result<String> {
        let one = match node.kind.as_str() {
            "parameter" => "Tensor".to_owned(),
            "Sequential" => {
                self.types.insert("Sequential".to_owned());
                "Sequential".to_owned()
            }
            kind if self.net.block(kind).is_some() => kind.to_owned(),
            kind => {
                let layer = layers::find(kind)?;
                self.types.insert(layer.kind.to_owned());
                layer.kind.to_owned()
            }
        };
        Ok(if node.repeat.is_some() {
            format!("Vec<{one}>")
        } else {
            one
        })
    }
}

/// How many results stand in a tuple; more are an array.
const MOST_IN_A_TUPLE: usize = 4;
/// The longest line that is written.
const WIDTH: usize = 100;

/// A line in parts where it is long: methods of a chain, or arguments of a call, each on a line of its own.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let is_code = !line.trim_start().starts_with("//");
    if line.len() <= width || !is_code {
        return vec![line.to_owned()];
    }
    let indent = " ".repeat(line.len() - line.trim_start().len());
    let (mut depth, mut links, mut groups) = (0usize, Vec::new(), Vec::new());
    let mut open = 0;
    for (at, letter) in line.char_indices() {
        match letter {
            '(' | '[' | '{' => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    groups.push((open, at));
                }
            }
            '.' if depth == 0 && line[..at].ends_with([')', '?']) => links.push(at),
            _ => {}
        }
    }
    let deeper = format!("{indent}    ");
    if links.len() > 1 {
        let mut lines = vec![line[..links[0]].to_owned()];
        for (i, &at) in links.iter().enumerate() {
            let end = links.get(i + 1).copied().unwrap_or(line.len());
            lines.push(format!("{deeper}{}", &line[at..end]));
        }
        return lines.iter().flat_map(|line| wrapped(line, width)).collect();
    }
    let Some((open, close)) = groups.into_iter().max_by_key(|(open, close)| close - open) else {
        return vec![line.to_owned()];
    };
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, open + 1);
    for (at, letter) in line[..close]
        .char_indices()
        .skip_while(|(at, _)| *at <= open)
    {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..close]);
    let mut lines = vec![line[..=open].to_owned()];
    for part in parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty())
    {
        lines.extend(wrapped(&format!("{deeper}{part},"), width));
    }
    lines.push(format!("{indent}{}", &line[close..]));
    lines
}

/// Whether a node is a field of its struct.
fn is_part(node: &Node) -> bool {
    node.same.is_none() && (node.kind == "parameter" || function(&node.kind).is_none())
}

/// The type of a block's parameter.
fn type_of(default: &serde_json::Value) -> &'static str {
    match Value::from_json(default) {
        Value::Bool(_) => "bool",
        Value::Float(_) => "f64",
        Value::Text(_) => "&'static str",
        _ => "usize",
    }
}

//! A network from the code of its class.
//!
//! The parser is RustPython's. What a class may have: in `__init__`, attributes that are layers of `torch.nn`, classes of
//! the same file, `nn.Sequential` of them, parameters and numbers; in `forward`, calls of these and functions of
//! [`crate::functions`], each assigned to a name. Anything else is named with its line.

mod calls;
mod class;
mod comments;
mod forward;

use std::collections::HashMap;

use ruff_python_ast::{Expr, Stmt, StmtClassDef};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextSize};

use crate::check::check;
use crate::error::{Error, Result};
use crate::model::{Architecture, Block, Input, Size};
use crate::{Args, catalog};

use class::Class;
use comments::Comments;

/// The longest code that is read, in bytes.
const LONGEST: usize = 1 << 18;
/// How deep expressions may stand in each other.
const DEEPEST: usize = 60;

/// How many brackets are open at most; an expression that nests deeper is not read.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0usize, 0);
    for letter in text.bytes() {
        match letter {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The network.
    pub net: Architecture,
    /// What the picture has no place for, each with its line: other methods, other statements.
    pub left_out: Vec<String>,
}

/// Reads the network of a program: the class that has the name of the network before, or else the last one.
///
/// Shapes of inputs come from comments at the head of `forward`, or from the network before, or from the first layer.
/// Places of nodes that are still there stay.
///
/// ```
/// use glowgrad_architecture::python;
///
/// let code = "from torch import nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        \
///             self.fc = nn.Linear(4, 2)\n\n    def forward(self, x):\n        return self.fc(x).relu()\n";
/// let net = python::read(code, None)?.net;
/// assert_eq!(net.nodes[1].kind, "relu");
/// let fault = python::read("class Net: pass", None).unwrap_err();
/// assert!(fault.message.contains("nn.Module"));
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
///
/// # Errors
/// For code that does not parse, has no such class, or has in it what no picture shows; with the line.
pub fn read(text: &str, before: Option<&Architecture>) -> Result<Reading> {
    if text.len() > LONGEST {
        return Err(Error::new(format!(
            "the code has {} bytes; at most {LONGEST} are read",
            text.len()
        )));
    }
    if nesting(text) > DEEPEST || deepest_line(text) {
        return Err(Error::new(
            "the code has expressions that stand too deep in each other",
        ));
    }
    let source = Source::new(text);
    let parsed = parse_module(text).map_err(|error| {
        Error::at(
            source.line(error.location.start()),
            format!("this is no Python: {}", error.error),
        )
    })?;
    let comments = Comments::of(text, &parsed, &source);
    let mut names = Names::default();
    let mut classes: Vec<&StmtClassDef> = Vec::new();
    let mut left_out = Vec::new();
    for statement in parsed.suite() {
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => names.import(statement),
            Stmt::ClassDef(class) if names.is_module(class) => classes.push(class),
            Stmt::Expr(expr) if expr.value.is_string_literal_expr() => {}
            other => left_out.push(format!(
                "line {}: {}",
                source.line(other.start()),
                what(other)
            )),
        }
    }
    let wanted = before.map(|net| net.name.as_str());
    let main = classes
        .iter()
        .position(|class| Some(class.name.as_str()) == wanted);
    let main = main.or_else(|| classes.len().checked_sub(1)).ok_or_else(|| {
        Error::new("there is no class of nn.Module; write class Net(nn.Module): with __init__ and forward")
    })?;
    let mut reader = Reader {
        source: &source,
        comments: &comments,
        names: &names,
        classes: &classes,
        read: HashMap::new(),
        order: Vec::new(),
        left_out,
        open: Vec::new(),
    };
    let found = Class::read(&mut reader, classes[main], None)?;
    let blocks: Vec<Block> = reader
        .order
        .iter()
        .filter_map(|name| reader.read.get(name).cloned())
        .collect();
    let mut net = Architecture {
        name: classes[main].name.to_string(),
        note: found.note,
        inputs: Vec::new(),
        nodes: found.nodes,
        outputs: found.outputs,
        blocks,
        training: before.and_then(|net| net.training.clone()),
        ..Architecture::empty("Net")
    };
    let body = source.line(classes[main].start());
    net.inputs = (found.inputs.iter().enumerate())
        .map(|(i, name)| {
            let said = comments.shape(name, body);
            let old = before.and_then(|net| {
                net.inputs
                    .iter()
                    .find(|input| input.name == *name)
                    .or_else(|| net.inputs.get(i))
            });
            let mut input = said
                .or_else(|| old.cloned())
                .unwrap_or_else(|| guessed(name, &net));
            input.name.clone_from(name);
            input.at = old.and_then(|old| old.at);
            input
        })
        .collect();
    if let Some(before) = before {
        places(&mut net, before);
    }
    check(&net)?;
    let net = net.sorted()?;
    Ok(Reading {
        net,
        left_out: reader.left_out,
    })
}

/// Whether a line is a chain of operators that the parser would follow down.
fn deepest_line(text: &str) -> bool {
    let chains = ["not ", "- ", "-", "~", "lambda", " if ", "await ", "**"];
    text.lines()
        .any(|line| line.len() > 400 && chains.iter().any(|word| line.matches(word).count() > 200))
}

/// Positions in a text as lines.
pub(super) struct Source<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Source<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Source {
            text,
            starts: starts.collect(),
        }
    }

    /// The line of a position, from 1.
    fn line(&self, at: TextSize) -> usize {
        self.starts.partition_point(|&start| start <= at.to_usize())
    }

    /// The text of an expression.
    fn of(&self, ranged: &impl Ranged) -> &'a str {
        let range = ranged.range();
        self.text
            .get(range.start().to_usize()..range.end().to_usize())
            .unwrap_or("")
    }
}

/// What names stand for: `nn` for `torch.nn`.
pub(super) struct Names(HashMap<String, String>);

impl Default for Names {
    fn default() -> Names {
        let known = [
            ("torch", "torch"),
            ("nn", "torch.nn"),
            ("F", "torch.nn.functional"),
            ("glowgrad", "torch"),
        ];
        Names(
            known
                .iter()
                .map(|(name, full)| ((*name).to_owned(), (*full).to_owned()))
                .collect(),
        )
    }
}

impl Names {
    fn import(&mut self, statement: &Stmt) {
        let torch = |name: &str| match name.strip_prefix("glowgrad") {
            Some(rest) => format!("torch{rest}"),
            None => name.to_owned(),
        };
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    if let Some(name) = &alias.asname {
                        self.0.insert(name.to_string(), torch(alias.name.as_str()));
                    }
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import
                    .module
                    .as_ref()
                    .map(|name| torch(name.as_str()))
                    .unwrap_or_default();
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.0
                        .insert(name.to_string(), format!("{module}.{}", alias.name));
                }
            }
            _ => {}
        }
    }

    /// The full name of an expression such as `nn.Linear`.
    fn full(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Name(name) => self.0.get(name.id.as_str()).cloned(),
            Expr::Attribute(attribute) => Some(format!(
                "{}.{}",
                self.full(&attribute.value)?,
                attribute.attr
            )),
            _ => None,
        }
    }

    fn is_module(&self, class: &StmtClassDef) -> bool {
        let bases = class
            .arguments
            .as_ref()
            .map_or(&[][..], |arguments| &arguments.args[..]);
        bases
            .iter()
            .any(|base| self.full(base).as_deref() == Some("torch.nn.Module"))
    }
}

/// What reading one program needs everywhere.
pub(super) struct Reader<'a> {
    source: &'a Source<'a>,
    comments: &'a Comments,
    names: &'a Names,
    classes: &'a [&'a StmtClassDef],
    /// Blocks that were read, by name.
    read: HashMap<String, Block>,
    /// Their names, each after those it uses.
    order: Vec<String>,
    left_out: Vec<String>,
    /// Classes that are being read.
    open: Vec<String>,
}

impl Reader<'_> {
    fn fault<T>(&self, at: &impl Ranged, message: impl Into<String>) -> Result<T> {
        Err(Error::at(self.source.line(at.start()), message))
    }

    /// Reads the class of a block at its first use, whose arguments stand in for defaults that are missing.
    fn block(&mut self, name: &str, first: &Args, at: &Expr) -> Result<()> {
        if self.read.contains_key(name) {
            return Ok(());
        }
        let class = self
            .classes
            .iter()
            .copied()
            .find(|class| class.name.as_str() == name);
        let Some(class) = class else {
            return self.fault(
                at,
                format!("{name} is neither a layer of torch.nn nor a class of nn.Module here"),
            );
        };
        if self.open.iter().any(|open| open == name) {
            return self.fault(at, format!("{name} uses itself"));
        }
        self.open.push(name.to_owned());
        let found = Class::read(self, class, Some(first))?;
        self.open.pop();
        self.order.push(name.to_owned());
        self.read.insert(
            name.to_owned(),
            Block {
                name: name.to_owned(),
                note: found.note,
                parameters: found.parameters,
                inputs: found.inputs,
                nodes: found.nodes,
                outputs: found.outputs,
            },
        );
        Ok(())
    }
}

/// A statement, in words.
fn what(statement: &Stmt) -> String {
    match statement {
        Stmt::FunctionDef(function) => format!("the function {}", function.name),
        Stmt::ClassDef(class) => format!("the class {}, which is no nn.Module", class.name),
        Stmt::If(_) => "an if".to_owned(),
        Stmt::For(_) => "a for loop".to_owned(),
        Stmt::While(_) => "a while loop".to_owned(),
        Stmt::With(_) => "a with block".to_owned(),
        Stmt::Try(_) => "a try block".to_owned(),
        Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::AugAssign(_) => "an assignment".to_owned(),
        Stmt::Expr(_) => "a call".to_owned(),
        Stmt::Assert(_) => "an assert".to_owned(),
        Stmt::Raise(_) => "a raise".to_owned(),
        _ => "a statement".to_owned(),
    }
}

/// An input as the first layer would have it.
fn guessed(name: &str, net: &Architecture) -> Input {
    let first = net
        .nodes
        .iter()
        .find(|node| node.inputs.iter().any(|source| source == name));
    let size = |name: &str| {
        first
            .and_then(|node| node.args.get(name)?.as_u64())
            .map(Size::Number)
    };
    let open = || Size::Open("N".to_owned());
    let kind = first.map_or("", |node| node.kind.as_str());
    let (shape, dtype) = if kind == "Embedding" {
        (vec![open(), Size::Number(16)], "int64")
    } else if let Some(channels) = size("in_channels") {
        let n = catalog::row(kind)
            .and_then(|row| row.dims.first().copied())
            .unwrap_or(2);
        let mut shape = vec![open(), channels];
        shape.extend((0..n).map(|_| Size::Number(32)));
        (shape, "float32")
    } else if let Some(features) = size("input_size") {
        (vec![open(), Size::Number(16), features], "float32")
    } else {
        let features = size("in_features")
            .or_else(|| size("num_features"))
            .unwrap_or(Size::Number(64));
        (vec![open(), features], "float32")
    };
    Input {
        name: name.to_owned(),
        shape,
        dtype: dtype.to_owned(),
        at: None,
    }
}

/// Gives nodes the places that they had.
fn places(net: &mut Architecture, before: &Architecture) {
    let at = |nodes: &[crate::model::Node], id: &str| {
        nodes
            .iter()
            .find(|node| node.id == id)
            .and_then(|node| node.at)
    };
    for node in &mut net.nodes {
        node.at = at(&before.nodes, &node.id);
    }
    for block in &mut net.blocks {
        if let Some(old) = before.block(&block.name) {
            for node in &mut block.nodes {
                node.at = at(&old.nodes, &node.id);
            }
        }
    }
}

//! What runs: graphs, their nodes, the rows of operators, and one call of a row.
//!
//! Invariant: in a [`Graph`] every name that a node reads is an input, a constant, an output of an earlier node, or a name
//! of the graph around it (`resolve.rs` sees to it).

use std::collections::{HashMap, HashSet};
use std::fmt;

use glowgrad::{Engine, Result, Tensor};
use glowgrad_files::onnx::{AttributeProto, TensorProto, ValueInfoProto};

use crate::scope::Scope;

/// A node that the engine cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The operator: `Conv`.
    pub op: String,
    /// The operator's set; empty for ONNX's own.
    pub domain: String,
    /// The node's name, or that of its first output.
    pub node: String,
    /// The version of the operator set.
    pub version: i64,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let domain = match self.domain.as_str() {
            "" => "ai.onnx",
            other => other,
        };
        let Unsupported {
            op, node, version, ..
        } = self;
        write!(f, "{op} ({domain} {version}, node {node:?})")
    }
}

/// Nodes in the order in which they run.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) inputs: Vec<ValueInfoProto>,
    pub(crate) outputs: Vec<ValueInfoProto>,
    pub(crate) constants: Vec<TensorProto>,
    pub(crate) nodes: Vec<Node>,
}

/// What runs a node.
#[derive(Debug)]
pub(crate) enum Kind {
    /// An operator of the registry.
    Operator(&'static Row),
    /// The body of a function of the model.
    Function(Graph),
    /// Nothing.
    Unsupported,
}

/// One call.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) op: String,
    pub(crate) domain: String,
    pub(crate) name: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) attributes: Vec<AttributeProto>,
    /// The graphs among its attributes.
    pub(crate) bodies: HashMap<String, Graph>,
    pub(crate) kind: Kind,
    /// Names that nothing reads after it.
    pub(crate) last_uses: Vec<String>,
}

impl Graph {
    /// Notes of each node the names that nothing reads after it.
    pub(crate) fn find_last_uses(&mut self) {
        let mut seen: HashSet<String> = self.outputs.iter().map(|o| o.name().to_owned()).collect();
        for node in self.nodes.iter_mut().rev() {
            let mut read = HashSet::new();
            node.reads(&mut read);
            let unread = node.outputs.iter().filter(|o| !o.is_empty());
            let names: HashSet<String> = read.into_iter().chain(unread.cloned()).collect();
            node.last_uses = names
                .iter()
                .filter(|n| !seen.contains(*n))
                .cloned()
                .collect();
            seen.extend(names);
        }
    }

    /// Names that it or a graph in it reads.
    fn reads(&self, into: &mut HashSet<String>) {
        into.extend(self.outputs.iter().map(|o| o.name().to_owned()));
        for node in &self.nodes {
            node.reads(into);
        }
    }

    /// Every node, those of graphs in it and of functions included.
    pub(crate) fn each_node<'g>(&'g self, see: &mut dyn FnMut(&'g Node)) {
        for node in &self.nodes {
            see(node);
            for body in node.bodies.values() {
                body.each_node(see);
            }
            if let Kind::Function(body) = &node.kind {
                body.each_node(see);
            }
        }
    }
}

impl Node {
    fn reads(&self, into: &mut HashSet<String>) {
        into.extend(self.inputs.iter().filter(|i| !i.is_empty()).cloned());
        for body in self.bodies.values() {
            body.reads(into);
        }
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.attributes.iter().find(|a| a.name() == name)
    }
}

/// How an operator runs.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// As the engine's op of this name, on the inputs alone.
    Same(&'static str),
    /// By a function with one result.
    One(fn(&Call) -> Result<Tensor>),
    /// By a function with several results.
    Many(fn(&Call) -> Result<Vec<Tensor>>),
}

/// An operator, and the versions of its set in which it is what its function computes.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) since: i64,
    pub(crate) until: i64,
    pub(crate) run: Run,
}

impl Row {
    /// The same, up to a version.
    pub(crate) const fn until(self, until: i64) -> Row {
        Row { until, ..self }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}–{}", self.name, self.since, self.until)
    }
}

/// What runs a graph on inputs of its own, inside a scope or none.
pub(crate) type RunBody =
    fn(&Engine, &Graph, Vec<Option<Tensor>>, &Scope<'_>) -> Result<Vec<Tensor>>;

/// What an operator's function gets.
pub(crate) struct Call<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) node: &'a Node,
    /// One for each input of the node; none where it is left out.
    pub(crate) inputs: Vec<Option<Tensor>>,
    pub(crate) scope: &'a Scope<'a>,
    /// Runs a graph among the node's attributes on inputs of its own.
    pub(crate) run_body: RunBody,
}

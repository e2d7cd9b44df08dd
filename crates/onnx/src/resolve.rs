//! A model's messages as a graph that can run: names resolved, operators found, functions put in the place of their calls.
//!
//! A model without unsupported nodes needs no look-up of operators when it runs. Invariant: what is made is bounded by
//! [`MOST_NODES`], however functions call one another.

use std::collections::{HashMap, HashSet};

use glowgrad::{Error, Result};
use glowgrad_files::onnx::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    TensorProto, ValueInfoProto,
};

use crate::graph::{Graph, Kind, Node, Unsupported};
use crate::ops;

/// How deep graphs and functions may stand in one another.
const DEEPEST: usize = 64;

/// How many nodes a model may have once its functions stand in the place of their calls.
const MOST_NODES: usize = 1 << 20;

/// ONNX's own operator set has two names.
pub(crate) fn domain(name: &str) -> &str {
    match name {
        "ai.onnx" => "",
        other => other,
    }
}

/// Operator sets by name.
pub(crate) fn versions(imports: &[OperatorSetIdProto]) -> HashMap<String, i64> {
    let each = |set: &OperatorSetIdProto| (domain(set.domain()).to_owned(), set.version());
    imports.iter().map(each).collect()
}

/// Makes graphs of a model's messages.
pub(crate) struct Resolver<'a> {
    functions: HashMap<(&'a str, &'a str, &'a str), &'a FunctionProto>,
    n_nodes: usize,
    pub(crate) unsupported: Vec<Unsupported>,
}

/// What stands around the nodes that are resolved.
struct Around<'a> {
    versions: &'a HashMap<String, i64>,
    /// The attributes of the call whose function this is in.
    given: Option<&'a HashMap<&'a str, Option<&'a AttributeProto>>>,
    depth: usize,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(model: &'a ModelProto) -> Resolver<'a> {
        let key = |f: &'a FunctionProto| ((domain(f.domain()), f.name(), f.overload()), f);
        Resolver {
            functions: model.functions.iter().map(key).collect(),
            n_nodes: 0,
            unsupported: Vec::new(),
        }
    }

    /// The graph of a model.
    pub(crate) fn main(
        &mut self,
        graph: &GraphProto,
        versions: &HashMap<String, i64>,
    ) -> Result<Graph> {
        let around = Around {
            versions,
            given: None,
            depth: 0,
        };
        self.graph(graph, &HashSet::new(), &around)
    }

    fn graph(
        &mut self,
        proto: &GraphProto,
        outer: &HashSet<&str>,
        around: &Around<'_>,
    ) -> Result<Graph> {
        if !proto.sparse_initializer.is_empty() {
            return Err(Error::not_implemented(format!(
                "the graph {:?} has sparse initializers, which are not supported; save the model with dense weights",
                proto.name()
            )));
        }
        let mut known = outer.clone();
        known.extend(proto.input.iter().map(ValueInfoProto::name));
        known.extend(proto.initializer.iter().map(TensorProto::name));
        let nodes = self.nodes(&proto.node, &mut known, around)?;
        if let Some(output) = proto.output.iter().find(|o| !known.contains(o.name())) {
            return Err(Error::value(format!(
                "the graph {:?} has the output {:?}, which none of its nodes makes; check the model with onnx.checker",
                proto.name(),
                output.name()
            )));
        }
        let mut graph = Graph {
            inputs: proto.input.clone(),
            outputs: proto.output.clone(),
            constants: proto.initializer.clone(),
            nodes,
        };
        graph.find_last_uses();
        Ok(graph)
    }

    fn nodes<'n>(
        &mut self,
        protos: &'n [NodeProto],
        known: &mut HashSet<&'n str>,
        around: &Around<'_>,
    ) -> Result<Vec<Node>> {
        if around.depth > DEEPEST {
            return Err(Error::value(format!(
                "the model's graphs and functions stand in one another more than {DEEPEST} deep; a function may not call itself"
            )));
        }
        let mut nodes = Vec::new();
        for proto in protos {
            self.n_nodes += 1;
            if self.n_nodes > MOST_NODES {
                return Err(Error::value(format!(
                    "the model has more than {MOST_NODES} nodes once its functions are put in, which is more than is read"
                )));
            }
            let node = self.node(proto, known, around)?;
            let made = proto.output.iter().map(String::as_str);
            known.extend(made.filter(|name| !name.is_empty()));
            nodes.push(node);
        }
        Ok(nodes)
    }

    fn node(
        &mut self,
        proto: &NodeProto,
        known: &HashSet<&str>,
        around: &Around<'_>,
    ) -> Result<Node> {
        let (op, domain) = (proto.op_type(), domain(proto.domain()));
        let name = match proto.name() {
            "" => proto.output.first().map_or("", String::as_str),
            name => name,
        };
        let missing = |name: &&String| !name.is_empty() && !known.contains(name.as_str());
        if let Some(input) = proto.input.iter().find(missing) {
            return Err(Error::value(format!(
                "the node {name:?} ({op}) reads {input:?}, which nothing before it makes; check the model with onnx.checker"
            )));
        }
        let attributes = attributes(&proto.attribute, around.given);
        let version = around.versions.get(domain).copied().unwrap_or(0);
        let mut bodies = HashMap::new();
        for attribute in &attributes {
            if let Some(body) = &attribute.g {
                let inner = Around {
                    depth: around.depth + 1,
                    ..*around
                };
                bodies.insert(
                    attribute.name().to_owned(),
                    self.graph(body, known, &inner)?,
                );
            }
        }
        let function = self
            .functions
            .get(&(domain, op, proto.overload()))
            .copied()
            .filter(|_| !domain.is_empty() || ops::find(domain, op, version).is_none());
        let kind = match (function, ops::find(domain, op, version)) {
            (Some(function), _) => {
                Kind::Function(self.function(function, &attributes, around.depth)?)
            }
            (None, Some(row)) => Kind::Operator(row),
            (None, None) => {
                self.unsupported.push(Unsupported {
                    op: op.to_owned(),
                    domain: domain.to_owned(),
                    node: name.to_owned(),
                    version,
                });
                Kind::Unsupported
            }
        };
        Ok(Node {
            op: op.to_owned(),
            domain: domain.to_owned(),
            name: name.to_owned(),
            inputs: proto.input.clone(),
            outputs: proto.output.clone(),
            attributes: attributes.into_iter().map(without_graph).collect(),
            bodies,
            kind,
            last_uses: Vec::new(),
        })
    }

    /// The body of a function for one call of it.
    fn function(
        &mut self,
        function: &FunctionProto,
        attributes: &[AttributeProto],
        depth: usize,
    ) -> Result<Graph> {
        let given = |name: &str| attributes.iter().find(|a| a.name() == name);
        let mut by_name: HashMap<&str, Option<&AttributeProto>> = HashMap::new();
        for name in &function.attribute {
            by_name.insert(name, given(name));
        }
        for default in &function.attribute_proto {
            let value = given(default.name()).unwrap_or(default);
            by_name.insert(default.name(), Some(value));
        }
        let versions = versions(&function.opset_import);
        let around = Around {
            versions: &versions,
            given: Some(&by_name),
            depth: depth + 1,
        };
        let mut known: HashSet<&str> = function.input.iter().map(String::as_str).collect();
        let nodes = self.nodes(&function.node, &mut known, &around)?;
        if let Some(output) = function.output.iter().find(|o| !known.contains(o.as_str())) {
            return Err(Error::value(format!(
                "the function {:?} has the output {output:?}, which none of its nodes makes; check the model with onnx.checker",
                function.name()
            )));
        }
        let value = |name: &String| ValueInfoProto {
            name: Some(name.clone()),
            ..ValueInfoProto::default()
        };
        let mut graph = Graph {
            inputs: function.input.iter().map(value).collect(),
            outputs: function.output.iter().map(value).collect(),
            constants: Vec::new(),
            nodes,
        };
        graph.find_last_uses();
        Ok(graph)
    }
}

/// Attributes with the values that a function's call gave them; those that it did not give are left out.
fn attributes(
    protos: &[AttributeProto],
    given: Option<&HashMap<&str, Option<&AttributeProto>>>,
) -> Vec<AttributeProto> {
    let each = |proto: &AttributeProto| match proto.ref_attr_name() {
        "" => Some(proto.clone()),
        referred => {
            let value = (*given?.get(referred)?)?;
            Some(AttributeProto {
                name: proto.name.clone(),
                ..value.clone()
            })
        }
    };
    protos.iter().filter_map(each).collect()
}

fn without_graph(attribute: AttributeProto) -> AttributeProto {
    AttributeProto {
        g: None,
        ..attribute
    }
}

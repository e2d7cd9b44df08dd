//! Runs a graph, node by node: each makes tensors of the engine, which computes when a value is asked for.
//!
//! Invariant: a value is let go of after the last node that reads it, so that the engine may take over its memory.

use glowgrad::{Engine, Error, Result, Tensor};

use crate::call::constants;
use crate::graph::{Call, Graph, Kind, Node};
use crate::scope::Scope;

/// Runs a graph whose inputs and constants are in its scope.
pub(crate) fn run(engine: &Engine, graph: &Graph, scope: &Scope<'_>) -> Result<Vec<Tensor>> {
    for node in &graph.nodes {
        engine.push_scope(&scope_of(&node.name));
        let made = run_node(engine, node, scope);
        engine.pop_scope();
        let made = made.map_err(|error| within(error, node))?;
        for (name, value) in node.outputs.iter().zip(made) {
            if !name.is_empty() {
                scope.set(name, value);
            }
        }
        scope.forget(&node.last_uses);
    }
    let output = |value: &glowgrad_files::onnx::ValueInfoProto| {
        scope.get(value.name()).ok_or_else(|| {
            Error::runtime(format!(
                "no node made the output {:?}; it is an output that its node leaves out",
                value.name()
            ))
        })
    };
    graph.outputs.iter().map(output).collect()
}

/// Runs a graph on inputs of its own, within a scope that has its constants: a function's body, a branch, a loop's body.
fn run_body(
    engine: &Engine,
    graph: &Graph,
    inputs: Vec<Option<Tensor>>,
    around: &Scope<'_>,
) -> Result<Vec<Tensor>> {
    if inputs.len() > graph.inputs.len() {
        return Err(Error::value(format!(
            "{} inputs came for a graph that has {}",
            inputs.len(),
            graph.inputs.len()
        )));
    }
    let scope = Scope::new(Some(around));
    for (info, value) in graph.inputs.iter().zip(inputs) {
        if let Some(value) = value {
            scope.set(info.name(), value);
        }
    }
    run(engine, graph, &scope)
}

/// Runs one node that has no graphs in it.
pub(crate) fn one_node(
    engine: &Engine,
    node: &Node,
    inputs: Vec<Option<Tensor>>,
) -> Result<Vec<Tensor>> {
    let Kind::Operator(row) = &node.kind else {
        return Err(Error::not_implemented("it is not supported"));
    };
    let call = Call {
        engine,
        node,
        inputs,
        scope: &Scope::new(None),
        run_body,
    };
    row.run(&call).map_err(|error| within(error, node))
}

fn run_node(engine: &Engine, node: &Node, scope: &Scope<'_>) -> Result<Vec<Tensor>> {
    let inputs: Vec<Option<Tensor>> = node.inputs.iter().map(|name| scope.get(name)).collect();
    match &node.kind {
        Kind::Operator(row) => row.run(&Call {
            engine,
            node,
            inputs,
            scope,
            run_body,
        }),
        Kind::Function(body) => run_body(engine, body, inputs, &constants(engine, body, None)?),
        Kind::Unsupported => Err(Error::not_implemented("it is not supported")),
    }
}

/// The module that a node's name tells of: `/fc1/Gemm` and `fc1/linear` are in `fc1`; a name without a slash tells of none.
fn scope_of(name: &str) -> String {
    let (modules, _) = name
        .trim_start_matches('/')
        .rsplit_once('/')
        .unwrap_or_default();
    modules.replace('/', ".")
}

/// The error with the node that met it.
fn within(mut error: Error, node: &Node) -> Error {
    if error.kind != glowgrad::ErrorKind::Interrupted {
        error.message = format!("node {:?} ({}): {}", node.name, node.op, error.message);
    }
    error
}

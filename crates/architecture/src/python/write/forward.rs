//! The statements of `forward`.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::super::names::{FLOW, Usual};
use super::made::value_in_forward;
use crate::functions::function;
use crate::model::{Graph, Node, Source};

/// A statement of `forward`.
pub(super) struct Statement {
    pub(super) note: String,
    pub(super) target: String,
    pub(super) value: String,
    pub(super) paths: Vec<String>,
    /// Whether an activation may still be put around the value.
    is_open: bool,
}

pub(super) fn forward(graph: &Graph<'_>, prefix: &str) -> Vec<Statement> {
    // How often each result is still read.
    let mut left: HashMap<(&str, usize), usize> = HashMap::new();
    let read = graph
        .nodes
        .iter()
        .flat_map(|node| &node.inputs)
        .chain(graph.outputs);
    for text in read.clone() {
        let source = Source::parse(text);
        *left.entry((source.name, source.result)).or_insert(0) += 1;
    }
    let mut variables: HashMap<(&str, usize), String> = HashMap::new();
    let mut owners: HashMap<String, (&str, usize)> = HashMap::new();
    for input in graph.inputs {
        variables.insert((input, 0), input.clone());
        owners.insert(input.clone(), (input, 0));
    }
    let mut usual = Usual::default();
    let mut statements: Vec<Statement> = Vec::new();
    for node in graph.nodes {
        let usual_name = usual.of(node);
        let path = format!("{prefix}{}", node.id);
        if node.kind == "parameter" {
            variables.insert((&node.id, 0), format!("self.{}", node.id));
            continue;
        }
        let operands: Vec<(&str, usize)> = node
            .inputs
            .iter()
            .map(|text| {
                let source = Source::parse(text);
                (source.name, source.result)
            })
            .collect();
        let texts: Vec<String> = operands
            .iter()
            .map(|key| {
                variables
                    .get(key)
                    .cloned()
                    .unwrap_or_else(|| "None".to_owned())
            })
            .collect();
        let own_function = function(&node.kind);
        // An activation goes around what stands just before it, if nothing else reads that.
        let is_last = statements.last().is_some_and(|last| {
            last.is_open
                && last.target == format!("{} = ", texts.first().map_or("", String::as_str))
                && last.value.len() < 60
        });
        let is_inner = own_function.is_some_and(|function| function.is_activation())
            && node.same.is_none()
            && is_last
            && operands
                .first()
                .is_some_and(|key| left.get(key) == Some(&1))
            && node.note.is_empty();
        let texts = match statements.last() {
            Some(last) if is_inner => vec![last.value.clone()],
            _ => texts,
        };
        let value = match own_function {
            Some(_) if node.same.is_none() => of_function(node, &texts),
            _ => format!(
                "self.{}({})",
                node.same.as_ref().unwrap_or(&node.id),
                texts.join(", ")
            ),
        };
        for key in &operands {
            if let Some(n) = left.get_mut(key) {
                *n -= 1;
            }
        }
        let inner = if is_inner { statements.pop() } else { None };
        let results = results_of(graph, node, &left);
        let is_usual = usual_name.as_ref().is_none_or(|name| *name == node.id);
        let mut named = |key: (&'_ str, usize), own: String| -> String {
            let free = FLOW.into_iter().find(|name| {
                owners
                    .get(*name)
                    .is_none_or(|owner| left.get(owner).is_none_or(|n| *n == 0))
            });
            let name = match free {
                Some(free) if is_usual => free.to_owned(),
                _ => own,
            };
            // The node outlives the map's borrow of its name.
            let id = graph
                .nodes
                .iter()
                .find(|one| one.id == key.0)
                .map_or("", |one| one.id.as_str());
            owners.insert(name.clone(), (id, key.1));
            name
        };
        let target = match results {
            1 => {
                let name = named((&node.id, 0), node.id.clone());
                variables.insert((&node.id, 0), name.clone());
                name
            }
            n => {
                let parts: Vec<String> = (0..n)
                    .map(|i| {
                        let is_read = left.get(&(node.id.as_str(), i)).is_some_and(|n| *n > 0);
                        if !is_read {
                            return "_".to_owned();
                        }
                        let name = match i {
                            0 if own_function.is_none() => named((&node.id, 0), node.id.clone()),
                            i => format!("{}_{i}", node.id),
                        };
                        variables.insert((&node.id, i), name.clone());
                        name
                    })
                    .collect();
                together(&kind_of(graph, node), &parts)
            }
        };
        let mut paths = inner.map(|inner| inner.paths).unwrap_or_default();
        paths.push(path);
        statements.push(Statement {
            // A layer's comment stands in `__init__`.
            note: if own_function.is_some() || node.same.is_some() {
                node.note.clone()
            } else {
                String::new()
            },
            target: format!("{target} = "),
            value,
            paths,
            is_open: is_usual && results == 1,
        });
    }
    let outputs: Vec<String> = (graph.outputs.iter())
        .map(|text| {
            let source = Source::parse(text);
            variables
                .get(&(source.name, source.result))
                .cloned()
                .unwrap_or_else(|| "None".to_owned())
        })
        .collect();
    statements.push(Statement {
        note: String::new(),
        target: String::new(),
        value: if outputs.is_empty() {
            "return None".to_owned()
        } else {
            format!("return {}", outputs.join(", "))
        },
        paths: Vec::new(),
        is_open: false,
    });
    statements
}

/// The type of what a node is or uses once more.
fn kind_of(graph: &Graph<'_>, node: &Node) -> String {
    let other = node
        .same
        .as_ref()
        .and_then(|name| graph.nodes.iter().find(|other| other.id == *name));
    other.unwrap_or(node).kind.clone()
}

/// How many results a node's statement names.
fn results_of(graph: &Graph<'_>, node: &Node, left: &HashMap<(&str, usize), usize>) -> usize {
    match kind_of(graph, node).as_str() {
        "LSTM" => 3,
        "RNN" | "GRU" | "LSTMCell" | "MultiheadAttention" => 2,
        "chunk" => node
            .args
            .get("chunks")
            .and_then(Json::as_u64)
            .map_or(1, |n| n.clamp(1, 64) as usize),
        _ => {
            let highest = left
                .keys()
                .filter(|(name, _)| *name == node.id)
                .map(|(_, result)| result + 1)
                .max();
            highest.unwrap_or(1).max(1)
        }
    }
}

/// The targets of a statement with several results.
fn together(kind: &str, parts: &[String]) -> String {
    match (kind, parts) {
        ("LSTM", [output, h, c]) if h == "_" && c == "_" => format!("{output}, _"),
        ("LSTM", [output, h, c]) => format!("{output}, ({h}, {c})"),
        _ => parts.join(", "),
    }
}

/// The expression of a function for its operands.
fn of_function(node: &Node, operands: &[String]) -> String {
    let none = String::from("None");
    let first = operands.first().unwrap_or(&none);
    let second = operands.get(1).unwrap_or(&none);
    let text = |name: &str| node.args.get(name).map(value_in_forward);
    let given = |name: &str| text(name).unwrap_or_else(|| none.clone());
    // Arguments by name, those with their default left out.
    let named = |names: &[&str]| -> String {
        names
            .iter()
            .filter_map(|name| text(name).map(|value| format!(", {name}={value}")))
            .collect()
    };
    let bare = |text: String| {
        text.trim_start_matches('(')
            .trim_end_matches([')'])
            .trim_end_matches(',')
            .to_owned()
    };
    let method = |name: &str, args: String| format!("{}.{name}({args})", term(first));
    match node.kind.as_str() {
        "add" => format!("{first} + {second}"),
        "sub" => format!("{first} - {}", term(second)),
        "mul" => format!("{} * {}", term(first), term(second)),
        "div" => format!("{} / {}", term(first), term(second)),
        "matmul" => format!("{} @ {}", term(first), term(second)),
        "scale" => format!("{} * {}", term(first), given("factor")),
        name @ ("relu" | "tanh" | "sigmoid" | "exp") => format!("torch.{name}({first})"),
        name @ ("gelu" | "silu") => format!("F.{name}({first})"),
        name @ ("softmax" | "log_softmax") => {
            format!(
                "torch.{name}({first}, dim={})",
                text("dim").unwrap_or_else(|| "-1".to_owned())
            )
        }
        name @ ("cat" | "stack") => {
            format!("torch.{name}([{}]{})", operands.join(", "), named(&["dim"]))
        }
        "chunk" => method("chunk", format!("{}{}", given("chunks"), named(&["dim"]))),
        "flatten" => match (text("start_dim"), text("end_dim")) {
            (start, Some(end)) => method(
                "flatten",
                format!("{}, {end}", start.unwrap_or_else(|| "0".to_owned())),
            ),
            (Some(start), None) => method("flatten", start),
            (None, None) => method("flatten", String::new()),
        },
        "unflatten" => method("unflatten", format!("{}, {}", given("dim"), given("sizes"))),
        "reshape" => method("reshape", bare(given("shape"))),
        "permute" => method("permute", bare(given("dims"))),
        "transpose" => method("transpose", format!("{}, {}", given("dim0"), given("dim1"))),
        name @ ("squeeze" | "unsqueeze") => method(name, given("dim")),
        "select" => match text("dim").as_deref() {
            Some("1") => format!("{}[:, {}]", term(first), given("index")),
            _ => method("select", format!("{}, {}", given("dim"), given("index"))),
        },
        "narrow" => method(
            "narrow",
            format!("{}, {}, {}", given("dim"), given("start"), given("length")),
        ),
        name @ ("mean" | "sum" | "amax") => {
            method(name, format!("dim={}{}", given("dim"), named(&["keepdim"])))
        }
        "scaled_dot_product_attention" => {
            format!(
                "F.scaled_dot_product_attention({}{})",
                operands.join(", "),
                named(&["is_causal"])
            )
        }
        "positions" => {
            let dim = text("dim").unwrap_or_else(|| "1".to_owned());
            format!(
                "torch.arange({0}.shape[{dim}], device={0}.device)",
                term(first)
            )
        }
        "expand_batch" => {
            format!(
                "{0}.expand({1}.shape[0], *{0}.shape[1:])",
                term(first),
                term(second)
            )
        }
        "randn_like" => format!("torch.randn_like({first})"),
        other => format!("{other}({})", operands.join(", ")),
    }
}

/// An operand that binds closely: in parentheses if it is a sum.
fn term(text: &str) -> String {
    let is_simple = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'(' | b')'));
    if is_simple {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

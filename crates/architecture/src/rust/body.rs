//! What a struct computes: a statement for each node.

use serde_json::Value as Json;

use super::layers::scalar;
use super::{MOST_IN_A_TUPLE, Writer};
use crate::arguments::expression;
use crate::error::Result;
use crate::functions::function;
use crate::model::{Graph, Node, Parameter, Source};

/// Whether a function of a graph reads a parameter of its block.
pub(super) fn reads(graph: &Graph<'_>, name: &str) -> bool {
    let functions = graph
        .nodes
        .iter()
        .filter(|node| node.kind != "parameter" && function(&node.kind).is_some());
    functions
        .flat_map(|node| node.args.values())
        .any(|arg| has(arg, name))
}

fn has(json: &Json, name: &str) -> bool {
    match json {
        Json::Array(items) => items.iter().any(|item| has(item, name)),
        json => expression(json).is_some_and(|text| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            text.split(|c| !is_word(c)).any(|word| word == name)
        }),
    }
}

impl Writer<'_> {
    /// The statements of a graph.
    pub(super) fn forward(&mut self, graph: &Graph<'_>, parameters: &[Parameter]) -> Result<()> {
        for one in parameters.iter().filter(|one| reads(graph, &one.name)) {
            self.push(2, format!("let {0} = self.{0};", one.name));
        }
        for node in graph.nodes {
            if node.kind == "parameter" {
                self.push(2, format!("let {0} = &self.{0};", node.id));
                continue;
            }
            let is_function = node.same.is_none() && function(&node.kind).is_some();
            if is_function {
                for line in node.note.lines() {
                    self.push(2, format!("// {line}"));
                }
            }
            let operands: Vec<String> = node
                .inputs
                .iter()
                .map(|text| variable(graph, text))
                .collect();
            let statement = match is_function {
                true => self.function(node, &operands, graph, parameters)?,
                false => self.layer(node, &operands, graph),
            };
            self.push(2, statement);
        }
        let outputs: Vec<String> = (graph.outputs.iter())
            .map(|text| {
                let name = variable(graph, text);
                // What was not made here is borrowed, and so is what two results share.
                match name.strip_prefix('&') {
                    Some(owned) if is_own(graph, text) => owned.to_owned(),
                    _ => format!("{}.clone()", name.trim_start_matches('&')),
                }
            })
            .collect();
        let result = match &outputs[..] {
            [one] => format!("Ok({one})"),
            several => {
                let mut seen: Vec<&String> = Vec::new();
                let each: Vec<String> = several
                    .iter()
                    .map(|name| {
                        let again = seen.contains(&name);
                        seen.push(name);
                        if again {
                            format!("{name}.clone()")
                        } else {
                            name.clone()
                        }
                    })
                    .collect();
                match each.len() > MOST_IN_A_TUPLE {
                    true => format!("Ok([{}])", each.join(", ")),
                    false => format!("Ok(({}))", each.join(", ")),
                }
            }
        };
        self.push(2, result);
        Ok(())
    }

    fn layer(&mut self, node: &Node, operands: &[String], graph: &Graph<'_>) -> String {
        let name = node.same.as_ref().unwrap_or(&node.id);
        let made = graph
            .nodes
            .iter()
            .find(|other| other.id == *name)
            .unwrap_or(node);
        let first = operands.first().map_or("", String::as_str);
        if made.repeat.is_some() {
            let start = format!(
                "let mut {} = {}.clone();",
                node.id,
                first.trim_start_matches('&')
            );
            return format!(
                "{start}\nfor layer in &self.{name} {{\n    {0} = layer.forward(&{0})?;\n}}",
                node.id
            );
        }
        let block = self.net.block(&made.kind);
        let is_module =
            block.is_none_or(|block| block.inputs.len() == 1 && block.outputs.len() == 1);
        match made.kind.as_str() {
            "LSTM" | "GRU" | "RNN" if uses_states(graph, &node.id) => {
                let states = match made.kind.as_str() {
                    "LSTM" => format!("[{0}_1, {0}_2]", node.id),
                    _ => format!("[{}_1]", node.id),
                };
                format!(
                    "let ({0}, states) = self.{name}.run({first}, None)?;\nlet {states} = &states[..] else {{\n    return Err(glowgrad::Error::value(\"a state is missing\"));\n}};",
                    node.id
                )
            }
            "MultiheadAttention" => {
                format!("let {} = self.{name}.attend({first}, false)?;", node.id)
            }
            _ if is_module => format!("let {} = self.{name}.forward({first})?;", node.id),
            _ => {
                let n = block.map_or(1, |block| block.outputs.len());
                let results: Vec<String> = (0..n).map(|i| result_name(&node.id, i)).collect();
                let target = if n == 1 {
                    results.concat()
                } else {
                    format!("({})", results.join(", "))
                };
                format!("let {target} = self.{name}.run({})?;", operands.join(", "))
            }
        }
    }

    fn function(
        &mut self,
        node: &Node,
        operands: &[String],
        graph: &Graph<'_>,
        parameters: &[Parameter],
    ) -> Result<String> {
        let first = operands.first().map_or("", String::as_str);
        let owner = first.trim_start_matches('&');
        let second = operands.get(1).map_or("", String::as_str);
        let setting = |name: &str| -> Result<String> {
            let own = function(&node.kind)
                .and_then(|function| function.arguments.iter().find(|one| one.name == name));
            let default = own
                .and_then(crate::functions::Setting::default_value)
                .unwrap_or(Json::Null);
            let given = node.args.get(name).unwrap_or(&default);
            let is_list = own.is_some_and(|own| own.kind == "ints");
            let is_float = own.is_some_and(|own| own.kind == "number");
            let one = |json: &Json| -> Result<String> {
                let text = scalar(json, is_float, parameters)?;
                Ok(if expression(json).is_some() && !is_float {
                    format!("({text}) as i64")
                } else {
                    text
                })
            };
            match given {
                Json::Array(items) => {
                    let items: Vec<String> = items.iter().map(one).collect::<Result<_>>()?;
                    Ok(format!("[{}]", items.join(", ")))
                }
                json if is_list => Ok(format!("[{}]", one(json)?)),
                json => one(json),
            }
        };
        let plain = |text: String| format!("let {} = {text}?;", node.id);
        let number = |text: String| {
            if text.ends_with("i64") {
                text
            } else {
                format!("{text}i64")
            }
        };
        let text = match node.kind.as_str() {
            name @ ("add" | "sub" | "mul" | "div" | "matmul") => {
                plain(format!("{owner}.{name}({second})"))
            }
            name @ ("relu" | "tanh" | "sigmoid" | "exp") => plain(format!("{owner}.{name}()")),
            "softmax" => plain(format!("{owner}.softmax({})", setting("dim")?)),
            "reshape" => plain(format!("{owner}.reshape(&{})", setting("shape")?)),
            "transpose" => plain(format!(
                "{owner}.transpose({}, {})",
                setting("dim0")?,
                setting("dim1")?
            )),
            "select" => plain(format!(
                "{owner}.select({}, {})",
                setting("dim")?,
                setting("index")?
            )),
            "unsqueeze" => plain(format!("{owner}.unsqueeze({})", setting("dim")?)),
            "positions" => {
                self.calls.extend(["DType", "Scalar"]);
                let dim = setting("dim")?;
                format!(
                    "let n = Scalar::Int({owner}.shape()[{dim}] as i64);\nlet {} = Tensor::arange({owner}.engine(), Scalar::Int(0), n, Scalar::Int(1), Some(DType::I64))?;",
                    node.id
                )
            }
            "expand_batch" => format!(
                "let mut shape: Vec<i64> = {owner}.shape().iter().map(|&n| n as i64).collect();\nshape[0] = {}.shape()[0] as i64;\nlet {} = {owner}.expand(&shape)?;",
                second.trim_start_matches('&'),
                node.id
            ),
            "randn_like" => {
                self.calls.extend(["Scalar", "init"]);
                format!(
                    "let {0} = Tensor::full({owner}.engine(), &{owner}.shape(), Scalar::Float(0.0), {owner}.dtype())?;\ninit::normal_(&{0}, 0.0, 1.0)?;",
                    node.id
                )
            }
            "chunk" => {
                self.calls.extend(["args", "call_multi"]);
                let chunks = node.args.get("chunks").and_then(Json::as_u64).unwrap_or(1);
                let names: Vec<String> = (0..chunks as usize)
                    .map(|i| {
                        if is_read(graph, &node.id, i) {
                            result_name(&node.id, i)
                        } else {
                            "_".to_owned()
                        }
                    })
                    .collect();
                let dim = number(setting("dim")?);
                format!(
                    "let parts = call_multi({owner}.engine(), \"chunk\", args![{owner}, {chunks}i64, {dim}])?;\nlet [{}] = &parts[..] else {{\n    return Err(glowgrad::Error::value(\"a part is missing\"));\n}};",
                    names.join(", ")
                )
            }
            name => {
                self.calls.extend(["args", "call"]);
                // The arguments in the order of the engine's call.
                let (positional, keywords): (Vec<String>, Vec<&str>) = match name {
                    "scale" => (vec![setting("factor")?], vec![]),
                    "log_softmax" | "squeeze" => (vec![number(setting("dim")?)], vec![]),
                    "flatten" => (vec![], vec!["start_dim", "end_dim"]),
                    "unflatten" => (
                        vec![
                            number(setting("dim")?),
                            format!("vec!{}", setting("sizes")?),
                        ],
                        vec![],
                    ),
                    "permute" => (vec![format!("vec!{}", setting("dims")?)], vec![]),
                    "narrow" => (
                        vec![
                            number(setting("dim")?),
                            number(setting("start")?),
                            number(setting("length")?),
                        ],
                        vec![],
                    ),
                    "mean" | "sum" | "amax" => {
                        (vec![format!("vec!{}", setting("dim")?)], vec!["keepdim"])
                    }
                    "scaled_dot_product_attention" => (vec![], vec!["is_causal"]),
                    "cat" | "stack" => (vec![], vec!["dim"]),
                    _ => (vec![], vec![]),
                };
                let engine_name = if name == "scale" { "mul" } else { name };
                let args = match name {
                    "cat" | "stack" => format!(
                        "args![[{}][..]]",
                        operands
                            .iter()
                            .map(|one| format!("{}.clone()", one.trim_start_matches('&')))
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                    _ => {
                        let all: Vec<String> = operands
                            .iter()
                            .map(|one| one.trim_start_matches('&').to_owned())
                            .chain(positional)
                            .collect();
                        format!("args![{}]", all.join(", "))
                    }
                };
                let mut named = Vec::new();
                for keyword in keywords
                    .iter()
                    .filter(|keyword| node.args.contains_key(**keyword))
                {
                    self.calls.insert("ToArg");
                    let value = setting(keyword)?;
                    let value = if value.parse::<i64>().is_ok() {
                        format!("{}.arg()", in_parentheses(&number(value)))
                    } else {
                        format!("{value}.arg()")
                    };
                    named.push(format!("(\"{keyword}\", {value})"));
                }
                plain(format!(
                    "call({owner}.engine(), \"{engine_name}\", {args}, vec![{}])",
                    named.join(", ")
                ))
            }
        };
        Ok(text)
    }
}

/// A negative number in front of a method.
fn in_parentheses(text: &str) -> String {
    if text.starts_with('-') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

fn is_read(graph: &Graph<'_>, name: &str, result: usize) -> bool {
    let all = graph
        .nodes
        .iter()
        .flat_map(|node| &node.inputs)
        .chain(graph.outputs);
    all.map(|text| Source::parse(text))
        .any(|source| source.name == name && source.result == result)
}

fn uses_states(graph: &Graph<'_>, name: &str) -> bool {
    (1..3).any(|result| is_read(graph, name, result))
}

fn result_name(name: &str, result: usize) -> String {
    match result {
        0 => name.to_owned(),
        result => format!("{name}_{result}"),
    }
}

/// Whether a result is a value of its own here, and not borrowed.
fn is_own(graph: &Graph<'_>, text: &str) -> bool {
    let source = Source::parse(text);
    let node = graph.nodes.iter().find(|node| node.id == source.name);
    node.is_some_and(|node| node.kind != "parameter" && node.kind != "chunk" && source.result == 0)
}

/// How a source is passed on.
fn variable(graph: &Graph<'_>, text: &str) -> String {
    let source = Source::parse(text);
    let name = result_name(source.name, source.result);
    let is_input = graph.inputs.iter().any(|input| input == source.name);
    let node = graph.nodes.iter().find(|node| node.id == source.name);
    let is_borrowed = node.is_some_and(|node| node.kind == "parameter" || node.kind == "chunk")
        || source.result > 0
            && node.is_some_and(|node| matches!(node.kind.as_str(), "LSTM" | "GRU" | "RNN"));
    if is_input || is_borrowed {
        name
    } else {
        format!("&{name}")
    }
}

//! Models written and read where a boundary carries text and bytes alone: between a page's modules.
//!
//! A request is a text with bytes beside it, and so is the answer; lines are those of [`glowgrad::lines`].
//!
//! | Request | Bytes | Answer |
//! |---|---|---|
//! | `onnx-write` opset, then a [graph](glowgrad::graph_text) whose weights are `here`; for each size that is left open a line `size` name start, and the graph of a run whose inputs differ in it, its weights `given` | of the graphs: that of a size has them from its start on | the model; a line for each warning |
//! | `onnx-read` | a model | `opset` version; `input` and `output` name dtype sizes…; `weight` name dtype sizes…, with elements |
//! | `onnx-network` | a model | the [network](crate::Drawn) that it is, as JSON; its weights as safetensors |
//! | `onnx-graph`, then `input` name dtype sizes… | a model | the graph that it computes of such inputs, its weights `given` |

use std::collections::HashMap;

use glowgrad::graph_text::{self, Given};
use glowgrad::lines::{fields, push};
use glowgrad::{DType, Engine, Error, Result, Scalar, Tensor};
use glowgrad_files::codec::Answer;

use glowgrad_files::safetensors;
use glowgrad_files::tensor::{of_file, to_array};

use crate::{Drawn, Export, Loaded, Model, Size, Value};

/// Whether a request is one of these.
pub fn is_asked(request: &str) -> bool {
    request.starts_with("onnx-")
}

/// Answers a request.
///
/// # Errors
/// When the request is none, and what writing or reading the model says.
pub fn answer(request: &str, bytes: &[u8]) -> Result<Answer> {
    let (first, rest) = request.split_once('\n').unwrap_or((request, ""));
    let first = fields(first);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    match first[..] {
        ["onnx-write", opset] => {
            let opset = opset.parse().map_err(|_| fault(request))?;
            write(opset, rest, bytes)
        }
        ["onnx-read"] => read(bytes),
        ["onnx-graph"] => graph(rest, bytes),
        ["onnx-network"] => network(bytes),
        _ => Err(fault(request)),
    }
}

fn fault(request: &str) -> Error {
    let short: String = request
        .lines()
        .next()
        .unwrap_or("")
        .chars()
        .take(80)
        .collect();
    Error::value(format!(
        "the request cannot be read: it begins with {short:?}; expected onnx-write and a version, onnx-read, onnx-graph or onnx-network"
    ))
}

/// Zeros for a tensor whose values are not looked at.
fn stand_in(engine: &Engine, dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let zero = match dtype.is_float() {
        true => Scalar::Float(0.0),
        false => Scalar::Int(0),
    };
    Tensor::full(engine, shape, zero, dtype)
}

/// A graph of a request with its bytes, and the size that it opens: none for the graph that is written.
struct Part<'a> {
    size: Option<String>,
    graph: &'a str,
    bytes: &'a [u8],
}

/// The graphs of a request.
fn parts<'a>(text: &'a str, bytes: &'a [u8]) -> Result<Vec<Part<'a>>> {
    let mut parts = vec![Part {
        size: None,
        graph: text,
        bytes,
    }];
    // Lines of graphs begin with other words.
    while let Some((last, (before, rest))) = parts.last_mut().and_then(|last| {
        let split = last.graph.split_once("\nsize\t")?;
        Some((last, split))
    }) {
        let (line, graph) = rest.split_once('\n').unwrap_or((rest, ""));
        let line_fields = fields(line);
        let [name, start] = &line_fields[..] else {
            return Err(fault(line));
        };
        let start = start.parse().ok().filter(|start| *start <= bytes.len());
        let start: usize = start.ok_or_else(|| fault(line))?;
        last.graph = before;
        parts.push(Part {
            size: Some(name.clone()),
            graph,
            bytes: &bytes[start..],
        });
    }
    Ok(parts)
}

fn write(opset: i64, text: &str, bytes: &[u8]) -> Result<Answer> {
    let engine = glowgrad::cpu();
    engine.set_grad_enabled(false);
    let mut weights: HashMap<String, Tensor> = HashMap::new();
    let mut exports: Vec<(String, Export)> = Vec::new();
    for part in parts(text, bytes)? {
        let mut export = Export::new();
        export.opset(opset);
        let read = graph_text::read(
            &engine,
            part.graph,
            part.bytes,
            |kind, name, dtype, shape, here| {
                let known = weights.get(name).filter(|known| {
                    kind != "input" && known.dtype() == dtype && known.shape()[..] == *shape
                });
                let tensor = match (here, known) {
                    (Some(here), _) => here,
                    (None, Some(known)) => known.clone(),
                    (None, None) => stand_in(&engine, dtype, shape)?,
                };
                if kind == "input" {
                    export.input(name, &tensor);
                } else {
                    export.weight(name, &tensor);
                    weights.insert(name.to_owned(), tensor.clone());
                }
                Ok(tensor)
            },
        )?;
        for (name, tensor) in &read.outputs {
            export.output(name, tensor);
        }
        export.note(read.looks);
        exports.push((part.size.unwrap_or_default(), export));
    }
    let Some(((_, export), others)) = exports.split_first() else {
        return Err(fault(text));
    };
    let others: Vec<(&str, &Export)> = (others.iter())
        .map(|(size, other)| (size.as_str(), other))
        .collect();
    let mut answer = Answer {
        text: String::new(),
        bytes: export.to_bytes_of_sizes(&others)?,
    };
    for warning in export.looked_at()? {
        push(&mut answer.text, [warning.as_str()]);
    }
    Ok(answer)
}

fn read(bytes: &[u8]) -> Result<Answer> {
    let model = Model::read(bytes)?;
    let engine = glowgrad::cpu();
    let loaded = model.load(&engine)?;
    let mut answer = Answer::default();
    push(&mut answer.text, ["opset", &model.opset().to_string()]);
    for (kind, values) in [("input", model.inputs()), ("output", model.outputs())] {
        for value in values {
            let mut line = vec![kind.to_owned(), value.name.clone()];
            line.extend(told(value));
            push(&mut answer.text, line.iter().map(String::as_str));
        }
    }
    for (name, weight) in trained(&loaded) {
        let mut line = vec![
            "weight".to_owned(),
            name.to_owned(),
            weight.dtype().name().to_owned(),
        ];
        line.extend(weight.shape().iter().map(usize::to_string));
        push(&mut answer.text, line.iter().map(String::as_str));
        answer.bytes.extend(weight.to_bytes()?);
    }
    Ok(answer)
}

fn network(bytes: &[u8]) -> Result<Answer> {
    let Drawn { net, weights } = Drawn::read(bytes)?;
    let arrays: Result<Vec<_>> = (weights.iter())
        .map(|(name, tensor)| Ok((name.as_str(), to_array(tensor)?)))
        .collect();
    let arrays = arrays?;
    let named = arrays.iter().map(|(name, array)| (*name, array));
    let bytes = safetensors::write(named, [("format", "pt")]).map_err(of_file)?;
    Ok(Answer {
        text: net.to_json(),
        bytes,
    })
}

/// The weights that a module has as parameters: those of floats.
fn trained<'a>(loaded: &'a Loaded<'_>) -> impl Iterator<Item = (&'a str, &'a Tensor)> {
    loaded
        .weights()
        .filter(|(_, weight)| weight.dtype().is_float())
}

/// A value's dtype and sizes, as far as the model says them.
fn told(value: &Value) -> Vec<String> {
    let dtype = value.dtype.map_or("", DType::name).to_owned();
    let sizes = value.shape.iter().flatten().map(Size::to_string);
    std::iter::once(dtype).chain(sizes).collect()
}

fn graph(request: &str, bytes: &[u8]) -> Result<Answer> {
    let model = Model::read(bytes)?;
    let engine = glowgrad::cpu();
    engine.set_grad_enabled(false);
    let loaded = model.load(&engine)?;
    let mut given = Vec::new();
    for (name, weight) in trained(&loaded) {
        given.push(Given {
            kind: "weight",
            name: name.to_owned(),
            node: weight.node(),
            is_here: false,
        });
    }
    let mut inputs = Vec::new();
    for line in request.lines() {
        let line_fields = fields(line);
        let parts: Vec<&str> = line_fields.iter().map(String::as_str).collect();
        let ["input", name, dtype, sizes @ ..] = &parts[..] else {
            return Err(fault(line));
        };
        let sizes: Option<Vec<usize>> = sizes.iter().map(|size| size.parse().ok()).collect();
        let tensor = stand_in(
            &engine,
            DType::parse(dtype)?,
            &sizes.ok_or_else(|| fault(line))?,
        )?;
        given.push(Given {
            kind: "input",
            name: (*name).to_owned(),
            node: tensor.node(),
            is_here: false,
        });
        inputs.push(((*name).to_owned(), tensor));
    }
    let nodes: Vec<_> = inputs.iter().map(|(_, tensor)| tensor.node()).collect();
    engine.set_retain_sources(true);
    engine.note_looks(true);
    let outputs = loaded.run(inputs)?;
    let looked: Vec<_> = engine
        .take_looks()
        .into_iter()
        .map(|look| look.node)
        .collect();
    if graph_text::depending(&looked, &nodes).contains(&true) {
        return Err(Error::not_implemented(
            "a node's result has a shape, or goes a way, that the values of an input decide; the model runs with glow onnx run, and not as a module",
        ));
    }
    let outputs: Vec<_> = outputs
        .into_iter()
        .map(|(name, tensor)| (name, tensor.node()))
        .collect();
    let written = graph_text::write(&engine, &given, &outputs, &[])?;
    Ok(Answer {
        text: written.text,
        bytes: written.bytes,
    })
}

//! Sizes that are left open, such as the batch: each found by a second export of the model whose inputs differ in it.
//!
//! All exports must be the same but for lists of sizes and the shapes of tensors that repeat one number (the zeros that a
//! recurrent layer begins with), and those must differ as the inputs do. Then each differing size is a multiple of the
//! open ones that it differs with, and is written as such. Invariant: any other difference (a number that was made of the
//! size, other constants with as many rows, a branch) is refused by the node that reads it, so that no model of one size
//! passes for a model of all.

use std::collections::HashMap;

use glowgrad::{Error, Result};
use glowgrad_files::onnx::{
    AttributeProto, AttributeType, DataType, Dimension, DimensionValue, GraphProto, NodeProto,
    TensorProto, TypeValue, ValueInfoProto,
};

/// An open size, and the export that differs in it.
struct Open<'a> {
    name: &'a str,
    other: &'a GraphProto,
    /// The size in the export that is written, and in the other.
    sizes: (i64, i64),
    /// Input and dimension that have it.
    from: (String, usize),
    /// Begins the names of what computes with it; no other name of the graph begins so.
    prefix: String,
}

/// A size: a number, times those open ones of the list.
struct Part {
    times: i64,
    of: Vec<usize>,
}

fn refusal(size: &str, what: &str) -> Error {
    Error::value(format!(
        "the size {size:?} cannot be left open: {what}; export the model with fixed sizes, or run both exports alike"
    ))
}

/// A size from what it is in the export that is written and in the others; an error is the open size of which it is no
/// multiple.
fn part(opens: &[Open], here: i64, others: &[i64]) -> std::result::Result<Part, usize> {
    let mut part = Part {
        times: here,
        of: Vec::new(),
    };
    for (i, (open, &there)) in opens.iter().zip(others).enumerate() {
        if there == here {
            continue;
        }
        let (n, m) = open.sizes;
        if here % n != 0 || there % m != 0 || here / n != there / m || part.times % n != 0 {
            return Err(i);
        }
        part.times /= n;
        part.of.push(i);
    }
    Ok(part)
}

fn dims(info: &ValueInfoProto) -> Vec<i64> {
    let Some(TypeValue::Tensor(tensor)) = info.r#type.as_ref().and_then(|t| t.value.as_ref())
    else {
        return Vec::new();
    };
    let shape = tensor.shape.iter().flat_map(|shape| &shape.dim);
    let size = |dim: &Dimension| match dim.value {
        Some(DimensionValue::Value(n)) => n,
        _ => -1,
    };
    shape.map(size).collect()
}

/// Opens the sizes of an input or output that differ.
fn open_dims(opens: &[Open], info: &mut ValueInfoProto, others: &[&ValueInfoProto]) -> Result<()> {
    let mine = dims(info);
    let theirs: Vec<Vec<i64>> = others.iter().map(|other| dims(other)).collect();
    for (open, theirs) in opens.iter().zip(&theirs) {
        if mine.len() != theirs.len() {
            let what = format!(
                "{:?} has {} dimensions in one export and {} in the other",
                info.name(),
                mine.len(),
                theirs.len()
            );
            return Err(refusal(open.name, &what));
        }
    }
    let name = info.name().to_owned();
    let Some(TypeValue::Tensor(tensor)) = info.r#type.as_mut().and_then(|t| t.value.as_mut())
    else {
        return Ok(());
    };
    let Some(shape) = &mut tensor.shape else {
        return Ok(());
    };
    for (at, dim) in shape.dim.iter_mut().enumerate() {
        let there: Vec<i64> = theirs.iter().map(|theirs| theirs[at]).collect();
        let part = part(opens, mine[at], &there).map_err(|i| {
            let what = format!(
                "{name:?} has the sizes {mine:?} in one export and {:?} in the other",
                theirs[i]
            );
            refusal(opens[i].name, &what)
        })?;
        match (part.times, &part.of[..]) {
            (_, []) => {}
            (1, &[i]) => dim.value = Some(DimensionValue::Param(opens[i].name.to_owned())),
            _ => dim.value = None,
        }
    }
    Ok(())
}

/// What makes lists of sizes when the model runs.
struct Maker<'a> {
    opens: &'a [Open<'a>],
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
    /// Which open sizes have a value in the graph.
    has_size: Vec<bool>,
}

impl Maker<'_> {
    /// A list of numbers, for what is made of an open size.
    fn constant(&mut self, of: usize, list: &[i64]) -> String {
        let bytes = list.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.tensor(of, list.len(), Some(DataType::Int64 as i32), bytes)
    }

    fn tensor(&mut self, of: usize, n: usize, data_type: Option<i32>, bytes: Vec<u8>) -> String {
        let name = format!("{}constant_{}", self.opens[of].prefix, self.constants.len());
        self.constants.push(TensorProto {
            dims: vec![n as i64],
            data_type,
            name: Some(name.clone()),
            raw_data: Some(bytes),
            ..TensorProto::default()
        });
        name
    }

    fn node(&mut self, of: usize, op: &str, inputs: Vec<String>, axis: bool) -> String {
        let name = format!("{}{op}_{}", self.opens[of].prefix, self.nodes.len());
        let attribute = AttributeProto {
            name: Some("axis".to_owned()),
            r#type: Some(AttributeType::Int as i32),
            i: Some(0),
            ..AttributeProto::default()
        };
        self.nodes.push(NodeProto {
            input: inputs,
            output: vec![name.clone()],
            name: Some(name.clone()),
            op_type: Some(op.to_owned()),
            attribute: axis.then_some(attribute).into_iter().collect(),
            ..NodeProto::default()
        });
        name
    }

    /// An open size, as a list of one.
    fn size(&mut self, of: usize) -> String {
        let open = &self.opens[of];
        let name = format!("{}size", open.prefix);
        if !self.has_size[of] {
            self.has_size[of] = true;
            let shape = self.node(of, "Shape", vec![open.from.0.clone()], false);
            let at = self.constant(of, &[open.from.1 as i64]);
            self.node(of, "Gather", vec![shape, at], true);
            if let Some(node) = self.nodes.last_mut() {
                node.output = vec![name.clone()];
            }
        }
        name
    }

    /// A list in which some sizes are multiples of open ones; `of` names what is made.
    fn list(&mut self, of: usize, parts: &[Part]) -> String {
        let mut names = Vec::new();
        for part in parts {
            let mut factors: Vec<String> = part.of.iter().map(|&i| self.size(i)).collect();
            if part.times != 1 || factors.is_empty() {
                factors.push(self.constant(of, &[part.times]));
            }
            let product = factors
                .into_iter()
                .reduce(|a, b| self.node(of, "Mul", vec![a, b], false));
            names.extend(product);
        }
        self.node(of, "Concat", names, true)
    }
}

/// The integers of a constant list.
fn integers(tensor: &TensorProto) -> Option<Vec<i64>> {
    let is_list = tensor.data_type == Some(DataType::Int64 as i32) && tensor.dims.len() == 1;
    let (chunks, _) = tensor.raw_data.as_ref()?.as_chunks::<8>();
    is_list.then(|| chunks.iter().map(|b| i64::from_le_bytes(*b)).collect())
}

/// The input and dimension that differ in another graph, and both sizes.
fn differing(
    graph: &GraphProto,
    other: &GraphProto,
    name: &str,
) -> Result<((String, usize), (i64, i64))> {
    let mut found: Option<((String, usize), (i64, i64))> = None;
    for (mine, theirs) in graph.input.iter().zip(&other.input) {
        let (a, b) = (dims(mine), dims(theirs));
        for (d, (&a, &b)) in a.iter().zip(&b).enumerate().filter(|(_, (a, b))| a != b) {
            let (from, sizes) = found.get_or_insert(((mine.name().to_owned(), d), (a, b)));
            if *sizes != (a, b) {
                let what = format!(
                    "the inputs differ in more than one size ({} and {} beside {a} and {b})",
                    sizes.0, sizes.1
                );
                return Err(refusal(name, &what));
            }
            if a < 1 || b < 1 {
                let what = format!("dimension {d} of {:?} has no element in an export", from.0);
                return Err(refusal(name, &what));
            }
        }
    }
    found.ok_or_else(|| refusal(name, "the inputs of both exports have the same sizes"))
}

/// What begins no name of a graph, nor of what is made for another open size.
fn free_prefix(graph: &GraphProto, opens: &[Open], name: &str) -> String {
    let taken = |prefix: &str| {
        let values = graph.node.iter().flat_map(|node| &node.output);
        let weights = graph.initializer.iter().filter_map(|w| w.name.as_ref());
        let given = graph.input.iter().filter_map(|info| info.name.as_ref());
        let others = opens.iter().map(|open| &open.prefix);
        (values.chain(weights).chain(given).chain(others)).any(|name| name.starts_with(prefix))
    };
    let mut prefix = format!("{name}/");
    while taken(&prefix) {
        prefix.insert(0, '_');
    }
    prefix
}

/// A graph with the sizes left open in which others differ from it, each other in one, under its name.
///
/// # Errors
/// When another does not differ in one size of the inputs, and when it differs in anything else.
pub(super) fn open(mut graph: GraphProto, others: &[(&str, GraphProto)]) -> Result<GraphProto> {
    let mut opens: Vec<Open> = Vec::new();
    for (name, other) in others {
        if opens.iter().any(|open| open.name == *name) {
            return Err(refusal(name, "two exports are given for it"));
        }
        let (from, sizes) = differing(&graph, other, name)?;
        if graph.input.len() != other.input.len() || graph.output.len() != other.output.len() {
            return Err(refusal(name, "the exports have other inputs or outputs"));
        }
        opens.push(Open {
            name,
            other,
            sizes,
            from,
            prefix: free_prefix(&graph, &opens, name),
        });
    }
    for (at, info) in graph.input.iter_mut().enumerate() {
        let others: Vec<_> = opens.iter().map(|open| &open.other.input[at]).collect();
        open_dims(&opens, info, &others)?;
    }
    for (at, info) in graph.output.iter_mut().enumerate() {
        let others: Vec<_> = opens.iter().map(|open| &open.other.output[at]).collect();
        open_dims(&opens, info, &others)?;
    }
    let mut maker = Maker {
        opens: &opens,
        nodes: Vec::new(),
        constants: Vec::new(),
        has_size: vec![false; opens.len()],
    };
    same_nodes(&mut graph, &mut maker)?;
    maker.nodes.append(&mut graph.node);
    graph.node = maker.nodes;
    let read: std::collections::HashSet<&String> =
        graph.node.iter().flat_map(|node| &node.input).collect();
    graph
        .initializer
        .retain(|tensor| read.contains(&tensor.name().to_owned()));
    graph.initializer.append(&mut maker.constants);
    Ok(graph)
}

/// Constants by name.
fn by_name(constants: &[TensorProto]) -> HashMap<&str, &TensorProto> {
    constants.iter().map(|t| (t.name(), t)).collect()
}

/// What the values of the written graph are in another export.
struct Twins<'a> {
    constants: HashMap<&'a str, &'a TensorProto>,
    values: HashMap<String, &'a str>,
}

/// Holds each node to its twins, and opens the lists of sizes among what they read.
fn same_nodes(graph: &mut GraphProto, maker: &mut Maker) -> Result<()> {
    let opens = maker.opens;
    let mut theirs = Vec::new();
    for open in opens {
        let (n, m) = (graph.node.len(), open.other.node.len());
        if n != m {
            let what = format!("one export has {n} nodes and the other {m}");
            return Err(refusal(open.name, &what));
        }
        let inputs = graph.input.iter().zip(&open.other.input);
        theirs.push(Twins {
            constants: by_name(&open.other.initializer),
            values: inputs
                .map(|(a, b)| (a.name().to_owned(), b.name()))
                .collect(),
        });
    }
    let mine = by_name(&graph.initializer);
    for (at, node) in graph.node.iter_mut().enumerate() {
        let place = node.name().to_owned();
        let op = node.op_type().to_owned();
        for open in opens {
            let twin = &open.other.node[at];
            let is_same = node.op_type == twin.op_type
                && node.attribute == twin.attribute
                && node.input.len() == twin.input.len();
            if !is_same {
                let what = format!(
                    "the node {place:?} is {op} in one export and {} in the other, or has other options",
                    twin.op_type()
                );
                return Err(refusal(open.name, &what));
            }
        }
        for (i, input) in node.input.iter_mut().enumerate() {
            let constant = mine.get(input.as_str()).copied();
            let mut there = Vec::new();
            for (open, twins) in opens.iter().zip(&theirs) {
                let twin = open.other.node[at].input[i].as_str();
                match (constant, twins.constants.get(twin)) {
                    (Some(_), Some(other)) => there.push(*other),
                    (None, None) if twins.values.get(input.as_str()) == Some(&twin) => {}
                    (None, None) if input.is_empty() && twin.is_empty() => {}
                    _ => {
                        let what = format!("the node {place:?} reads other values");
                        return Err(refusal(open.name, &what));
                    }
                }
            }
            let Some(here) = constant else { continue };
            let differs = |other: &&TensorProto| {
                (&here.dims, &here.data_type, &here.raw_data)
                    != (&other.dims, &other.data_type, &other.raw_data)
            };
            let Some((open, other)) = opens.iter().zip(&there).find(|(_, other)| differs(other))
            else {
                continue;
            };
            let is_list = i == 1 && matches!(op.as_str(), "Reshape" | "Expand");
            let made = match is_list {
                true => opened(&op, here, &there, maker),
                false => spread(here, &there, maker),
            };
            *input = made.ok_or_else(|| {
                let what = format!(
                    "the node {place:?} ({op}) reads a constant of sizes {:?} in one export, and another of sizes {:?} in the other",
                    here.dims, other.dims
                );
                refusal(open.name, &what)
            })?;
        }
        for (open, twins) in opens.iter().zip(&mut theirs) {
            for (output, twin) in node.output.iter().zip(&open.other.node[at].output) {
                twins.values.insert(output.clone(), twin);
            }
        }
    }
    Ok(())
}

/// A list of sizes for any open ones; none where it is not made of those.
fn opened(
    op: &str,
    here: &TensorProto,
    there: &[&TensorProto],
    maker: &mut Maker,
) -> Option<String> {
    let here = integers(here)?;
    let there: Option<Vec<Vec<i64>>> = there.iter().map(|other| integers(other)).collect();
    let there = there?;
    if there.iter().any(|other| other.len() != here.len()) {
        return None;
    }
    let mut parts = Vec::new();
    for (at, &n) in here.iter().enumerate() {
        let others: Vec<i64> = there.iter().map(|other| other[at]).collect();
        parts.push(part(maker.opens, n, &others).ok()?);
    }
    let first = parts.iter().find_map(|part| part.of.first().copied())?;
    let n_open = parts.iter().filter(|part| !part.of.is_empty()).count();
    // One size of a shape follows from the others.
    let is_open = |part: &Part| !part.of.is_empty();
    if op == "Reshape" && n_open == 1 && parts.iter().all(|part| is_open(part) || part.times > 0) {
        let size = |part: &Part| if is_open(part) { -1 } else { part.times };
        let list: Vec<i64> = parts.iter().map(size).collect();
        return Some(maker.constant(first, &list));
    }
    Some(maker.list(first, &parts))
}

/// A tensor of one repeated number, for any open sizes; none where it has others, or sizes that are not made of those.
fn spread(here: &TensorProto, there: &[&TensorProto], maker: &mut Maker) -> Option<String> {
    let bytes = here.raw_data.as_deref()?;
    let n = usize::try_from(here.dims.iter().product::<i64>()).ok()?;
    let size = bytes.len().checked_div(n).filter(|size| *size > 0)?;
    let number = &bytes[..size];
    let repeats = |tensor: &TensorProto| {
        let chunks = tensor
            .raw_data
            .as_deref()
            .unwrap_or_default()
            .chunks(number.len());
        tensor.data_type == here.data_type && { chunks }.all(|chunk| chunk == number)
    };
    let fits = |other: &&TensorProto| other.dims.len() == here.dims.len() && repeats(other);
    if !repeats(here) || !there.iter().all(fits) {
        return None;
    }
    let mut parts = Vec::new();
    for (at, &n) in here.dims.iter().enumerate() {
        let others: Vec<i64> = there.iter().map(|other| other.dims[at]).collect();
        parts.push(part(maker.opens, n, &others).ok()?);
    }
    let first = parts.iter().find_map(|part| part.of.first().copied())?;
    let value = maker.tensor(first, 1, here.data_type, number.to_vec());
    let shape = maker.list(first, &parts);
    Some(maker.node(first, "Expand", vec![value, shape], false))
}

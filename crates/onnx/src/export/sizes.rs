//! A size that is left open, such as the batch: found by two exports of one model whose inputs differ in it.
//!
//! Both models must be the same but for lists of sizes, and those must differ as the inputs do. Then each differing size
//! is a multiple of the open one, and is written as such. Invariant: any other difference (a number that was made of the
//! size, a constant with as many rows, a branch) is refused by the node that reads it, so that no model of one size
//! passes for a model of all.

use std::collections::HashMap;

use glowgrad::{Error, Result};
use glowgrad_files::onnx::{
    AttributeProto, AttributeType, DataType, Dimension, DimensionValue, GraphProto, NodeProto,
    TensorProto, TypeValue, ValueInfoProto,
};

/// The open size in two exports.
struct Open<'a> {
    name: &'a str,
    sizes: (i64, i64),
}

impl Open<'_> {
    /// How often the open size a pair of sizes is.
    fn times(&self, a: i64, b: i64) -> Option<i64> {
        let (n, m) = self.sizes;
        (a % n == 0 && b % m == 0 && a / n == b / m).then_some(a / n)
    }

    fn refusal(&self, what: &str) -> Error {
        Error::value(format!(
            "the size {:?} cannot be left open: {what}; export the model with fixed sizes, or run both exports alike",
            self.name
        ))
    }
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
fn open_dims(open: &Open, info: &mut ValueInfoProto, other: &ValueInfoProto) -> Result<()> {
    let (mine, theirs) = (dims(info), dims(other));
    if mine.len() != theirs.len() {
        return Err(open.refusal(&format!(
            "{:?} has {} dimensions in one export and {} in the other",
            info.name(),
            mine.len(),
            theirs.len()
        )));
    }
    let name = info.name().to_owned();
    let Some(TypeValue::Tensor(tensor)) = info.r#type.as_mut().and_then(|t| t.value.as_mut())
    else {
        return Ok(());
    };
    let Some(shape) = &mut tensor.shape else {
        return Ok(());
    };
    for ((dim, &a), &b) in shape.dim.iter_mut().zip(&mine).zip(&theirs) {
        if a == b {
            continue;
        }
        dim.value = match open.times(a, b) {
            Some(1) => Some(DimensionValue::Param(open.name.to_owned())),
            Some(_) => None,
            None => {
                return Err(open.refusal(&format!(
                    "{name:?} has the sizes {mine:?} in one export and {theirs:?} in the other"
                )));
            }
        };
    }
    Ok(())
}

/// What makes lists of sizes when the model runs.
struct Maker {
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
    /// Input and dimension that have the open size.
    from: (String, usize),
    /// A prefix that no name of the graph has.
    prefix: String,
    has_size: bool,
}

impl Maker {
    fn constant(&mut self, list: &[i64]) -> String {
        let name = format!("{}constant_{}", self.prefix, self.constants.len());
        self.constants.push(TensorProto {
            dims: vec![list.len() as i64],
            data_type: Some(DataType::Int64 as i32),
            name: Some(name.clone()),
            raw_data: Some(list.iter().flat_map(|i| i.to_le_bytes()).collect()),
            ..TensorProto::default()
        });
        name
    }

    fn node(&mut self, op: &str, inputs: Vec<String>, axis: bool) -> String {
        let name = format!("{}{op}_{}", self.prefix, self.nodes.len());
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

    /// The open size, as a list of one.
    fn size(&mut self) -> String {
        let name = format!("{}size", self.prefix);
        if !self.has_size {
            self.has_size = true;
            let shape = self.node("Shape", vec![self.from.0.clone()], false);
            let at = self.constant(&[self.from.1 as i64]);
            self.node("Gather", vec![shape, at], true);
            if let Some(node) = self.nodes.last_mut() {
                node.output = vec![name.clone()];
            }
        }
        name
    }

    /// A list in which some sizes are multiples of the open one.
    fn list(&mut self, parts: &[(i64, bool)]) -> String {
        let mut names = Vec::new();
        for &(n, is_open) in parts {
            names.push(match (is_open, n) {
                (false, n) => self.constant(&[n]),
                (true, 1) => self.size(),
                (true, times) => {
                    let (size, times) = (self.size(), self.constant(&[times]));
                    self.node("Mul", vec![size, times], false)
                }
            });
        }
        self.node("Concat", names, true)
    }
}

/// The integers of a constant list.
fn integers(tensor: &TensorProto) -> Option<Vec<i64>> {
    let is_list = tensor.data_type == Some(DataType::Int64 as i32) && tensor.dims.len() == 1;
    let (chunks, _) = tensor.raw_data.as_ref()?.as_chunks::<8>();
    is_list.then(|| chunks.iter().map(|b| i64::from_le_bytes(*b)).collect())
}

/// A graph with the size that differs from another's left open, under a name.
///
/// # Errors
/// When they do not differ in one size of the inputs, and when they differ in anything else.
pub(super) fn open(mut graph: GraphProto, other: &GraphProto, name: &str) -> Result<GraphProto> {
    let mut open = Open {
        name,
        sizes: (0, 0),
    };
    let mut from = None;
    for (mine, theirs) in graph.input.iter().zip(&other.input) {
        let (a, b) = (dims(mine), dims(theirs));
        for (d, (&a, &b)) in a.iter().zip(&b).enumerate().filter(|(_, (a, b))| a != b) {
            if from.is_some() && open.sizes != (a, b) || a < 1 || b < 1 {
                return Err(open.refusal(&format!(
                    "the inputs differ in more than one size ({} and {} beside {} and {})",
                    open.sizes.0, open.sizes.1, a, b
                )));
            }
            open.sizes = (a, b);
            from.get_or_insert((mine.name().to_owned(), d));
        }
    }
    let Some(from) = from else {
        return Err(open.refusal("the inputs of both exports have the same sizes"));
    };
    if graph.input.len() != other.input.len() || graph.output.len() != other.output.len() {
        return Err(open.refusal("the exports have other inputs or outputs"));
    }
    for (info, other) in graph.input.iter_mut().zip(&other.input) {
        open_dims(&open, info, other)?;
    }
    for (info, other) in graph.output.iter_mut().zip(&other.output) {
        open_dims(&open, info, other)?;
    }
    let taken = |prefix: &str| {
        let values = graph.node.iter().flat_map(|node| &node.output);
        let weights = graph.initializer.iter().filter_map(|w| w.name.as_ref());
        let given = graph.input.iter().filter_map(|info| info.name.as_ref());
        (values.chain(weights).chain(given)).any(|name| name.starts_with(prefix))
    };
    let mut prefix = format!("{name}/");
    while taken(&prefix) {
        prefix.insert(0, '_');
    }
    let mut maker = Maker {
        nodes: Vec::new(),
        constants: Vec::new(),
        from,
        prefix,
        has_size: false,
    };
    same_nodes(&open, &mut graph, other, &mut maker)?;
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

/// Holds each node to its twin, and opens the lists of sizes among what they read.
fn same_nodes(
    open: &Open,
    graph: &mut GraphProto,
    other: &GraphProto,
    maker: &mut Maker,
) -> Result<()> {
    if graph.node.len() != other.node.len() {
        return Err(open.refusal(&format!(
            "one export has {} nodes and the other {}",
            graph.node.len(),
            other.node.len()
        )));
    }
    let by_name = |graph: &GraphProto| -> HashMap<String, TensorProto> {
        let each = graph.initializer.iter();
        each.map(|t| (t.name().to_owned(), t.clone())).collect()
    };
    let (mine, theirs) = (by_name(graph), by_name(other));
    let inputs = graph.input.iter().zip(&other.input);
    let mut twins: HashMap<String, String> = inputs
        .map(|(a, b)| (a.name().to_owned(), b.name().to_owned()))
        .collect();
    for (node, twin) in graph.node.iter_mut().zip(&other.node) {
        let place = node.name().to_owned();
        let is_same = node.op_type == twin.op_type
            && node.attribute == twin.attribute
            && node.input.len() == twin.input.len();
        if !is_same {
            return Err(open.refusal(&format!(
                "the node {place:?} is {} in one export and {} in the other, or has other options",
                node.op_type(),
                twin.op_type()
            )));
        }
        let op = node.op_type().to_owned();
        for (i, (input, twin)) in node.input.iter_mut().zip(&twin.input).enumerate() {
            let (a, b) = match (mine.get(input), theirs.get(twin)) {
                (Some(a), Some(b)) => (a, b),
                (None, None) if twins.get(input) == Some(twin) || input.is_empty() => continue,
                _ => {
                    return Err(open.refusal(&format!("the node {place:?} reads other values")));
                }
            };
            if (&a.dims, &a.data_type, &a.raw_data) == (&b.dims, &b.data_type, &b.raw_data) {
                continue;
            }
            let opened = (i == 1 && matches!(op.as_str(), "Reshape" | "Expand"))
                .then(|| opened(open, &op, a, b, maker))
                .flatten();
            *input = opened.ok_or_else(|| {
                open.refusal(&format!(
                    "the node {place:?} ({op}) reads a constant of sizes {:?} in one export, and another of sizes {:?} in the other",
                    a.dims, b.dims
                ))
            })?;
        }
        for (output, twin) in node.output.iter().zip(&twin.output) {
            twins.insert(output.clone(), twin.clone());
        }
    }
    Ok(())
}

/// A list of sizes for any open size; none where it is not made of that.
fn opened(
    open: &Open,
    op: &str,
    a: &TensorProto,
    b: &TensorProto,
    maker: &mut Maker,
) -> Option<String> {
    let (a, b) = (integers(a)?, integers(b)?);
    if a.len() != b.len() {
        return None;
    }
    let mut parts = Vec::new();
    for (&a, &b) in a.iter().zip(&b) {
        parts.push(match a == b {
            true => (a, false),
            false => (open.times(a, b)?, true),
        });
    }
    let n_open = parts.iter().filter(|(_, is_open)| *is_open).count();
    // One size of a shape follows from the others.
    if op == "Reshape" && n_open == 1 && parts.iter().all(|&(n, is_open)| is_open || n > 0) {
        let list: Vec<i64> = (parts.iter().zip(&a))
            .map(|(&(_, is_open), &n)| if is_open { -1 } else { n })
            .collect();
        return Some(maker.constant(&list));
    }
    Some(maker.list(&parts))
}

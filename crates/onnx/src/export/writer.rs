//! The model that grows: values, the nodes that make them, constants; at the end their names.
//!
//! Invariants: a node reads only values that were there before it, so that the nodes are in an order in which each can
//! run; equal constants are written once; names are given at the end, so that what no output needs leaves no trace, and
//! no two values have the same.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use glowgrad::alu::Value as Number;
use glowgrad::node::NodeRef;
use glowgrad::{DType, Engine, Error, Result, Scalar};
use glowgrad_files::onnx::{AttributeProto, AttributeType, DataType, NodeProto, TensorProto};

/// A value of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Id(usize);

/// What is known of a value.
struct Known {
    dtype: DType,
    /// What it is called if the name is free.
    hint: Rc<str>,
    source: Source,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Input,
    /// A constant, by its place.
    Constant(usize),
    /// A node, by its place.
    Node(usize),
}

/// A node of the model.
struct Made {
    op: &'static str,
    /// None where an input is left out.
    inputs: Vec<Option<Id>>,
    outputs: Vec<Id>,
    attributes: Vec<AttributeProto>,
}

/// A constant of the model: a weight, or what the graph holds.
enum Constant {
    /// Its bytes are read when the model is written.
    Weight(NodeRef),
    Bytes {
        shape: Vec<usize>,
        bytes: Vec<u8>,
    },
}

/// A model that is being written.
pub(super) struct Writer {
    pub(super) engine: Engine,
    /// The version of the operator set.
    pub(super) opset: i64,
    values: Vec<Known>,
    nodes: Vec<Made>,
    constants: Vec<(Id, Constant)>,
    equal: HashMap<(DType, Vec<usize>, Vec<u8>), Id>,
    /// What the node of the graph is called whose ONNX nodes are made now.
    hint: Rc<str>,
}

/// The nodes and constants that the outputs need, with their names.
pub(super) struct Written {
    pub(super) nodes: Vec<NodeProto>,
    pub(super) constants: Vec<TensorProto>,
}

impl Writer {
    pub(super) fn new(engine: Engine, opset: i64) -> Writer {
        Writer {
            engine,
            opset,
            values: Vec::new(),
            nodes: Vec::new(),
            constants: Vec::new(),
            equal: HashMap::new(),
            hint: Rc::from(""),
        }
    }

    fn value(&mut self, dtype: DType, hint: Rc<str>, source: Source) -> Id {
        self.values.push(Known {
            dtype,
            hint,
            source,
        });
        Id(self.values.len() - 1)
    }

    /// What a caller gives.
    pub(super) fn input(&mut self, name: &str, dtype: DType) -> Id {
        self.value(dtype, name.into(), Source::Input)
    }

    /// A tensor that is written with the model, under its name.
    pub(super) fn weight(&mut self, name: &str, node: &NodeRef) -> Id {
        let source = Source::Constant(self.constants.len());
        let id = self.value(node.dtype, name.into(), source);
        self.constants.push((id, Constant::Weight(node.clone())));
        id
    }

    /// Row-major little-endian elements.
    pub(super) fn bytes(&mut self, dtype: DType, shape: &[usize], bytes: Vec<u8>) -> Id {
        let key = (dtype, shape.to_vec(), bytes);
        if let Some(&id) = self.equal.get(&key) {
            return id;
        }
        let source = Source::Constant(self.constants.len());
        let id = self.value(dtype, "constant".into(), source);
        let constant = Constant::Bytes {
            shape: key.1.clone(),
            bytes: key.2.clone(),
        };
        self.constants.push((id, constant));
        self.equal.insert(key, id);
        id
    }

    /// A list of integers, such as a shape.
    pub(super) fn ints(&mut self, list: &[i64]) -> Id {
        let bytes = list.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.bytes(DType::I64, &[list.len()], bytes)
    }

    /// Integers in a shape.
    pub(super) fn indices(&mut self, list: &[i64], shape: &[usize]) -> Id {
        let bytes = list.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.bytes(DType::I64, shape, bytes)
    }

    /// A number without dimensions.
    pub(super) fn number(&mut self, number: Scalar, dtype: DType) -> Id {
        self.filled(number, dtype, &[])
    }

    /// A number as often as a small shape has elements.
    pub(super) fn filled(&mut self, number: Scalar, dtype: DType, shape: &[usize]) -> Id {
        let mut one = Vec::new();
        Number::from_scalar(number, dtype).write(dtype, &mut one);
        self.bytes(dtype, shape, one.repeat(shape.iter().product()))
    }

    /// A float without dimensions.
    pub(super) fn float(&mut self, number: f64, dtype: DType) -> Id {
        self.number(Scalar::Float(number), dtype)
    }

    /// The type of a value's elements.
    pub(super) fn dtype(&self, id: Id) -> DType {
        self.values[id.0].dtype
    }

    /// Begins a node.
    pub(super) fn make(&mut self, op: &'static str) -> NodeBuilder<'_> {
        NodeBuilder {
            writer: self,
            op,
            inputs: Vec::new(),
            attributes: Vec::new(),
        }
    }

    /// A value in another type: a cast, or the value before a cast that lost nothing.
    pub(super) fn cast(&mut self, id: Id, to: DType) -> Id {
        let mut id = id;
        if self.dtype(id) != to
            && let Source::Node(at) = self.values[id.0].source
            && self.nodes[at].op == "Cast"
            && let Some(before) = self.nodes[at].inputs[0]
            && holds(self.dtype(id), self.dtype(before))
        {
            id = before;
        }
        if self.dtype(id) == to {
            return id;
        }
        let code = i64::from(DataType::from(to) as i32);
        self.make("Cast").on(&[id]).int("to", code).one(to)
    }

    /// Runs what writes a node of the graph: the value that it gives is called like the node, and those between after
    /// it.
    pub(super) fn named<T>(
        &mut self,
        hint: &Rc<str>,
        result: impl Fn(&T) -> Option<Id>,
        write: impl FnOnce(&mut Writer) -> T,
    ) -> T {
        let first = self.values.len();
        self.hint = hint.clone();
        let written = write(self);
        if let Some(id) = result(&written)
            && id.0 >= first
            && matches!(self.values[id.0].source, Source::Node(_))
        {
            self.values[id.0].hint = hint.clone();
        }
        written
    }

    /// The value of what an op is made of gets the name of the op, if it is a part of it.
    pub(super) fn rename(&mut self, id: Id, place: &Rc<str>) {
        let known = &mut self.values[id.0];
        let is_part = known
            .hint
            .strip_prefix(&**place)
            .is_some_and(|rest| rest.starts_with('/'));
        if is_part && matches!(known.source, Source::Node(_)) {
            known.hint = place.clone();
        }
    }

    /// A value that may be an output: one that a node makes and that is none already.
    pub(super) fn as_output(&mut self, id: Id, taken: &[Id], name: &str) -> Id {
        if matches!(self.values[id.0].source, Source::Node(_)) && !taken.contains(&id) {
            return id;
        }
        let dtype = self.dtype(id);
        self.hint = name.into();
        self.make("Identity").on(&[id]).one(dtype)
    }

    /// The values that these need: all before them, and what is made beside them.
    fn needed(&self, outputs: &[Id]) -> HashSet<usize> {
        let mut needed: HashSet<usize> = outputs.iter().map(|id| id.0).collect();
        for node in self.nodes.iter().rev() {
            if node.outputs.iter().any(|id| needed.contains(&id.0)) {
                needed.extend(node.outputs.iter().map(|id| id.0));
                needed.extend(node.inputs.iter().flatten().map(|id| id.0));
            }
        }
        needed
    }

    /// The model's parts, with what the outputs need alone. `fixed` are the names of inputs and outputs.
    ///
    /// # Errors
    /// When a weight cannot be read, and when the constants take more than a file holds.
    pub(super) fn finish(&self, outputs: &[Id], fixed: &[(Id, &str)]) -> Result<Written> {
        let needed = self.needed(outputs);
        let mut names = Names::default();
        let mut of_value: HashMap<Id, String> = HashMap::new();
        for (id, name) in fixed {
            names.used.insert((*name).to_owned());
            of_value.insert(*id, (*name).to_owned());
        }
        for (id, constant) in &self.constants {
            if matches!(constant, Constant::Weight(_)) {
                // No other value may take a weight's name, needed or not.
                let name = self.values[id.0].hint.to_string();
                names.used.insert(name.clone());
                of_value.insert(*id, name);
            }
        }
        for id in (0..self.values.len()).filter(|id| needed.contains(id)) {
            of_value
                .entry(Id(id))
                .or_insert_with(|| names.free(&self.values[id].hint));
        }
        let name = |id: &Id| of_value.get(id).cloned().unwrap_or_default();
        let mut node_names = Names::default();
        let mut nodes = Vec::new();
        for node in &self.nodes {
            if !node.outputs.iter().any(|id| needed.contains(&id.0)) {
                continue;
            }
            let hint = node.outputs.first().map(|id| &*self.values[id.0].hint);
            nodes.push(NodeProto {
                input: (node.inputs.iter())
                    .map(|input| input.as_ref().map(name).unwrap_or_default())
                    .collect(),
                output: node.outputs.iter().map(name).collect(),
                name: Some(node_names.free(hint.unwrap_or(node.op))),
                op_type: Some(node.op.to_owned()),
                attribute: node.attributes.clone(),
                ..NodeProto::default()
            });
        }
        let mut constants = Vec::new();
        let mut total = 0usize;
        for (id, constant) in &self.constants {
            if !needed.contains(&id.0) {
                continue;
            }
            let (shape, bytes) = match constant {
                Constant::Weight(node) => (node.shape.to_vec(), self.engine.read(node)?),
                Constant::Bytes { shape, bytes } => (shape.clone(), bytes.clone()),
            };
            total = total.saturating_add(bytes.len());
            constants.push(TensorProto {
                dims: shape.iter().map(|&n| n as i64).collect(),
                data_type: Some(DataType::from(self.values[id.0].dtype) as i32),
                name: Some(name(id)),
                raw_data: Some(bytes),
                ..TensorProto::default()
            });
        }
        if total > LARGEST {
            return Err(Error::value(format!(
                "the model's weights take {total} bytes, and a model file holds at most {LARGEST}; export it in a narrower dtype (.half()) or in parts"
            )));
        }
        Ok(Written { nodes, constants })
    }
}

/// Most bytes of constants in one file: a message of the format has less than 2 GiB, and names and nodes need some.
const LARGEST: usize = (1 << 31) - (64 << 20);

/// Whether every number of `narrow` is one of `wide`, and a cast from either to a third type gives the same.
fn holds(wide: DType, narrow: DType) -> bool {
    let class = |dtype: DType| (dtype.is_float(), dtype.size(), dtype.is_signed());
    let ((float, size, signed), (of_float, of_size, of_signed)) = (class(wide), class(narrow));
    match (float, of_float) {
        _ if narrow == DType::Bool => wide != DType::Bool,
        _ if wide == DType::Bool => false,
        (true, true) => size > of_size,
        (false, false) => size > of_size && (signed || !of_signed),
        _ => false,
    }
}

/// Names that are given once.
#[derive(Default)]
struct Names {
    used: HashSet<String>,
    next: HashMap<String, usize>,
}

impl Names {
    /// The name itself, or with a number after it.
    fn free(&mut self, hint: &str) -> String {
        let hint = if hint.is_empty() { "value" } else { hint };
        let mut name = hint.to_owned();
        let next = self.next.entry(name.clone()).or_insert(0);
        while !self.used.insert(name.clone()) {
            *next += 1;
            name = format!("{hint}_{next}");
        }
        name
    }
}

/// Builds a node: its inputs and attributes, then its outputs.
pub(super) struct NodeBuilder<'w> {
    writer: &'w mut Writer,
    op: &'static str,
    inputs: Vec<Option<Id>>,
    attributes: Vec<AttributeProto>,
}

impl NodeBuilder<'_> {
    /// Reads these.
    pub(super) fn on(mut self, inputs: &[Id]) -> Self {
        self.inputs.extend(inputs.iter().copied().map(Some));
        self
    }

    /// Reads this, or nothing in this place.
    pub(super) fn or_none(mut self, input: Option<Id>) -> Self {
        self.inputs.push(input);
        self
    }

    fn attribute(mut self, name: &str, kind: AttributeType, rest: AttributeProto) -> Self {
        self.attributes.push(AttributeProto {
            name: Some(name.to_owned()),
            r#type: Some(kind as i32),
            ..rest
        });
        self
    }

    pub(super) fn int(self, name: &str, i: i64) -> Self {
        let rest = AttributeProto {
            i: Some(i),
            ..AttributeProto::default()
        };
        self.attribute(name, AttributeType::Int, rest)
    }

    pub(super) fn ints(self, name: &str, list: &[i64]) -> Self {
        let rest = AttributeProto {
            ints: list.to_vec(),
            ..AttributeProto::default()
        };
        self.attribute(name, AttributeType::Ints, rest)
    }

    pub(super) fn number(self, name: &str, x: f64) -> Self {
        let rest = AttributeProto {
            f: Some(x as f32),
            ..AttributeProto::default()
        };
        self.attribute(name, AttributeType::Float, rest)
    }

    pub(super) fn text(self, name: &str, text: &str) -> Self {
        let rest = AttributeProto {
            s: Some(text.as_bytes().to_vec()),
            ..AttributeProto::default()
        };
        self.attribute(name, AttributeType::String, rest)
    }

    /// Makes the node, which gives values of these types.
    pub(super) fn many(mut self, dtypes: &[DType]) -> Vec<Id> {
        while self.inputs.last() == Some(&None) {
            self.inputs.pop();
        }
        let at = self.writer.nodes.len();
        let hint: Rc<str> = match &*self.writer.hint {
            "" => self.op.into(),
            hint => format!("{hint}/{}", self.op).into(),
        };
        let outputs: Vec<Id> = (dtypes.iter())
            .map(|&dtype| self.writer.value(dtype, hint.clone(), Source::Node(at)))
            .collect();
        self.writer.nodes.push(Made {
            op: self.op,
            inputs: self.inputs,
            outputs: outputs.clone(),
            attributes: self.attributes,
        });
        outputs
    }

    /// Makes the node, which gives one value.
    pub(super) fn one(self, dtype: DType) -> Id {
        self.many(&[dtype])[0]
    }
}

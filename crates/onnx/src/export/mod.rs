//! ONNX models written from the engine's graph: a tensor remembers what it was made of, and [`Export`] writes that.
//!
//! ```
//! use glowgrad::Tensor;
//! use glowgrad_onnx::{Export, Model};
//!
//! # fn main() -> glowgrad_onnx::Result<()> {
//! let engine = glowgrad::cpu();
//! let x = Tensor::from_f32(&engine, &[1.0, -2.0], &[1, 2])?;
//! let w = Tensor::from_f32(&engine, &[3.0, 0.5, 1.0, 1.0], &[2, 2])?;
//! let mut export = Export::new();
//! export.input("x", &x).weight("fc.weight", &w);
//! let y = x.matmul(&w)?.relu()?;
//! let bytes = export.output("y", &y).to_bytes()?;
//!
//! let model = Model::read(&bytes)?;
//! assert_eq!(model.run(&engine, [("x", x)])?[0].1.to_f64()?, [1.0, 0.0]);
//! # Ok(())
//! # }
//! ```
//!
//! `rows/` has a row for each op that is an operator of ONNX; what has none is written by what it is made of
//! (`walk.rs`, `expression.rs`), down to primitives. Invariants: nothing is written before it is known that all of it
//! can be, and what cannot is named; shapes are those of the tensors that ran, but for sizes that further runs show to be
//! open (`sizes.rs`). Left to others: files, and a model's
//! mode (`model.eval()`): numbers that were drawn, such as dropout's, are constants of the graph.

mod call;
mod expression;
mod rows;
mod sizes;
mod walk;
mod writer;

use std::collections::{HashMap, HashSet};

use glowgrad::graph::Look;
use glowgrad::graph_text::same_as;
use glowgrad::node::NodeRef;
use glowgrad::trace::NodeId;
use glowgrad::{Engine, Error, Result, Tensor};
use glowgrad_files::onnx::{
    DataType, Dimension, DimensionValue, GraphProto, ModelProto, OperatorSetIdProto,
    TensorShapeProto, TensorType, TypeProto, TypeValue, ValueInfoProto, encode,
};

use call::Value;
pub use walk::Refused;
use walk::{Walk, behind};
use writer::{Id, Writer};

/// The version of the operator set that is written if none is asked for.
const OPSET: i64 = 18;

/// The versions that are written, each with the version of the format that came with it.
const VERSIONS: &[(i64, i64)] = &[
    (18, 8),
    (19, 9),
    (20, 9),
    (21, 10),
    (22, 10),
    (23, 11),
    (24, 12),
    (25, 13),
];

/// A tensor under a name, as the node that it was.
struct Named {
    name: String,
    node: NodeRef,
}

/// A model to be written: inputs, weights, outputs, and the graph between them.
///
/// An input or a weight is the tensor that it is when it is named; so name them before the model runs if the model
/// writes into them. See the example above.
pub struct Export {
    inputs: Vec<Named>,
    outputs: Vec<Named>,
    weights: Vec<Named>,
    looked: Vec<Look>,
    engine: Option<Engine>,
    opset: i64,
    graph: String,
    doc: String,
}

impl Default for Export {
    fn default() -> Export {
        Export::new()
    }
}

/// The engine keeps what values were made of, and notes what is looked at if it is asked to; then its switches go back.
struct Tracing<'a> {
    engine: &'a Engine,
    keeps: bool,
    notes: bool,
}

impl<'a> Tracing<'a> {
    fn new(engine: &'a Engine, notes: bool) -> Tracing<'a> {
        Tracing {
            engine,
            keeps: engine.set_retain_sources(true),
            notes: engine.note_looks(notes),
        }
    }
}

impl Drop for Tracing<'_> {
    fn drop(&mut self) {
        self.engine.set_retain_sources(self.keeps);
        self.engine.note_looks(self.notes);
    }
}

/// What a walk through the graph gave.
struct Walked {
    writer: Writer,
    values: HashMap<NodeId, Value>,
    refused: Vec<Refused>,
    inputs: Vec<Id>,
    outputs: Vec<Id>,
}

impl Walked {
    /// Whether a node's value depends on an input or a weight.
    fn varies(&self, node: &NodeRef) -> bool {
        matches!(self.values.get(&node.id), Some(Value::Named(_)))
    }
}

impl Export {
    /// A model without inputs and outputs, of operator set 18.
    pub fn new() -> Export {
        Export {
            inputs: Vec::new(),
            outputs: Vec::new(),
            weights: Vec::new(),
            looked: Vec::new(),
            engine: None,
            opset: OPSET,
            graph: "main".to_owned(),
            doc: String::new(),
        }
    }

    fn named(&mut self, name: &str, tensor: &Tensor) -> Named {
        self.engine.get_or_insert_with(|| tensor.engine().clone());
        Named {
            name: name.to_owned(),
            node: tensor.node(),
        }
    }

    /// What a caller of the model gives, with the shape and dtype of this tensor.
    pub fn input(&mut self, name: &str, tensor: &Tensor) -> &mut Export {
        let named = self.named(name, tensor);
        self.inputs.push(named);
        self
    }

    /// What a caller of the model gets.
    pub fn output(&mut self, name: &str, tensor: &Tensor) -> &mut Export {
        let named = self.named(name, tensor);
        self.outputs.push(named);
        self
    }

    /// A tensor that the model keeps under this name, such as `fc1.weight`. One that no output reads is not written.
    pub fn weight(&mut self, name: &str, tensor: &Tensor) -> &mut Export {
        let named = self.named(name, tensor);
        self.weights.push(named);
        self
    }

    /// The version of ONNX's operator set: 18 if it is not called, 18 to 25.
    pub fn opset(&mut self, version: i64) -> &mut Export {
        self.opset = version;
        self
    }

    /// The graph's name: `main` if it is not called.
    pub fn graph_name(&mut self, name: &str) -> &mut Export {
        name.clone_into(&mut self.graph);
        self
    }

    /// A text for the model's readers.
    pub fn doc(&mut self, text: &str) -> &mut Export {
        text.clone_into(&mut self.doc);
        self
    }

    /// Runs a model so that its graph stays whole: a value that is computed on the way keeps what it was made of, and off
    /// the tape (`torch.no_grad`) it would let go of it. What is looked at on the way is noted: `unique`, and a mask as an
    /// index, make constants of what they found, and are refused.
    ///
    /// # Errors
    /// What the model says.
    ///
    /// ```
    /// use glowgrad::Tensor;
    /// use glowgrad_onnx::Export;
    ///
    /// # fn main() -> glowgrad_onnx::Result<()> {
    /// let engine = glowgrad::cpu();
    /// let x = Tensor::from_f32(&engine, &[1.0, -2.0], &[2])?;
    /// let mut export = Export::new();
    /// export.input("x", &x);
    /// let y = export.trace(&engine, || {
    ///     let y = x.relu()?;
    ///     y.realize()?;
    ///     y.exp()
    /// })?;
    /// export.output("y", &y).to_bytes()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn trace<T>(&mut self, engine: &Engine, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let _tracing = Tracing::new(engine, true);
        let result = run();
        self.looked.extend(engine.take_looks());
        result
    }

    /// Notes what was looked at while the model ran elsewhere.
    pub(crate) fn note(&mut self, looks: Vec<Look>) {
        self.looked.extend(looks);
    }

    /// What was looked at while the model ran in [`Export::trace`], and depends on an input: a sentence for each. What
    /// the program made of such a value (a branch, a size, a mask as an index) is fixed in the model.
    ///
    /// # Errors
    /// As [`Export::to_model`], but for ops without a form in ONNX.
    pub fn looked_at(&self) -> Result<Vec<String>> {
        if self.looked.iter().all(|look| look.by.is_some()) {
            return Ok(Vec::new());
        }
        let walked = self.walk(&self.looked)?;
        let mut seen = HashSet::new();
        let own = self.looked.iter().filter(|look| look.by.is_none());
        let depends = |look: &&Look| walked.varies(&look.node) && seen.insert(look.node.id);
        let sentence = |look: &Look| {
            format!(
                "the program looked at the value of {:?} while the model ran: what it made of it, such as a branch or a size, is the same in the exported model for every input",
                look.node.op.name
            )
        };
        Ok(own.filter(depends).map(sentence).collect())
    }

    /// The ops of the graph that cannot be written as ONNX, each once.
    ///
    /// # Errors
    /// As [`Export::to_model`], but for these.
    pub fn refused(&self) -> Result<Vec<Refused>> {
        Ok(self.walk(&[])?.refused)
    }

    /// The model as a message.
    ///
    /// # Errors
    /// For a version that is not written, names that are empty or used twice, ops that have no form in ONNX (all of them
    /// are named), and values whose origin the graph has let go of.
    pub fn to_model(&self) -> Result<ModelProto> {
        let Walked {
            writer,
            refused,
            inputs,
            outputs,
            ..
        } = self.walk(&[])?;
        if !refused.is_empty() {
            let each: Vec<String> = refused.iter().map(Refused::to_string).collect();
            return Err(Error::not_implemented(format!(
                "{} of the graph's ops cannot be written as ONNX (operator set {}): {}",
                refused.len(),
                self.opset,
                each.join("; ")
            )));
        }
        let named = self.inputs.iter().zip(&inputs);
        let named = named.chain(self.outputs.iter().zip(&outputs));
        let fixed: Vec<(Id, &str)> = named.map(|(n, &id)| (id, n.name.as_str())).collect();
        let written = writer.finish(&outputs, &fixed)?;
        let graph = GraphProto {
            node: written.nodes,
            name: Some(self.graph.clone()),
            initializer: written.constants,
            input: self.inputs.iter().map(info).collect(),
            output: self.outputs.iter().map(info).collect(),
            ..GraphProto::default()
        };
        let ir = (VERSIONS.iter()).find(|(opset, _)| *opset == self.opset);
        Ok(ModelProto {
            ir_version: ir.map(|(_, ir)| *ir),
            opset_import: vec![OperatorSetIdProto {
                domain: Some(String::new()),
                version: Some(self.opset),
            }],
            producer_name: Some("glowgrad".to_owned()),
            producer_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            doc_string: (!self.doc.is_empty()).then(|| self.doc.clone()),
            graph: Some(graph),
            ..ModelProto::default()
        })
    }

    /// The model for inputs of any size of a kind, such as the batch, under a name. `other` is the same model, run on
    /// inputs that differ in this one size: 2 and 3 samples. Both exports must be the same but for it; so a model that
    /// computes with its batch's size, or keeps a constant of as many rows, is refused.
    ///
    /// # Errors
    /// As [`Export::to_model`]; when the exports differ in anything else, or not at all.
    ///
    /// ```
    /// use glowgrad::Tensor;
    /// use glowgrad_onnx::{Export, Model};
    ///
    /// # fn main() -> glowgrad_onnx::Result<()> {
    /// let engine = glowgrad::cpu();
    /// let export = |n: usize| {
    ///     let x = Tensor::from_f32(&engine, &vec![1.0; 4 * n], &[n, 4])?;
    ///     let mut export = Export::new();
    ///     export.input("x", &x).output("y", &x.reshape(&[2 * n as i64, 2])?.exp()?);
    ///     Ok::<Export, glowgrad_onnx::Error>(export)
    /// };
    /// let model = export(2)?.to_model_of_any("batch", &export(3)?)?;
    /// let model = Model::read(&glowgrad_files::onnx::encode(&model))?;
    /// assert_eq!(model.inputs()[0].to_string(), "x float32 [batch, 4]");
    /// let x = Tensor::from_f32(&engine, &[0.0; 20], &[5, 4])?;
    /// assert_eq!(model.run(&engine, [("x", x)])?[0].1.shape()[..], [10, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_model_of_any(&self, size: &str, other: &Export) -> Result<ModelProto> {
        self.to_model_of_sizes(&[(size, other)])
    }

    /// As [`Export::to_model_of_any`], with several sizes left open: for each its name, and the same model run on inputs
    /// that differ in it alone.
    ///
    /// # Errors
    /// As [`Export::to_model_of_any`].
    pub fn to_model_of_sizes(&self, others: &[(&str, &Export)]) -> Result<ModelProto> {
        let mut model = self.to_model()?;
        if others.is_empty() {
            return Ok(model);
        }
        let mut graphs = Vec::new();
        for (size, other) in others {
            graphs.push((*size, other.to_model()?.graph.unwrap_or_default()));
        }
        if let Some(graph) = model.graph.take() {
            model.graph = Some(sizes::open(graph, &graphs)?);
        }
        Ok(model)
    }

    /// The bytes of a `.onnx` file.
    ///
    /// # Errors
    /// As [`Export::to_model`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_bytes_of_sizes(&[])
    }

    /// The bytes of a `.onnx` file with sizes left open.
    ///
    /// # Errors
    /// As [`Export::to_model_of_sizes`].
    pub fn to_bytes_of_sizes(&self, others: &[(&str, &Export)]) -> Result<Vec<u8>> {
        Ok(encode(&self.to_model_of_sizes(others)?))
    }

    /// Refuses names that a model cannot have.
    fn check(&self) -> Result<()> {
        if !VERSIONS.iter().any(|(opset, _)| *opset == self.opset) {
            return Err(Error::value(format!(
                "operator set {} is not written; expected 18 to 25, and 18 is what most runtimes have",
                self.opset
            )));
        }
        if self.outputs.is_empty() {
            return Err(Error::value(
                "the model has no output; name at least one tensor with output()",
            ));
        }
        let mut names = HashSet::new();
        for named in (self.inputs.iter().chain(&self.weights)).chain(&self.outputs) {
            if named.name.is_empty() {
                return Err(Error::value(
                    "an input, output or weight has an empty name; every one needs a name",
                ));
            }
            if !names.insert(&named.name) {
                return Err(Error::value(format!(
                    "the name {:?} is given twice; inputs, outputs and weights need different names",
                    named.name
                )));
            }
        }
        let mut nodes = HashMap::new();
        for input in &self.inputs {
            if let Some(other) = nodes.insert(input.node.id, &input.name) {
                return Err(Error::value(format!(
                    "the inputs {other:?} and {:?} are one tensor; give a copy (.clone()) as one of them before the model runs",
                    input.name
                )));
            }
        }
        Ok(())
    }

    /// Walks from the outputs, and from what was looked at: by calls of the engine, which are refused where that depends
    /// on an input, and by these.
    fn walk(&self, others: &[Look]) -> Result<Walked> {
        self.check()?;
        let Some(engine) = &self.engine else {
            return Err(Error::value("the model has no output"));
        };
        // Constants are computed on the way: what they are made of must stay, and so must what is written with them.
        let _tracing = Tracing::new(engine, false);
        let mut writer = Writer::new(engine.clone(), self.opset);
        let mut values: HashMap<NodeId, Value> = HashMap::new();
        let mut inputs = Vec::new();
        for input in &self.inputs {
            let id = writer.input(&input.name, input.node.dtype);
            inputs.push(id);
            for node in same_as(&input.node) {
                values.insert(node.id, Value::Named(id));
            }
        }
        for weight in &self.weights {
            let id = writer.weight(&weight.name, &weight.node);
            for node in same_as(&weight.node) {
                values.entry(node.id).or_insert(Value::Named(id));
            }
        }
        let beyond = |input: &Named| Some((behind(&input.node)?.id, input.name.clone()));
        let mut behind: HashMap<NodeId, String> = self.inputs.iter().filter_map(beyond).collect();
        behind.retain(|id, _| !values.contains_key(id));
        let mut walk = Walk {
            writer: &mut writer,
            values,
            refused: Vec::new(),
            behind,
            oldest: self.inputs.iter().map(|input| input.node.id).min(),
        };
        let mut found = Vec::new();
        for output in &self.outputs {
            found.push(walk.visit(&output.node)?);
        }
        for look in others.iter().filter(|look| look.by.is_none()) {
            walk.visit(&look.node)?;
        }
        for look in &self.looked {
            if let Some(call) = look.by
                && matches!(walk.visit(&look.node)?, Value::Named(_))
            {
                walk.refused.push(Refused::by_value(call));
            }
        }
        let Walk {
            values, refused, ..
        } = walk;
        let mut outputs = Vec::new();
        for (output, value) in self.outputs.iter().zip(&found) {
            let id = writer.of(value)?;
            let id = writer.as_output(id, &outputs, &output.name);
            outputs.push(id);
        }
        Ok(Walked {
            writer,
            values,
            refused: each_once(refused),
            inputs,
            outputs,
        })
    }
}

/// The first of each op and reason.
fn each_once(refused: Vec<Refused>) -> Vec<Refused> {
    let mut seen = HashSet::new();
    let is_new = |one: &Refused| seen.insert((one.op.clone(), one.reason.clone()));
    refused.into_iter().filter(is_new).collect()
}

/// A tensor's name and type.
fn info(named: &Named) -> ValueInfoProto {
    let size = |&n: &usize| Dimension {
        value: Some(DimensionValue::Value(n as i64)),
        ..Dimension::default()
    };
    let tensor = TensorType {
        elem_type: Some(DataType::from(named.node.dtype) as i32),
        shape: Some(TensorShapeProto {
            dim: named.node.shape.iter().map(size).collect(),
        }),
    };
    ValueInfoProto {
        name: Some(named.name.clone()),
        r#type: Some(TypeProto {
            value: Some(TypeValue::Tensor(tensor)),
            ..TypeProto::default()
        }),
        ..ValueInfoProto::default()
    }
}

/// The engine's ops that have a row of their own, by name. Others are written by what they are made of.
pub fn exported() -> impl Iterator<Item = &'static str> {
    rows::names()
}
